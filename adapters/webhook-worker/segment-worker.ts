import { refuseOtherVersion } from "../../src/copies.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import { Pause, type SetTimer, systemAfter } from "../jobs/timers.js";

/** The clocks of all zones are so many milliseconds apart, or a multiple of it: each midnight is at such a time. */
const BETWEEN_MIDNIGHTS_MS = 15 * 60_000;

/** A sweep begins so long after a midnight, in milliseconds, since clocks of databases and machines differ. */
const BEHIND_MS = 1_000;

/** After a failure it is tried again so soon, in milliseconds. */
const RETRY_MS = 20_000;

export interface SegmentWorkerOptions {
  /** Told when a sweep failed; it is tried again. `console.error` unless given. */
  readonly onError?: (error: unknown) => void;
  /** Starts timers; those of the system unless given. */
  readonly after?: SetTimer;
}

/** Settles what time does to the segments of a service. */
export interface SegmentWorker {
  /** Begins nothing more. Resolves when the sweep under way has stopped between two steps: close the service then. */
  close(): Promise<void>;
}

/**
 * Runs `loyalty.refreshSegments` at once, and within a minute of each midnight of whatever time zone, until it is closed. Any number of
 * processes may do so on one storage: each midnight of each segment is told once.
 *
 * @example
 * import { createSegmentWorker } from "loyalty-kit/webhook-worker";
 *
 * const worker = createSegmentWorker(loyalty);
 * process.once("SIGTERM", () => worker.close().then(() => loyalty.close()));
 */
export function createSegmentWorker(
  loyalty: LoyaltyService,
  { onError = (error) => console.error(error), after = systemAfter }: SegmentWorkerOptions = {},
): SegmentWorker {
  refuseOtherVersion(loyalty, "LoyaltyService");
  const closing = new AbortController();
  const { signal } = closing;
  const pause = new Pause(after);
  const work = async () => {
    while (!signal.aborted) {
      const isDone = await loyalty.refreshSegments({ signal }).then(
        () => true,
        (error: unknown) => {
          onError(error);
          return false;
        },
      );
      if (!signal.aborted) await pause.wait(isDone ? untilNext(loyalty.now()) : RETRY_MS);
    }
  };
  const working = work();
  return {
    async close() {
      closing.abort();
      pause.cutShort();
      await working;
    },
  };
}

function untilNext(now: number): number {
  return BETWEEN_MIDNIGHTS_MS - (now % BETWEEN_MIDNIGHTS_MS) + BEHIND_MS;
}
