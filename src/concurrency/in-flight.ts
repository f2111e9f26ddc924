/** Counts works that have begun and not ended yet. */
export class InFlight {
  #size = 0;
  readonly #waiting: (() => void)[] = [];

  /** Tracks the work until it ends, and gives it back. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.#size += 1;
    try {
      return await work;
    } finally {
      this.#size -= 1;
      if (this.#size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Resolves when nothing is under way, what begins meanwhile included. */
  async settled(): Promise<void> {
    while (this.#size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** A call that others have joined, which begins when the one before it has ended. */
interface Calls<T> {
  readonly current: Promise<T>;
  next: Promise<T> | null;
}

/**
 * Calls of one kind by their keys, of which those that come while one is under way share the next one. So each is answered
 * by a call that began after it came, and however many come, two of a key are made one after the other.
 */
export class CoalescedCalls<T> {
  private readonly underWay = new Map<string, Calls<T>>();

  get size(): number {
    return this.underWay.size;
  }

  run(key: string, call: () => Promise<T>): Promise<T> {
    const calls = this.underWay.get(key);
    if (calls === undefined) return this.begin(key, call);
    const begin = () => this.begin(key, call);
    calls.next ??= calls.current.then(begin, begin);
    return calls.next;
  }

  private begin(key: string, call: () => Promise<T>): Promise<T> {
    const current = call();
    const calls: Calls<T> = { current, next: null };
    this.underWay.set(key, calls);
    const end = () => {
      if (calls.next === null && this.underWay.get(key) === calls) this.underWay.delete(key);
    };
    current.then(end, end);
    return current;
  }
}
