/**
 * Remembers what takes its time to get, up to so many bytes; what was used least lately goes first. What is asked for twice
 * at once is got once.
 */
export class BoundedMemory<V> {
  private readonly known = new Map<string, V>();
  private readonly underWay = new Map<string, Promise<V | null>>();
  private bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly bytesOf: (value: V) => number,
  ) {}

  /**
   * @param make gives `null` where there is nothing, which is not remembered; nor is what it throws.
   * @param asker who waits for it with nobody else: what one asks for may take longer than what another does.
   */
  async get(key: string, make: () => Promise<V | null>, asker = ""): Promise<V | null> {
    const remembered = this.known.get(key);
    if (remembered !== undefined) {
      this.known.delete(key);
      this.known.set(key, remembered);
      return remembered;
    }
    const call = `${asker} ${key}`;
    const asked = this.underWay.get(call) ?? this.made(call, key, make);
    this.underWay.set(call, asked);
    return asked;
  }

  private async made(call: string, key: string, make: () => Promise<V | null>): Promise<V | null> {
    try {
      const value = await make();
      if (value !== null) this.keep(key, value);
      return value;
    } finally {
      this.underWay.delete(call);
    }
  }

  private keep(key: string, value: V): void {
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
