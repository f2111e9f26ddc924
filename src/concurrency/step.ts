/**
 * Work that waits only where it must: a generator that gives out each promise that it has to wait for, and takes what
 * that came to. In it, `yield*` stands where `await` stands in an async function:
 *
 * ```
 * function* rename(tx: StorageTransaction, id: string, name: string): Step<void> {
 *   const user = yield* tx.findUser("acme", id);
 *   …
 * }
 * ```
 *
 * Where a driver answers at once, a whole transaction so runs without a stop; where one answers later, the same work
 * waits. A step does nothing until it is run, and runs once.
 */
export type Step<T> = Generator<Promise<unknown>, T, unknown>;

/** Waits within a step for what may be there already. @throws what the promise rejects with. */
export function* wait<T>(something: T | Promise<T>): Step<T> {
  // Who runs a step gives it what each promise came to.
  return isPromise(something) ? ((yield something) as T) : something;
}

/** Libraries have promises of their own. */
function isPromise<T>(something: T | Promise<T>): something is Promise<T> {
  if (something instanceof Promise) return true;
  return typeof something === "object" && something !== null && "then" in something;
}

/** Runs a step to its end. */
export async function run<T>(step: Step<T>): Promise<T> {
  const begun = step.next();
  return begun.done ? begun.value : toItsEnd(step, begun);
}

/**
 * Runs a step as far as it need not wait.
 * @returns its result when that is all of it, else a promise of it.
 * @throws what the step throws before it has to wait.
 */
export function runAtOnce<T>(step: Step<T>): T | Promise<T> {
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
