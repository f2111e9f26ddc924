import type * as english from "../en/units.js";
import type { Translated } from "../translated.js";
import { countText, numberText } from "./forms.js";

export const units: Translated<typeof english.units> = {
  points: (count) => countText(count, "Punkt", "Punkte"),
  stamps: (count) => countText(count, "Stempel", "Stempel"),
  named: (count, word) => `${numberText(count)} ${word}`,
  gained: (amount) => `+${amount}`,
  lost: (amount) => `−${amount}`,
};
