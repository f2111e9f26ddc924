/** Calls back after a delay. @returns a function that cancels it. */
export type SetTimer = (ms: number, work: () => void) => () => void;

/** Keeps the process alive until the work is done. */
export const systemTimer: SetTimer = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/** Lets the process end before the work is done. */
export const backgroundTimer: SetTimer = (ms, work) => {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
};

/** A pause that can be cut short. */
export class CancellableDelay {
  private end: (() => void) | null = null;

  constructor(private readonly after: SetTimer) {}

  /** Resolves after a delay, or when it is cut short. One wait at a time. */
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
