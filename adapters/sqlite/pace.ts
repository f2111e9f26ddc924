import { setImmediate } from "node:timers";

/** How long statements may keep the event loop from turning, in milliseconds. */
const LONGEST = 10;

/** The turn of the event loop in which statements run; null before the first one. There is one loop, so one of these. */
let current: Turn | null = null;

class Turn {
  readonly begun = performance.now();
  readonly end: Promise<void>;

  constructor() {
    this.end = new Promise((resolve) => {
      setImmediate(() => {
        current = null;
        resolve();
      });
    });
  }
}

/**
 * True when statements have kept the event loop for 10 ms: the next one must wait for {@link turn}, and then ask again,
 * since others may have had the time of that turn. Statements block, and awaiting what is done already lets nothing
 * else run, so a row of them would hold up the whole process.
 */
export function isTurnDue(): boolean {
  if (current !== null) return performance.now() - current.begun > LONGEST;
  current = new Turn();
  return false;
}

/** Waits until the event loop has turned. */
export function turn(): Promise<void> {
  return current?.end ?? Promise.resolve();
}
