import { SingleFlight } from "./single-flight.js";

/**
 * A cache for values that are expensive to create. When the total size exceeds the maximum number of bytes, the least recently used
 * values are evicted.
 */
export class LruCache<V> {
  private readonly known = new Map<string, V>();
  private readonly calls = new SingleFlight<V | null>();
  private bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly bytesOf: (value: V) => number,
  ) {}

  /**
   * Returns the cached value. If there is none, creates it, and shares the result with concurrent callers.
   * @param make creates the value, or resolves to `null` if there is no value. Neither `null` nor an error is cached.
   * @param asker identifies the caller. Callers with different values don't share a call, because one caller may have to wait
   *   longer than another.
   */
  async get(key: string, make: () => Promise<V | null>, asker = ""): Promise<V | null> {
    const remembered = this.known.get(key);
    if (remembered !== undefined) {
      this.known.delete(key);
      this.known.set(key, remembered);
      return remembered;
    }
    return this.calls.run(`${asker} ${key}`, async () => {
      const value = await make();
      if (value !== null) this.put(key, value);
      return value;
    });
  }

  private put(key: string, value: V): void {
    // A caller with another asker may have created the value in the meantime.
    const before = this.known.get(key);
    if (before !== undefined) this.bytes -= this.bytesOf(before);
    this.known.set(key, value);
    this.bytes += this.bytesOf(value);
    for (const [oldest, ofOldest] of this.known) {
      if (this.bytes <= this.maxBytes) break;
      this.known.delete(oldest);
      this.bytes -= this.bytesOf(ofOldest);
    }
  }
}
