import { type Step, wait } from "../../../src/concurrency/step.js";

/**
 * Lets the statements of one transaction run. After its end none runs, so none can get into the next transaction; nor
 * after an error: a write of the port may then be half done, and some errors end a transaction by themselves.
 */
export class StatementGuard {
  #ended = false;
  #failed: { readonly reason: unknown } | null = null;

  /** @param translated gives what a caller of the port gets for an error of the driver. */
  constructor(private readonly translated: (error: unknown) => unknown) {}

  *run<T>(statement: () => T | Promise<T>): Step<T> {
    this.assertSound();
    if (this.#ended) throw new Error("the transaction is over");
    try {
      return yield* wait(statement());
    } catch (error) {
      const reason = this.translated(error);
      this.#failed ??= { reason };
      throw reason;
    }
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
