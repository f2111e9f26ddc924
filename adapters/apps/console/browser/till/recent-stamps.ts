/** How soon after a stamp a second stamp on the same card requires confirmation at the till, in milliseconds. */
export const REPEAT_WINDOW_MS = 30_000;

/** Maximum number of card names in memory. A card has at most two names, so this covers all the cards that can wait. */
const MOST_NAMES = 100;

/** Remembers the cards that this till stamped most recently. */
export class RecentStamps {
  private times = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  /**
   * Records that a card was stamped just now.
   * @param names the card's known names: its pass ID, its code, or both.
   */
  note(names: readonly string[]): void {
    this.forget(names);
    this.restore(names.map((name) => [name, this.now()]));
  }

  /** Forgets a card whose stamp was undone. */
  forget(names: readonly string[]): void {
    for (const name of names) this.times.delete(name);
  }

  /**
   * Returns how many seconds before `at` the card was last stamped, or 0 if it was stamped after `at`. Returns `null` if the card
   * was stamped at least {@link REPEAT_WINDOW_MS} earlier, or if this till didn't stamp it.
   * @param at when the card was scanned again, in milliseconds since the Unix epoch.
   */
  secondsBefore(at: number, names: readonly string[]): number | null {
    const times = names.flatMap((name) => this.times.get(name) ?? []);
    const ms = at - Math.max(...times);
    return ms >= REPEAT_WINDOW_MS ? null : Math.max(0, Math.round(ms / 1_000));
  }

  /** The names of recently stamped cards, each with the time of its stamp, newest last. */
  get all(): readonly (readonly [name: string, at: number])[] {
    return [...this.times];
  }

  /** Restores the stamps that were recorded before the page was closed. */
  restore(noted: readonly (readonly [name: string, at: number])[]): void {
    this.times = new Map([...this.times, ...noted].slice(-MOST_NAMES));
  }
}
