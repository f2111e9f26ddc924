import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { StoredUser, UserReads } from "../../../../src/storage/users.js";
import { findFirst, prepare, type ReadContext, type Slot } from "../session/session.js";
import { listColumns } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";

import { tables } from "../sql/tables.js";

/** Prepares the query that finds a user's ordinal by the user's ID. */
export function prepareFindOrdinal({ db }: SqlDialect) {
  return prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    db
      .selectFrom("loyalty_users")
      .select("ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );
}

/** Prepares the query that finds several users' ordinals by their IDs. */
export function prepareFindOrdinals({ db, isOneOf }: SqlDialect) {
  return prepare((slot: Slot<{ organizationId: string; userIds: unknown }>) =>
    db
      .selectFrom("loyalty_users")
      .select(["id", "ordinal"])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("userIds"))),
  );
}

/** Creates the read functions that find users by unique key and list them by ordinal. */
export function userReads(dialect: SqlDialect): Functions<UserReads, ReadContext> {
  const { db, isOneOf, listParameter } = dialect;
  const selectUsers = db.selectFrom("loyalty_users").select(listColumns(tables.users, "loyalty_users"));

  const selectByOrganization = (slot: Slot<{ organizationId: string }>) =>
    selectUsers.where("organization_id", "=", slot("organizationId"));

  const prepareByKey = (column: "id" | "external_id" | "email_fold") =>
    prepare((slot: Slot<{ organizationId: string; key: string }>) =>
      selectByOrganization(slot).where(column, "=", slot("key")),
    );

  const prepareByKeys = (column: "id" | "external_id" | "email_fold") =>
    prepare((slot: Slot<{ organizationId: string; keys: unknown }>) =>
      selectByOrganization(slot).where(({ ref }) => isOneOf(ref(column), slot("keys"))),
    );

  const [findById, findByExternalId, findByEmail] = [
    prepareByKey("id"),
    prepareByKey("external_id"),
    prepareByKey("email_fold"),
  ];
  const [findByIds, findByExternalIds, findByEmails] = [
    prepareByKeys("id"),
    prepareByKeys("external_id"),
    prepareByKeys("email_fold"),
  ];

  const listAfterOrdinal = prepare((slot: Slot<{ organizationId: string; after: number; limit: number }>) =>
    selectByOrganization(slot).where("ordinal", ">", slot("after")).orderBy("ordinal").limit(slot("limit")),
  );

  const findByOrdinals = prepare((slot: Slot<{ organizationId: string; ordinals: unknown }>) =>
    selectByOrganization(slot)
      .where(({ ref }) => isOneOf(ref("ordinal"), slot("ordinals")))
      .orderBy("ordinal"),
  );

  /** Sorts by ordinal in this process, because the database would use a temporary B-tree. */
  const readAscending = function* (
    { session }: ReadContext,
    query: typeof findByIds,
    organizationId: string,
    keys: readonly string[],
  ): Step<StoredUser[]> {
    const users = yield* session.all(query({ organizationId, keys: listParameter(keys) }));
    return users.sort((a, b) => a.ordinal - b.ordinal);
  };

  return {
    findUser: ({ session, organizationId }, id) => findFirst(session, findById({ organizationId, key: id })),
    findUserByExternalId: ({ session, organizationId }, externalId) =>
      findFirst(session, findByExternalId({ organizationId, key: externalId })),
    findUserByEmail: ({ session, organizationId }, emailFold) =>
      findFirst(session, findByEmail({ organizationId, key: emailFold })),

    usersById: (context, ids) => readAscending(context, findByIds, context.organizationId, ids),
    usersByExternalId: (context, externalIds) =>
      readAscending(context, findByExternalIds, context.organizationId, externalIds),
    usersByEmail: (context, emailFolds) =>
      readAscending(context, findByEmails, context.organizationId, emailFolds),

    listUsers: ({ session, organizationId }, after, limit) =>
      session.all(listAfterOrdinal({ organizationId, after, limit })),
    usersByOrdinal: ({ session, organizationId }, ordinals) =>
      session.all(findByOrdinals({ organizationId, ordinals: listParameter(ordinals) })),
  };
}
