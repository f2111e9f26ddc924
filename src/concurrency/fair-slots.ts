/** What waits for a slot. */
interface Waiting {
  readonly go: () => void;
}

/**
 * Lets a number of works go on at the same time. Works belong to keys, such as organizations: those that wait go on key by
 * key in turn, those of one key in the order in which they came. A key may hold no more than its share of the slots that
 * others leave: so however much one asks for, there is a free slot for the next.
 */
export class FairSlots {
  private readonly held = new Map<string, number>();
  /** By key; the key whose turn is next comes first. */
  private readonly waiting = new Map<string, Waiting[]>();

  /** @param share of the slots that others leave, above 0 to 1, of which each key may hold one at least. */
  constructor(
    private free: number,
    private readonly share: number,
  ) {}

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.waiting.has(key) || !this.mayHoldMore(key)) await this.turnOf(key);
    else this.take(key);
    try {
      return await work();
    } finally {
      this.give(key);
    }
  }

  private turnOf(key: string): Promise<void> {
    return new Promise((go) => {
      const line = this.waiting.get(key);
      if (line === undefined) this.waiting.set(key, [{ go }]);
      else line.push({ go });
    });
  }

  private mayHoldMore(key: string): boolean {
    if (this.free === 0) return false;
    const held = this.held.get(key) ?? 0;
    return held < Math.max(1, Math.floor((held + this.free) * this.share));
  }

  private take(key: string): void {
    this.free -= 1;
    this.held.set(key, (this.held.get(key) ?? 0) + 1);
  }

  private give(key: string): void {
    this.free += 1;
    const held = (this.held.get(key) ?? 1) - 1;
    if (held === 0) this.held.delete(key);
    else this.held.set(key, held);
    this.letOn();
  }

  private letOn(): void {
    for (const [key, line] of [...this.waiting]) {
      if (this.free === 0) return;
      if (!this.mayHoldMore(key)) continue;
      const next = line.shift();
      this.waiting.delete(key);
      // Behind the others.
      if (line.length > 0) this.waiting.set(key, line);
      this.take(key);
      next?.go();
    }
  }
}
