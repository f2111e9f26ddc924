import { actorOf, asStartingActor, mayStartAutomations } from "../access/actor-schema.js";
import { isYieldDue, yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import { dayIn } from "../base/values/calendar-days.js";
import { isUserId, listNamedIds } from "../base/values/ids-in-text.js";
import type { Tenant } from "../kernel/tenant.js";
import { zoneOf } from "../settings/schema.js";
import { splitIntoBatches } from "../storage/batches.js";
import { Bitmap } from "../storage/bitmap.js";
import type { StoredEvent } from "../storage/events.js";
import type { StoredSegment, StoredSegmentFollower, StoredSilentChange } from "../storage/saved-segments.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { CustomerFacts } from "./customer-facts.js";
import { compileMembershipTest, type MembershipTest } from "./customer-membership.js";
import { type FactKind, listFactKinds, readCustomerFacts } from "./facts.js";
import type { Cause, Followed, Move } from "./moves.js";
import { listPointTemplates, planFilter, templatesIn } from "./plan.js";
import { buildSavedFilters } from "./saved-filters.js";
import { filterOf } from "./schema.js";

/** Maximum number of events per read. */
const EVENT_BATCH_SIZE = 500;

/** The events that the follower itself emits. */
const segmentEventTypes: ReadonlySet<string> = new Set(["segment.entered", "segment.left"]);

/** The next step in bringing an organization's segment members up to date. */
export type Work = Followed &
  (
    | { readonly kind: "count"; readonly segment: StoredSegment }
    | { readonly kind: "skip" }
    | { readonly kind: "midnight" }
    | { readonly kind: "everybody"; readonly event: StoredEvent }
    | ({ readonly kind: "customers" } & EvaluatedBatch)
  );

/** The moves caused by a batch of events and silent changes (changes without an event). */
export interface EvaluatedBatch {
  readonly moves: readonly Move[];
  /** The position of the last event in the batch. */
  readonly end: number;
  readonly silentChanges: readonly StoredSilentChange[];
  readonly hasMore: boolean;
}

/**
 * Finds the next step in bringing an organization's segment members up to date. Steps run in chronological order, so events that
 * precede a midnight are processed before that midnight. Silent changes come last. If a customer is affected by both an event and a
 * silent change, their move is attributed to the event.
 * @returns the next step, or `null` if there is nothing to do.
 */
export function* findNextWork(reader: StorageReader, tenant: Tenant): Step<Work | null> {
  const { engine } = tenant;
  const follower = yield* reader.findSegmentFollower();
  if (follower === null) return null;
  const { position, nextMidnight } = follower;
  const segments = yield* reader.listSegments();
  const timeZone = zoneOf(yield* reader.findSettings());
  const followed = { follower, segments, timeZone };
  const isMidnightDue = engine.segmentClock.hasPassed(nextMidnight);
  engine.segmentClock.report();
  const recountedSegment = segments.find(({ isRecounting }) => isRecounting);
  if (recountedSegment !== undefined) return { ...followed, kind: "count", segment: recountedSegment };
  if (position === null) return isMidnightDue ? { ...followed, kind: "midnight" } : null;
  const events = yield* reader.listEvents(null, position, EVENT_BATCH_SIZE);
  const newestPosition = yield* reader.newestEventPosition();
  if (hasMissingEvents(events, position, newestPosition)) return { ...followed, kind: "skip" };
  const belongsToNextDay = (event: StoredEvent) => isMidnightDue && event.createdAt >= nextMidnight;
  const cutIndex = events.findIndex(
    (event) => belongsToNextDay(event) || mayAffectAllCustomers(event, segments),
  );
  const eventsOfDay = cutIndex === -1 ? events : events.slice(0, cutIndex);
  const [next] = events;
  if (next !== undefined && cutIndex === 0 && !belongsToNextDay(next))
    return { ...followed, kind: "everybody", event: next };
  if (eventsOfDay.length === 0 && isMidnightDue) return { ...followed, kind: "midnight" };
  const hasReadAll = cutIndex === -1 && events.length < EVENT_BATCH_SIZE;
  const silentChanges = hasReadAll ? yield* reader.silentChanges(1) : [];
  const end = eventsOfDay.at(-1)?.position ?? position;
  if (end === position && silentChanges.length === 0) return null;
  const changes = yield* listChanges(reader, eventsOfDay, events);
  const moves = yield* evaluateChanges(reader, followed, changes, silentChanges);
  const hasMore = !hasReadAll || silentChanges.length > 0 || isMidnightDue;
  return { ...followed, kind: "customers", moves, end, silentChanges, hasMore };
}

/** Returns whether events after a position are missing. Events are numbered consecutively. */
function hasMissingEvents(events: readonly StoredEvent[], position: number, newestPosition: number): boolean {
  if (events.some((event, index) => event.position !== position + index + 1)) return true;
  return events.length < EVENT_BATCH_SIZE && position + events.length < newestPosition;
}

/**
 * Returns whether an event may affect all customers: it deletes a template that a filter names, or changes a template whose points a
 * filter names. A template that gets points makes cards whose points never changed count as cards with 0 points.
 */
function mayAffectAllCustomers({ type, data }: StoredEvent, segments: readonly StoredSegment[]): boolean {
  if (type !== "template.deleted" && type !== "template.updated") return false;
  const { id }: { readonly id: string } = JSON.parse(data);
  return segments.some((segment) => {
    if (!segment.filter.includes(JSON.stringify(id))) return false;
    return type === "template.deleted" || listPointTemplates(filterOf(segment)).has(id);
  });
}

function isExternalEvent({ type }: StoredEvent): boolean {
  return !segmentEventTypes.has(type);
}

/** The combined effect of a batch of events on one customer. */
interface Change {
  readonly user: StoredUser;
  /** The newest event that names the customer. */
  readonly event: StoredEvent;
  /** `false` if none of the events may start an automation. */
  readonly startsAutomations: boolean;
}

/**
 * Returns the changes for the customers whom some events name, keyed by user ID, in the order of each customer's newest event.
 * @param allEvents all the events that were read. Later events count too, because their effects are already in the stored data.
 */
function* listChanges(
  reader: StorageReader,
  eventsOfDay: readonly StoredEvent[],
  allEvents: readonly StoredEvent[],
): Step<ReadonlyMap<string, Change>> {
  const eventsWithNames = allEvents
    .filter(isExternalEvent)
    .map((event) => ({ event, names: listNamedIds(event.data) }));
  const last = eventsOfDay.at(-1)?.position ?? 0;
  const names = eventsWithNames.flatMap(({ event, names }) => (event.position > last ? [] : names));
  const users = yield* findNamedUsers(reader, new Set(names));
  const changes = new Map<string, Change>();
  for (const { event, names } of eventsWithNames) {
    const startsAutomations = mayStartAutomations(event);
    for (const name of names) {
      const user = users.get(name);
      if (user === undefined) continue;
      const before = changes.get(user.id);
      changes.delete(user.id);
      changes.set(user.id, {
        user,
        event,
        startsAutomations: startsAutomations || (before?.startsAutomations ?? false),
      });
    }
  }
  return changes;
}

/** Returns the existing users for a set of user IDs and pass IDs, keyed by those IDs. */
function* findNamedUsers(
  reader: StorageReader,
  names: ReadonlySet<string>,
): Step<ReadonlyMap<string, StoredUser>> {
  const usersByName = new Map<string, StoredUser>();
  for (const ids of splitIntoBatches([...names].filter(isUserId)))
    for (const user of yield* reader.usersById(ids)) usersByName.set(user.id, user);
  for (const passIds of splitIntoBatches([...names].filter((name) => !isUserId(name)))) {
    const ordinalsByPass = yield* reader.holdersOf(passIds);
    const users = yield* reader.usersByOrdinal([...new Set(ordinalsByPass.values())]);
    const byOrdinal = new Map(users.map((user) => [user.ordinal, user]));
    for (const [passId, ordinal] of ordinalsByPass) {
      const user = byOrdinal.get(ordinal);
      if (user !== undefined) usersByName.set(passId, user);
    }
  }
  return usersByName;
}

/** Maximum number of events read by one check. */
const MAX_UNREAD_EVENTS = 20_000;

/**
 * Returns the customers affected by changes that the follower hasn't processed yet, or `null` if there are too many unread events
 * or some of them are missing.
 */
export function* findCustomersWithUnreadChanges(
  reader: StorageReader,
  { position }: StoredSegmentFollower,
): Step<Bitmap | null> {
  if (position === null) return Bitmap.empty;
  const newestPosition = yield* reader.newestEventPosition();
  if (newestPosition - position > MAX_UNREAD_EVENTS) return null;
  const events = yield* reader.listEvents(null, position, MAX_UNREAD_EVENTS);
  if (events.length < newestPosition - position) return null;
  const silentChanges = yield* reader.silentChanges(MAX_UNREAD_EVENTS);
  const texts = [...events.map(({ data }) => data), ...silentChanges.map(({ names }) => names)];
  const users = yield* findNamedUsers(reader, new Set(texts.flatMap(listNamedIds)));
  const removedTagHolders = yield* reader.holdersOfRemovedTags();
  return Bitmap.of([...users.values()].map(({ ordinal }) => ordinal)).or(removedTagHolders);
}

/** Compares customers' current matches with their stored memberships. A customer whom only a silent change names moves silently. */
function* evaluateChanges(
  reader: StorageReader,
  { follower, segments, timeZone }: Followed,
  changes: ReadonlyMap<string, Change>,
  silentChanges: readonly StoredSilentChange[],
): Step<readonly Move[]> {
  const names = new Set(silentChanges.flatMap(({ names }) => listNamedIds(names)));
  const users = new Map([...changes.values()].map(({ user }) => [user.id, user]));
  for (const user of (yield* findNamedUsers(reader, names)).values()) users.set(user.id, user);
  // A customer with a removed tag leaves when the removal's event is processed.
  const removedTagHolders = yield* reader.holdersOfRemovedTags();
  for (const { id, ordinal } of [...users.values()]) if (removedTagHolders.has(ordinal)) users.delete(id);
  if (users.size === 0) return [];
  const plan = yield* buildDayPlan(reader, segments, follower.watermark);
  const moves: Move[] = [];
  for (const batch of splitIntoBatches([...users.values()])) {
    const findCause = ({ id }: StoredUser) => getCause(changes.get(id), timeZone);
    moves.push(...(yield* findMoves(reader, plan, batch, findCause)));
    if (isYieldDue()) yield* yieldIfDue();
  }
  return moves;
}

function getCause(change: Change | undefined, timeZone: string): Cause | null {
  if (change === undefined) return null;
  const { event, startsAutomations } = change;
  const { actor, subject, createdAt: at } = event;
  const storedActor =
    startsAutomations && !mayStartAutomations(event) ? asStartingActor(event) : { actor, subject };
  return {
    at,
    because: "change",
    actor: { visible: actorOf(event), stored: storedActor },
    day: dayIn(timeZone, at),
  };
}

/** Finds the moves of up to 1,000 users, user by user: first out of segments, then into others. */
function* findMoves(
  reader: StorageReader,
  { at, segments, kinds, slugs }: DayPlan,
  users: readonly StoredUser[],
  findCause: (user: StoredUser) => Cause | null,
): Step<readonly Move[]> {
  const ordinals = users.map(({ ordinal }) => ordinal);
  const members = yield* reader.membersAmong(ordinals);
  const moves: Move[] = [];
  // The tag sets are in memory.
  const { tags } = yield* reader.readTagSets(slugs);
  const listTags = ({ ordinal }: StoredUser) =>
    new Map([...tags].flatMap(([slug, set]) => (set.has(ordinal) ? [[slug, 0] as const] : [])));
  for (const { user, passes, subscription, purchases } of yield* readCustomerFacts(
    reader,
    users,
    kinds,
    at,
  )) {
    const facts = new CustomerFacts(user, listTags(user), passes, subscription, purchases);
    const userMoves: Move[] = [];
    for (const { segment, isMember } of segments) {
      const isNowMember = isMember(facts);
      const wasMember = members.get(segment.id)?.has(user.ordinal) ?? false;
      if (isNowMember !== wasMember) userMoves.push({ segment, user, enters: isNowMember, cause: null });
    }
    if (userMoves.length === 0) continue;
    const cause = findCause(user);
    for (const isEntry of [false, true])
      for (const userMove of userMoves) if (userMove.enters === isEntry) moves.push({ ...userMove, cause });
  }
  return moves;
}

/** The segments that emit events, compiled for the day that begins at a specific midnight. */
interface DayPlan {
  /** The midnight at which the day begins. */
  readonly at: number;
  /** The planned segments, oldest first. */
  readonly segments: readonly PlannedSegment[];
  /** The kinds of facts, other than tags, on which membership depends. */
  readonly kinds: ReadonlySet<FactKind>;
  /** The slugs of the tags on which membership depends. */
  readonly slugs: readonly string[];
}

interface PlannedSegment {
  readonly segment: StoredSegment;
  readonly isMember: MembershipTest;
}

/**
 * Compiles the segments that emit events for one day.
 * @param allSegments all of the organization's segments, oldest first.
 */
function* buildDayPlan(
  reader: StorageReader,
  allSegments: readonly StoredSegment[],
  at: number,
): Step<DayPlan> {
  const segments = buildSavedFilters(allSegments);
  const needsTemplates = [...segments.values()].some((filter) => templatesIn(filter).size > 0);
  const templates = new Map(
    (needsTemplates ? yield* reader.listTemplates() : []).map((template) => [template.id, template]),
  );
  const timeZone = zoneOf(yield* reader.findSettings());
  const compiledSegments = allSegments.flatMap((segment) => {
    const filter = segments.get(segment.slug);
    if (!segment.emitsEvents || filter === undefined) return [];
    return [{ segment, plan: planFilter(filter, { at, isWholeDay: true, timeZone, templates, segments }) }];
  });
  const plans = compiledSegments.map(({ plan }) => plan);
  const kinds = new Set(listFactKinds(plans));
  kinds.delete("tags");
  return {
    at,
    segments: compiledSegments.map(({ segment, plan }) => ({
      segment,
      isMember: compileMembershipTest(plan),
    })),
    kinds,
    slugs: [...new Set(plans.flatMap(({ tags }) => [...tags.values()]))],
  };
}
