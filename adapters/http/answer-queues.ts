import { FairSemaphore, type QueueLimits } from "../../src/concurrency/fair-semaphore.js";
import { unavailable } from "../../src/errors.js";

/**
 * Returns the queue of lists and pages, each until it is made. How large it is shows then, so this bounds the memory that they
 * take before.
 */
export function lists(): FairSemaphore {
  return createQueue("lists", 128, 1 / 2, { length: 10_000, patience: 30_000 });
}

/**
 * Returns the queue of long pages, each from its reading until it is written: of an organization one is made at a time. The
 * memory of several would outlive V8's quick collections, and wait for a slow one.
 */
export function longPages(): FairSemaphore {
  return createQueue("long pages", 4, 1 / 4, { length: 100, patience: 10_000 });
}

function createQueue(
  name: string,
  atOnce: number,
  share: number,
  line: Pick<QueueLimits, "length" | "patience">,
): FairSemaphore {
  return new FairSemaphore(atOnce, share, {
    ...line,
    createError: () => {
      const cause = new Error(`too many ${name} of the organization are waiting`);
      return unavailable("crowded", cause);
    },
  });
}
