import { splitIntoBatches } from "../../../../src/storage/batches.js";
import type {
  InstallationStatus,
  PassLookUps,
  PassReads,
  PassWrites,
  StoredPass,
  StoredStampCard,
} from "../../../../src/storage/passes.js";
import { StorageConflict } from "../../../../src/storage/storage-adapter.js";
import type { LookUpModule } from "../change/commit-buffer.js";
import { prepareFindOrdinal, prepareFindOrdinals } from "../customers/users.js";
import { changeRow, findFirst, prepare, type Slot } from "../session/session.js";
import { listColumns, type SqlRow } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<PassReads, "findPass" | "findPassByCode" | "passesByCode" | "holdersOf" | "passesOfUsers">;
type Writes = Pick<PassWrites, "insertPass" | "insertPasses" | "updateInstallation" | "deletePass">;

/**
 * Creates the storage module for passes. To keep rows and indexes small, rows refer to users by ordinal, so reads look up each
 * user's ID.
 */
export function passModule(dialect: SqlDialect): LookUpModule<Reads, Writes, PassLookUps> {
  const { db, isOneOf, listParameter } = dialect;
  const rows = createRowStatements(dialect, tables.walletPasses);
  const insert = rows.prepareInsertUnless("code");
  const inserts = dialect.createRowInserts(tables.walletPasses, ["code"]);
  const ledgers = dialect.createRowInserts(tables.stampEntries);
  const pointCards = dialect.createRowInserts(tables.pointCards);
  const pointLots = dialect.createRowInserts(tables.pointLots);
  const pointEntries = dialect.createRowInserts(tables.pointEntries);
  const findUserOrdinal = prepareFindOrdinal(dialect);
  const findUserOrdinals = prepareFindOrdinals(dialect);

  // This is a subquery instead of a join because, after ANALYZE, SQLite plans a join again at each run. Planning takes ten times as
  // long as the lookup.
  const selectPassWithUser = (slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select(({ selectFrom }) => [
        selectFrom("loyalty_users")
          .select("loyalty_users.id")
          .whereRef("loyalty_users.organization_id", "=", "loyalty_wallet_passes.organization_id")
          .whereRef("loyalty_users.ordinal", "=", "loyalty_wallet_passes.user_ordinal")
          .$asScalar()
          .$notNull()
          .as("userId"),
        ...listColumns(tables.walletPasses, "loyalty_wallet_passes"),
      ])
      .where("loyalty_wallet_passes.organization_id", "=", slot("organizationId"));

  const findById = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    selectPassWithUser(slot).where("loyalty_wallet_passes.id", "=", slot("id")),
  );

  const findHolderOrdinals = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select(["id", "user_ordinal as ordinal"])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids"))),
  );

  const findByCode = prepare((slot: Slot<{ organizationId: string; code: string }>) =>
    selectPassWithUser(slot).where("loyalty_wallet_passes.code", "=", slot("code")),
  );

  const findByCodes = prepare((slot: Slot<{ organizationId: string; codes: unknown }>) =>
    selectPassWithUser(slot).where(({ ref }) => isOneOf(ref("loyalty_wallet_passes.code"), slot("codes"))),
  );

  const findOwnersByCode = prepare((slot: Slot<{ code: string }>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select("organization_id")
      .where("code", "=", slot("code"))
      .limit(2),
  );

  const selectUserPasses = (slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select(["user_ordinal as userOrdinal", ...listColumns(tables.walletPasses, "loyalty_wallet_passes")])
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("loyalty_wallet_passes.created_at")
      .orderBy("loyalty_wallet_passes.id");

  const listByOrdinal = prepare((slot: Slot<{ organizationId: string; ordinal: number }>) =>
    selectUserPasses(slot).where("user_ordinal", "=", slot("ordinal")),
  );

  const listByOrdinals = prepare((slot: Slot<{ organizationId: string; ordinals: unknown }>) =>
    selectUserPasses(slot).where(({ ref }) => isOneOf(ref("user_ordinal"), slot("ordinals"))),
  );

  const removePasses = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .deleteFrom("loyalty_wallet_passes")
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids"))),
  );

  const setInstallation = prepare(
    (slot: Slot<{ organizationId: string; id: string; status: InstallationStatus; updatedAt: number }>) =>
      db
        .updateTable("loyalty_wallet_passes")
        .set({ installation_status: slot("status"), updated_at: slot("updatedAt") })
        .where("organization_id", "=", slot("organizationId"))
        .where("id", "=", slot("id")),
  );

  return {
    reads: {
      *findPass({ session, organizationId }, id) {
        const row = yield* findFirst(session, findById({ organizationId, id }));
        return row === null ? null : toPass(row.userId, row);
      },
      *findPassByCode({ session, organizationId }, code) {
        const row = yield* findFirst(session, findByCode({ organizationId, code }));
        return row === null ? null : toPass(row.userId, row);
      },
      *passesByCode({ session, organizationId }, codes) {
        const rows = yield* session.all(findByCodes({ organizationId, codes: listParameter(codes) }));
        return rows.map((row) => toPass(row.userId, row));
      },
      *holdersOf({ session, organizationId }, passIds) {
        const rows = yield* session.all(findHolderOrdinals({ organizationId, ids: listParameter(passIds) }));
        return new Map(rows.map(({ id, ordinal }) => [id, ordinal]));
      },
      *passesOfUsers({ session, organizationId }, users) {
        const ids = new Map(users.map(({ id, ordinal }) => [ordinal, id]));
        const [ordinal, secondOrdinal] = ids.keys();
        const query =
          ordinal === undefined || secondOrdinal !== undefined
            ? listByOrdinals({ organizationId, ordinals: listParameter([...ids.keys()]) })
            : listByOrdinal({ organizationId, ordinal });
        return (yield* session.all(query)).flatMap((row) => {
          const userId = ids.get(row.userOrdinal);
          return userId === undefined ? [] : [toPass(userId, row)];
        });
      },
    },
    lookUps: {
      *organizationOfCode({ session }, code) {
        const [owner, secondOwner] = yield* session.all(findOwnersByCode({ code }));
        return secondOwner === undefined ? (owner?.organization_id ?? null) : null;
      },
    },
    writes: {
      *insertPass({ session, buffer, organizationId }, pass) {
        const user = yield* findFirst(session, findUserOrdinal({ organizationId, id: pass.userId }));
        if (user === null) throw createMissingHolderError(pass.userId);
        buffer.getChangesWithoutEvent(organizationId).addChange(pass.id);
        const insertion = insert(organizationId, toPassRow(pass, user.ordinal));
        if (!(yield* changeRow(session, insertion))) throw new StorageConflict("code");
      },
      *insertPasses({ session, buffer, organizationId }, newPasses) {
        for (const { pass } of newPasses) buffer.getChangesWithoutEvent(organizationId).addChange(pass.id);
        const userIds = listParameter([...new Set(newPasses.map(({ pass }) => pass.userId))]);
        const users = yield* session.all(findUserOrdinals({ organizationId, userIds }));
        const ordinals = new Map(users.map(({ id, ordinal }) => [id, ordinal]));
        const passRows = newPasses.map(({ pass }) => {
          const ordinal = ordinals.get(pass.userId);
          if (ordinal === undefined) throw createMissingHolderError(pass.userId);
          return toPassRow(pass, ordinal);
        });
        const isAdded = yield* inserts.addIfMissing(session, organizationId, passRows);
        if (isAdded.includes(false)) {
          const ids = passRows.filter((_, at) => isAdded[at]).map(({ id }) => id);
          yield* session.change(removePasses({ organizationId, ids: listParameter(ids) }));
          throw new StorageConflict("code");
        }
        const entries = newPasses.flatMap((one) => one.entries);
        for (const batch of splitIntoBatches(entries)) yield* ledgers.add(session, organizationId, batch);
        const points = newPasses.flatMap((one) => one.points ?? []);
        const lots = points.flatMap((change) => change.lots);
        const newEntries = points.flatMap((change) => change.entries);
        for (const batch of splitIntoBatches(points.map(({ card }) => card)))
          yield* pointCards.add(session, organizationId, batch);
        for (const batch of splitIntoBatches(lots)) yield* pointLots.add(session, organizationId, batch);
        for (const batch of splitIntoBatches(newEntries))
          yield* pointEntries.add(session, organizationId, batch);
      },
      updateInstallation: ({ session, organizationId }, id, status, updatedAt) =>
        changeRow(session, setInstallation({ organizationId, id, status, updatedAt })),
      deletePass: ({ session, buffer, organizationId }, id) => {
        buffer.getChangesWithoutEvent(organizationId).addRemovedPass(id);
        return changeRow(session, rows.remove(organizationId, { id }));
      },
    },
  };
}

function createMissingHolderError(userId: string): Error {
  return new Error(`can't add a pass: no such user: ${userId}`);
}

type PassRow = SqlRow<(typeof tables)["walletPasses"]["record"]["columns"]>;

function toPass(userId: string, row: PassRow): StoredPass {
  return {
    id: row.id,
    userId,
    templateId: row.templateId,
    code: row.code,
    isPreviewPass: row.isPreviewPass === 1,
    installationStatus: row.installationStatus,
    card: toCard(row),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** Returns the values of a pass's stamp card columns. All values are `null` if the pass has no stamp card. */
export function toCardColumns(card: StoredStampCard | null) {
  return {
    maxStamps: card?.maxStamps ?? null,
    currentStamps: card?.currentStamps ?? null,
    timesCompleted: card?.timesCompleted ?? null,
    rewardsAvailable: card?.rewardsAvailable ?? null,
    totalStampsCollected: card?.totalStampsCollected ?? null,
    lastStampAt: card?.lastStampAt ?? null,
    visits: card?.visits ?? null,
    entries: card?.entries ?? null,
  };
}

/** Converts a pass to its row. The row refers to the user by ordinal instead of by ID. */
function toPassRow({ card, ...pass }: StoredPass, userOrdinal: number) {
  return { ...pass, ...toCardColumns(card), userOrdinal };
}

function toCard(row: PassRow): StoredStampCard | null {
  const {
    maxStamps,
    currentStamps,
    timesCompleted,
    rewardsAvailable,
    totalStampsCollected,
    visits,
    entries,
  } = row;
  if (
    maxStamps === null ||
    currentStamps === null ||
    timesCompleted === null ||
    rewardsAvailable === null ||
    totalStampsCollected === null ||
    entries === null ||
    visits === null
  ) {
    return null;
  }
  const { lastStampAt } = row;
  return {
    maxStamps,
    currentStamps,
    timesCompleted,
    rewardsAvailable,
    totalStampsCollected,
    lastStampAt,
    visits,
    entries,
  };
}
