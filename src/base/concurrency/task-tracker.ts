/** Tracks running tasks so that callers can wait for them to finish. */
export class TaskTracker {
  #size = 0;
  readonly #waiters: (() => void)[] = [];

  /** Tracks a task until it settles, and returns its result. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.#size += 1;
    try {
      return await work;
    } finally {
      this.#size -= 1;
      if (this.#size === 0) for (const resolve of this.#waiters.splice(0)) resolve();
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Resolves when no task is running. Also waits for tasks that start in the meantime. */
  async whenIdle(): Promise<void> {
    while (this.#size > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }
}
