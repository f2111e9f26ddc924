import { runStep } from "../../../src/concurrency/step.js";
import { zoneOf } from "../../../src/resources/settings.js";
import type { JobKind } from "../../../src/storage/jobs.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { midnightAfter } from "../../../src/values/calendar-days.js";

/** More queues and endpoints than tests have. */
const EVERY = 10_000;

/** Organizations per page. */
const PAGE = 200;

/** Work of one kind, which waits in queues. */
export interface DueWork {
  /** The number of queues that have some at an instant. It never falls as time passes by itself. */
  count(at: number): Promise<number>;
  /** Does the due work. */
  work(): Promise<void>;
}

/** Work that waits as jobs of these kinds. */
export function jobsDueWork(
  storage: StorageAdapter,
  kinds: readonly JobKind[],
  work: () => Promise<void>,
): DueWork {
  return {
    async count(at) {
      let count = 0;
      for (const kind of kinds) count += (await runStep(storage.queuesWithDueJobs(kind, at, EVERY))).length;
      return count;
    },
    work,
  };
}

/** Webhooks that are to be delivered. */
export function webhooksDueWork(storage: StorageAdapter, work: () => Promise<void>): DueWork {
  return { count: async (at) => (await runStep(storage.endpointsWithDueWork(at, EVERY, 0))).length, work };
}

/** Tells when there is something to do in a storage, by its port alone: so it holds for every adapter. */
export class DueTimeFinder {
  constructor(
    private readonly storage: StorageAdapter,
    private readonly kinds: readonly DueWork[],
  ) {}

  /**
   * Returns the first instant after one, and not after another, at which a queue gets something to do or the segments of an
   * organization have a midnight; the last instant when there is none.
   */
  async next(after: number, until: number): Promise<number> {
    let [before, at] = [after, Math.min(until, await this.nextMidnight(after))];
    let growing: { readonly kind: DueWork; readonly known: number }[] = [];
    for (const kind of this.kinds) {
      const known = await kind.count(after);
      if ((await kind.count(at)) > known) growing.push({ kind, known });
    }
    while (growing.length > 0 && at - before > 1) {
      const middle = Math.floor((before + at) / 2);
      const grown: typeof growing = [];
      for (const each of growing) if ((await each.kind.count(middle)) > each.known) grown.push(each);
      if (grown.length > 0) [at, growing] = [middle, grown];
      else before = middle;
    }
    return at;
  }

  /** The first midnight after an instant, of the organizations that have segments. */
  private async nextMidnight(instant: number): Promise<number> {
    const zones = new Set<string>();
    for (let after = ""; ; ) {
      const organizations = await runStep(this.storage.organizationsWithSavedSegments(after, PAGE));
      for (const id of organizations) zones.add(zoneOf(await runStep(this.storage.findSettings(id))));
      const last = organizations.at(-1);
      if (last === undefined || organizations.length < PAGE) break;
      after = last;
    }
    return Math.min(...[...zones].map((zone) => midnightAfter(zone, instant)));
  }
}
