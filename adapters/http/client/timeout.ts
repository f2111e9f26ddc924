/**
 * Applies the same time limit to each of several consecutive waits. If the caller's signal aborts, the current wait ends early.
 */
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

  /** Ends the previous wait and starts a new one with the full time limit. */
  wait(): void {
    this.stopWaiting();
    const tooLong = () => this.controller.abort(new Error(`No answer within ${this.ms} ms.`));
    this.timer = setTimeout(tooLong, this.ms);
  }

  stopWaiting(): void {
    clearTimeout(this.timer);
  }

  /** Throws the caller's abort reason if the caller has aborted. */
  throwIfEnded(): void {
    this.caller?.throwIfAborted();
  }

  end(): void {
    this.stopWaiting();
    this.caller?.removeEventListener("abort", this.giveUp);
  }
}
