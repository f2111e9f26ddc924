/** Applies the same time limit to each of several consecutive waits. The current wait also ends if the caller's signal aborts. */
export class Timeout {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly giveUp: () => void;

  constructor(
    private readonly ms: number,
    private readonly caller: AbortSignal | undefined,
  ) {
    this.giveUp = () => this.controller.abort(caller?.reason);
    if (caller?.aborted) this.giveUp();
    else caller?.addEventListener("abort", this.giveUp);
  }

  /** A signal that aborts when a wait takes too long or when the caller aborts. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Starts a new wait with the full time limit and ends the previous wait. */
  wait(): void {
    this.stopWaiting();
    const tooLong = () => this.controller.abort(new Error(`No answer within ${this.ms} ms.`));
    this.timer = setTimeout(tooLong, this.ms);
  }

  stopWaiting(): void {
    clearTimeout(this.timer);
  }

  /**
   * Throws if the caller has aborted.
   * @throws the caller's abort reason.
   */
  throwIfEnded(): void {
    this.caller?.throwIfAborted();
  }

  end(): void {
    this.stopWaiting();
    this.caller?.removeEventListener("abort", this.giveUp);
  }
}
