import { SingleFlight } from "../../../src/base/concurrency/shared-calls.js";

/** A cache for values that are expensive to create. Evicts the least recently used values when the total size exceeds the limit. */
export class LruCache<V> {
  private readonly entries = new Map<string, V>();
  private readonly calls = new SingleFlight<V | null>();
  private bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly bytesOf: (value: V) => number,
  ) {}

  /**
   * Returns the cached value for the key, or creates the value if it isn't cached. Concurrent calls with the same key and `asker`
   * share a single call to `make`.
   * @param make a function that creates the value, or resolves to `null` if there is none. Neither `null` nor an error is cached.
   * @param asker an identifier for the caller. Calls with different values don't share a call to `make`, because one caller might
   *   have to wait longer than another.
   */
  async get(key: string, make: () => Promise<V | null>, asker = ""): Promise<V | null> {
    const cached = this.entries.get(key);
    if (cached !== undefined) {
      this.entries.delete(key);
      this.entries.set(key, cached);
      return cached;
    }
    return this.calls.run(`${asker} ${key}`, async () => {
      const value = await make();
      if (value !== null) this.store(key, value);
      return value;
    });
  }

  private store(key: string, value: V): void {
    // A caller with another asker may have created the value in the meantime.
    const previous = this.entries.get(key);
    if (previous !== undefined) this.bytes -= this.bytesOf(previous);
    this.entries.set(key, value);
    this.bytes += this.bytesOf(value);
    for (const [oldest, oldestValue] of this.entries) {
      if (this.bytes <= this.maxBytes) break;
      this.entries.delete(oldest);
      this.bytes -= this.bytesOf(oldestValue);
    }
  }
}
