import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { type Settings, shorten } from "./bench.js";

/** Idle time before and after the work, in milliseconds. */
const PAUSE = 200;
const RESOLUTION = 1;

/** The result of some work, its duration, and the longest time that the event loop was blocked. */
export interface StallResult<Answer> {
  readonly result: Answer;
  readonly ms: number;
  readonly stallMs: number;
}

/** Runs some work, and watches the event loop in the meantime. */
export async function measureStall<Answer>(
  work: () => Promise<Answer> | Answer,
  settings: Pick<Settings, "share">,
): Promise<StallResult<Answer>> {
  const pauseMs = shorten(PAUSE, settings);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  await setTimeout(pauseMs);
  delay.reset();
  // After a reset, a monitor ignores everything before its next tick.
  await setTimeout(pauseMs);
  const start = performance.now();
  const result = await work();
  const ms = performance.now() - start;
  // A stall is visible to the timer that is late because of it.
  await setTimeout(pauseMs);
  delay.disable();
  return { result, ms, stallMs: Math.max(0, delay.max / 1e6 - RESOLUTION) };
}
