import { SingleFlight } from "./single-flight.js";

/** Remembers what takes its time to make, up to so many bytes; what was used least lately goes first. */
export class LruCache<V> {
  private readonly known = new Map<string, V>();
  private readonly calls = new SingleFlight<V | null>();
  private bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly bytesOf: (value: V) => number,
  ) {}

  /**
   * Returns what is remembered, or makes it: once for all who ask at the same time.
   * @param make returns `null` where there is nothing, which is not remembered; nor is what it throws.
   * @param asker shares the call with nobody else: what one asks for may take longer than what another does.
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
    // Another asker may have got it meanwhile.
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
