import type { StorageTransaction, StoredUser, UserFolds } from "../../src/storage.js";
import type { SqlDialect } from "./dialect.js";
import type { Organizations } from "./organizations.js";
import { prepare, type Slot } from "./prepared.js";
import { ALL_USERS, type SegmentSets } from "./segment-sets.js";
import { changed, first, type Session } from "./session.js";
import { ordinalOfUser } from "./users.js";

type UserWrites = Pick<StorageTransaction, "insertUser" | "updateUser" | "deleteUser">;

/** Adds, changes and removes users, and keeps the set of all users and the sets of their tags. */
export function userWrites(
  dialect: SqlDialect,
  organizations: Organizations,
  sets: SegmentSets,
): (session: Session) => UserWrites {
  const { db } = dialect;
  const ordinalOf = ordinalOfUser(dialect);

  const insert = prepare((slot: Slot<UserRow>) =>
    db.insertInto("loyalty_users").values({
      organization_id: slot("organizationId"),
      id: slot("id"),
      ordinal: slot("ordinal"),
      created_at: slot("createdAt"),
      ...fieldsOf(slot),
    }),
  );

  const update = prepare((slot: Slot<UserRow>) =>
    db
      .updateTable("loyalty_users")
      .set(fieldsOf(slot))
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

  return (session) => ({
    async insertUser(organizationId, user, folds) {
      await session.change(insert(rowOf(organizationId, user, folds)));
      await organizations.placed(session, organizationId, user);
      await sets.add(session, organizationId, ALL_USERS, user.ordinal);
    },

    updateUser: (organizationId, user, folds) => changed(session, update(rowOf(organizationId, user, folds))),

    async deleteUser(organizationId, id) {
      const user = await first(session, ordinalOf({ organizationId, id }));
      if (user === null) return false;
      const { ordinal } = user;
      for (const { tag_ordinal } of await session.all(tagsOf({ organizationId, ordinal }))) {
        await sets.remove(session, organizationId, tag_ordinal, ordinal);
      }
      await sets.remove(session, organizationId, ALL_USERS, ordinal);
      return changed(session, remove({ organizationId, ordinal }));
    },
  });
}

type UserRow = ReturnType<typeof rowOf>;

function rowOf(organizationId: string, user: StoredUser, folds: UserFolds) {
  return {
    organizationId,
    ...user,
    emailFold: folds.email,
    nameFold: folds.name,
    phoneFold: folds.phone,
    externalIdFold: folds.externalId,
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
    phone_fold: slot("phoneFold"),
    external_id_fold: slot("externalIdFold"),
  };
}
