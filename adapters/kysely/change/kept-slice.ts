import { flipMember, isEmptySlice, type Slice } from "./member-slices.js";
import type { MovesOfDay } from "./moves-of-days.js";

/** A slice of a segment's members as its row is to be: who they are, and how many moved on the day that was counted last. */
export class KeptSlice {
  #counted: MovesOfDay | null;

  constructor(
    readonly ordinals: Slice,
    counted: MovesOfDay | null,
  ) {
    this.#counted = counted;
  }

  /** `null` where nobody moved. */
  get counted(): MovesOfDay | null {
    return this.#counted;
  }

  /** One that says nothing needs no row. */
  get saysNothing(): boolean {
    return this.#counted === null && isEmptySlice(this.ordinals);
  }

  /** Takes users out who are in it, and puts those in who are not. */
  flip(ordinals: Iterable<number>): void {
    for (const ordinal of ordinals) flipMember(this.ordinals, ordinal);
  }

  /** Counts who moved on a day. @returns what it counted of another one, which it counts no more. */
  count(moves: MovesOfDay): MovesOfDay | null {
    const before = this.#counted;
    if (before?.day !== moves.day) {
      this.#counted = moves;
      return before;
    }
    const { day, entered, left } = moves;
    this.#counted = { day, entered: before.entered + entered, left: before.left + left };
    return null;
  }
}
