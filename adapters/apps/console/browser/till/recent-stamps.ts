/**
 * Period after a stamp, in milliseconds, during which the till asks for confirmation before adding another stamp to the same card.
 */
export const REPEAT_WINDOW_MS = 30_000;

/** Maximum number of card names in memory. A card has at most two names, so this covers all the cards that can wait. */
const MAX_NAMES = 100;

/** Remembers when this till last stamped each recently stamped card. */
export class RecentStamps {
  private times = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  /**
   * Records that a card was stamped just now.
   * @param names the card's known identifiers: its pass ID, its code, or both.
   */
  record(names: readonly string[]): void {
    this.remove(names);
    this.restore(names.map((name) => [name, this.now()]));
  }

  /**
   * Forgets a card's last stamp time after the stamp has been undone.
   * @param names the card's known identifiers: its pass ID, its code, or both.
   */
  remove(names: readonly string[]): void {
    for (const name of names) this.times.delete(name);
  }

  /**
   * Returns how many seconds before `at` the card was last stamped, or 0 if it was stamped after `at`. Returns `null` if the card
   * was stamped at least {@link REPEAT_WINDOW_MS} before `at`, or if this till hasn't stamped it.
   * @param at when the card was scanned again, in milliseconds since the Unix epoch.
   */
  getSecondsSinceStamp(at: number, names: readonly string[]): number | null {
    const times = names.flatMap((name) => this.times.get(name) ?? []);
    const ms = at - Math.max(...times);
    return ms >= REPEAT_WINDOW_MS ? null : Math.max(0, Math.round(ms / 1_000));
  }

  /** Pass IDs and codes of recently stamped cards, each with the card's last stamp time, least recent first. */
  get entries(): readonly (readonly [name: string, at: number])[] {
    return [...this.times];
  }

  /** Adds stamp times, such as those stored before a page reload. */
  restore(stampTimes: readonly (readonly [name: string, at: number])[]): void {
    this.times = new Map([...this.times, ...stampTimes].slice(-MAX_NAMES));
  }
}
