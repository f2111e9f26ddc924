import type { NewEvent, StoredEvent } from "../../../src/storage/events.js";
import type { StorageReader, StorageTransaction } from "../../../src/storage/storage-adapter.js";
import { first, type ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import type { WriteSession } from "./write-session.js";

type EventReads = Pick<StorageReader, "listEvents" | "newestEventPosition" | "findEvent">;
type EventWrites = Pick<StorageTransaction, "appendEvents" | "removeEvents">;

/** How many positions one statement goes through: it holds up the process until it is done. */
const WINDOW = 5_000;

export function eventReads({ db, isOneOf, listParameter }: SqlDialect): (session: ReadSession) => EventReads {
  const found = db
    .selectFrom("loyalty_events")
    .select(["position", "id", "type", "created_at as createdAt", "data"]);

  const between = (slot: Slot<{ organizationId: string; after: number; limit: number }>) =>
    found
      .where("organization_id", "=", slot("organizationId"))
      .where("position", ">", slot("after"))
      .orderBy("position")
      .limit(slot("limit"));

  const byId = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    found.where("organization_id", "=", slot("organizationId")).where("id", "=", slot("id")),
  );

  const every = prepare(between);

  const ofTypes = prepare(
    (slot: Slot<{ organizationId: string; after: number; limit: number; types: unknown; to: number }>) =>
      between(slot)
        .where("position", "<=", slot("to"))
        .where(({ ref }) => isOneOf(ref("type"), slot("types"))),
  );

  const next = prepare((slot: Slot<{ organizationId: string; after: number }>) =>
    db
      .selectFrom("loyalty_events")
      .select("position")
      .where("organization_id", "=", slot("organizationId"))
      .where("position", ">", slot("after"))
      .orderBy("position")
      .limit(1),
  );

  const newest = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_organizations")
      .select("newest_event_position as position")
      .where("organization_id", "=", slot("organizationId")),
  );

  async function newestEventPosition(session: ReadSession, organizationId: string): Promise<number> {
    return (await first(session, newest({ organizationId })))?.position ?? 0;
  }

  return (session) => ({
    newestEventPosition: (organizationId) => newestEventPosition(session, organizationId),
    findEvent: (organizationId, id) => first(session, byId({ organizationId, id })),

    async listEvents(organizationId, types, after, limit) {
      if (types === null) return session.all(every({ organizationId, after, limit }));
      const list = listParameter(types);
      const oldest = await first(session, next({ organizationId, after }));
      if (oldest === null) return [];
      const end = await newestEventPosition(session, organizationId);
      const found: StoredEvent[] = [];
      for (let from = oldest.position - 1; from < end && found.length < limit; from += WINDOW) {
        const window = { after: from, to: from + WINDOW, limit: limit - found.length };
        found.push(...(await session.all(ofTypes({ organizationId, types: list, ...window }))));
      }
      return found;
    },
  });
}

export function eventWrites({ db }: SqlDialect): (session: WriteSession) => EventWrites {
  const insert = prepare((slot: Slot<NewEvent & { organizationId: string; position: number }>) =>
    db.insertInto("loyalty_events").values({
      organization_id: slot("organizationId"),
      position: slot("position"),
      id: slot("id"),
      type: slot("type"),
      created_at: slot("createdAt"),
      data: slot("data"),
    }),
  );

  const remove = prepare(
    (slot: Slot<{ organizationId: string; since: number; upTo: number; limit: number }>) =>
      db
        .deleteFrom("loyalty_events")
        .where("organization_id", "=", slot("organizationId"))
        .where("position", "in", (oldest) =>
          oldest
            .selectFrom("loyalty_events")
            .select("position")
            .where("organization_id", "=", slot("organizationId"))
            .orderBy("position")
            .limit(slot("limit")),
        )
        .where(({ eb, or }) =>
          or([eb("created_at", "<", slot("since")), eb("position", "<=", slot("upTo"))]),
        ),
  );

  return (session) => ({
    async appendEvents(organizationId, events) {
      let { newestEventPosition: position } = await session.pending.countersOf(organizationId);
      const rows = events.map((event) => {
        position += 1;
        return insert({ organizationId, position, ...event });
      });
      await session.changeEach(rows);
      await session.pending.count(organizationId, { newestEventPosition: position });
      return position;
    },

    async removeEvents(organizationId, { since, atMost }, limit) {
      const { newestEventPosition } = await session.pending.countersOf(organizationId);
      return session.change(remove({ organizationId, since, upTo: newestEventPosition - atMost, limit }));
    },
  });
}
