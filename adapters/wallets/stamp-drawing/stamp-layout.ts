/** A rectangle in points. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A drawing's size in points. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  /** The part in which the stamps are. */
  readonly stamps: Area;
}

/** Apple's Wallet cuts it to its middle 123 points on some phones. */
export const stripCanvas: Canvas = {
  width: 375,
  height: 144,
  stamps: { left: 18, top: 18, width: 339, height: 108 },
};

/** The pixels of a point of Google's: they make 1,032 by 336. */
export const HERO_SCALE = 1_032 / 375;

export const heroCanvas: Canvas = {
  width: 375,
  height: 336 / HERO_SCALE,
  stamps: { left: 18, top: 10, width: 339, height: 336 / HERO_SCALE - 20 },
};

/** The places of stamps by their centers, in the order in which they are given. */
export interface StampLayout {
  readonly diameter: number;
  readonly centers: readonly (readonly [x: number, y: number])[];
}

/** The gap is a part of the room of a stamp, which grows no larger than its maximum. */
const GAP = 0.16;
const MAX_DIAMETER = 64;

/** Stamps move apart by this factor at most where rows do not fill the room. */
const SPREAD = 1.2;

/** Rows of different lengths count for less than even ones. */
const UNEVEN = 0.85;

/** Puts stamps into rows so that they are large, the rows even, and the last one in the middle. */
export function stampLayout(total: number, area: Area): StampLayout {
  const rows = bestRows(total, area);
  const columns = Math.ceil(total / rows);
  const room = computeDiameter(total, rows, area);
  const across = Math.min(area.width / columns, room * SPREAD);
  const down = Math.min(area.height / rows, room * SPREAD);
  const top = area.top + (area.height - down * rows) / 2;
  const centers = Array.from({ length: total }, (_, at): [number, number] => {
    const row = Math.floor(at / columns);
    const inRow = Math.min(columns, total - row * columns);
    const left = area.left + (area.width - across * inRow) / 2;
    return [left + across * ((at % columns) + 0.5), top + down * (row + 0.5)];
  });
  return { diameter: room * (1 - GAP), centers };
}

function bestRows(total: number, area: Area): number {
  const worth = (rows: number) => computeDiameter(total, rows, area) * (total % rows === 0 ? 1 : UNEVEN);
  const choices = Array.from({ length: total }, (_, at) => at + 1).filter(
    // Fewer in more rows than these would leave rows empty.
    (rows) => Math.ceil(total / Math.ceil(total / rows)) === rows,
  );
  return choices.reduce((best, rows) => (worth(rows) > worth(best) ? rows : best));
}

function computeDiameter(total: number, rows: number, { width, height }: Area): number {
  const columns = Math.ceil(total / rows);
  return Math.min(width / columns, height / rows, MAX_DIAMETER / (1 - GAP));
}
