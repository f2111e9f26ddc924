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
  /** Resumes the step with the result of the promise that it last waited for. */
  next(outcome?: unknown): IteratorResult<Promise<unknown>, T>;
  /** Resumes the step with the error of the promise that it last waited for. */
  throw(reason: unknown): IteratorResult<Promise<unknown>, T>;
  /** Returns the step itself, so that `yield*` can run it. */
  [Symbol.iterator](): Step<T>;
}

/**
 * A completed step, which also serves as its own iterator result: most statements of an in-process database complete immediately,
 * so this keeps them cheap.
 */
class Done<T> implements Step<T> {
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
  return new Done(value);
}

/** A step that always fails. */
class Failed implements Step<never> {
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
  return new Failed(reason);
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
export function awaitInStep<T>(something: T | Promise<T>): Step<T> {
  return isPromise(something) ? waiting(something) : new Done(something);
}

function* waiting<T>(promise: Promise<T>): Step<T> {
  // The step's runner passes the promise's result back in.
  return (yield promise) as T;
}

/** Returns a step that runs another step and passes its result to `to`. */
export function mapStep<From, To>(step: Step<From>, to: (value: From) => To): Step<To> {
  return step instanceof Done ? new Done(to(step.value)) : mapping(step, to);
}

function* mapping<From, To>(step: Step<From>, to: (value: From) => To): Step<To> {
  return to(yield* step);
}

/** Returns whether a value is a promise, including promises from other libraries. */
export function isPromise<T>(something: T | Promise<T>): something is Promise<T> {
  if (something instanceof Promise) return true;
  return typeof something === "object" && something !== null && "then" in something;
}

/** Runs a step, waiting for each promise that it yields, and returns its result. */
export async function runStep<T>(step: Step<T>): Promise<T> {
  const begun = step.next();
  return begun.done ? begun.value : toItsEnd(step, begun);
}

/**
 * Runs a step synchronously until it has to wait for something.
 * @returns the step's result, or a promise of the result if the step had to wait.
 * @throws whatever the step throws before it has to wait.
 */
export function runSyncIfPossible<T>(step: Step<T>): T | Promise<T> {
  const begun = step.next();
  return begun.done ? begun.value : toItsEnd(step, begun);
}

async function toItsEnd<T>(step: Step<T>, begun: IteratorResult<Promise<unknown>, T>): Promise<T> {
  let next = begun;
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
 * @param within the wrapper. It must call the function that it receives and return its result.
 * @throws whatever the work throws.
 */
export function* inSlices<T>(within: <Part>(task: () => Part) => Part, work: () => Step<T>): Step<T> {
  const step = within(work);
  let next = within(() => step.next());
  while (!next.done) {
    let outcome: unknown;
    try {
      outcome = yield next.value;
    } catch (error) {
      next = within(() => step.throw(error));
      continue;
    }
    next = within(() => step.next(outcome));
  }
  return next.value;
}

/** The work that is running now, and the time when it started. Globals, because there is only one thread. */
let current: ProcessorTime | null = null;
let since = 0;

/** Measures how long a piece of work keeps the event loop busy. */
export class ProcessorTime {
  /**
   * @param spend a function that receives the duration of each measured part of the work, in milliseconds, when that part ends.
   */
  constructor(private readonly spend: (ms: number) => void) {}

  /**
   * Runs part of the work and measures its time. Time spent in a nested slice of other work counts only toward the other work.
   * @returns the task's return value.
   * @throws whatever the task throws.
   */
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

  /** Runs a step and measures its time, excluding the time that it spends waiting. */
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
