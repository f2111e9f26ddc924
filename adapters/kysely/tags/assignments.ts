import type { Functions } from "../../../src/storage/methods.js";
import {
  StorageConflict,
  type StorageReader,
  type StorageTransaction,
} from "../../../src/storage/storage-adapter.js";
import type { StoredAssignment } from "../../../src/storage/tags.js";
import type { Changing } from "../change/pending.js";
import { ALL_USERS } from "../segments/segment-chunks.js";
import { changed, first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { tagColumns } from "./tags.js";

/** No tag has it, so the database refuses an assignment of it and all that the transaction did. */
const UNKNOWN_TAG = ALL_USERS;

type AssignmentReads = Pick<StorageReader, "tagsOfUser" | "slugsOfUsers" | "usersOfTag">;
type AssignmentWrites = Pick<
  StorageTransaction,
  "assignTag" | "assignTags" | "unassignTag" | "unassignUsers"
>;

/** @param users reads the rows of users. */
export function assignmentReads(
  dialect: SqlDialect,
  users: Functions<Pick<StorageReader, "usersByOrdinal">, Reading>,
): Functions<AssignmentReads, Reading> {
  const { db, isOneOf, listParameter } = dialect;
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

  const slugsOf = prepare((slot: Slot<{ organizationId: string; userOrdinals: unknown }>) =>
    db
      .selectFrom("loyalty_user_tag_assignments as assigned")
      .innerJoin("loyalty_user_tags", (join) =>
        join
          .onRef("loyalty_user_tags.organization_id", "=", "assigned.organization_id")
          .onRef("loyalty_user_tags.ordinal", "=", "assigned.tag_ordinal"),
      )
      .select(["assigned.user_ordinal as userOrdinal", "loyalty_user_tags.slug"])
      .where("assigned.organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("assigned.user_ordinal"), slot("userOrdinals")))
      .orderBy("assigned.created_at")
      .orderBy("assigned.id"),
  );

  const tagOrdinal = ordinalOfTag(dialect);

  const holdersOf = prepare(
    (slot: Slot<{ organizationId: string; tagOrdinal: number; after: number; limit: number }>) =>
      db
        .selectFrom("loyalty_user_tag_assignments")
        .select("user_ordinal as ordinal")
        .where("organization_id", "=", slot("organizationId"))
        .where("tag_ordinal", "=", slot("tagOrdinal"))
        .where("user_ordinal", ">", slot("after"))
        .orderBy("user_ordinal")
        .limit(slot("limit")),
  );

  return {
    tagsOfUser: ({ session }, organizationId, userOrdinal) =>
      session.all(tagsOf({ organizationId, userOrdinal })),
    *slugsOfUsers({ session }, organizationId, userOrdinals) {
      const slugs = new Map<number, string[]>();
      const rows = yield* session.all(slugsOf({ organizationId, userOrdinals: listParameter(userOrdinals) }));
      for (const { userOrdinal, slug } of rows) {
        const others = slugs.get(userOrdinal);
        if (others === undefined) slugs.set(userOrdinal, [slug]);
        else others.push(slug);
      }
      return slugs;
    },
    // Step by step: a planner that finds a tag rare or users few might join them in an order that goes through all users.
    *usersOfTag(on, organizationId, tagId, after, limit) {
      const { session } = on;
      const tag = yield* first(session, tagOrdinal({ organizationId, tagId }));
      if (tag === null) return [];
      const holders = yield* session.all(
        holdersOf({ organizationId, tagOrdinal: tag.ordinal, after, limit }),
      );
      return yield* users.usersByOrdinal(
        on,
        organizationId,
        holders.map(({ ordinal }) => ordinal),
      );
    },
  };
}

/** Gives users tags and takes them, in the tag's set too. */
export function assignmentWrites(dialect: SqlDialect): Functions<AssignmentWrites, Changing> {
  const { db, isOneOf, listParameter, rowInserts } = dialect;
  const ordinalOf = ordinalOfTag(dialect);

  const inserts = rowInserts(
    "loyalty_user_tag_assignments",
    {
      organization_id: "text",
      user_ordinal: "integer",
      tag_ordinal: "integer",
      id: "text",
      created_at: "integer",
    },
    ["user_ordinal", "tag_ordinal"],
  );

  const removeSome = prepare(
    (slot: Slot<{ organizationId: string; tagOrdinal: number; userOrdinals: unknown }>) =>
      db
        .deleteFrom("loyalty_user_tag_assignments")
        .where("organization_id", "=", slot("organizationId"))
        .where("tag_ordinal", "=", slot("tagOrdinal"))
        .where(({ ref }) => isOneOf(ref("user_ordinal"), slot("userOrdinals")))
        .returning("user_ordinal as ordinal"),
  );

  const remove = prepare((slot: Slot<{ organizationId: string; userOrdinal: number; tagOrdinal: number }>) =>
    db
      .deleteFrom("loyalty_user_tag_assignments")
      .where("organization_id", "=", slot("organizationId"))
      .where("user_ordinal", "=", slot("userOrdinal"))
      .where("tag_ordinal", "=", slot("tagOrdinal")),
  );

  return {
    *assignTag({ session, pending }, organizationId, { id, userOrdinal, tagId, createdAt }) {
      const tag = yield* first(session, ordinalOf({ organizationId, tagId }));
      if (tag === null) throw new Error(`there is no tag ${tagId} to assign`);
      const tagOrdinal = tag.ordinal;
      const row = rowOf(organizationId, { id, userOrdinal, createdAt }, tagOrdinal);
      const [isAdded] = yield* inserts.addMissing(session, [row]);
      if (!isAdded) throw new StorageConflict("assignment");
      yield* pending.include(organizationId, tagOrdinal, userOrdinal);
    },

    *assignTags({ session, pending }, organizationId, assignments) {
      const tagOrdinals = new Map<string, number>();
      for (const { tagId } of assignments) {
        if (tagOrdinals.has(tagId)) continue;
        const tag = yield* first(session, ordinalOf({ organizationId, tagId }));
        tagOrdinals.set(tagId, tag?.ordinal ?? UNKNOWN_TAG);
      }
      const rows = assignments.map((assignment) =>
        rowOf(organizationId, assignment, tagOrdinals.get(assignment.tagId) ?? UNKNOWN_TAG),
      );
      const added = yield* inserts.addMissing(session, rows);
      for (const [at, { tag_ordinal, user_ordinal }] of rows.entries()) {
        if (added[at]) yield* pending.include(organizationId, tag_ordinal, user_ordinal);
      }
      return assignments.filter((_, at) => added[at]);
    },

    *unassignTag({ session, pending }, organizationId, userOrdinal, tagId) {
      const tag = yield* first(session, ordinalOf({ organizationId, tagId }));
      if (tag === null) return false;
      const tagOrdinal = tag.ordinal;
      if (!(yield* changed(session, remove({ organizationId, userOrdinal, tagOrdinal })))) return false;
      yield* pending.exclude(organizationId, tagOrdinal, userOrdinal);
      return true;
    },

    *unassignUsers({ session, pending }, organizationId, tagId, userOrdinals) {
      const tag = yield* first(session, ordinalOf({ organizationId, tagId }));
      if (tag === null) return [];
      const values = { organizationId, tagOrdinal: tag.ordinal, userOrdinals: listParameter(userOrdinals) };
      const removed = (yield* session.all(removeSome(values))).map(({ ordinal }) => ordinal);
      for (const ordinal of removed) yield* pending.exclude(organizationId, tag.ordinal, ordinal);
      return removed.sort((a, b) => a - b);
    },
  };
}

function rowOf(
  organizationId: string,
  { id, userOrdinal, createdAt }: Omit<StoredAssignment, "tagId">,
  tagOrdinal: number,
) {
  return {
    organization_id: organizationId,
    user_ordinal: userOrdinal,
    tag_ordinal: tagOrdinal,
    id,
    created_at: createdAt,
  };
}

/** Finds a tag's number in assignments and sets. */
function ordinalOfTag({ db }: SqlDialect) {
  return prepare((slot: Slot<{ organizationId: string; tagId: string }>) =>
    db
      .selectFrom("loyalty_user_tags")
      .select("ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("tagId")),
  );
}
