import { FairSemaphore } from "../concurrency/fair-semaphore.js";
import { unavailable } from "../errors.js";

/**
 * Returns a queue for reads that may cover a whole organization: searches, sorts by text, filters by stamps, far pages, exports,
 * and lists that may have thousands of items. Other reads never wait for them. Each one works in steps, so any other call waits for
 * at most one step of each.
 */
export function createCostlyReadQueue(): FairSemaphore {
  return createQueue("costly reads", { atOnce: 4, share: 1 / 2, length: 100, patience: 10_000 });
}

/** Queue of changes to very many rows, which run in batches. An organization runs one at a time. */
export function createLargeChangeQueue(): FairSemaphore {
  return createQueue("large changes", { atOnce: 2, share: 1 / 2, length: 20, patience: 60_000 });
}

interface Bounds {
  /** At most this many run at the same time. */
  readonly atOnce: number;
  /** Largest fraction of the free slots that one organization may take. */
  readonly share: number;
  /** At most this many of an organization wait. */
  readonly length: number;
  /** Each of them waits at most this long, in milliseconds. */
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
