import { posters } from "../../words/en/posters.js";

/** A kind of printable sheet, with its size in millimeters. */
export interface Sheet {
  readonly kind: "poster" | "tent" | "sticker";
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

export const sheets: readonly [Sheet, ...Sheet[]] = [
  { kind: "poster", text: posters.poster, width: 210, height: 297 },
  { kind: "tent", text: posters.tent, width: 105, height: 148 },
  { kind: "sticker", text: posters.sticker, width: 85, height: 55 },
];
