import type { Area } from "./stamp-layout.js";

/** What is drawn on, in points. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  /** The part in which the stamps are. */
  readonly stamps: Area;
}

/** Of Apple's Wallet, which cuts it to its middle 123 points on some phones. */
export const stripCanvas: Canvas = {
  width: 375,
  height: 144,
  stamps: { left: 18, top: 18, width: 339, height: 108 },
};

/** How many pixels a point of Google's has: they make 1,032 by 336. */
export const HERO_SCALE = 1_032 / 375;

export const heroCanvas: Canvas = {
  width: 375,
  height: 336 / HERO_SCALE,
  stamps: { left: 18, top: 10, width: 339, height: 336 / HERO_SCALE - 20 },
};
