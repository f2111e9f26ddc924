import { FairSemaphore, type QueueLimits } from "../../src/base/concurrency/fair-semaphore.js";
import { unavailable } from "../../src/base/errors.js";

/**
 * Creates the queue for lists and pages. A response holds its slot until it is built, because its size isn't known before then. The
 * queue therefore bounds the memory used by responses under construction.
 */
export function lists(): FairSemaphore {
  return createQueue("lists", 128, 1 / 2, { length: 10_000, patience: 30_000 });
}

/**
 * Creates the queue for long pages. Each organization builds one long page at a time. The page holds its slot from when its data is
 * read until it is serialized. If several pages were built at the same time, their memory would survive V8's quick collections and
 * be freed only by a slow one.
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
