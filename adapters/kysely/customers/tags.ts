import type { Functions } from "../../../src/storage/methods.js";
import {
  StorageConflict,
  type StorageReader,
  type StorageTransaction,
} from "../../../src/storage/storage-adapter.js";
import type { TagReads, TagWrites } from "../../../src/storage/tags.js";
import type { Changing, Part } from "../change/pending.js";
import { called } from "../session/call-rules.js";
import { changed, first, type Reading } from "../session/session.js";
import { columnsOf } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<TagReads, "findTag" | "listTags">;
type Writes = Pick<TagWrites, "insertTag" | "updateTag" | "deleteTag">;

/** The assignments that one statement removes: it blocks the process until it is done. */
const REMOVED_AT_ONCE = 2_000;

/** Adds, changes and removes tags; with a tag go its assignments and its set. */
export function tags(dialect: SqlDialect): Part<Reads, Writes> {
  const { db } = dialect;
  const rows = rowsOf(dialect, tables.userTags);
  const insert = rows.insertUnless("slug");

  const bySlug = prepare((slot: Slot<{ organizationId: string; slug: string }>) =>
    db
      .selectFrom("loyalty_user_tags")
      .select(rows.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where("slug", "=", slot("slug")),
  );

  const remove = prepare((slot: Slot<{ organizationId: string; ordinal: number }>) =>
    db
      .deleteFrom("loyalty_user_tags")
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", "=", slot("ordinal")),
  );

  const removeAssignments = prepare((slot: Slot<{ organizationId: string; ordinal: number }>) =>
    db
      .deleteFrom("loyalty_user_tag_assignments")
      .where("organization_id", "=", slot("organizationId"))
      .where("tag_ordinal", "=", slot("ordinal"))
      .where("user_ordinal", "in", (some) =>
        some
          .selectFrom("loyalty_user_tag_assignments")
          .select("user_ordinal")
          .where("organization_id", "=", slot("organizationId"))
          .where("tag_ordinal", "=", slot("ordinal"))
          .orderBy("user_ordinal")
          .limit(REMOVED_AT_ONCE),
      ),
  );

  return {
    reads: {
      findTag: ({ session }, organizationId, slug) => first(session, bySlug({ organizationId, slug })),
      listTags: ({ session }, organizationId) => rows.list(session, organizationId),
    },
    writes: {
      *insertTag({ session, pending }, organizationId, added) {
        const { nextTagOrdinal: ordinal } = yield* pending.countersOf(organizationId);
        const tag = { ...added, ordinal };
        if (!(yield* changed(session, insert(organizationId, tag)))) throw new StorageConflict("slug");
        yield* pending.count(organizationId, { nextTagOrdinal: ordinal + 1 });
        return tag;
      },
      updateTag: ({ session }, organizationId, tag) => changed(session, rows.update(organizationId, tag)),
      *deleteTag({ session, pending }, organizationId, ordinal) {
        while ((yield* session.change(removeAssignments({ organizationId, ordinal }))) > 0);
        yield* pending.dropSet(organizationId, ordinal);
        return yield* changed(session, remove({ organizationId, ordinal }));
      },
    },
  };
}

type AssignmentReads = Pick<
  StorageReader,
  "tagsOfUser" | "slugsOfUsers" | "assignmentsOfUsers" | "usersOfTag"
>;
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
  const assigned = db
    .selectFrom("loyalty_user_tag_assignments as assigned")
    .innerJoin("loyalty_user_tags", (join) =>
      join
        .onRef("loyalty_user_tags.organization_id", "=", "assigned.organization_id")
        .onRef("loyalty_user_tags.ordinal", "=", "assigned.tag_ordinal"),
    )
    .orderBy("assigned.created_at")
    .orderBy("assigned.id");

  const tagsOf = prepare((slot: Slot<{ organizationId: string; userOrdinal: number }>) =>
    assigned
      .select(columnsOf(tables.userTags, "loyalty_user_tags"))
      .where("assigned.organization_id", "=", slot("organizationId"))
      .where("assigned.user_ordinal", "=", slot("userOrdinal")),
  );

  const slugsOf = prepare((slot: Slot<{ organizationId: string; userOrdinals: unknown }>) =>
    assigned
      .select([
        "assigned.user_ordinal as userOrdinal",
        "loyalty_user_tags.slug",
        "assigned.created_at as createdAt",
      ])
      .where("assigned.organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("assigned.user_ordinal"), slot("userOrdinals"))),
  );

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
    assignmentsOfUsers: ({ session }, organizationId, userOrdinals) =>
      session.all(slugsOf({ organizationId, userOrdinals: listParameter(userOrdinals) })),
    // Step by step: a planner that finds a tag rare or users few might join them in an order that goes through all users.
    usersOfTag: called({ isOneState: true }, function* (on, organizationId, tagOrdinal, after, limit) {
      const holders = yield* on.session.all(holdersOf({ organizationId, tagOrdinal, after, limit }));
      return yield* users.usersByOrdinal(
        on,
        organizationId,
        holders.map(({ ordinal }) => ordinal),
      );
    }),
  };
}

/** Gives users tags and takes them, in the tag's set too. */
export function assignmentWrites(dialect: SqlDialect): Functions<AssignmentWrites, Changing> {
  const { db, isOneOf, listParameter } = dialect;
  const inserts = dialect.rowInserts(tables.userTagAssignments);

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
    *assignTag({ session, pending }, organizationId, assignment) {
      const [isAdded] = yield* inserts.addMissing(session, organizationId, [assignment]);
      if (!isAdded) throw new StorageConflict("assignment");
      yield* pending.include(organizationId, assignment.tagOrdinal, assignment.userOrdinal);
    },

    *assignTags({ session, pending }, organizationId, assignments) {
      const isAdded = yield* inserts.addMissing(session, organizationId, assignments);
      const added = assignments.filter((_, at) => isAdded[at]);
      for (const { tagOrdinal, userOrdinal } of added) {
        yield* pending.include(organizationId, tagOrdinal, userOrdinal);
      }
      return added;
    },

    *unassignTag({ session, pending }, organizationId, userOrdinal, tagOrdinal) {
      if (!(yield* changed(session, remove({ organizationId, userOrdinal, tagOrdinal })))) return false;
      yield* pending.exclude(organizationId, tagOrdinal, userOrdinal);
      return true;
    },

    *unassignUsers({ session, pending }, organizationId, tagOrdinal, ordinals) {
      const values = { organizationId, tagOrdinal, userOrdinals: listParameter(ordinals) };
      const removed = (yield* session.all(removeSome(values))).map(({ ordinal }) => ordinal);
      for (const ordinal of removed) yield* pending.exclude(organizationId, tagOrdinal, ordinal);
      return removed.sort((a, b) => a - b);
    },
  };
}
