/**
 * Calls back after a delay.
 * @returns a function that cancels it.
 */
export type SetTimer = (ms: number, work: () => void) => () => void;

/** A timer that keeps the process alive until it fires. */
export const systemTimer: SetTimer = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/** A timer that doesn't keep the process alive. */
export const backgroundTimer: SetTimer = (ms, work) => {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
};

/** A delay that can be cut short. */
export class CancellableDelay {
  private end: (() => void) | null = null;

  constructor(private readonly after: SetTimer) {}

  /** Resolves after the delay, or when it is canceled. Only one wait may run at a time. */
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
