import { FairSemaphore } from "../concurrency/fair-semaphore.js";
import { failure } from "../errors.js";

/** How many go on at the same time. Each works in steps, and what else is asked waits for one step of each at most. */
const AT_ONCE = 4;

/** The share of them that an organization may hold of what others leave. */
const SHARE = 1 / 2;

/** How many of an organization may wait, and for how long, in milliseconds. */
const MAX_WAITING = 100;
const PATIENCE_MS = 10_000;

/**
 * The line for reads that may look at all of an organization: searches, sorts by texts, filters by stamps, pages far behind,
 * exports, and the whole lists of what there may be thousands of. Other reads never wait for them.
 */
export function costlyReads(): FairSemaphore {
  return new FairSemaphore(AT_ONCE, SHARE, {
    length: MAX_WAITING,
    patience: PATIENCE_MS,
    refusal: () => {
      const cause = new Error("too many costly reads of the organization are waiting");
      return failure("storage_unavailable", null, { cause });
    },
  });
}
