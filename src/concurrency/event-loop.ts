import { setImmediate } from "node:timers";
import { LowPriorityScheduler } from "./low-priority-scheduler.js";
import { inSlices, type Step } from "./step.js";

/** The longest time that work keeps the event loop from turning, in milliseconds. */
const MAX_RUN_MS = 10;

/** The turn of the event loop that work goes on in; null before the first step. There is one loop, so one of these. */
let current: LoopIteration | null = null;

class LoopIteration {
  readonly begun = performance.now();
  #end: Promise<void> | null = null;

  constructor() {
    setImmediate(() => {
      if (this.#end === null) current = null;
    });
  }

  /** To wait for. */
  get end(): Promise<void> {
    this.#end ??= waitForLoopIteration().then(() => {
      current = null;
    });
    return this.#end;
  }

  get isAwaited(): boolean {
    return this.#end !== null;
  }
}

/** Costly work goes on after all that waits for the end of a turn. */
const costlyTurns = new LowPriorityScheduler(() => current?.isAwaited === true);

/**
 * Resolves when the event loop has been through all its phases. One immediate would not do: what goes on in it comes
 * before the timers that are due, as what ran before it did.
 */
export function waitForLoopIteration(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/**
 * True if steps have kept the event loop for 10 ms. The caller then waits for {@link waitForIterationEnd} and asks again, because
 * others may have used that iteration. Ask before each statement that blocks and in each round of a long loop: awaiting a settled
 * promise lets nothing else run.
 */
export function isYieldDue(): boolean {
  if (isUndivided) return false;
  if (isCostly) return costlyTurns.mustYield();
  if (current !== null) return performance.now() - current.begun > MAX_RUN_MS;
  current = new LoopIteration();
  return false;
}

/** True while a task runs that must not be interrupted. */
let isUndivided = false;

/** While a step of {@link runLowPriority} work goes on. */
let isCostly = false;

/** Runs a task that can't wait: nothing else runs before its end. @throws what the task throws. */
export function runWithoutYielding<T>(task: () => T): T {
  const before = isUndivided;
  isUndivided = true;
  try {
    return task();
  } finally {
    isUndivided = before;
  }
}

/**
 * Work that gives everything else the turn before each of its own: a search, an aggregate. Costly works go on in the order
 * in which they came, once nothing else waits for a turn and no connection has just been made. A step goes on after 50 ms
 * at most.
 * @throws what the work throws.
 */
export function runLowPriority<T>(work: () => Step<T>): Step<T> {
  return inSlices(asCostly, work);
}

function asCostly<T>(task: () => T): T {
  const before = isCostly;
  isCostly = true;
  try {
    return task();
  } finally {
    isCostly = before;
  }
}

/** Waits for a turn among {@link runLowPriority} work. */
export function waitForLowPrioritySlot(): Promise<void> {
  return costlyTurns.waitForSlot();
}

/** What strangers ask for goes on a little at a time: each such slice takes its turn here. */
const strangersTurns = new LowPriorityScheduler(() => false);

/** Waits for the turn of a slice of strangers' work: once no connection has just been made, as {@link runLowPriority} work. */
export function waitForAnonymousSlot(): Promise<void> {
  return strangersTurns.waitForSlot();
}

/** Keeps such work from going on before the event loop has turned without another connection: it accepts one a turn. */
export function deferLowPriorityWork(): void {
  costlyTurns.defer();
  strangersTurns.defer();
}

/** Gives others their turn when one is due. To be asked as {@link isYieldDue}. */
export function* yieldIfDue(): Step<void> {
  if (!isCostly) while (isYieldDue()) yield waitForIterationEnd();
  else if (isYieldDue()) yield costlyTurns.waitForSlot();
}

/**
 * Gives others a turn of their own, in which the caller does not go first. For long work whose parts take a turn each: with
 * {@link yieldIfDue} alone, who waits finds each turn used up by it.
 */
export function* yieldToOthers(): Step<void> {
  if (isUndivided) return;
  yield waitForLoopIteration();
  yield waitForLoopIteration();
}

/** Waits until the event loop has turned. */
export function waitForIterationEnd(): Promise<void> {
  return current?.end ?? Promise.resolve();
}
