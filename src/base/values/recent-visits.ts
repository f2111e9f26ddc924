/** The most recent visits recorded on a card. Visit times are parsed on demand, because most callers need only a few of them. */
export class RecentVisits {
  readonly #read: number[] = [];
  /** The offset at which the next unparsed number begins. */
  #next = 1;

  /** @param text the visit times as a JSON array without spaces, newest first. */
  constructor(private readonly text: string) {}

  /**
   * Returns the time of the nth most recent visit, counting from 1, in milliseconds since the Unix epoch, or `null` if fewer than n
   * visits are stored.
   */
  nth(nth: number): number | null {
    while (this.#read.length < nth) {
      const comma = this.text.indexOf(",", this.#next);
      const end = comma === -1 ? this.text.length - 1 : comma;
      if (end <= this.#next) return null;
      this.#read.push(parseDigits(this.text, this.#next, end));
      this.#next = end + 1;
    }
    return this.#read[nth - 1] ?? null;
  }
}

/** Parses the number between two offsets. Reading the digits is faster than creating a substring. */
function parseDigits(text: string, from: number, end: number): number {
  let value = 0;
  for (let at = from; at < end; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    // A host's clock may return a number that isn't a nonnegative integer.
    if (!(digit >= 0 && digit <= 9)) return Number(text.slice(from, end));
    value = value * 10 + digit;
  }
  return value;
}

const ZERO = 48;
