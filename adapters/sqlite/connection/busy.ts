import { type Step, wait } from "../../../src/concurrency/step.js";
import { failure } from "../../../src/errors.js";
import { isBusy } from "./errors.js";

/** A call gives up after so many milliseconds in which the process runs. */
const PATIENCE = 10_000;
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 10;

/**
 * Tries until the database is not busy. SQLite's own waiting would hold up the whole process; these pauses, growing
 * and jittered so that processes don't keep in step, hold up only the caller.
 */
export class BusyRetry {
  /** The pauses since the database was free. */
  #busyMs = 0;

  /**
   * @param waitedMs for how long the caller has waited already. A call gives up once it has waited for 10 s and the database
   *   has been busy for 10 s: a long queue alone is no reason.
   * @throws {LoyaltyError} `storage_unavailable` when it gives up; else what `attempt` throws.
   */
  *run<T>(attempt: () => T | Promise<T>, waitedMs = 0): Step<T> {
    let waited = waitedMs;
    for (let longest = FIRST_PAUSE; ; longest = Math.min(2 * longest, LONGEST_PAUSE)) {
      try {
        const result = yield* wait(attempt());
        this.#busyMs = 0;
        return result;
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (Math.min(waited, this.#busyMs) >= PATIENCE) {
          throw failure("storage_unavailable", null, { cause: error });
        }
      }
      const pause = longest * (0.5 + Math.random() / 2);
      yield new Promise((resolve) => setTimeout(resolve, pause));
      waited += pause;
      this.#busyMs += pause;
    }
  }
}
