import { runStep, type Step } from "../../../src/base/concurrency/step.js";
import { midnightAfter } from "../../../src/base/values/calendar-days.js";
import { zoneOf } from "../../../src/settings/schema.js";
import type { JobKind } from "../../../src/storage/jobs.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import type { EndpointRef } from "../../../src/storage/webhooks.js";

/** Maximum number of queues and endpoints to count: more than tests have. */
const MAX_ROWS = 10_000;

/** Number of organizations per page. */
const PAGE_SIZE = 200;

/** One kind of queued work, such as jobs or webhook deliveries, that can become due. */
export interface DueWork {
  /**
   * Returns how many queues have work due at an instant. The count must not be lower for a later instant, unless work has been done
   * in between.
   */
  count(at: number): Promise<number>;
  /** Runs all work that is due now, and resolves when it is done. */
  runDue(): Promise<void>;
}

/**
 * Creates the {@link DueWork} for jobs of the given kinds.
 * @param work a function that runs all jobs that are due now.
 */
export function createJobsDueWork(
  storage: StorageAdapter,
  kinds: readonly JobKind[],
  work: () => Promise<void>,
): DueWork {
  return {
    async count(at) {
      let count = 0;
      for (const kind of kinds)
        count += (await runStep(storage.all.queuesWithDueJobs(kind, at, MAX_ROWS))).length;
      return count;
    },
    runDue: work,
  };
}

/**
 * Creates the {@link DueWork} for webhook deliveries.
 * @param work a function that makes all delivery attempts that are due now.
 */
export function createWebhooksDueWork(storage: StorageAdapter, work: () => Promise<void>): DueWork {
  return {
    async count(at) {
      let count = 0;
      for (const endpointRef of await runStep(storage.all.endpointsWithDueWork(at, MAX_ROWS, 0)))
        if (await runStep(hasDeliveries(storage, endpointRef, at))) count += 1;
      return count;
    },
    runDue: work,
  };
}

/**
 * Returns whether an endpoint has a delivery that is due at an instant, or an event that will become one. An endpoint that only has
 * events to skip stays among the storage's endpoints with work, because a worker stores its position past them later.
 */
function* hasDeliveries(
  storage: StorageAdapter,
  { organizationId, endpointId }: EndpointRef,
  at: number,
): Step<boolean> {
  const endpoint = yield* storage.reader(organizationId).findWebhookEndpoint(endpointId);
  if (endpoint === null) return false;
  const { disabledAt, lastPosition, position, types } = endpoint;
  const pending = (yield* storage.reader(organizationId).pendingDeliveries()).get(endpointId);
  if (disabledAt === null && pending !== undefined && pending.dueAt <= at) return true;
  const [event] = yield* storage.reader(organizationId).listEventHeads(types, position, 1);
  return event !== undefined && (disabledAt === null || event.position <= (lastPosition ?? position));
}

/** Finds when queued work becomes due. It uses only the storage interface, so it works with every adapter. */
export class DueTimeFinder {
  constructor(
    private readonly storage: StorageAdapter,
    private readonly kinds: readonly DueWork[],
  ) {}

  /**
   * Returns the first instant after `after` at which queued work becomes due or a new day begins for an organization with segments,
   * but no later than `until`.
   */
  async next(after: number, until: number): Promise<number> {
    let [before, at] = [after, Math.min(until, await this.findNextMidnight(after))];
    let growing: { readonly kind: DueWork; readonly known: number }[] = [];
    for (const kind of this.kinds) {
      const previousCount = await kind.count(after);
      if ((await kind.count(at)) > previousCount) growing.push({ kind, known: previousCount });
    }
    while (growing.length > 0 && at - before > 1) {
      const middle = Math.floor((before + at) / 2);
      const stillGrowing: typeof growing = [];
      for (const each of growing) if ((await each.kind.count(middle)) > each.known) stillGrowing.push(each);
      if (stillGrowing.length > 0) [at, growing] = [middle, stillGrowing];
      else before = middle;
    }
    return at;
  }

  /** Returns the first midnight after an instant, across all organizations that have segments. */
  private async findNextMidnight(instant: number): Promise<number> {
    const zones = new Set<string>();
    for (let after = ""; ; ) {
      const organizations = await runStep(this.storage.all.organizationsWithSavedSegments(after, PAGE_SIZE));
      for (const id of organizations)
        zones.add(zoneOf(await runStep(this.storage.reader(id).findSettings())));
      const last = organizations.at(-1);
      if (last === undefined || organizations.length < PAGE_SIZE) break;
      after = last;
    }
    return Math.min(...[...zones].map((zone) => midnightAfter(zone, instant)));
  }
}
