import { type Step, wait } from "../../../src/concurrency/step.js";
import { failure } from "../../../src/errors.js";
import { isBusy } from "./errors.js";

/** A call gives up after so many milliseconds. */
const PATIENCE = 10_000;
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 10;

/**
 * Tries until the database is not busy. SQLite's own waiting would hold up the whole process; these pauses, growing
 * and jittered so that processes don't keep in step, hold up only the caller.
 */
export class BusyRetry {
  #busySince: number | null = null;

  /**
   * @param asked when the caller began to wait, as `performance.now()` has it. A call gives up once it has
   *   waited for 10 s and the database has been busy for 10 s: a long queue alone is no reason.
   * @throws {LoyaltyError} `storage_unavailable` when it gives up; else what `attempt` throws.
   */
  *run<T>(attempt: () => T | Promise<T>, asked = performance.now()): Step<T> {
    for (let longest = FIRST_PAUSE; ; longest = Math.min(2 * longest, LONGEST_PAUSE)) {
      try {
        const result = yield* wait(attempt());
        this.#busySince = null;
        return result;
      } catch (error) {
        if (!isBusy(error)) throw error;
        const now = performance.now();
        this.#busySince ??= now;
        if (now - Math.max(asked, this.#busySince) >= PATIENCE) {
          throw failure("storage_unavailable", null, { cause: error });
        }
      }
      const pause = longest * (0.5 + Math.random() / 2);
      yield new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
