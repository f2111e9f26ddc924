/** Lets so many calls a second begin, one after the other. */
export class Throttle {
  private readonly pauseMs: number;
  /** When the next call may begin, on the clock of the process. */
  private next = 0;

  constructor(callsPerSecond: number) {
    this.pauseMs = 1_000 / callsPerSecond;
  }

  /** Resolves when it is the caller's turn. @throws what the signal is aborted with before that. */
  async turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const now = performance.now();
    const begin = Math.max(now, this.next);
    this.next = begin + this.pauseMs;
    if (begin > now) await new Promise((resolve) => setTimeout(resolve, begin - now));
    signal.throwIfAborted();
  }
}
