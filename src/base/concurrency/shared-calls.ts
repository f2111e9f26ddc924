/** Deduplicates concurrent calls. While a call is running, other calls with the same key wait for it and share its result. */
export class SingleFlight<T> {
  private readonly runningCalls = new Map<string, Promise<T>>();

  run(key: string, call: () => Promise<T>): Promise<T> {
    const current = this.runningCalls.get(key);
    if (current !== undefined) return current;
    const promise = call().finally(() => this.runningCalls.delete(key));
    this.runningCalls.set(key, promise);
    return promise;
  }
}

interface PendingItem<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Batches many items into a few calls. While the maximum number of calls are running, new items wait and share the next call. Each
 * item is therefore processed by a call that begins after the item arrives, waits for at most one earlier call, and fails if its
 * own call fails.
 */
export class BatchedCalls<Item, Result> {
  private readonly pendingItems: PendingItem<Item, Result>[] = [];
  private runningCount = 0;

  /**
   * @param call the function that returns a result for each item, in the same order.
   * @param concurrency the maximum number of concurrent calls.
   */
  constructor(
    private readonly call: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly concurrency: number,
  ) {}

  run(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.pendingItems.push({ item, resolve, reject });
      if (this.runningCount < this.concurrency) void this.drain();
    });
  }

  /** Never rejects. */
  private async drain(): Promise<void> {
    this.runningCount += 1;
    while (this.pendingItems.length > 0) await this.resolveGroup(this.pendingItems.splice(0));
    this.runningCount -= 1;
  }

  private async resolveGroup(group: readonly PendingItem<Item, Result>[]): Promise<void> {
    try {
      const results = await this.call(group.map(({ item }) => item));
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}

/** A call shared by several callers, which begins when the previous call ends. */
interface CallChain<T> {
  readonly current: Promise<T>;
  next: Promise<T> | null;
}

/**
 * Coalesces calls by key. Callers that arrive while a call is running share the next call, so each caller gets the result of a call
 * that began after the caller arrived. Calls with the same key never overlap.
 */
export class CoalescedCalls<T> {
  private readonly callChains = new Map<string, CallChain<T>>();

  get size(): number {
    return this.callChains.size;
  }

  run(key: string, call: () => Promise<T>): Promise<T> {
    const calls = this.callChains.get(key);
    if (calls === undefined) return this.begin(key, call);
    const startCall = () => this.begin(key, call);
    calls.next ??= calls.current.then(startCall, startCall);
    return calls.next;
  }

  private begin(key: string, call: () => Promise<T>): Promise<T> {
    const current = call();
    const calls: CallChain<T> = { current, next: null };
    this.callChains.set(key, calls);
    const removeIfLast = () => {
      if (calls.next === null && this.callChains.get(key) === calls) this.callChains.delete(key);
    };
    current.then(removeIfLast, removeIfLast);
    return current;
  }
}
