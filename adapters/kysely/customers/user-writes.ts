import type { Step } from "../../../src/concurrency/step.js";
import type { Functions } from "../../../src/storage/methods.js";
import { StorageConflict, type StorageTransaction } from "../../../src/storage/storage-adapter.js";
import type { StoredUser, UserFolds } from "../../../src/storage/users.js";
import type { Changing } from "../change/pending.js";
import { searchTextOf } from "../contacts/search-text.js";
import { ALL_USERS } from "../segments/segment-chunks.js";
import { changed, first, type ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { searchWrites } from "./search-writes.js";
import { ordinalOfUser } from "./users.js";

type UserWrites = Pick<
  StorageTransaction,
  "nextUser" | "insertUser" | "insertUsers" | "updateUser" | "deleteUser"
>;

/** Adds, changes and removes users, and keeps the search index, the set of all users and the sets of their tags. */
export function userWrites(dialect: SqlDialect): Functions<UserWrites, Changing> {
  const { db } = dialect;
  const search = searchWrites(dialect);
  const ordinalOf = ordinalOfUser(dialect);

  const insert = prepare((slot: Slot<UserRow>) =>
    db
      .insertInto("loyalty_users")
      .values({
        organization_id: slot("organizationId"),
        id: slot("id"),
        ordinal: slot("ordinal"),
        created_at: slot("createdAt"),
        ...fieldsOf(slot),
      })
      .onConflict((conflict) => conflict.doNothing()),
  );

  const inserts = dialect.rowInserts(
    "loyalty_users",
    {
      organization_id: "text",
      id: "text",
      ordinal: "integer",
      created_at: "integer",
      email: "text",
      name: "text",
      phone: "text",
      external_id: "text",
      metadata: "text",
      updated_at: "integer",
      email_fold: "text",
      name_fold: "text",
      external_id_fold: "text",
      search_text: "text",
    },
    ["organization_id", "ordinal"],
  );

  const others = prepare(
    (slot: Slot<Pick<UserRow, "organizationId" | "ordinal" | "emailFold" | "externalId">>) =>
      db
        .selectFrom("loyalty_users")
        .select("email_fold as emailFold")
        .where("organization_id", "=", slot("organizationId"))
        .where("ordinal", "<>", slot("ordinal"))
        .where(({ eb, or }) =>
          or([eb("email_fold", "=", slot("emailFold")), eb("external_id", "=", slot("externalId"))]),
        ),
  );

  const update = prepare((slot: Slot<UserRow>) =>
    db
      .updateTable("loyalty_users")
      .set(fieldsOf(slot))
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  const keysOf = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    db
      .selectFrom("loyalty_users")
      .select([
        "ordinal",
        "email_fold as emailFold",
        "external_id as externalId",
        "search_text as searchText",
      ])
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  const tagsOf = prepare((slot: Slot<{ organizationId: string; ordinal: number }>) =>
    db
      .selectFrom("loyalty_user_tag_assignments")
      .select("tag_ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .where("user_ordinal", "=", slot("ordinal")),
  );

  const remove = prepare((slot: Slot<{ organizationId: string; ordinal: number }>) =>
    db
      .deleteFrom("loyalty_users")
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", "=", slot("ordinal")),
  );

  /** @throws {StorageConflict} when another user has the email or the external id of this row. */
  function* assertFree(session: ReadSession, row: UserRow): Step<void> {
    const taken = yield* session.all(others(row));
    if (taken.length === 0) return;
    throw new StorageConflict(
      taken.some(({ emailFold }) => emailFold === row.emailFold) ? "email" : "externalId",
    );
  }

  return {
    *nextUser({ pending }, organizationId) {
      const counters = yield* pending.countersOf(organizationId);
      const { nextUserOrdinal: ordinal, newestUserId: id, newestUserCreatedAt: createdAt } = counters;
      return { ordinal, newest: id === null || createdAt === null ? null : { id, createdAt } };
    },

    *insertUser(changing, organizationId, user, folds) {
      const { session, pending } = changing;
      const { id, ordinal, createdAt } = user;
      const row = rowOf(organizationId, user, folds);
      if (!(yield* changed(session, insert(row)))) {
        yield* assertFree(session, row);
        throw new Error(`the place ${ordinal} of a new user is taken`);
      }
      yield* search.added(changing, organizationId, ordinal);
      yield* pending.include(organizationId, ALL_USERS, ordinal);
      yield* pending.count(organizationId, {
        nextUserOrdinal: ordinal + 1,
        newestUserId: id,
        newestUserCreatedAt: createdAt,
      });
    },

    *insertUsers(changing, organizationId, users) {
      const { session, pending } = changing;
      const rows = users.map(({ user, folds }) => {
        const row = rowOf(organizationId, user, folds);
        return {
          organization_id: organizationId,
          id: row.id,
          ordinal: row.ordinal,
          created_at: row.createdAt,
          email: row.email,
          name: row.name,
          phone: row.phone,
          external_id: row.externalId,
          metadata: row.metadata,
          updated_at: row.updatedAt,
          email_fold: row.emailFold,
          name_fold: row.nameFold,
          external_id_fold: row.externalIdFold,
          search_text: row.searchText,
        };
      });
      const added = rows.slice(0, yield* inserts.addUntilTaken(session, rows));
      const newest = added.at(-1);
      if (newest === undefined) return 0;
      yield* search.added(changing, organizationId, newest.ordinal);
      for (const { ordinal } of added) yield* pending.include(organizationId, ALL_USERS, ordinal);
      yield* pending.count(organizationId, {
        nextUserOrdinal: newest.ordinal + 1,
        newestUserId: newest.id,
        newestUserCreatedAt: newest.created_at,
      });
      return added.length;
    },

    *updateUser(changing, organizationId, user, folds) {
      const { session } = changing;
      const before = yield* first(session, keysOf({ organizationId, id: user.id }));
      if (before === null) return false;
      const row = rowOf(organizationId, { ...user, ordinal: before.ordinal }, folds);
      if (before.emailFold !== row.emailFold || before.externalId !== row.externalId) {
        yield* assertFree(session, row);
      }
      yield* session.change(update(row));
      if (row.searchText !== before.searchText) yield* search.changed(changing, organizationId, row);
      return true;
    },

    *deleteUser(changing, organizationId, id) {
      const { session, pending } = changing;
      const user = yield* first(session, ordinalOf({ organizationId, id }));
      if (user === null) return false;
      const { ordinal } = user;
      for (const { tag_ordinal } of yield* session.all(tagsOf({ organizationId, ordinal }))) {
        yield* pending.exclude(organizationId, tag_ordinal, ordinal);
      }
      yield* pending.exclude(organizationId, ALL_USERS, ordinal);
      yield* search.removed(changing, organizationId, ordinal);
      return yield* changed(session, remove({ organizationId, ordinal }));
    },
  };
}

type UserRow = ReturnType<typeof rowOf>;

function rowOf(organizationId: string, user: StoredUser, folds: UserFolds) {
  return {
    organizationId,
    ...user,
    emailFold: folds.email,
    nameFold: folds.name,
    externalIdFold: folds.externalId,
    searchText: searchTextOf(folds),
  };
}

/** The columns that an update may change. */
function fieldsOf(slot: Slot<UserRow>) {
  return {
    email: slot("email"),
    name: slot("name"),
    phone: slot("phone"),
    external_id: slot("externalId"),
    metadata: slot("metadata"),
    updated_at: slot("updatedAt"),
    email_fold: slot("emailFold"),
    name_fold: slot("nameFold"),
    external_id_fold: slot("externalIdFold"),
    search_text: slot("searchText"),
  };
}
