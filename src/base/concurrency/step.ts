/**
 * Work that waits only when it has to. A step is a generator that yields each promise it waits for and receives the promise's
 * value. Use `yield*` where an async function would use `await`:
 *
 * ```
 * function* rename(tx: StorageTransaction, id: string, name: string): Step<void> {
 *   const user = yield* tx.findUser("acme", id);
 *   …
 * }
 * ```
 *
 * With a synchronous driver, a whole transaction runs without a pause. With an asynchronous driver, the same code waits. A step
 * might begin as soon as it is created, so run it immediately, and only once.
 */
export interface Step<T> {
  /** Resumes the step with the result of the promise it last waited for. */
  next(outcome?: unknown): IteratorResult<Promise<unknown>, T>;
  /** Resumes the step with the error of the promise it last waited for. */
  throw(reason: unknown): IteratorResult<Promise<unknown>, T>;
  /** Returns the step itself, so that `yield*` can run it. */
  [Symbol.iterator](): Step<T>;
}

/**
 * A completed step, which also serves as its own iterator result: most statements of an in-process database complete immediately,
 * so this keeps them cheap.
 */
class CompletedStep<T> implements Step<T> {
  readonly done = true;

  constructor(readonly value: T) {}

  next(): this {
    return this;
  }

  throw(reason: unknown): never {
    throw reason;
  }

  [Symbol.iterator](): this {
    return this;
  }
}

/** Returns a step that completes immediately with a value, for adapters that know the result without waiting. */
export function succeedStep<T>(value: T): Step<T> {
  return new CompletedStep(value);
}

/** A step that always fails. */
class FailedStep implements Step<never> {
  constructor(private readonly reason: unknown) {}

  next(): never {
    throw this.reason;
  }

  throw(reason: unknown): never {
    throw reason;
  }

  [Symbol.iterator](): this {
    return this;
  }
}

/** Returns a step that throws `reason` when it is run. */
export function failStep(reason: unknown): Step<never> {
  return new FailedStep(reason);
}

/**
 * Waits for a promise within a step. If the value isn't a promise, returns it without waiting.
 * @throws the promise's rejection reason.
 * @example
 * import { awaitInStep, type Step } from "loyalty-kit/storage";
 *
 * // A storage adapter counts the rows that its async driver returns.
 * function* countRows(query: (sql: string) => Promise<readonly unknown[]>): Step<number> {
 *   const rows = yield* awaitInStep(query("select id from loyalty_users"));
 *   return rows.length;
 * }
 */
export function awaitInStep<T>(value: T | Promise<T>): Step<T> {
  return isPromise(value) ? waitFor(value) : new CompletedStep(value);
}

function* waitFor<T>(promise: Promise<T>): Step<T> {
  // The step's runner passes the promise's result back in.
  return (yield promise) as T;
}

/** Returns a step that runs another step and maps its result with `to`. */
export function mapStep<From, To>(step: Step<From>, to: (value: From) => To): Step<To> {
  return step instanceof CompletedStep ? new CompletedStep(to(step.value)) : mapGenerator(step, to);
}

function* mapGenerator<From, To>(step: Step<From>, to: (value: From) => To): Step<To> {
  return to(yield* step);
}

/** Returns whether a value is a promise, including promises from other libraries. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  if (value instanceof Promise) return true;
  return typeof value === "object" && value !== null && "then" in value;
}

/** Runs a step, waiting for each promise that it yields, and returns its result. */
export async function runStep<T>(step: Step<T>): Promise<T> {
  const firstResult = step.next();
  return firstResult.done ? firstResult.value : runToEnd(step, firstResult);
}

/**
 * Runs a step synchronously until it has to wait for something.
 * @returns the step's result, or a promise of the result if the step had to wait.
 * @throws whatever the step throws before it has to wait.
 */
export function runSyncIfPossible<T>(step: Step<T>): T | Promise<T> {
  const firstResult = step.next();
  return firstResult.done ? firstResult.value : runToEnd(step, firstResult);
}

async function runToEnd<T>(step: Step<T>, firstResult: IteratorResult<Promise<unknown>, T>): Promise<T> {
  let next = firstResult;
  while (!next.done) {
    let outcome: unknown;
    try {
      outcome = await next.value;
    } catch (error) {
      next = step.throw(error);
      continue;
    }
    next = step.next(outcome);
  }
  return next.value;
}

/**
 * Runs a step, passing each stretch of synchronous work between waits through a wrapper.
 * @param runSlice the wrapper. It must call the function that it receives and return its result.
 * @throws whatever the work throws.
 */
export function* runInSlices<T>(runSlice: <Part>(task: () => Part) => Part, work: () => Step<T>): Step<T> {
  const step = runSlice(work);
  let next = runSlice(() => step.next());
  while (!next.done) {
    let outcome: unknown;
    try {
      outcome = yield next.value;
    } catch (error) {
      next = runSlice(() => step.throw(error));
      continue;
    }
    next = runSlice(() => step.next(outcome));
  }
  return next.value;
}

/** The work that is running now, and the time when it started. Globals, because there is only one thread. */
let currentWork: ProcessorTime | null = null;
let sliceStart = 0;

/** Measures how long a piece of work keeps the event loop busy. */
export class ProcessorTime {
  /**
   * @param recordTime a function that receives the duration of each measured part of the work, in milliseconds, when that part ends.
   */
  constructor(private readonly recordTime: (ms: number) => void) {}

  /**
   * Runs part of the work and measures how long it takes. Time spent in a nested slice of other work counts only toward that other
   * work.
   * @returns the task's return value.
   * @throws whatever the task throws.
   */
  slice<T>(task: () => T): T {
    if (currentWork === this) return task();
    const outer = currentWork;
    this.begin(outer);
    try {
      return task();
    } finally {
      const now = performance.now();
      this.recordTime(now - sliceStart);
      currentWork = outer;
      sliceStart = now;
    }
  }

  /** Runs a step and measures how long it takes, excluding the time it spends waiting. */
  step<T>(work: () => Step<T>): Step<T> {
    return runInSlices((task) => this.slice(task), work);
  }

  private begin(outer: ProcessorTime | null): void {
    const now = performance.now();
    outer?.recordTime(now - sliceStart);
    currentWork = this;
    sliceStart = now;
  }
}
