import { failure } from "../../../src/errors.js";

/** Counts what is under way, so that closing can refuse what comes later and wait for the rest. */
export class Admission {
  #isClosed = false;
  #underWay = 0;
  #emptied: () => void = () => undefined;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws {LoyaltyError} `storage_unavailable` after {@link close}. */
  assertOpen(): void {
    if (this.#isClosed) {
      throw failure("storage_unavailable", null, { cause: new Error("the storage is closed") });
    }
  }

  /** @throws {LoyaltyError} `storage_unavailable` after {@link close}; else what the task throws. */
  async admit<T>(task: () => Promise<T>): Promise<T> {
    this.assertOpen();
    this.#underWay += 1;
    try {
      return await task();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#emptied();
    }
  }

  /** Refuses tasks from now on, and waits for those that came before. To be called once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
  }
}
