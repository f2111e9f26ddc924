import { sql } from "kysely";
import { mapStep } from "../../../../src/base/concurrency/step.js";
import type { ActorFilter } from "../../../../src/storage/actors.js";
import { type PassReads, type PassWrites, stampCardColumns } from "../../../../src/storage/passes.js";
import { type ActorFilterParts, matchesParts, toActorFilterParts } from "../change/actors.js";
import type { PortModule } from "../change/commit-buffer.js";
import { changeRow, findFirst, prepare, type Slot } from "../session/session.js";
import { createSlots } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import { toCardColumns } from "./passes.js";

type Reads = Pick<PassReads, "listStampEntries" | "countStampEntries" | "findStampEntry">;
type Writes = Pick<PassWrites, "recordStamps" | "updateVisits">;

/** Creates the storage module for stamp entries. The resulting stamp card is stored in the pass's row. */
export function stampModule(dialect: SqlDialect): PortModule<Reads, Writes> {
  const { db } = dialect;
  const rows = createRowStatements(dialect, tables.stampEntries);
  const entries = db.selectFrom("loyalty_stamp_entries").select(rows.columns);

  const selectEntries = (
    slot: Slot<{ organizationId: string; passId: string; offset: number; limit: number }>,
  ) =>
    entries
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .orderBy("sequence", "desc")
      .limit(slot("limit"))
      .offset(slot("offset"));

  const listNewest = prepare(selectEntries);

  type ActorQuery = ActorFilterParts & {
    organizationId: string;
    passId: string;
    offset: number;
    limit: number;
  };
  const listNewestByActor = prepare((slot: Slot<ActorQuery>) =>
    selectEntries(slot).where(matchesParts(dialect, slot)),
  );
  const listNewestBySubject = prepare((slot: Slot<ActorQuery & { subject: string }>) =>
    selectEntries(slot).where(matchesParts(dialect, slot)).where("subject", "=", slot("subject")),
  );

  const buildListQuery = (page: Parameters<typeof listNewest>[0], by: ActorFilter | null) => {
    if (by === null) return listNewest(page);
    const { subject } = by;
    const actorFilter = { ...page, ...toActorFilterParts(by) };
    return subject === null
      ? listNewestByActor(actorFilter)
      : listNewestBySubject({ ...actorFilter, subject });
  };

  const selectCount = (slot: Slot<ActorFilterParts & { organizationId: string; passId: string }>) =>
    db
      .selectFrom("loyalty_stamp_entries")
      .select(sql<number>`cast(count(*) as double precision)`.as("count"))
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .where(matchesParts(dialect, slot));
  const countByActor = prepare(selectCount);
  const countBySubject = prepare(
    (slot: Slot<ActorFilterParts & { organizationId: string; passId: string; subject: string }>) =>
      selectCount(slot).where("subject", "=", slot("subject")),
  );

  const findWithReversal = prepare((slot: Slot<{ organizationId: string; passId: string; id: string }>) =>
    entries
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .where(({ eb, or }) => or([eb("id", "=", slot("id")), eb("reverses", "=", slot("id"))])),
  );

  const setCard = prepare(
    (slot: Slot<ReturnType<typeof toCardColumns> & { organizationId: string; passId: string }>) =>
      db
        .updateTable("loyalty_wallet_passes")
        .set(createSlots(stampCardColumns, slot))
        .where("organization_id", "=", slot("organizationId"))
        .where("id", "=", slot("passId")),
  );

  type Visits = { organizationId: string; passId: string; visits: string; lastStampAt: number | null };
  const setVisits = prepare((slot: Slot<Visits>) =>
    db
      .updateTable("loyalty_wallet_passes")
      .set({ visits: slot("visits"), last_stamp_at: slot("lastStampAt") })
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("passId"))
      .where("visits", "is not", null),
  );

  return {
    reads: {
      *findStampEntry({ session, organizationId }, passId, id) {
        const entries = yield* session.all(findWithReversal({ organizationId, passId, id }));
        const entry = entries.find((one) => one.id === id);
        return entry === undefined ? null : { ...rows.toRow(entry), isReversed: entries.length > 1 };
      },
      listStampEntries: ({ session, organizationId }, passId, offset, limit, by = null) =>
        mapStep(session.all(buildListQuery({ organizationId, passId, offset, limit }, by)), (entries) =>
          entries.map(rows.toRow),
        ),
      *countStampEntries({ session, organizationId }, passId, by) {
        const { subject } = by;
        const actorFilter = { organizationId, passId, ...toActorFilterParts(by) };
        const query =
          subject === null ? countByActor(actorFilter) : countBySubject({ ...actorFilter, subject });
        return (yield* findFirst(session, query))?.count ?? 0;
      },
    },
    writes: {
      *recordStamps({ session, buffer, organizationId }, card, entry) {
        buffer.getChangesWithoutEvent(organizationId).addChange(entry.passId);
        yield* session.change(rows.insert(organizationId, entry));
        yield* session.change(setCard({ organizationId, passId: entry.passId, ...toCardColumns(card) }));
      },
      updateVisits({ session, buffer, organizationId }, passId, { visits, lastStampAt }) {
        buffer.getChangesWithoutEvent(organizationId).addChange(passId);
        return changeRow(session, setVisits({ organizationId, passId, visits, lastStampAt }));
      },
    },
  };
}
