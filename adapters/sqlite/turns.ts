import { failure } from "../../src/errors.js";

/** Runs tasks one after the other, in the order in which they come. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #unfinished = 0;
  #closed = false;

  /** True when a task would run at once. */
  get idle(): boolean {
    return this.#unfinished === 0 && !this.#closed;
  }

  /** @throws {LoyaltyError} `storage_unavailable` after {@link close}; else what the task throws. */
  async take<T>(task: () => Promise<T>): Promise<T> {
    if (this.#closed) {
      throw failure("storage_unavailable", null, { cause: new Error("the storage is closed") });
    }
    this.#unfinished += 1;
    const result = this.#last.then(task).finally(() => {
      this.#unfinished -= 1;
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Refuses tasks from now on, and waits for those that came before. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
  }
}
