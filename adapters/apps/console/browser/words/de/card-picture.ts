import type * as english from "../en/card-picture.js";
import type { Translated } from "../translated.js";

export const cardPicture: Translated<typeof english.cardPicture> = {
  progress: (stamps, most) => `${stamps} von ${most} Stempeln`,
  toRedeem: (count) => (count === 1 ? "1 Prämie einzulösen" : `${count} Prämien einzulösen`),
  earns: (reward) => `Eine volle Karte bringt: ${reward}`,
};
