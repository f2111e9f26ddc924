import { SingleFlight } from "./single-flight.js";

/** Caches values that are costly to create, up to a total size in bytes. The least recently used values are evicted first. */
export class LruCache<V> {
  private readonly known = new Map<string, V>();
  private readonly calls = new SingleFlight<V | null>();
  private bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly bytesOf: (value: V) => number,
  ) {}

  /**
   * Returns the cached value, or creates it once for all concurrent callers.
   * @param make creates the value. `null` means that there is no value; neither `null` nor errors are cached.
   * @param asker callers with different askers don't share a call, because one may have to wait longer than another.
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
