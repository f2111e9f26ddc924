import { done, failed, isPromise, type Step, wait } from "../../../src/concurrency/step.js";

/**
 * Lets the statements of one transaction run. After its end none runs, so none can get into the next transaction; nor
 * after an error: a write of the port may then be half done, and some errors end a transaction by themselves.
 */
export class StatementGuard {
  #ended = false;
  #failed: { readonly reason: unknown } | null = null;

  /** @param translated gives what a caller of the port gets for an error of the driver. */
  constructor(private readonly translated: (error: unknown) => unknown) {}

  /** Runs a statement when the step is made; what is wrong with it, the step throws when it is run. */
  run<T>(statement: () => T | Promise<T>): Step<T> {
    if (this.#failed !== null) return failed(this.#failed.reason);
    if (this.#ended) return failed(new Error("the transaction is over"));
    try {
      const result = statement();
      return isPromise(result) ? this.#waiting(result) : done(result);
    } catch (error) {
      return failed(this.#failure(error));
    }
  }

  *#waiting<T>(result: Promise<T>): Step<T> {
    try {
      return yield* wait(result);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    const reason = this.translated(error);
    this.#failed ??= { reason };
    return reason;
  }

  /** @throws the error of the statement that failed, when one did, though nobody may have heeded it. */
  assertSound(): void {
    if (this.#failed !== null) throw this.#failed.reason;
  }

  /** Refuses statements from now on. */
  end(): void {
    this.#ended = true;
  }
}
