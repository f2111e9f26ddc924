import { actorOf } from "../access/actor-schema.js";
import { runStep } from "../base/concurrency/step.js";
import type { ErrorListener } from "../kernel/events/event-emitter.js";
import type { BackendParts, Tenant } from "../kernel/tenant.js";
import { findNextWork, type Work } from "./backlog.js";
import { evaluateAll, recountMembers, runMidnight } from "./everybody.js";
import { changeFollowed, type MoveCounts, moveMembers, timeActor } from "./moves.js";

/*
 * An organization's follower maintains the members of segments that emit events. It evaluates the customers named by new events in
 * the outbox, compares the result with the stored members, and writes members, events and its own position in one transaction.
 * At midnight it makes the same comparison for all customers. Any number of processes may follow: a transaction changes nothing if
 * the position or the watermark has moved since its reads.
 */

/** The result of one step of a follower. */
interface FollowResult extends MoveCounts {
  readonly midnights: number;
  readonly hasMore: boolean;
}

const noResult: FollowResult = { entered: 0, left: 0, midnights: 0, hasMore: false };

/** Maximum number of organizations per read. */
const PAGE_SIZE = 200;

/** Does the next piece of work for an organization's follower. */
async function advance(tenant: Tenant): Promise<FollowResult> {
  const { organizationId } = tenant;
  const work = await tenant.storage.snapshot(organizationId, (reader) => findNextWork(reader, tenant));
  if (work === null) return noResult;
  return { ...noResult, hasMore: true, ...(await runWork(tenant, work)) };
}

async function runWork(tenant: Tenant, work: Work): Promise<Partial<FollowResult>> {
  switch (work.kind) {
    case "count":
      await recountMembers(tenant, work, work.segment);
      return {};
    case "skip":
      await skipEvents(tenant, work);
      return {};
    case "midnight": {
      const { isDone, ...counts } = await runMidnight(tenant, work);
      return { ...counts, midnights: isDone ? 1 : 0 };
    }
    case "everybody": {
      const { event } = work;
      const { position, createdAt: at, actor, subject } = event;
      const resolvedActor = { visible: actorOf(event), stored: { actor, subject } };
      const { entered, left } = await evaluateAll(tenant, work, { position, at, actor: resolvedActor });
      return { entered, left };
    }
    case "customers":
      return moveCustomers(tenant, work);
  }
}

async function moveCustomers(
  tenant: Tenant,
  { follower, moves, silentChanges: silent, end, hasMore }: Extract<Work, { readonly kind: "customers" }>,
): Promise<Partial<FollowResult>> {
  const counts = await changeFollowed(tenant, follower, function* (change) {
    const { tx, flush } = change;
    const moveCounts = yield* moveMembers(change, moves);
    const ids = silent.map(({ id }) => id);
    if (ids.length > 0) yield* tx.deleteSilentChanges(ids);
    // If no other events came in between, the follower skips its own events.
    const isNewest = (yield* tx.newestEventPosition()) === end;
    yield* flush();
    const position = isNewest ? yield* tx.newestEventPosition() : end;
    yield* tx.putSegmentFollower({ ...follower, position });
    return moveCounts;
  });
  return counts === null ? {} : { ...counts, hasMore };
}

/** Marks all emitting segments for a silent recount, because events that the follower hasn't read are gone. */
async function skipEvents(tenant: Tenant, { follower }: Work): Promise<void> {
  await changeFollowed(tenant, follower, function* ({ tx }) {
    for (const segment of yield* tx.listSegments()) {
      if (!segment.emitsEvents) continue;
      const revision = segment.revision + 1;
      yield* tx.updateSegment({ ...segment, revision, isRecounting: true });
    }
    const position = yield* tx.newestEventPosition();
    yield* tx.putSegmentFollower({ ...follower, position });
  });
}

/** Returns a tenant for the organization's follower, which acts without a caller. */
function openFollowerTenant(tenant: Tenant): Tenant {
  return tenant.actingAs(timeActor).withIdempotentRun(null);
}

/**
 * Processes all past midnights that haven't been processed yet. Call this before changing a segment or the time zone, so that the
 * change doesn't affect earlier days.
 */
export async function runPastMidnights(tenant: Tenant): Promise<void> {
  const { organizationId, engine, storage } = tenant;
  for (;;) {
    const follower = await runStep(storage.reader(organizationId).findSegmentFollower());
    if (follower === null || !engine.segmentClock.hasPassed(follower.nextMidnight)) return;
    await advance(openFollowerTenant(tenant));
  }
}

/**
 * Starts counting the members of segments that are marked for recounting. Call this after the change is committed. If counting
 * fails, a segment worker counts them on its next poll. Does nothing in a host transaction.
 */
export function startRecount(tenant: Tenant): void {
  const { engine, organizationId, isJoining } = tenant;
  if (isJoining) return;
  const count = async () => {
    const needsRecount = ({ isRecounting }: { readonly isRecounting: boolean }) => isRecounting;
    while ((await runStep(engine.storage.reader(organizationId).listSegments())).some(needsRecount))
      await advance(openFollowerTenant(tenant));
  };
  engine.changes.track(count()).catch(() => {});
}

export interface RefreshOptions {
  /**
   * Whether to accept the clock's current time if the clock jumped ahead while this process was running. If the clock is wrong,
   * users enter and leave segments by mistake, which can't be undone.
   */
  readonly acceptClock?: boolean;
  /** A signal that stops the refresh after the current step. The next call does the remaining work. */
  readonly signal?: AbortSignal | undefined;
}

/** A summary of the work that a refresh did. */
export interface RefreshResult {
  /** The number of midnights that this call processed, across all organizations. */
  readonly midnights: number;
  /** How many times a user entered a segment. An event was emitted each time. */
  readonly entered: number;
  /** How many times a user left a segment. An event was emitted each time. */
  readonly left: number;
  /** Whether the clock jumped ahead and the jump hasn't been accepted. If `true`, no midnights are processed. */
  readonly isClockRejected: boolean;
}

/** Keeps segment membership up to date by reading the events in all organizations' outboxes. */
export class SegmentBackend {
  constructor(
    private readonly engine: Pick<
      BackendParts,
      "storage" | "clock" | "delivery" | "segmentClock" | "openTenant"
    >,
    readonly onError: ErrorListener,
  ) {}

  /** Returns the IDs of at most `limit` organizations that might have events, silent changes, or a midnight to process. */
  queuesWithDueJobs(limit: number): Promise<string[]> {
    const { storage, segmentClock, clock } = this.engine;
    // Any organization's data may show that another process has accepted the clock.
    if (segmentClock.isRejected) return runStep(storage.all.organizationsWithSavedSegments("", limit));
    return runStep(storage.all.organizationsToFollow(clock(), limit));
  }

  /**
   * Registers a listener for commits in this process that might change segment members.
   * @returns a function that removes the listener.
   */
  onWork(listener: (organizationId: string) => void): () => void {
    return this.engine.delivery.outbox?.onWork(listener) ?? (() => {});
  }

  /**
   * Performs the next step in bringing an organization's segment members up to date.
   * @returns whether there might be more work to do now.
   */
  async advance(organizationId: string): Promise<boolean> {
    return (await this.followOnce(organizationId)).hasMore;
  }

  /**
   * Performs all work that is due now, for all organizations.
   * @throws the first organization's error, once the remaining organizations have been processed.
   */
  async refresh({ acceptClock = false, signal }: RefreshOptions): Promise<RefreshResult> {
    const { storage, segmentClock } = this.engine;
    if (acceptClock) segmentClock.accept();
    const totals = { midnights: 0, entered: 0, left: 0 };
    const failures: unknown[] = [];
    for (let after = ""; !signal?.aborted; ) {
      const organizations = await runStep(storage.all.organizationsWithSavedSegments(after, PAGE_SIZE));
      for (const organizationId of organizations) {
        try {
          for (let hasMore = true; hasMore && !signal?.aborted; ) {
            const stepResult = await this.followOnce(organizationId);
            hasMore = stepResult.hasMore;
            totals.midnights += stepResult.midnights;
            totals.entered += stepResult.entered;
            totals.left += stepResult.left;
          }
        } catch (error) {
          failures.push(error);
        }
      }
      const last = organizations.at(-1);
      if (last === undefined || organizations.length < PAGE_SIZE) break;
      after = last;
    }
    if (failures.length > 0) throw failures[0];
    return { ...totals, isClockRejected: segmentClock.isRejected };
  }

  private followOnce(organizationId: string): Promise<FollowResult> {
    return advance(this.engine.openTenant(organizationId, timeActor));
  }
}
