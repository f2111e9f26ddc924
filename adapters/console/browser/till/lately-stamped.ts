/** The time for which a card that was stamped is asked about when it comes again, in milliseconds. */
export const AGAIN_MS = 30_000;

/** The cards that this till stamped a moment ago. It knows none for longer than {@link AGAIN_MS}. */
export class LatelyStamped {
  private readonly times = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  /** Notes that a card was stamped now, by each of its names: the id of the pass and the code. */
  note(names: readonly string[]): void {
    this.forgetOld();
    for (const name of names) this.times.set(name, this.now());
  }

  /** Forgets a card whose stamp was taken back. */
  forget(names: readonly string[]): void {
    for (const name of names) this.times.delete(name);
  }

  /** Returns how many seconds ago the card was stamped; `null` when that is longer ago, or was not here. */
  secondsSince(names: readonly string[]): number | null {
    this.forgetOld();
    const times = names.flatMap((name) => this.times.get(name) ?? []);
    return times.length === 0 ? null : Math.round((this.now() - Math.max(...times)) / 1_000);
  }

  private forgetOld(): void {
    for (const [name, at] of this.times) if (this.now() - at >= AGAIN_MS) this.times.delete(name);
  }
}
