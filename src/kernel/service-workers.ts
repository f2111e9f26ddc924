/** A worker that all parts of a service share, such as the one that sends messages. */
export interface SharedWorker {
  /** Starts the worker, unless it is already running. */
  start(): void;
  /** Runs all work that is due, then resolves. */
  runOnce(): Promise<void>;
}

/** The background workers of a service. The service closes them before it closes itself. */
export class ServiceWorkers {
  /** The worker that sends messages, or `null` until a channel is set up. */
  messages: SharedWorker | null = null;
  private readonly closeCallbacks = new Set<() => Promise<void>>();

  /**
   * Adds a worker that the service closes, unless the host closes it first.
   * @param close a function that stops the worker. It resolves when the work in progress has finished, and is called only once.
   * @returns a function that closes the worker. All calls resolve when it is closed.
   */
  add(close: () => Promise<void>): () => Promise<void> {
    let closePromise: Promise<void> | null = null;
    const closeOnce = () => {
      closePromise ??= close().finally(() => this.closeCallbacks.delete(closeOnce));
      return closePromise;
    };
    this.closeCallbacks.add(closeOnce);
    return closeOnce;
  }

  async close(): Promise<void> {
    await Promise.all([...this.closeCallbacks].map((close) => close()));
  }
}
