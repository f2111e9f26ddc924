import type * as en from "../en/developers.js";
import type { Translated } from "../translated.js";

export const developers: Translated<typeof en.developers> = {
  title: "Entwickler",
  reference: "API-Referenz",
  organization: "Organisation",
};

export const secrets: Translated<typeof en.secrets> = {
  onlyOnce: "Es wird nur dieses eine Mal gezeigt und nie wieder.",
  copy: "Kopieren",
  copied: "Kopiert",
  done: "Ich habe es",
};
