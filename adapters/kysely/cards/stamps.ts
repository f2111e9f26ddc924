import { sql } from "kysely";
import type { Functions } from "../../../src/storage/methods.js";
import type { StoredStampEntry } from "../../../src/storage/passes.js";
import type { StorageReader, StorageTransaction } from "../../../src/storage/storage-adapter.js";
import { type ActorParts, hasParts, partsOf } from "../change/actors.js";
import type { Changing } from "../change/pending.js";
import { first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { cardColumns, cardValues } from "./pass-rows.js";

type StampReads = Pick<StorageReader, "listStampEntries" | "countStampEntries" | "findStampEntry">;
type StampWrites = Pick<StorageTransaction, "recordStamps">;

export function stampReads(dialect: SqlDialect): Functions<StampReads, Reading> {
  const { db } = dialect;
  const entries = db
    .selectFrom("loyalty_stamp_entries")
    .select([
      "id",
      "pass_id as passId",
      "sequence",
      "type",
      "delta",
      "stamps_before as stampsBefore",
      "stamps_after as stampsAfter",
      "completions",
      "note",
      "reverses",
      "actor",
      "subject",
      "created_at as createdAt",
    ]);

  const listed = (slot: Slot<{ organizationId: string; passId: string; offset: number; limit: number }>) =>
    entries
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .orderBy("sequence", "desc")
      .limit(slot("limit"))
      .offset(slot("offset"));

  const newestFirst = prepare(listed);

  type OfActor = ActorParts & { organizationId: string; passId: string; offset: number; limit: number };
  const newestBy = prepare((slot: Slot<OfActor>) => listed(slot).where(hasParts(dialect, slot)));
  const newestOf = prepare((slot: Slot<OfActor & { subject: string }>) =>
    listed(slot).where(hasParts(dialect, slot)).where("subject", "=", slot("subject")),
  );

  const counted = (slot: Slot<ActorParts & { organizationId: string; passId: string }>) =>
    db
      .selectFrom("loyalty_stamp_entries")
      .select(sql<number>`cast(count(*) as double precision)`.as("count"))
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .where(hasParts(dialect, slot));
  const countBy = prepare(counted);
  const countOf = prepare(
    (slot: Slot<ActorParts & { organizationId: string; passId: string; subject: string }>) =>
      counted(slot).where("subject", "=", slot("subject")),
  );

  const withReversal = prepare((slot: Slot<{ organizationId: string; passId: string; id: string }>) =>
    entries
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .where(({ eb, or }) => or([eb("id", "=", slot("id")), eb("reverses", "=", slot("id"))])),
  );

  return {
    *findStampEntry({ session }, organizationId, passId, id) {
      const found = yield* session.all(withReversal({ organizationId, passId, id }));
      const entry = found.find((one) => one.id === id);
      return entry === undefined ? null : { ...entry, isReversed: found.length > 1 };
    },
    listStampEntries: ({ session }, organizationId, passId, offset, limit, by = null) => {
      const list = { organizationId, passId, offset, limit };
      if (by === null) return session.all(newestFirst(list));
      const { subject } = by;
      const ofActor = { ...list, ...partsOf(by) };
      return session.all(subject === null ? newestBy(ofActor) : newestOf({ ...ofActor, subject }));
    },
    *countStampEntries({ session }, organizationId, passId, by) {
      const { subject } = by;
      const ofActor = { organizationId, passId, ...partsOf(by) };
      const query = subject === null ? countBy(ofActor) : countOf({ ...ofActor, subject });
      return (yield* first(session, query))?.count ?? 0;
    },
  };
}

/** Appends to the ledgers of passes, whose rows carry the card that the entries add up to. */
export function stampWrites({ db }: SqlDialect): Functions<StampWrites, Changing> {
  const append = prepare((slot: Slot<StoredStampEntry & { organizationId: string }>) =>
    db.insertInto("loyalty_stamp_entries").values({
      organization_id: slot("organizationId"),
      pass_id: slot("passId"),
      sequence: slot("sequence"),
      id: slot("id"),
      type: slot("type"),
      delta: slot("delta"),
      stamps_before: slot("stampsBefore"),
      stamps_after: slot("stampsAfter"),
      completions: slot("completions"),
      note: slot("note"),
      reverses: slot("reverses"),
      actor: slot("actor"),
      subject: slot("subject"),
      created_at: slot("createdAt"),
    }),
  );

  const setCard = prepare(
    (slot: Slot<ReturnType<typeof cardValues> & { organizationId: string; passId: string }>) =>
      db
        .updateTable("loyalty_wallet_passes")
        .set(cardColumns(slot))
        .where("organization_id", "=", slot("organizationId"))
        .where("id", "=", slot("passId")),
  );

  return {
    *recordStamps({ session }, organizationId, card, entry) {
      yield* session.change(append({ organizationId, ...entry }));
      yield* session.change(setCard({ organizationId, passId: entry.passId, ...cardValues(card) }));
    },
  };
}
