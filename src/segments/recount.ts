import { turns } from "../concurrency/event-loop.js";
import { run, type Step } from "../concurrency/step.js";
import { filterOf } from "../resources/segment.js";
import { zoneOf } from "../resources/settings.js";
import { Bitmap } from "../storage/bitmap.js";
import type { StoredSegment, StoredSegmentMark } from "../storage/saved-segments.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { costlyRead } from "../tenant/costly-read.js";
import type { Engine } from "../tenant/engine.js";
import type { Tenant } from "../tenant/tenant.js";
import { startOfDayBefore } from "../values/calendar-days.js";
import { customerFacts, factKindsOf } from "./facts.js";
import { judgedAt } from "./judged-at.js";
import { allMatching, planFor } from "./matching.js";
import { membershipOf } from "./one-customer.js";
import type { Plan } from "./plan.js";

/*
 * A segment that emits events has its members stored as they were told. When its filter changes, or what a day is, they become
 * those of now, and nobody is told. In an organization of many customers that is not done within the change: the segment is marked
 * as settling, and tells nothing until its members are counted in a state from after that. Who changed since is looked at one by
 * one. What a process that ends leaves undone is done by the next sweep.
 */

/** So many customers are counted within the change that asks for it. */
const FEW_USERS = 5_000;

/** Storage reads the facts of at most this many users at once. */
const FACTS_AT_ONCE = 500;

/** Returns whether the members of a segment may be too many to be counted within a change. */
export function* hasMany(reader: StorageReader, organizationId: string): Step<boolean> {
  return (yield* reader.readTagSets(organizationId, [])).users.count() > FEW_USERS;
}

/** The mark of an organization, which is made where there is none. */
export function* markOf(
  tx: StorageTransaction,
  organizationId: string,
  now: number,
): Step<StoredSegmentMark> {
  const known = yield* tx.findSegmentWatermark(organizationId);
  if (known !== null) return known;
  const timeZone = zoneOf(yield* tx.findSettings(organizationId));
  const mark = { settledThrough: startOfDayBefore(timeZone, now, 0), lookedAt: now };
  yield* tx.putSegmentWatermark(organizationId, mark);
  return mark;
}

/** The midnight by which members are judged now. */
export function* midnightOfNow(tx: StorageTransaction, organizationId: string, now: number): Step<number> {
  const mark = yield* markOf(tx, organizationId, now);
  return judgedAt(mark, zoneOf(yield* tx.findSettings(organizationId)), now);
}

/**
 * Makes the members of segments that emit events those of now, in the change that asks for it.
 * @param hasTime `false` where there are too many customers for that: then the segments are settling from now on.
 */
export function* recount(
  tx: StorageTransaction,
  organizationId: string,
  segments: readonly StoredSegment[],
  now: number,
  hasTime: boolean,
): Step<void> {
  if (segments.length === 0) return;
  const toldSince = yield* midnightOfNow(tx, organizationId, now);
  for (const segment of segments) {
    const revision = segment.revision + 1;
    yield* tx.updateSegment(organizationId, { ...segment, revision, toldSince, isRecounting: !hasTime });
    if (!hasTime) continue;
    const question = { organizationId, filter: filterOf(segment), at: toldSince };
    yield* tx.putSegmentMembers(organizationId, segment.id, yield* allMatching(tx, question));
  }
}

/**
 * Makes the members of all segments that emit events those of now, once the organization has another time zone: days are others then.
 * @returns whether segments are settling from now on.
 */
export function* zoneChanged(tx: StorageTransaction, tenant: Tenant): Step<boolean> {
  const { organizationId } = tenant;
  const mark = yield* tx.findSegmentWatermark(organizationId);
  if (mark === null) return false;
  const now = tenant.now();
  const lookedAt = Math.max(mark.lookedAt, now);
  const timeZone = zoneOf(yield* tx.findSettings(organizationId));
  // Time never goes back: a midnight that was told is not told again by the new zone.
  const settledThrough = Math.max(mark.settledThrough, startOfDayBefore(timeZone, lookedAt, 0));
  yield* tx.putSegmentWatermark(organizationId, { settledThrough, lookedAt });
  const emitting = (yield* tx.listSegments(organizationId)).filter(({ emitsEvents }) => emitsEvents);
  const hasTime = tenant.isJoining || !(yield* hasMany(tx, organizationId));
  yield* recount(tx, organizationId, emitting, now, hasTime);
  return emitting.length > 0 && !hasTime;
}

/** Has the members of segments that are settling counted once the change is committed. What fails is for the next sweep. */
export function settleLater({ engine, organizationId, isJoining }: Tenant): void {
  if (isJoining) return;
  engine.changes.track(finishRecounts(engine, organizationId)).catch(() => {});
}

/**
 * Counts the members of each segment that is settling, one segment after the other. Two at once come to the same.
 * @throws what the storage throws; the next sweep goes on then.
 */
export async function finishRecounts(engine: Engine, organizationId: string): Promise<void> {
  for (;;) {
    const segments = await run(engine.storage.listSegments(organizationId));
    const settling = segments.find(({ isRecounting }) => isRecounting);
    if (settling === undefined) return;
    await settle(engine, organizationId, settling);
  }
}

/** Counts the members of a segment; not at all when it begins to settle anew meanwhile, or another day begins. */
async function settle(engine: Engine, organizationId: string, before: StoredSegment): Promise<void> {
  const { storage, clock } = engine;
  // A replica may lack what other processes have committed, whose customers nobody would look at again.
  const counted = await costlyRead(engine, organizationId, (reader) =>
    countedAt(reader, organizationId, before, clock()),
  );
  if (counted === null) return;
  await storage.transaction(
    function* (tx) {
      const segment = yield* tx.findSegment(organizationId, before.slug);
      if (segment === null || !isSame(segment, before)) return;
      const midnight = yield* midnightOfNow(tx, organizationId, clock());
      if (midnight !== counted.midnight) return;
      const plan = yield* planFor(tx, { organizationId, filter: filterOf(segment), at: midnight });
      // A template that came or went changes what the filter means.
      if (textOf(plan) !== counted.plan) return;
      const members = yield* withChanges(tx, organizationId, plan, counted);
      yield* tx.putSegmentMembers(organizationId, segment.id, members);
      yield* tx.updateSegment(organizationId, { ...segment, isRecounting: false, toldSince: midnight });
    },
    { isLarge: true, organizationId },
  );
}

interface Counted {
  readonly midnight: number;
  /** The plan by which they were counted, as a text. */
  readonly plan: string;
  readonly members: Bitmap;
}

function isSame(segment: StoredSegment, { id, revision }: StoredSegment): boolean {
  return segment.id === id && segment.revision === revision && segment.isRecounting;
}

function* countedAt(
  reader: StorageReader,
  organizationId: string,
  before: StoredSegment,
  now: number,
): Step<Counted | null> {
  const segment = yield* reader.findSegment(organizationId, before.slug);
  const mark = yield* reader.findSegmentWatermark(organizationId);
  if (segment === null || mark === null || !isSame(segment, before)) return null;
  const midnight = judgedAt(mark, zoneOf(yield* reader.findSettings(organizationId)), now);
  const question = { organizationId, filter: filterOf(segment), at: midnight };
  const plan = textOf(yield* planFor(reader, question));
  return { midnight, plan, members: yield* allMatching(reader, question) };
}

function textOf({ filter, tags, tests }: Plan): string {
  return JSON.stringify([filter, [...tags], [...tests]]);
}

/** The members as they are in a transaction: those who changed since they were counted are looked at again. */
function* withChanges(
  tx: StorageTransaction,
  organizationId: string,
  plan: Plan,
  { midnight, members }: Counted,
): Step<Bitmap> {
  const isMember = membershipOf(plan);
  const kinds = factKindsOf([plan]);
  const changed = yield* tx.usersEvaluatedThrough(organizationId, midnight);
  const { users: everybody } = yield* tx.readTagSets(organizationId, []);
  const ordinals = changed.from(0, Number.POSITIVE_INFINITY);
  const found: number[] = [];
  for (let at = 0; at < ordinals.length; at += FACTS_AT_ONCE) {
    const users = yield* tx.usersByOrdinal(organizationId, ordinals.slice(at, at + FACTS_AT_ONCE));
    const facts = yield* customerFacts(tx, organizationId, users, kinds);
    for (const each of facts) if (isMember(each)) found.push(each.user.ordinal);
    yield* turns();
  }
  return members.and(everybody).without(changed).or(Bitmap.of(found));
}
