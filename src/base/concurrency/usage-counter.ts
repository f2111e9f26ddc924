/** Counts how much of something each key uses at the moment, such as slots or bytes. Keys that use nothing take no memory. */
export class UsageCounter {
  readonly #counts = new Map<string, number>();

  /** Number of keys that use anything. */
  get size(): number {
    return this.#counts.size;
  }

  get(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Adds an amount to a key's count. A negative amount reduces the count, which never falls below 0. */
  add(key: string, amount = 1): void {
    const count = this.get(key) + amount;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
