/** The newest visits of a card. Most callers need few of them, so only those are parsed. */
export class RecentVisits {
  readonly #read: number[] = [];
  /** Where the next one begins. */
  #next = 1;

  /** @param text the times as a JSON array without spaces, newest first. */
  constructor(private readonly text: string) {}

  /** Returns the n-th newest visit, from 1; `null` if the card keeps fewer. */
  nth(nth: number): number | null {
    while (this.#read.length < nth) {
      const comma = this.text.indexOf(",", this.#next);
      const end = comma === -1 ? this.text.length - 1 : comma;
      if (end <= this.#next) return null;
      this.#read.push(numberIn(this.text, this.#next, end));
      this.#next = end + 1;
    }
    return this.#read[nth - 1] ?? null;
  }
}

/** Reads the number between two places of a text. To read its digits takes less time than to make a text of them. */
function numberIn(text: string, from: number, end: number): number {
  let value = 0;
  for (let at = from; at < end; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    // A clock of the host's may tell another kind of number.
    if (!(digit >= 0 && digit <= 9)) return Number(text.slice(from, end));
    value = value * 10 + digit;
  }
  return value;
}

const ZERO = 48;
