import type { Functions } from "../../../src/storage/methods.js";
import type { StoredStampEntry } from "../../../src/storage/passes.js";
import type { StorageReader, StorageTransaction } from "../../../src/storage/storage-adapter.js";
import type { Changing } from "../change/pending.js";
import type { Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { cardColumns, cardValues } from "./pass-rows.js";

type StampReads = Pick<StorageReader, "listStampEntries" | "findStampEntry">;
type StampWrites = Pick<StorageTransaction, "recordStamps">;

export function stampReads({ db }: SqlDialect): Functions<StampReads, Reading> {
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
      "created_at as createdAt",
    ]);

  const newestFirst = prepare(
    (slot: Slot<{ organizationId: string; passId: string; offset: number; limit: number }>) =>
      entries
        .where("organization_id", "=", slot("organizationId"))
        .where("pass_id", "=", slot("passId"))
        .orderBy("sequence", "desc")
        .limit(slot("limit"))
        .offset(slot("offset")),
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
    listStampEntries: ({ session }, organizationId, passId, offset, limit) =>
      session.all(newestFirst({ organizationId, passId, offset, limit })),
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
