import { inSlices, type Step } from "./step.js";

/** The work that goes on now, and since when. There is one thread, so one of these. */
let current: ProcessorTime | null = null;
let since = 0;

/** Counts the time in which some work keeps the process from anything else. */
export class ProcessorTime {
  /** @param spend is told of each slice's milliseconds at its end. */
  constructor(private readonly spend: (ms: number) => void) {}

  /** Does a part of the work, and counts its time; the time of other work within it is that work's. @throws what the task throws. */
  slice<T>(task: () => T): T {
    if (current === this) return task();
    const outer = current;
    this.begin(outer);
    try {
      return task();
    } finally {
      const now = performance.now();
      this.spend(now - since);
      current = outer;
      since = now;
    }
  }

  /** Counts the time of a step: what it waits for takes none. */
  step<T>(work: () => Step<T>): Step<T> {
    return inSlices((task) => this.slice(task), work);
  }

  private begin(outer: ProcessorTime | null): void {
    const now = performance.now();
    outer?.spend(now - since);
    current = this;
    since = now;
  }
}
