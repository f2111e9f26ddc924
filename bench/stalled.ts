import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";

/** For how long nothing happens before and after the work, in milliseconds. */
const PAUSE = 200;
const RESOLUTION = 1;

/** What came of some work: its answer, how long it took, and the longest that the event loop did not get to anything else. */
export interface StallResult<Answer> {
  readonly result: Answer;
  readonly ms: number;
  readonly stallMs: number;
}

/** Does some work, and watches the event loop meanwhile. */
export async function measureStall<Answer>(
  work: () => Promise<Answer> | Answer,
): Promise<StallResult<Answer>> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  await setTimeout(PAUSE);
  delay.reset();
  // A monitor that was reset leaves out what comes before its next tick.
  await setTimeout(PAUSE);
  const start = performance.now();
  const result = await work();
  const ms = performance.now() - start;
  // A stall is seen by the timer that comes late because of it.
  await setTimeout(PAUSE);
  delay.disable();
  return { result, ms, stallMs: Math.max(0, delay.max / 1e6 - RESOLUTION) };
}
