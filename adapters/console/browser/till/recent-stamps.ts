/** The time for which a card that was stamped is asked about when it comes again, in milliseconds. */
export const REPEAT_WINDOW_MS = 30_000;

/** The most names of cards in memory: twice as many as cards may wait, so that the name of each waiting card is known. */
const MOST_NAMES = 100;

/** The cards that this till stamped last. */
export class RecentStamps {
  private times = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  /** Notes that a card was stamped now, by each of its names: the id of the pass and the code. */
  note(names: readonly string[]): void {
    this.forget(names);
    this.restore(names.map((name) => [name, this.now()]));
  }

  /** Forgets a card whose stamp was taken back. */
  forget(names: readonly string[]): void {
    for (const name of names) this.times.delete(name);
  }

  /**
   * Returns how many seconds before an instant the card was stamped, 0 when it was after it; `null` if that was long before, or
   * not here.
   * @param at the instant at which it was scanned again, in milliseconds.
   */
  secondsBefore(at: number, names: readonly string[]): number | null {
    const times = names.flatMap((name) => this.times.get(name) ?? []);
    const ms = at - Math.max(...times);
    return ms >= REPEAT_WINDOW_MS ? null : Math.max(0, Math.round(ms / 1_000));
  }

  /** Each name, and when its card was stamped, the latest last. */
  get all(): readonly (readonly [name: string, at: number])[] {
    return [...this.times];
  }

  /** Knows what was noted before the page was closed. */
  restore(noted: readonly (readonly [name: string, at: number])[]): void {
    this.times = new Map([...this.times, ...noted].slice(-MOST_NAMES));
  }
}
