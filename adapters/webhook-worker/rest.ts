import type { After } from "./timers.js";

/** Waiting that can be cut short. */
export class Rest {
  private end: (() => void) | null = null;

  constructor(private readonly after: After) {}

  /** Resolves after so many milliseconds, or when it is cut short. One at a time. */
  async rest(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const callOff = this.after(ms, resolve);
      this.end = () => {
        callOff();
        resolve();
      };
    });
    this.end = null;
  }

  cutShort(): void {
    this.end?.();
  }
}
