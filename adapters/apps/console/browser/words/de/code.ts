import type * as english from "../en/code.js";
import type { Translated } from "../translated.js";

export const code: Translated<typeof english.code> = {
  title: "Als Code",
  set: "Setzen Sie",
  toToken: "auf ein API-Token, das dies lesen darf. Ihr eigenes steht nicht darin.",
  forShell: "Für eine Shell",
  forProgram: "Für ein Programm",
  copyCurl: "Als curl kopieren",
  copyClient: "Als Code kopieren",
  copied: "Kopiert",
  done: "Fertig",
  item: "Als Code",
  itemHint: "Führen Sie dies in einem Programm oder einer Shell aus.",
};
