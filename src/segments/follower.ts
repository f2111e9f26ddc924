import { runStep } from "../concurrency/step.js";
import type { ErrorListener } from "../events/event-emitter.js";
import { actorOf } from "../resources/actor.js";
import type { Engine } from "../tenant/engine.js";
import { createCallContext, Tenant } from "../tenant/tenant.js";
import { nextWork, type Work } from "./backlog.js";
import { countMembers, evaluateAll, runMidnight } from "./everybody.js";
import { changeFollowed, type MoveCounts, moveMembers, timeActor } from "./moves.js";

/*
 * The follower of an organization keeps the members of segments that emit events. It evaluates the customers named by new events of
 * the outbox, compares the result with the stored members, and writes members, events and its own position in one transaction.
 * Midnights are the same comparison for all customers. Any number of processes may follow: a transaction changes nothing if the
 * position or the watermark has moved since its reads.
 */

/** What one step of a follower did. */
interface Advance extends MoveCounts {
  readonly midnights: number;
  readonly hasMore: boolean;
}

const nothing: Advance = { entered: 0, left: 0, midnights: 0, hasMore: false };

/** The most organizations that are listed in one read. */
const PAGE = 200;

/** Does what an organization's follower does next. */
async function advance(tenant: Tenant): Promise<Advance> {
  const { organizationId } = tenant;
  const work = await tenant.storage.snapshot((reader) => nextWork(reader, tenant), { organizationId });
  if (work === null) return nothing;
  return { ...nothing, hasMore: true, ...(await doWork(tenant, work)) };
}

async function doWork(tenant: Tenant, work: Work): Promise<Partial<Advance>> {
  switch (work.kind) {
    case "count":
      await countMembers(tenant, work, work.segment);
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
      const by = { visible: actorOf(event), stored: { actor, subject } };
      const { entered, left } = await evaluateAll(tenant, work, { position, at, actor: by });
      return { entered, left };
    }
    case "customers":
      return moveCustomers(tenant, work);
  }
}

async function moveCustomers(
  tenant: Tenant,
  { follower, moves, silent, end, hasMore }: Extract<Work, { readonly kind: "customers" }>,
): Promise<Partial<Advance>> {
  const { organizationId } = tenant;
  const counts = await changeFollowed(tenant, follower, function* (tx, record, flush) {
    const moved = yield* moveMembers(tx, organizationId, record, moves);
    const ids = silent.map(({ id }) => id);
    if (ids.length > 0) yield* tx.deleteSilentChanges(organizationId, ids);
    // Its own events need no reading where no others come before them.
    const isNewest = (yield* tx.newestEventPosition(organizationId)) === end;
    yield* flush();
    const position = isNewest ? yield* tx.newestEventPosition(organizationId) : end;
    yield* tx.putSegmentFollower(organizationId, { ...follower, position });
    return moved;
  });
  return counts === null ? {} : { ...counts, hasMore };
}

/** Has everybody evaluated silently, since events are gone that the follower has not read. */
async function skipEvents(tenant: Tenant, { follower }: Work): Promise<void> {
  const { organizationId } = tenant;
  await changeFollowed(tenant, follower, function* (tx) {
    for (const segment of yield* tx.listSegments(organizationId)) {
      if (!segment.emitsEvents) continue;
      const revision = segment.revision + 1;
      yield* tx.updateSegment(organizationId, { ...segment, revision, isRecounting: true });
    }
    const position = yield* tx.newestEventPosition(organizationId);
    yield* tx.putSegmentFollower(organizationId, { ...follower, position });
  });
}

/** The follower of an organization acts without a caller. */
function createFollower(tenant: Tenant): Tenant {
  return tenant.actingAs(timeActor).withIdempotentRun(null);
}

/** Runs the midnights that have passed, so that an edit of a segment or of the time zone is applied to the day on which it is made. */
export async function runPassedMidnights(tenant: Tenant): Promise<void> {
  const { organizationId, engine, storage } = tenant;
  for (;;) {
    const follower = await runStep(storage.findSegmentFollower(organizationId));
    if (follower === null || !engine.segmentClock.hasPassed(follower.nextMidnight)) return;
    await advance(createFollower(tenant));
  }
}

/** Has the members of marked segments counted once the change is committed. What fails is left to the next look of a follower. */
export function countLater(tenant: Tenant): void {
  const { engine, organizationId, isJoining } = tenant;
  if (isJoining) return;
  const count = async () => {
    const isMarked = ({ isRecounting }: { readonly isRecounting: boolean }) => isRecounting;
    while ((await runStep(engine.storage.listSegments(organizationId))).some(isMarked))
      await advance(createFollower(tenant));
  };
  engine.changes.track(count()).catch(() => {});
}

export interface RefreshOptions {
  /** `true` takes the clock as it is, though it has jumped while this process ran. What it writes can't be taken back. */
  readonly acceptClock?: boolean;
  /** Aborting it starts no further steps; the next call does the rest. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a refresh. */
export interface RefreshResult {
  /** The midnights that this call ran first, counted per organization. */
  readonly midnights: number;
  /** The events that it recorded. */
  readonly entered: number;
  readonly left: number;
  /** `true` when no midnight is run, since the clock has jumped ahead. */
  readonly isClockRejected: boolean;
}

/** Follows the outboxes of all organizations. */
export class SegmentBackend {
  constructor(
    private readonly engine: Engine,
    readonly onError: ErrorListener,
  ) {}

  /** The organizations that have events to read, silent changes, or a midnight to run, or may have. */
  queuesWithDueJobs(limit: number): Promise<string[]> {
    const { storage, segmentClock, clock } = this.engine;
    // Any organization may show that the clock was accepted elsewhere.
    if (segmentClock.isRejected) return runStep(storage.organizationsWithSavedSegments("", limit));
    return runStep(storage.organizationsToFollow(clock(), limit));
  }

  /** Calls back on commits of this process that may change members. @returns a function that unsubscribes. */
  onWork(listener: (organizationId: string) => void): () => void {
    return this.engine.outbox?.onWork(listener) ?? (() => {});
  }

  /** Does what an organization's follower does next. @returns whether there may be more to do now. */
  async advance(organizationId: string): Promise<boolean> {
    return (await this.step(organizationId)).hasMore;
  }

  /**
   * Does all there is to do now.
   * @throws what the first organization threw that failed; the others are done all the same.
   */
  async refresh({ acceptClock = false, signal }: RefreshOptions): Promise<RefreshResult> {
    const { storage, segmentClock } = this.engine;
    if (acceptClock) segmentClock.accept();
    const sum = { midnights: 0, entered: 0, left: 0 };
    const failures: unknown[] = [];
    for (let after = ""; !signal?.aborted; ) {
      const organizations = await runStep(storage.organizationsWithSavedSegments(after, PAGE));
      for (const organizationId of organizations) {
        try {
          for (let hasMore = true; hasMore && !signal?.aborted; ) {
            const step = await this.step(organizationId);
            hasMore = step.hasMore;
            sum.midnights += step.midnights;
            sum.entered += step.entered;
            sum.left += step.left;
          }
        } catch (error) {
          failures.push(error);
        }
      }
      const last = organizations.at(-1);
      if (last === undefined || organizations.length < PAGE) break;
      after = last;
    }
    if (failures.length > 0) throw failures[0];
    return { ...sum, isClockRejected: segmentClock.isRejected };
  }

  private step(organizationId: string): Promise<Advance> {
    const { engine } = this;
    return advance(new Tenant(engine, organizationId, "all", createCallContext({ actor: timeActor })));
  }
}
