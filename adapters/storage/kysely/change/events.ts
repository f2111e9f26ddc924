import { type SelectQueryBuilder, sql } from "kysely";
import { yieldIfDue } from "../../../../src/base/concurrency/event-loop.js";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { createContainsAny } from "../../../../src/base/values/text.js";
import type { ActorFilter } from "../../../../src/storage/actors.js";
import type {
  EventRange,
  EventReads,
  EventWrites,
  NewEventData,
  StoredEvent,
} from "../../../../src/storage/events.js";
import type { Functions } from "../../../../src/storage/methods.js";
import { withRules } from "../session/call-rules.js";
import { findFirst, prepare, type ReadContext, type ReadSession, type Slot } from "../session/session.js";
import { listColumns } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";

import { type Tables, tables } from "../sql/tables.js";
import { type ActorFilterParts, matchesParts, toActorFilterParts } from "./actors.js";
import type { WriteContext } from "./commit-buffer.js";
import { prepareDeliveryRedaction } from "./redact-deliveries.js";

/**
 * Returns the number of whole minutes between the Unix epoch and a time. An organization's row stores the minute of its newest
 * event.
 */
export function toMinute(time: number): number {
  return Math.floor(time / 60_000);
}

/** Returns whether an event type is about tags. Cached columns ignore tag events, because tag sets have versions of their own. */
export function isTagEvent(type: string): boolean {
  return type.startsWith("user_tag.");
}

/** Maximum number of positions scanned per statement, because a statement blocks the process until it is done. */
const SCAN_WINDOW = 5_000;

/**
 * Maximum number of IDs that the database searches each event for, because each one takes time. With more, this process filters the
 * events itself.
 */
const MAX_SEARCHED_IDS = 20;
const PAGE_SIZE = 500;

export function eventReads(dialect: SqlDialect): Functions<EventReads, ReadContext> {
  const { db, eventLocator, listParameter } = dialect;
  const heads = db.selectFrom("loyalty_events").select(["position", "id", "type", "created_at as createdAt"]);
  const fullEvents = db.selectFrom("loyalty_events").select(listColumns(tables.events, "loyalty_events"));

  const findAtPositions = prepare((slot: Slot<{ organizationId: string; positions: unknown }>) =>
    fullEvents.where(eventLocator.among(slot("organizationId"), slot("positions"))),
  );

  const findById = prepare((slot: Slot<EventRange & { organizationId: string; id: string }>) =>
    heads
      .where(eventLocator.between(slot("organizationId"), slot("after"), slot("to")))
      .where("id", "=", slot("id"))
      .orderBy(sql.ref(eventLocator.orderColumn))
      .limit(1),
  );

  const readNewestPosition = prepareNewestPosition(dialect);
  const listEvents = buildEventList(dialect, fullEvents);
  const listEventHeads = buildEventList(dialect, heads);

  return {
    newestEventPosition: withRules(
      { locks: "endpoint", readsBuffered: true },
      ({ session, organizationId }) => readNewestPosition(session, organizationId),
    ),
    listEvents: withRules(
      { readsBuffered: true, needsSnapshot: true },
      function* ({ session, organizationId }, types, after, limit, by = null, about = null) {
        if (about === null || about.length <= MAX_SEARCHED_IDS)
          return yield* listEvents(session, { organizationId, types, after, limit, by, about });
        const isAbout = createContainsAny(about);
        const matches: StoredEvent[] = [];
        for (let next: number | undefined = after; next !== undefined && matches.length < limit; ) {
          const pageQuery = { organizationId, types, after: next, limit: PAGE_SIZE, by, about: null };
          const events: StoredEvent[] = yield* listEvents(session, pageQuery);
          matches.push(...events.filter(({ data }) => isAbout(data)));
          next = events.at(-1)?.position;
          yield* yieldIfDue();
        }
        return matches.slice(0, limit);
      },
    ),
    listEventHeads: withRules(
      { locks: "endpoint", readsBuffered: true, needsSnapshot: true },
      ({ session, organizationId }, types, after, limit) =>
        listEventHeads(session, { organizationId, types, after, limit, by: null, about: null }),
    ),
    eventsAt: withRules({ locks: "endpoint" }, ({ session, organizationId }, positions) =>
      session.all(findAtPositions({ organizationId, positions: listParameter(positions) })),
    ),
    findEventIn: withRules({ locks: "endpoint" }, ({ session, organizationId }, id, { after, to }) =>
      findFirst(session, findById({ organizationId, id, after, to })),
    ),
  };
}

function prepareNewestPosition(dialect: SqlDialect) {
  const { db } = dialect;
  const newest = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_organizations")
      .select("newest_event_position as position")
      .where("organization_id", "=", slot("organizationId")),
  );
  return function* (session: ReadSession, organizationId: string): Step<number> {
    return (yield* findFirst(session, newest({ organizationId })))?.position ?? 0;
  };
}

/** The filter and page of an event list. */
interface EventList {
  readonly organizationId: string;
  readonly types: readonly string[] | null;
  readonly after: number;
  readonly limit: number;
  readonly by: ActorFilter | null;
  readonly about: readonly string[] | null;
}

const ANY_ACTOR: ActorFilter = { parts: [], subject: null };

/** Builds a function that lists events with the selected columns. */
function buildEventList<Row>(dialect: SqlDialect, query: SelectQueryBuilder<Tables, "loyalty_events", Row>) {
  const { db, eventLocator, isOneOf, listParameter } = dialect;
  const ordered = query.orderBy(sql.ref(eventLocator.orderColumn));

  const listAll = prepare((slot: Slot<{ organizationId: string; after: number; limit: number }>) =>
    ordered.where(eventLocator.between(slot("organizationId"), slot("after"), null)).limit(slot("limit")),
  );

  type Window = { organizationId: string; after: number; limit: number; types: unknown; to: number };
  const selectWindow = (slot: Slot<Window>) =>
    ordered
      .where(eventLocator.between(slot("organizationId"), slot("after"), slot("to")))
      .limit(slot("limit"));
  const selectByTypes = prepare((slot: Slot<Window>) =>
    selectWindow(slot).where(({ ref }) => isOneOf(ref("type"), slot("types"))),
  );

  type ActorWindow = Window & ActorFilterParts & { isOfAnyType: number };
  const selectActorWindow = (slot: Slot<ActorWindow>) =>
    selectWindow(slot)
      .where(({ eb, or, ref }) => or([eb(slot("isOfAnyType"), "=", 1), isOneOf(ref("type"), slot("types"))]))
      .where(matchesParts(dialect, slot));
  const selectByActor = prepare(selectActorWindow);
  type AboutWindow = ActorWindow & { about: unknown };
  const isAbout = (slot: Slot<AboutWindow>) => dialect.containsAny(sql.ref("data"), slot("about"));
  const selectAboutIds = prepare((slot: Slot<AboutWindow>) => selectActorWindow(slot).where(isAbout(slot)));
  const selectBySubjectAboutIds = prepare((slot: Slot<AboutWindow & { subject: string }>) =>
    selectActorWindow(slot).where("subject", "=", slot("subject")).where(isAbout(slot)),
  );
  const selectBySubject = prepare((slot: Slot<ActorWindow & { subject: string }>) =>
    selectActorWindow(slot).where("subject", "=", slot("subject")),
  );

  const findNextPosition = prepare((slot: Slot<{ organizationId: string; after: number }>) =>
    db
      .selectFrom("loyalty_events")
      .select("position")
      .where(eventLocator.between(slot("organizationId"), slot("after"), null))
      .orderBy(sql.ref(eventLocator.orderColumn))
      .limit(1),
  );

  const readNewestPosition = prepareNewestPosition(dialect);

  return function* (
    session: ReadSession,
    { organizationId, types, after, limit, by, about }: EventList,
  ): Step<Row[]> {
    const isUnfiltered = types === null && by === null && about === null;
    if (isUnfiltered) return yield* session.all(listAll({ organizationId, after, limit }));
    const typeList = listParameter(types ?? []);
    const buildQuery = (window: { after: number; to: number; limit: number }) => {
      const parameters = { organizationId, types: typeList, ...window };
      if (by === null && about === null) return selectByTypes(parameters);
      const { subject } = by ?? ANY_ACTOR;
      const byActor = {
        ...parameters,
        ...toActorFilterParts(by ?? ANY_ACTOR),
        isOfAnyType: types === null ? 1 : 0,
      };
      if (about === null)
        return subject === null ? selectByActor(byActor) : selectBySubject({ ...byActor, subject });
      const filter = { ...byActor, about: listParameter(about) };
      return subject === null ? selectAboutIds(filter) : selectBySubjectAboutIds({ ...filter, subject });
    };
    const oldest = yield* findFirst(session, findNextPosition({ organizationId, after }));
    if (oldest === null) return [];
    const end = yield* readNewestPosition(session, organizationId);
    const rows: Row[] = [];
    for (let from = oldest.position - 1; from < end && rows.length < limit; from += SCAN_WINDOW) {
      const window = { after: from, to: from + SCAN_WINDOW, limit: limit - rows.length };
      rows.push(...(yield* session.all(buildQuery(window))));
    }
    return rows;
  };
}

export function eventWrites(dialect: SqlDialect): Functions<EventWrites, WriteContext> {
  const { db, eventLocator } = dialect;
  const redactEventDeliveries = prepareDeliveryRedaction(dialect);
  const inserts = dialect.createRowInserts(tables.events);

  const findRemovable = prepare((slot: Slot<{ organizationId: string; after: number; limit: number }>) =>
    db
      .selectFrom("loyalty_events")
      .select(["position", "created_at as createdAt"])
      .where(eventLocator.between(slot("organizationId"), slot("after"), null))
      .orderBy(sql.ref(eventLocator.orderColumn))
      .limit(slot("limit")),
  );

  const remove = prepare(
    (slot: Slot<{ organizationId: string; since: number; upTo: number; after: number; end: number }>) =>
      db
        .deleteFrom("loyalty_events")
        .where(eventLocator.between(slot("organizationId"), slot("after"), slot("end")))
        .where(({ eb, or }) => or([eb("created_at", "<", slot("since")), eb("position", "<=", slot("upTo"))]))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("loyalty_webhook_deliveries as delivery")
                .select("delivery.id")
                .where("delivery.organization_id", "=", slot("organizationId"))
                .whereRef("delivery.event_id", "=", "loyalty_events.id")
                .where("delivery.next_attempt_at", "is not", null),
            ),
          ),
        ),
  );

  const setData = prepare((slot: Slot<Omit<NewEventData, "id"> & { organizationId: string }>) =>
    db
      .updateTable("loyalty_events")
      .set({ data: slot("data"), actor: slot("actor") })
      .where(eventLocator.at(slot("organizationId"), slot("position"))),
  );

  return {
    *replaceEventData({ session, organizationId }, events) {
      yield* session.changeEach(
        events.map(({ position, data, actor }) => setData({ organizationId, position, data, actor })),
      );
      yield* redactEventDeliveries(
        session,
        organizationId,
        events.map(({ id }) => id),
      );
    },

    *appendEvents({ session, buffer, organizationId }, events) {
      const { newestEventPosition, newestEventMinute: previousMinute } =
        yield* buffer.getCounters(organizationId);
      const position = newestEventPosition + events.length;
      const newestEventMinute = events.reduce(
        (newest, { createdAt }) => Math.max(newest, toMinute(createdAt)),
        previousMinute,
      );
      yield* buffer.updateCounters(organizationId, { newestEventPosition: position, newestEventMinute });
      // The spread comes last, because in V8 each name after a leading spread takes over a microsecond.
      const rows = events.map((event, at) => ({ position: newestEventPosition + at + 1, ...event }));
      yield* inserts.addDeferred(session, organizationId, rows);
      const nonTagEvents = events.filter(({ type }) => !isTagEvent(type));
      if (nonTagEvents.length > 0) buffer.getChangesWithoutEvent(organizationId).addEvents(nonTagEvents);
      return position;
    },

    *removeEvents({ session, buffer, organizationId }, { since, atMost }, { after, limit }) {
      const { newestEventPosition } = yield* buffer.getCounters(organizationId);
      const upTo = newestEventPosition - atMost;
      const rows = yield* session.all(findRemovable({ organizationId, after, limit }));
      const last = rows.at(-1);
      if (last === undefined) return { removed: 0, end: null };
      const end = last.position;
      const removedCount = yield* session.change(remove({ organizationId, since, upTo, after, end }));
      const old = rows.filter(({ position, createdAt }) => createdAt < since || position <= upTo);
      if (removedCount > 0) {
        const at = Math.max(...old.map(({ createdAt }) => createdAt));
        yield* buffer.recordMissingEvents(organizationId, { position: old.at(-1)?.position ?? end, at });
      }
      const hasMore = rows.length === limit && (last.createdAt < since || end <= upTo);
      return { removed: removedCount, end: hasMore ? end : null };
    },
  };
}
