/** How many users entered and left a segment. */
export interface Moves {
  readonly entered: number;
  readonly left: number;
}

/** That of a day, in days since the Unix epoch. */
export interface MovesOfDay extends Moves {
  readonly day: number;
}

/** How many moved, day by day. */
export class MovesOfDays {
  readonly #days = new Map<number, MovesOfDay>();

  get size(): number {
    return this.#days.size;
  }

  add({ day, entered, left }: MovesOfDay): void {
    const known = this.#days.get(day);
    this.#days.set(day, { day, entered: entered + (known?.entered ?? 0), left: left + (known?.left ?? 0) });
  }

  all(): Iterable<MovesOfDay> {
    return this.#days.values();
  }
}
