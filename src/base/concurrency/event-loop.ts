import { setImmediate } from "node:timers";
import { LowPriorityScheduler } from "./low-priority-scheduler.js";
import { runInSlices, type Step } from "./step.js";

/** Maximum time that work blocks the event loop, in milliseconds. */
const MAX_RUN_MS = 10;

/** The current iteration of the event loop; null before the first step. A global, because a thread has one event loop. */
let currentIteration: LoopIteration | null = null;

class LoopIteration {
  readonly startedAt = performance.now();
  #end: Promise<void> | null = null;

  constructor() {
    setImmediate(() => {
      if (this.#end === null) currentIteration = null;
    });
  }

  /** Resolves when the iteration has ended. */
  get end(): Promise<void> {
    this.#end ??= waitForLoopIteration().then(() => {
      currentIteration = null;
    });
    return this.#end;
  }

  get isAwaited(): boolean {
    return this.#end !== null;
  }
}

/** Schedules low-priority work, which runs after everything that waits for the end of an iteration. */
const lowPriorityScheduler = new LowPriorityScheduler(() => currentIteration?.isAwaited === true);

/**
 * Resolves once the event loop has completed all of its phases. A single `setImmediate` isn't enough, because its callback still
 * runs before timers that are already due.
 */
export function waitForLoopIteration(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/**
 * Returns true if steps have blocked the event loop for 10 ms. The caller must then wait for {@link waitForIterationEnd} and check
 * again, because other work might have used up that iteration. Check before each blocking statement and in each iteration of a long
 * loop, because awaiting a settled promise doesn't let other work run.
 */
export function isYieldDue(): boolean {
  if (isYieldingDisabled) return false;
  if (isLowPriority) return lowPriorityScheduler.mustYield();
  if (currentIteration !== null) return performance.now() - currentIteration.startedAt > MAX_RUN_MS;
  currentIteration = new LoopIteration();
  return false;
}

/** True while a task runs that must not be interrupted. */
let isYieldingDisabled = false;

/** True while a step of {@link runLowPriority} work runs. */
let isLowPriority = false;

/**
 * Runs a task that must not be interrupted. Nothing else runs until the task returns.
 * @returns the task's return value.
 * @throws whatever the task throws.
 */
function runWithoutYielding<T>(task: () => T): T {
  const wasYieldingDisabled = isYieldingDisabled;
  isYieldingDisabled = true;
  try {
    return task();
  } finally {
    isYieldingDisabled = wasYieldingDisabled;
  }
}

/**
 * Runs low-priority work, such as a search or an aggregate, which yields to everything else before each of its steps. Low-priority
 * tasks resume in order of arrival once no other work is waiting for an event loop iteration and no connection has just been made.
 * A step is delayed by at most 50 ms.
 * @throws whatever the work throws.
 */
export function runLowPriority<T>(work: () => Step<T>): Step<T> {
  return runInSlices(runSliceAsLowPriority, work);
}

function runSliceAsLowPriority<T>(task: () => T): T {
  const wasLowPriority = isLowPriority;
  isLowPriority = true;
  try {
    return task();
  } finally {
    isLowPriority = wasLowPriority;
  }
}

/** Resolves when it is the caller's turn to run low-priority work. See {@link runLowPriority}. */
export function waitForLowPrioritySlot(): Promise<void> {
  return lowPriorityScheduler.waitForSlot();
}

/** Schedules work for anonymous clients, which runs in small slices. */
const anonymousScheduler = new LowPriorityScheduler(() => false);

/**
 * Resolves when the caller can run the next part of its work for anonymous clients. Like {@link runLowPriority} work, this work is
 * deferred while connections are being made.
 */
export function waitForAnonymousSlot(): Promise<void> {
  return anonymousScheduler.waitForSlot();
}

/**
 * Defers low-priority and anonymous work until the event loop completes an iteration without a new connection. Call this for each
 * new connection, because the loop accepts only one connection per iteration.
 */
export function deferLowPriorityWork(): void {
  lowPriorityScheduler.defer();
  anonymousScheduler.defer();
}

/** Yields to other work if a yield is due. Use it instead of checking {@link isYieldDue} yourself. */
export function* yieldIfDue(): Step<void> {
  if (!isLowPriority) while (isYieldDue()) yield waitForIterationEnd();
  else if (isYieldDue()) yield lowPriorityScheduler.waitForSlot();
}

/**
 * Lets other work run for a full iteration of the event loop. Use it between the chunks of a long task when each chunk takes up a
 * whole iteration. With {@link yieldIfDue} alone, such a task could occupy every iteration and starve other work.
 */
export function* yieldToOthers(): Step<void> {
  if (isYieldingDisabled) return;
  yield waitForLoopIteration();
  yield waitForLoopIteration();
}

/** Resolves at the end of the current event loop iteration. */
export function waitForIterationEnd(): Promise<void> {
  return currentIteration?.end ?? Promise.resolve();
}

/**
 * Runs a step that never has to wait.
 * @returns the step's result.
 * @throws any error that the step throws.
 * @throws {TypeError} if the step would have to wait, in which case it is stopped.
 */
export function runSync<T>(step: Step<T>): T {
  return runWithoutYielding(() => {
    const firstResult = step.next();
    if (firstResult.done) return firstResult.value;
    const error = new TypeError("this call would have to wait, but a synchronous transaction can't wait");
    // Lets the step undo its work. If it continues instead, it is abandoned.
    step.throw(error);
    throw error;
  });
}
