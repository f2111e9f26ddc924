/**
 * Work that waits only where it must: a generator that yields each promise it waits for and receives its value. `yield*` stands
 * where `await` stands in an async function:
 *
 * ```
 * function* rename(tx: StorageTransaction, id: string, name: string): Step<void> {
 *   const user = yield* tx.findUser("acme", id);
 *   …
 * }
 * ```
 *
 * With a synchronous driver a whole transaction runs without a pause; with an asynchronous one the same code waits. A step may
 * begin when it is created, so run it immediately, and only once.
 */
export interface Step<T> {
  next(outcome?: unknown): IteratorResult<Promise<unknown>, T>;
  throw(reason: unknown): IteratorResult<Promise<unknown>, T>;
  [Symbol.iterator](): Step<T>;
}

/** A step at its end, which is its own outcome too: most statements of a database in the process are such, so they are cheap. */
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

/** A step with nothing left to do but to give the value. */
export function succeedStep<T>(value: T): Step<T> {
  return new Done(value);
}

/** A step that can but fail. */
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

/** A step that throws when it is run. */
export function failStep(reason: unknown): Step<never> {
  return new Failed(reason);
}

/**
 * Waits within a step for what may be there already.
 * @throws what the promise rejects with.
 * @example
 * import { awaitInStep, type Step } from "loyalty-kit/storage";
 *
 * // A storage adapter counts what its driver answers later.
 * function* countRows(query: (sql: string) => Promise<readonly unknown[]>): Step<number> {
 *   const rows = yield* awaitInStep(query("select id from loyalty_users"));
 *   return rows.length;
 * }
 */
export function awaitInStep<T>(something: T | Promise<T>): Step<T> {
  return isPromise(something) ? waiting(something) : new Done(something);
}

function* waiting<T>(promise: Promise<T>): Step<T> {
  // The runner of a step passes the result of each promise into it.
  return (yield promise) as T;
}

/** The step with another value at its end. */
export function mapStep<From, To>(step: Step<From>, to: (value: From) => To): Step<To> {
  return step instanceof Done ? new Done(to(step.value)) : mapping(step, to);
}

function* mapping<From, To>(step: Step<From>, to: (value: From) => To): Step<To> {
  return to(yield* step);
}

/** Returns true for a promise, also one of a library's own kind. */
export function isPromise<T>(something: T | Promise<T>): something is Promise<T> {
  if (something instanceof Promise) return true;
  return typeof something === "object" && something !== null && "then" in something;
}

/** Runs a step to its end. */
export async function runStep<T>(step: Step<T>): Promise<T> {
  const begun = step.next();
  return begun.done ? begun.value : toItsEnd(step, begun);
}

/**
 * Runs a step until it has to wait.
 * @returns its result, or a promise of the result if it had to wait.
 * @throws what the step throws before it has to wait.
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

/** Runs each part of a step, from one wait to the next, within something. @throws what the work throws. */
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

/** The work that goes on now, and since when. There is one thread, so one of these. */
let current: ProcessorTime | null = null;
let since = 0;

/** Counts the time in which some work keeps the process from anything else. */
export class ProcessorTime {
  /** @param spend receives the milliseconds of each slice at its end. */
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
