/** A rectangle in points. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Where stamps are, by their centers, in the order in which they are given. */
export interface StampLayout {
  readonly diameter: number;
  readonly centers: readonly (readonly [x: number, y: number])[];
}

/** How much of the room of a stamp is between it and the next, and how large one becomes where there is room. */
const GAP = 0.16;
const MAX_DIAMETER = 64;

/** How far they move apart where rows do not fill the room. */
const SPREAD = 1.2;

/** What rows of different lengths are worth beside even ones. */
const UNEVEN = 0.85;

/** Puts stamps into rows so that they are large, the rows even, and the last one in the middle. */
export function stampLayout(total: number, area: Area): StampLayout {
  const rows = bestRows(total, area);
  const columns = Math.ceil(total / rows);
  const room = roomOf(total, rows, area);
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
  const worth = (rows: number) => roomOf(total, rows, area) * (total % rows === 0 ? 1 : UNEVEN);
  const choices = Array.from({ length: total }, (_, at) => at + 1).filter(
    // Fewer in more rows than these would leave rows empty.
    (rows) => Math.ceil(total / Math.ceil(total / rows)) === rows,
  );
  return choices.reduce((best, rows) => (worth(rows) > worth(best) ? rows : best));
}

function roomOf(total: number, rows: number, { width, height }: Area): number {
  const columns = Math.ceil(total / rows);
  return Math.min(width / columns, height / rows, MAX_DIAMETER / (1 - GAP));
}
