/** The newest visits that a card keeps. Mostly few of them are asked for, so no more are read. */
export class KeptVisits {
  readonly #read: number[] = [];
  /** Where the next one begins. */
  #next = 1;

  /** @param text the times as a JSON array without spaces, newest first. */
  constructor(private readonly text: string) {}

  /** Returns the n-th newest visit, from 1; `null` where the card keeps fewer. */
  nth(nth: number): number | null {
    while (this.#read.length < nth) {
      const comma = this.text.indexOf(",", this.#next);
      const end = comma === -1 ? this.text.length - 1 : comma;
      if (end <= this.#next) return null;
      this.#read.push(Number(this.text.slice(this.#next, end)));
      this.#next = end + 1;
    }
    return this.#read[nth - 1] ?? null;
  }
}
