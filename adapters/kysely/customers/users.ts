import type { Functions } from "../../../src/storage/methods.js";
import type { StorageReader } from "../../../src/storage/storage-adapter.js";
import type { StoredUser } from "../../../src/storage/users.js";
import { first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";

type UserReads = Pick<
  StorageReader,
  | "findUser"
  | "findUserByExternalId"
  | "findUserByEmail"
  | "usersById"
  | "usersByExternalId"
  | "usersByEmail"
  | "listUsers"
  | "usersByOrdinal"
>;

/** A user as the port has it. */
const userColumns = [
  "loyalty_users.id",
  "loyalty_users.ordinal",
  "loyalty_users.email",
  "loyalty_users.name",
  "loyalty_users.phone",
  "loyalty_users.external_id as externalId",
  "loyalty_users.metadata",
  "loyalty_users.created_at as createdAt",
  "loyalty_users.updated_at as updatedAt",
] as const;

/** Finds a user's place in the sets. */
export function ordinalOfUser({ db }: SqlDialect) {
  return prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    db
      .selectFrom("loyalty_users")
      .select("ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );
}

/** Finds the places of users. */
export function ordinalsOfUsers({ db, isOneOf }: SqlDialect) {
  return prepare((slot: Slot<{ organizationId: string; userIds: unknown }>) =>
    db
      .selectFrom("loyalty_users")
      .select(["id", "ordinal"])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("userIds"))),
  );
}

/** Finds users by their keys and in the order of their ordinals. */
export function userReads({ db, isOneOf, listParameter }: SqlDialect): Functions<UserReads, Reading> {
  const found = db.selectFrom("loyalty_users").select(userColumns);

  const byId = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    found.where("organization_id", "=", slot("organizationId")).where("id", "=", slot("id")),
  );

  const byExternalId = prepare((slot: Slot<{ organizationId: string; externalId: string }>) =>
    found.where("organization_id", "=", slot("organizationId")).where("external_id", "=", slot("externalId")),
  );

  const byEmail = prepare((slot: Slot<{ organizationId: string; emailFold: string }>) =>
    found.where("organization_id", "=", slot("organizationId")).where("email_fold", "=", slot("emailFold")),
  );

  const byIds = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    found
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("id"), slot("ids"))),
  );

  const byExternalIds = prepare((slot: Slot<{ organizationId: string; externalIds: unknown }>) =>
    found
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("external_id"), slot("externalIds"))),
  );

  const byEmails = prepare((slot: Slot<{ organizationId: string; emailFolds: unknown }>) =>
    found
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("email_fold"), slot("emailFolds"))),
  );

  const afterOrdinal = prepare((slot: Slot<{ organizationId: string; after: number; limit: number }>) =>
    found
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", ">", slot("after"))
      .orderBy("ordinal")
      .limit(slot("limit")),
  );

  const byOrdinals = prepare((slot: Slot<{ organizationId: string; ordinals: unknown }>) =>
    found
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("ordinal"), slot("ordinals")))
      .orderBy("ordinal"),
  );

  return {
    findUser: ({ session }, organizationId, id) => first(session, byId({ organizationId, id })),

    findUserByExternalId: ({ session }, organizationId, externalId) =>
      first(session, byExternalId({ organizationId, externalId })),

    findUserByEmail: ({ session }, organizationId, emailFold) =>
      first(session, byEmail({ organizationId, emailFold })),

    *usersById({ session }, organizationId, ids) {
      return inOrder(yield* session.all(byIds({ organizationId, ids: listParameter(ids) })));
    },

    *usersByExternalId({ session }, organizationId, externalIds) {
      const list = listParameter(externalIds);
      return inOrder(yield* session.all(byExternalIds({ organizationId, externalIds: list })));
    },

    *usersByEmail({ session }, organizationId, emailFolds) {
      const list = listParameter(emailFolds);
      return inOrder(yield* session.all(byEmails({ organizationId, emailFolds: list })));
    },

    listUsers: ({ session }, organizationId, after, limit) =>
      session.all(afterOrdinal({ organizationId, after, limit })),

    usersByOrdinal: ({ session }, organizationId, ordinals) =>
      session.all(byOrdinals({ organizationId, ordinals: listParameter(ordinals) })),
  };
}

/** By ordinal. The database would sort as many in a tree of its own. */
function inOrder(users: StoredUser[]): StoredUser[] {
  return users.sort((a, b) => a.ordinal - b.ordinal);
}
