import type { Functions } from "../../../src/storage/methods.js";
import type { StoredPass, StoredStampEntry } from "../../../src/storage/passes.js";
import { StorageConflict, type StorageTransaction } from "../../../src/storage/storage-adapter.js";
import type { Changing } from "../change/pending.js";
import { ordinalsOfUsers } from "../customers/users.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { cardRow } from "./pass-rows.js";

/** How many entries of ledgers are written in one statement at most. */
const MOST_ENTRIES = 1_000;

/** Adds many passes with their ledgers in few statements. */
export function passInserts(
  dialect: SqlDialect,
): Functions<Pick<StorageTransaction, "insertPasses">, Changing> {
  const { db, isOneOf, listParameter } = dialect;
  const ordinalsOf = ordinalsOfUsers(dialect);

  const passes = dialect.rowInserts(
    "loyalty_wallet_passes",
    {
      organization_id: "text",
      id: "text",
      user_ordinal: "integer",
      template_id: "text",
      code: "text",
      is_preview_pass: "integer",
      installation_status: "text",
      max_stamps: "integer",
      current_stamps: "integer",
      times_completed: "integer",
      rewards_available: "integer",
      total_stamps_collected: "integer",
      last_stamp_at: "integer",
      entries: "integer",
      created_at: "integer",
      updated_at: "integer",
    },
    ["organization_id", "code"],
  );

  const ledgers = dialect.rowInserts(
    "loyalty_stamp_entries",
    {
      organization_id: "text",
      pass_id: "text",
      sequence: "integer",
      id: "text",
      type: "text",
      delta: "integer",
      stamps_before: "integer",
      stamps_after: "integer",
      completions: "integer",
      note: "text",
      reverses: "text",
      actor: "text",
      subject: "text",
      created_at: "integer",
    },
    ["organization_id", "pass_id", "sequence"],
  );

  const remove = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .deleteFrom("loyalty_wallet_passes")
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids"))),
  );

  return {
    *insertPasses({ session }, organizationId, inserted) {
      const userIds = listParameter([...new Set(inserted.map(({ pass }) => pass.userId))]);
      const users = yield* session.all(ordinalsOf({ organizationId, userIds }));
      const ordinals = new Map(users.map(({ id, ordinal }) => [id, ordinal]));
      const rows = inserted.map(({ pass }) => passRow(organizationId, pass, ordinals.get(pass.userId)));
      const isAdded = yield* passes.addMissing(session, rows);
      if (isAdded.includes(false)) {
        const added = rows.filter((_, at) => isAdded[at]).map(({ id }) => id);
        yield* session.change(remove({ organizationId, ids: listParameter(added) }));
        throw new StorageConflict("code");
      }
      const entries = inserted.flatMap((one) => one.entries.map((entry) => entryRow(organizationId, entry)));
      for (let at = 0; at < entries.length; at += MOST_ENTRIES) {
        yield* ledgers.add(session, entries.slice(at, at + MOST_ENTRIES));
      }
    },
  };
}

function passRow(organizationId: string, pass: StoredPass, ordinal: number | undefined) {
  if (ordinal === undefined) throw new Error(`there is no user ${pass.userId} to hold a pass`);
  return {
    organization_id: organizationId,
    id: pass.id,
    user_ordinal: ordinal,
    template_id: pass.templateId,
    code: pass.code,
    is_preview_pass: pass.isPreviewPass ? 1 : 0,
    installation_status: pass.installationStatus,
    ...cardRow(pass.card),
    created_at: pass.createdAt,
    updated_at: pass.updatedAt,
  };
}

function entryRow(organizationId: string, entry: StoredStampEntry) {
  return {
    organization_id: organizationId,
    pass_id: entry.passId,
    sequence: entry.sequence,
    id: entry.id,
    type: entry.type,
    delta: entry.delta,
    stamps_before: entry.stampsBefore,
    stamps_after: entry.stampsAfter,
    completions: entry.completions,
    note: entry.note,
    reverses: entry.reverses,
    actor: entry.actor,
    subject: entry.subject,
    created_at: entry.createdAt,
  };
}
