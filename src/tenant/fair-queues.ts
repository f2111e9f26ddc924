import { FairSemaphore } from "../concurrency/fair-semaphore.js";
import { unavailable } from "../errors.js";

/**
 * The queue of reads that may look at all of an organization: searches, sorts by texts, filters by stamps, pages far behind,
 * exports, and whole lists that may have thousands of items. Other reads never wait for them. Each works in steps, so
 * whatever else is asked waits for one step of each at most.
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
