import type { StorageReader, StorageTransaction } from "../../src/storage.js";
import type { SqlDialect } from "./dialect.js";
import { prepare, type Slot } from "./prepared.js";
import type { SegmentSets } from "./segment-sets.js";
import { changed, first, type ReadSession, type Session } from "./session.js";
import { tagColumns } from "./tags.js";
import { userColumns } from "./users.js";

type AssignmentReads = Pick<StorageReader, "tagsOfUser" | "usersOfTag">;
type AssignmentWrites = Pick<StorageTransaction, "assignTag" | "unassignTag">;

export function assignmentReads({ db }: SqlDialect): (session: ReadSession) => AssignmentReads {
  const tagsOf = prepare((slot: Slot<{ organizationId: string; userOrdinal: number }>) =>
    db
      .selectFrom("loyalty_user_tag_assignments as assigned")
      .innerJoin("loyalty_user_tags", (join) =>
        join
          .onRef("loyalty_user_tags.organization_id", "=", "assigned.organization_id")
          .onRef("loyalty_user_tags.ordinal", "=", "assigned.tag_ordinal"),
      )
      .select(tagColumns)
      .where("assigned.organization_id", "=", slot("organizationId"))
      .where("assigned.user_ordinal", "=", slot("userOrdinal"))
      .orderBy("assigned.created_at")
      .orderBy("assigned.id"),
  );

  const usersOf = prepare(
    (slot: Slot<{ organizationId: string; tagId: string; after: number; limit: number }>) =>
      db
        .selectFrom("loyalty_user_tags")
        .innerJoin("loyalty_user_tag_assignments as assigned", (join) =>
          join
            .onRef("assigned.organization_id", "=", "loyalty_user_tags.organization_id")
            .onRef("assigned.tag_ordinal", "=", "loyalty_user_tags.ordinal"),
        )
        .innerJoin("loyalty_users", (join) =>
          join
            .onRef("loyalty_users.organization_id", "=", "assigned.organization_id")
            .onRef("loyalty_users.ordinal", "=", "assigned.user_ordinal"),
        )
        .select(userColumns)
        .where("loyalty_user_tags.organization_id", "=", slot("organizationId"))
        .where("loyalty_user_tags.id", "=", slot("tagId"))
        .where("assigned.user_ordinal", ">", slot("after"))
        .orderBy("assigned.user_ordinal")
        .limit(slot("limit")),
  );

  return (session) => ({
    tagsOfUser: (organizationId, userOrdinal) => session.all(tagsOf({ organizationId, userOrdinal })),
    usersOfTag: (organizationId, tagId, after, limit) =>
      session.all(usersOf({ organizationId, tagId, after, limit })),
  });
}

/** Gives users tags and takes them, in the tag's set too. */
export function assignmentWrites(
  { db }: SqlDialect,
  sets: SegmentSets,
): (session: Session) => AssignmentWrites {
  const ordinalOf = prepare((slot: Slot<{ organizationId: string; tagId: string }>) =>
    db
      .selectFrom("loyalty_user_tags")
      .select("ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("tagId")),
  );

  const insert = prepare(
    (
      slot: Slot<{
        organizationId: string;
        userOrdinal: number;
        tagOrdinal: number;
        id: string;
        createdAt: number;
      }>,
    ) =>
      db.insertInto("loyalty_user_tag_assignments").values({
        organization_id: slot("organizationId"),
        user_ordinal: slot("userOrdinal"),
        tag_ordinal: slot("tagOrdinal"),
        id: slot("id"),
        created_at: slot("createdAt"),
      }),
  );

  const remove = prepare((slot: Slot<{ organizationId: string; userOrdinal: number; tagOrdinal: number }>) =>
    db
      .deleteFrom("loyalty_user_tag_assignments")
      .where("organization_id", "=", slot("organizationId"))
      .where("user_ordinal", "=", slot("userOrdinal"))
      .where("tag_ordinal", "=", slot("tagOrdinal")),
  );

  return (session) => ({
    async assignTag(organizationId, { id, userOrdinal, tagId, createdAt }) {
      const tag = await first(session, ordinalOf({ organizationId, tagId }));
      if (tag === null) throw new Error(`there is no tag ${tagId} to assign`);
      const tagOrdinal = tag.ordinal;
      await session.change(insert({ organizationId, userOrdinal, tagOrdinal, id, createdAt }));
      await sets.add(session, organizationId, tagOrdinal, userOrdinal);
    },

    async unassignTag(organizationId, userOrdinal, tagId) {
      const tag = await first(session, ordinalOf({ organizationId, tagId }));
      if (tag === null) return false;
      const tagOrdinal = tag.ordinal;
      if (!(await changed(session, remove({ organizationId, userOrdinal, tagOrdinal })))) return false;
      await sets.remove(session, organizationId, tagOrdinal, userOrdinal);
      return true;
    },
  });
}
