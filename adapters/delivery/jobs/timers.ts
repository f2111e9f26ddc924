/**
 * Starts a timer that calls back after a delay.
 * @param ms the delay in milliseconds.
 * @returns a function that cancels the timer.
 */
export type SetTimer = (ms: number, work: () => void) => () => void;

/** Starts timers that keep the process running until they fire. */
export const systemTimer: SetTimer = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/** Starts timers that don't keep the process running. */
export const backgroundTimer: SetTimer = (ms, work) => {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
};

/** A delay that can be ended early. */
export class CancellableDelay {
  private end: (() => void) | null = null;

  constructor(private readonly after: SetTimer) {}

  /** Resolves after the delay, or as soon as the delay is canceled. Only one wait can run at a time. */
  async wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const callOff = this.after(ms, resolve);
      this.end = () => {
        callOff();
        resolve();
      };
    });
    this.end = null;
  }

  cancel(): void {
    this.end?.();
  }
}
