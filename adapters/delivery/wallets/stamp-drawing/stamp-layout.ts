/** A rectangle with its position and size in points. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A drawing's dimensions and the area in which to place its stamps, all in points. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly stamps: Area;
}

/** The canvas for Apple Wallet. Some phones show only the middle 123 points of its height. */
export const stripCanvas: Canvas = {
  width: 375,
  height: 144,
  stamps: { left: 18, top: 18, width: 339, height: 108 },
};

/** Pixels per point for Google Wallet's images, which are 1,032 by 336 pixels. */
export const HERO_SCALE = 1_032 / 375;

export const heroCanvas: Canvas = {
  width: 375,
  height: 336 / HERO_SCALE,
  stamps: { left: 18, top: 10, width: 339, height: 336 / HERO_SCALE - 20 },
};

/** The stamps' diameter and center points. The center points are in the order that the stamps are collected. */
export interface StampLayout {
  readonly diameter: number;
  readonly centers: readonly (readonly [x: number, y: number])[];
}

/** The gap between stamps as a share of a stamp's cell, and the maximum diameter of a stamp in points. */
const GAP = 0.16;
const MAX_DIAMETER = 64;

/** Maximum factor by which stamps move apart if the rows don't fill the area. */
const MAX_SPREAD = 1.2;

/** Factor that makes rows of different lengths less preferable than even rows. */
const UNEVEN_ROWS_FACTOR = 0.85;

/** Arranges stamps in rows of about equal length, making the stamps as large as possible, and centers the last row. */
export function computeStampLayout(total: number, area: Area): StampLayout {
  const rows = pickBestRows(total, area);
  const columns = Math.ceil(total / rows);
  const diameter = computeDiameter(total, rows, area);
  const columnWidth = Math.min(area.width / columns, diameter * MAX_SPREAD);
  const rowHeight = Math.min(area.height / rows, diameter * MAX_SPREAD);
  const top = area.top + (area.height - rowHeight * rows) / 2;
  const centers = Array.from({ length: total }, (_, at): [number, number] => {
    const row = Math.floor(at / columns);
    const inRow = Math.min(columns, total - row * columns);
    const left = area.left + (area.width - columnWidth * inRow) / 2;
    return [left + columnWidth * ((at % columns) + 0.5), top + rowHeight * (row + 0.5)];
  });
  return { diameter: diameter * (1 - GAP), centers };
}

function pickBestRows(total: number, area: Area): number {
  const rateRows = (rows: number) =>
    computeDiameter(total, rows, area) * (total % rows === 0 ? 1 : UNEVEN_ROWS_FACTOR);
  const choices = Array.from({ length: total }, (_, at) => at + 1).filter(
    // Leave out row counts that would result in empty rows.
    (rows) => Math.ceil(total / Math.ceil(total / rows)) === rows,
  );
  return choices.reduce((best, rows) => (rateRows(rows) > rateRows(best) ? rows : best));
}

function computeDiameter(total: number, rows: number, { width, height }: Area): number {
  const columns = Math.ceil(total / rows);
  return Math.min(width / columns, height / rows, MAX_DIAMETER / (1 - GAP));
}
