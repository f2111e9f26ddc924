import { countText, numberText } from "./forms.js";

/** Numbers of stamps and points, and how they change. */
export const units = {
  points: (count: number) => countText(count, "point"),
  stamps: (count: number) => countText(count, "stamp"),
  named: (count: number, word: string) => `${numberText(count)} ${word}`,
  gained: (amount: string) => `+${amount}`,
  lost: (amount: string) => `−${amount}`,
};
