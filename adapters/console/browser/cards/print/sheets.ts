/** A sheet that can be printed, with its size in millimeters. */
export interface Sheet {
  readonly kind: "poster" | "tent" | "sticker";
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

export const sheets: readonly [Sheet, ...Sheet[]] = [
  { kind: "poster", text: "Poster, A4", width: 210, height: 297 },
  { kind: "tent", text: "Table tent, A6", width: 105, height: 148 },
  { kind: "sticker", text: "Sticker, 85 × 55 mm", width: 85, height: 55 },
];
