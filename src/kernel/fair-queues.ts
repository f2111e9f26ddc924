import { FairSemaphore } from "../base/concurrency/fair-semaphore.js";
import { unavailable } from "../base/errors.js";

/**
 * Creates the queue for reads that might cover a whole organization: searches, sorting by text, filters by stamps, distant pages,
 * exports, and lists that can have thousands of items. Other reads never wait in this queue. Queued reads run in steps, so another
 * call waits for at most one step of each running read.
 */
export function createCostlyReadQueue(): FairSemaphore {
  return createQueue("costly reads", { atOnce: 4, share: 1 / 2, length: 100, patience: 10_000 });
}

/**
 * Creates the queue for changes that affect many rows and run in batches. Each organization can run only one such change at a time.
 */
export function createLargeChangeQueue(): FairSemaphore {
  return createQueue("large changes", { atOnce: 2, share: 1 / 2, length: 20, patience: 60_000 });
}

interface Bounds {
  /** Maximum number of tasks that run concurrently. */
  readonly atOnce: number;
  /** Maximum fraction of the free slots that one organization may take. */
  readonly share: number;
  /** Maximum number of queued tasks per organization. */
  readonly length: number;
  /** Maximum time that a task is queued, in milliseconds. */
  readonly patience: number;
}

function createQueue(name: string, { atOnce, share, ...waiting }: Bounds): FairSemaphore {
  return new FairSemaphore(atOnce, share, {
    ...waiting,
    createError: () => {
      const cause = new Error(`too many ${name} of the organization are waiting`);
      return unavailable("crowded", cause);
    },
  });
}
