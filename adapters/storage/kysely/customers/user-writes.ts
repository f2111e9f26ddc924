import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Functions } from "../../../../src/storage/methods.js";
import { StorageConflict } from "../../../../src/storage/storage-adapter.js";
import type { StoredUser, UserFolds, UserWrites } from "../../../../src/storage/users.js";
import type { WriteContext } from "../change/commit-buffer.js";
import {
  buildSearchText,
  findFirstUnindexed,
  prepareBlockUsers,
  toBlock,
} from "../contacts/search-blocks.js";
import type { SegmentMembers } from "../saved-segments/segment-members.js";
import { ALL_USERS } from "../segments/segment-cache.js";
import {
  changeRow,
  findFirst,
  prepare,
  type ReadSession,
  type Session,
  type Slot,
} from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { createRowStatements } from "../sql/rows.js";
import type { SearchedUser } from "../sql/search-index.js";
import { tables } from "../sql/tables.js";
import { prepareFindOrdinal } from "./users.js";

/**
 * Creates the write functions that add, change, and delete users. They also update the search index, the set of all users, and tag
 * sets.
 * @param members the functions for segment members, which remove deleted users from saved segments.
 */
export function userWrites(
  dialect: SqlDialect,
  members: Pick<SegmentMembers, "removeUser">,
): Functions<UserWrites, WriteContext> {
  const { db, unindexedUsers } = dialect;
  const search = searchWrites(dialect);
  const findUserOrdinal = prepareFindOrdinal(dialect);

  const rows = createRowStatements(dialect, tables.users);
  const insert = rows.prepareInsertUnless();
  const inserts = dialect.createRowInserts(tables.users);

  const findConflicting = prepare(
    (slot: Slot<Pick<UserRow, "ordinal" | "emailFold" | "externalId"> & { organizationId: string }>) =>
      db
        .selectFrom("loyalty_users")
        .select("email_fold as emailFold")
        .where("organization_id", "=", slot("organizationId"))
        .where("ordinal", "<>", slot("ordinal"))
        .where(({ eb, or }) =>
          or([eb("email_fold", "=", slot("emailFold")), eb("external_id", "=", slot("externalId"))]),
        ),
  );

  const findKeys = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
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

  const selectTagOrdinals = prepare((slot: Slot<{ organizationId: string; ordinal: number }>) =>
    db
      .selectFrom("loyalty_user_tag_assignments as assigned")
      .leftJoin("loyalty_tag_removals as removal", (join) =>
        join
          .onRef("removal.organization_id", "=", "assigned.organization_id")
          .onRef("removal.ordinal", "=", "assigned.tag_ordinal"),
      )
      .select(["assigned.tag_ordinal as tagOrdinal", "removal.target_ordinal as targetOrdinal"])
      .where("assigned.organization_id", "=", slot("organizationId"))
      .where("assigned.user_ordinal", "=", slot("ordinal")),
  );

  /**
   * Inserts a row. If users are indexed in blocks, it uses a bulk insert, because only that marks the user as unindexed.
   * @returns false if one of the row's keys is taken.
   */
  function* tryInsert(session: Session, organizationId: string, row: UserRow): Step<boolean> {
    if (unindexedUsers === null) return yield* changeRow(session, insert(organizationId, row));
    return (yield* inserts.addUntilConflict(session, organizationId, [row])) === 1;
  }

  /** @throws {StorageConflict} if another user already has this row's email or external ID. */
  function* assertKeysAvailable(session: ReadSession, organizationId: string, row: UserRow): Step<void> {
    const { ordinal, emailFold, externalId } = row;
    const conflicting = yield* session.all(
      findConflicting({ organizationId, ordinal, emailFold, externalId }),
    );
    if (conflicting.length === 0) return;
    const isEmailTaken = emailFold !== null && conflicting.some((other) => other.emailFold === emailFold);
    throw new StorageConflict(isEmailTaken ? "email" : "externalId");
  }

  return {
    *nextUser({ buffer, organizationId }) {
      const counters = yield* buffer.getCounters(organizationId);
      const { nextUserOrdinal: ordinal, newestUserId: id, newestUserCreatedAt: createdAt } = counters;
      return { ordinal, newest: id === null || createdAt === null ? null : { id, createdAt } };
    },

    *insertUser(context, user, folds) {
      const { session, buffer, organizationId } = context;
      const { id, ordinal, createdAt } = user;
      const row = toUserRow(user, folds);
      if (!(yield* tryInsert(session, organizationId, row))) {
        yield* assertKeysAvailable(session, organizationId, row);
        throw new Error(`the new user's ordinal ${ordinal} is already in use`);
      }
      buffer.getChangesWithoutEvent(organizationId).addChange(id);
      yield* search.indexNewUsers(context, ordinal);
      yield* buffer.addToSet(organizationId, ALL_USERS, ordinal);
      yield* buffer.updateCounters(organizationId, {
        nextUserOrdinal: ordinal + 1,
        newestUserId: id,
        newestUserCreatedAt: createdAt,
      });
    },

    *insertUsers(context, users) {
      const { session, buffer, organizationId } = context;
      const userRows = users.map(({ user, folds }) => toUserRow(user, folds));
      const addedRows = userRows.slice(0, yield* inserts.addUntilConflict(session, organizationId, userRows));
      const newest = addedRows.at(-1);
      if (newest === undefined) return 0;
      yield* search.indexNewUsers(context, newest.ordinal);
      for (const { id, ordinal } of addedRows) {
        buffer.getChangesWithoutEvent(organizationId).addChange(id);
        yield* buffer.addToSet(organizationId, ALL_USERS, ordinal);
      }
      yield* buffer.updateCounters(organizationId, {
        nextUserOrdinal: newest.ordinal + 1,
        newestUserId: newest.id,
        newestUserCreatedAt: newest.createdAt,
      });
      return addedRows.length;
    },

    *updateUser(context, user, folds) {
      const { session, buffer, organizationId } = context;
      const previous = yield* findFirst(session, findKeys({ organizationId, id: user.id }));
      if (previous === null) return false;
      const row = toUserRow({ ...user, ordinal: previous.ordinal }, folds);
      if (previous.emailFold !== row.emailFold || previous.externalId !== row.externalId) {
        yield* assertKeysAvailable(session, organizationId, row);
      }
      buffer.getChangesWithoutEvent(organizationId).addChange(user.id);
      yield* session.change(rows.update(organizationId, row));
      if (row.searchText !== previous.searchText) yield* search.updateUser(context, row);
      return true;
    },

    *deleteUser(context, id) {
      const { session, buffer, organizationId } = context;
      const user = yield* findFirst(session, findUserOrdinal({ organizationId, id }));
      if (user === null) return false;
      const { ordinal } = user;
      for (const { tagOrdinal, targetOrdinal } of yield* session.all(
        selectTagOrdinals({ organizationId, ordinal }),
      )) {
        yield* buffer.removeFromSet(organizationId, tagOrdinal, ordinal);
        if (targetOrdinal !== null) yield* buffer.removeFromSet(organizationId, targetOrdinal, ordinal);
      }
      yield* buffer.removeFromSet(organizationId, ALL_USERS, ordinal);
      yield* members.removeUser(session, organizationId, ordinal);
      yield* search.removeUser(context, ordinal);
      return yield* changeRow(session, rows.remove(organizationId, { ordinal }));
    },
  };
}

type UserRow = ReturnType<typeof toUserRow>;

function toUserRow(user: StoredUser, folds: UserFolds) {
  return {
    emailFold: folds.email,
    nameFold: folds.name,
    externalIdFold: folds.externalId,
    searchText: buildSearchText(folds),
    ...user,
  };
}

/**
 * Creates the write functions that keep the search index and the contact sort indexes up to date. They run in the transactions that
 * change users.
 */
function searchWrites(dialect: SqlDialect) {
  const { search, unindexedUsers } = dialect;
  const selectBlock = prepareBlockUsers(dialect);

  function* isIndexed({ buffer, organizationId }: WriteContext, ordinal: number): Step<boolean> {
    return ordinal < findFirstUnindexed((yield* buffer.getCounters(organizationId)).nextUserOrdinal);
  }

  return {
    /**
     * Indexes the blocks that new users have completed. Call this after inserting the users and before increasing the next user's
     * ordinal.
     * @param newest the ordinal of the last new user.
     */
    *indexNewUsers({ session, buffer, organizationId }: WriteContext, newest: number): Step<void> {
      const { nextUserOrdinal: nextOrdinal } = yield* buffer.getCounters(organizationId);
      for (let block = toBlock(nextOrdinal); block < toBlock(newest + 1); block++) {
        const users = yield* selectBlock(session, organizationId, block);
        if (users.length > 0) yield* search.add(session, organizationId, block, users);
        if (unindexedUsers !== null) yield* session.change(unindexedUsers.indexBlock(organizationId, block));
      }
    },

    /** Updates the search index after a user's search text has changed. */
    *updateUser(context: WriteContext, user: SearchedUser): Step<void> {
      if (!(yield* isIndexed(context, user.ordinal))) return;
      yield* search.change(context.session, context.organizationId, user);
    },

    /** Updates the search index after a user has been deleted. */
    *removeUser(context: WriteContext, ordinal: number): Step<void> {
      if (!(yield* isIndexed(context, ordinal))) return;
      yield* search.remove(context.session, context.organizationId, ordinal);
    },
  };
}
