/** Limits the time of each of several waits. The caller's signal aborts all of them. */
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

  /** Aborts when a wait takes too long, or when the caller aborts. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Begins a wait, and ends the previous one. */
  wait(): void {
    this.stopWaiting();
    const tooLong = () => this.controller.abort(new Error(`No answer within ${this.ms} ms.`));
    this.timer = setTimeout(tooLong, this.ms);
  }

  stopWaiting(): void {
    clearTimeout(this.timer);
  }

  /** @throws the caller's abort reason, if the caller aborted. */
  throwIfEnded(): void {
    this.caller?.throwIfAborted();
  }

  end(): void {
    this.stopWaiting();
    this.caller?.removeEventListener("abort", this.giveUp);
  }
}
