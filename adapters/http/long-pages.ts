import { FairSemaphore } from "../../src/concurrency/fair-semaphore.js";
import { failure } from "../../src/errors.js";

const AT_ONCE = 4;
/** So many of an organization wait, each for so many milliseconds at most. */
const LENGTH = 100;
const PATIENCE_MS = 10_000;

/**
 * The queue of long pages, each from its reading until it is written: of an organization one is made at a time. The memory of
 * several at once would outlive V8's quick collections, and wait for a slow one.
 */
export function longPages(): FairSemaphore {
  return new FairSemaphore(AT_ONCE, 1 / AT_ONCE, {
    length: LENGTH,
    patience: PATIENCE_MS,
    refusal: () => {
      const cause = new Error("too many long pages of the organization are waiting");
      return failure("storage_unavailable", null, { cause });
    },
  });
}
