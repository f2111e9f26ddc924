import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { StoredUser, UserReads } from "../../../../src/storage/users.js";
import { findFirst, prepare, type ReadContext, type Slot } from "../session/session.js";
import { listColumns } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";

import { tables } from "../sql/tables.js";

/** Prepares the query that finds a user's ordinal by the user's ID. */
export function findOrdinal({ db }: SqlDialect) {
  return prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    db
      .selectFrom("loyalty_users")
      .select("ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );
}

/** Prepares the query that finds several users' ordinals by their IDs. */
export function findOrdinals({ db, isOneOf }: SqlDialect) {
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

  const selectOfOrganization = (slot: Slot<{ organizationId: string }>) =>
    selectUsers.where("organization_id", "=", slot("organizationId"));

  const prepareByKey = (column: "id" | "external_id" | "email_fold") =>
    prepare((slot: Slot<{ organizationId: string; key: string }>) =>
      selectOfOrganization(slot).where(column, "=", slot("key")),
    );

  const prepareByKeys = (column: "id" | "external_id" | "email_fold") =>
    prepare((slot: Slot<{ organizationId: string; keys: unknown }>) =>
      selectOfOrganization(slot).where(({ ref }) => isOneOf(ref(column), slot("keys"))),
    );

  const [byId, byExternalId, byEmail] = [
    prepareByKey("id"),
    prepareByKey("external_id"),
    prepareByKey("email_fold"),
  ];
  const [byIds, byExternalIds, byEmails] = [
    prepareByKeys("id"),
    prepareByKeys("external_id"),
    prepareByKeys("email_fold"),
  ];

  const afterOrdinal = prepare((slot: Slot<{ organizationId: string; after: number; limit: number }>) =>
    selectOfOrganization(slot).where("ordinal", ">", slot("after")).orderBy("ordinal").limit(slot("limit")),
  );

  const byOrdinals = prepare((slot: Slot<{ organizationId: string; ordinals: unknown }>) =>
    selectOfOrganization(slot)
      .where(({ ref }) => isOneOf(ref("ordinal"), slot("ordinals")))
      .orderBy("ordinal"),
  );

  /** Sorts by ordinal in this process, because the database would use a temporary B-tree. */
  const readAscending = function* (
    { session }: ReadContext,
    query: typeof byIds,
    organizationId: string,
    keys: readonly string[],
  ): Step<StoredUser[]> {
    const users = yield* session.all(query({ organizationId, keys: listParameter(keys) }));
    return users.sort((a, b) => a.ordinal - b.ordinal);
  };

  return {
    findUser: ({ session, organizationId }, id) => findFirst(session, byId({ organizationId, key: id })),
    findUserByExternalId: ({ session, organizationId }, externalId) =>
      findFirst(session, byExternalId({ organizationId, key: externalId })),
    findUserByEmail: ({ session, organizationId }, emailFold) =>
      findFirst(session, byEmail({ organizationId, key: emailFold })),

    usersById: (on, ids) => readAscending(on, byIds, on.organizationId, ids),
    usersByExternalId: (on, externalIds) => readAscending(on, byExternalIds, on.organizationId, externalIds),
    usersByEmail: (on, emailFolds) => readAscending(on, byEmails, on.organizationId, emailFolds),

    listUsers: ({ session, organizationId }, after, limit) =>
      session.all(afterOrdinal({ organizationId, after, limit })),
    usersByOrdinal: ({ session, organizationId }, ordinals) =>
      session.all(byOrdinals({ organizationId, ordinals: listParameter(ordinals) })),
  };
}
