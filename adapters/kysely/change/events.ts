import type { NewEvent, StoredEvent } from "../../../src/storage/events.js";
import type { Functions } from "../../../src/storage/methods.js";
import type { StorageReader, StorageTransaction } from "../../../src/storage/storage-adapter.js";
import { first, type Reading, type ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import type { Changing } from "./pending.js";

type EventReads = Pick<StorageReader, "listEvents" | "newestEventPosition" | "findEvent">;
type EventWrites = Pick<StorageTransaction, "appendEvents" | "removeEvents">;

/** How many positions one statement goes through: it holds up the process until it is done. */
const WINDOW = 5_000;

export function eventReads({ db, isOneOf, listParameter }: SqlDialect): Functions<EventReads, Reading> {
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

  return {
    newestEventPosition: ({ session }, organizationId) => newestEventPosition(session, organizationId),
    findEvent: ({ session }, organizationId, id) => first(session, byId({ organizationId, id })),

    async listEvents({ session }, organizationId, types, after, limit) {
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
  };
}

export function eventWrites({ db }: SqlDialect): Functions<EventWrites, Changing> {
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

  return {
    async appendEvents({ session, pending }, organizationId, events) {
      let { newestEventPosition: position } = await pending.countersOf(organizationId);
      const rows = events.map((event) => {
        position += 1;
        return insert({ organizationId, position, ...event });
      });
      await session.changeEach(rows);
      await pending.count(organizationId, { newestEventPosition: position });
      return position;
    },

    async removeEvents({ session, pending }, organizationId, { since, atMost }, limit) {
      const { newestEventPosition } = await pending.countersOf(organizationId);
      return session.change(remove({ organizationId, since, upTo: newestEventPosition - atMost, limit }));
    },
  };
}
