/** Limits the time that each of several waits takes. The caller's signal ends them all. */
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

  /** Aborted when something takes too long, or the caller has ended it. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Begins a wait with the time limit. */
  wait(): void {
    this.stopWaiting();
    const tooLong = () => this.controller.abort(new Error(`No answer within ${this.ms} ms.`));
    this.timer = setTimeout(tooLong, this.ms);
  }

  stopWaiting(): void {
    clearTimeout(this.timer);
  }

  /** @throws the reason of the caller who has ended it. */
  throwIfEnded(): void {
    this.caller?.throwIfAborted();
  }

  end(): void {
    this.stopWaiting();
    this.caller?.removeEventListener("abort", this.giveUp);
  }
}
