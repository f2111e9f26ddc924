import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { Bitmap, type Chunk, emptyChunk, unite } from "../../../../src/storage/bitmap.js";
import type { Functions } from "../../../../src/storage/methods.js";
import {
  StorageConflict,
  type StorageReader,
  type StorageTransaction,
} from "../../../../src/storage/storage-adapter.js";
import type { AssignedSlug, TagLookUps, TagReads, TagWrites } from "../../../../src/storage/tags.js";
import type { LookUpModule, WriteContext } from "../change/commit-buffer.js";
import { decodeChunk } from "../segments/chunk-encoding.js";
import { prepareSetMembers } from "../segments/set-members.js";
import { withRules } from "../session/call-rules.js";
import { changeRow, findFirst, prepare, type ReadContext, type Slot } from "../session/session.js";
import { listColumns } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<TagReads, "findTag" | "tagOfOrdinal" | "listTags" | "tagRemovals" | "holdersOfRemovedTags">;
type Writes = Pick<TagWrites, "insertTag" | "updateTag" | "removeTag" | "endTagRemoval">;

/**
 * Creates the storage module for tags. While a tag is being removed, its assignments and its set remain until the removal is
 * complete.
 */
export function tagModule(dialect: SqlDialect): LookUpModule<Reads, Writes, TagLookUps> {
  const { db } = dialect;
  const rows = createRowStatements(dialect, tables.userTags);
  const removals = createRowStatements(dialect, tables.tagRemovals);
  const insert = rows.prepareInsertUnless("slug");

  const findBySlug = prepare((slot: Slot<{ organizationId: string; slug: string }>) =>
    db
      .selectFrom("loyalty_user_tags as tag")
      .select(rows.columns)
      .select(({ selectFrom }) =>
        selectFrom("loyalty_tag_removals as removal")
          .select(sql<number>`cast(count(*) as double precision)`.as("count"))
          .whereRef("removal.organization_id", "=", "tag.organization_id")
          .whereRef("removal.target_ordinal", "=", "tag.ordinal")
          .$asScalar()
          .as("merging"),
      )
      .where("tag.organization_id", "=", slot("organizationId"))
      .where("tag.slug", "=", slot("slug")),
  );

  type Ordinal = { organizationId: string; ordinal: number };
  const findByOrdinal = prepare((slot: Slot<Ordinal>) =>
    db
      .selectFrom("loyalty_user_tags")
      .select(rows.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", "=", slot("ordinal")),
  );
  const remove = prepare((slot: Slot<Ordinal>) =>
    db
      .deleteFrom("loyalty_user_tags")
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", "=", slot("ordinal")),
  );

  const retarget = prepare((slot: Slot<Ordinal & { targetOrdinal: number | null }>) =>
    db
      .updateTable("loyalty_tag_removals")
      .set({ target_ordinal: slot("targetOrdinal") })
      .where("organization_id", "=", slot("organizationId"))
      .where("target_ordinal", "=", slot("ordinal")),
  );

  const selectChunks = prepare((slot: Slot<Ordinal>) =>
    db
      .selectFrom("loyalty_segment_chunks")
      .select(["chunk", "bits"])
      .where("organization_id", "=", slot("organizationId"))
      .where("set_id", "=", slot("ordinal")),
  );

  const selectRemovedChunks = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_segment_chunks as chunks")
      .innerJoin("loyalty_tag_removals as removal", (join) =>
        join
          .onRef("removal.organization_id", "=", "chunks.organization_id")
          .onRef("removal.ordinal", "=", "chunks.set_id"),
      )
      .select(["chunks.chunk", "chunks.bits"])
      .where("chunks.organization_id", "=", slot("organizationId")),
  );

  const findOrganizationsWithRemovals = prepare((slot: Slot<{ limit: number }>) =>
    db
      .selectFrom("loyalty_tag_removals")
      .select("organization_id as organizationId")
      .distinct()
      .orderBy("organization_id")
      .limit(slot("limit")),
  );

  return {
    reads: {
      findTag: ({ session, organizationId }, slug) =>
        findFirst(session, findBySlug({ organizationId, slug })),
      tagOfOrdinal: ({ session, organizationId }, ordinal) =>
        findFirst(session, findByOrdinal({ organizationId, ordinal })),
      listTags: ({ session, organizationId }) => rows.list(session, organizationId),
      tagRemovals: ({ session, organizationId }) => removals.list(session, organizationId),
      holdersOfRemovedTags: withRules({ readsBuffered: true }, function* ({ session, organizationId }) {
        const united: Chunk[] = [];
        for (const { chunk, bits } of yield* session.all(selectRemovedChunks({ organizationId }))) {
          const existing = united[chunk] ?? emptyChunk();
          united[chunk] = existing;
          unite(existing, existing, decodeChunk(bits));
        }
        return new Bitmap(united);
      }),
    },
    lookUps: {
      *organizationsWithTagRemovals({ session }, limit) {
        const rows = yield* session.all(findOrganizationsWithRemovals({ limit }));
        return rows.map(({ organizationId }) => organizationId);
      },
    },
    writes: {
      *insertTag({ session, buffer, organizationId }, newTag) {
        const { nextTagOrdinal: ordinal } = yield* buffer.getCounters(organizationId);
        const tag = { ...newTag, ordinal };
        if (!(yield* changeRow(session, insert(organizationId, tag)))) throw new StorageConflict("slug");
        yield* buffer.updateCounters(organizationId, { nextTagOrdinal: ordinal + 1 });
        return tag;
      },
      updateTag: ({ session, organizationId }, tag) => changeRow(session, rows.update(organizationId, tag)),
      *removeTag({ session, buffer, organizationId }, removal) {
        const { ordinal, targetOrdinal } = removal;
        yield* buffer.write();
        yield* session.change(retarget({ organizationId, ordinal, targetOrdinal }));
        if (!(yield* changeRow(session, remove({ organizationId, ordinal })))) return false;
        yield* session.change(removals.insert(organizationId, removal));
        if (targetOrdinal === null) return true;
        for (const { chunk, bits } of yield* session.all(selectChunks({ organizationId, ordinal })))
          yield* buffer.addChunkToSet(organizationId, targetOrdinal, chunk, decodeChunk(bits));
        return true;
      },
      *endTagRemoval({ session, buffer, organizationId }, ordinal) {
        if (!(yield* changeRow(session, removals.remove(organizationId, { ordinal })))) return false;
        yield* buffer.dropSet(organizationId, ordinal);
        return true;
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

/**
 * Creates the read functions for tag assignments.
 * @param users the read functions that find users by ordinal.
 */
export function assignmentReads(
  dialect: SqlDialect,
  users: Functions<Pick<StorageReader, "usersByOrdinal">, ReadContext>,
): Functions<AssignmentReads, ReadContext> {
  const { db, isOneOf, listParameter } = dialect;
  // An assignment of a removed tag counts as an assignment of the merge target.
  const createdAt = sql<number>`coalesce(removal.created_at, assigned.created_at)`;
  const selectAssignments = db
    .selectFrom("loyalty_user_tag_assignments as assigned")
    .leftJoin("loyalty_tag_removals as removal", (join) =>
      join
        .onRef("removal.organization_id", "=", "assigned.organization_id")
        .onRef("removal.ordinal", "=", "assigned.tag_ordinal"),
    )
    .innerJoin("loyalty_user_tags", (join) =>
      join
        .onRef("loyalty_user_tags.organization_id", "=", "assigned.organization_id")
        .on(
          "loyalty_user_tags.ordinal",
          "=",
          sql<number>`coalesce(removal.target_ordinal, assigned.tag_ordinal)`,
        ),
    )
    .orderBy(createdAt)
    .orderBy("assigned.id");

  const selectUserTags = prepare((slot: Slot<{ organizationId: string; userOrdinal: number }>) =>
    selectAssignments
      .select(listColumns(tables.userTags, "loyalty_user_tags"))
      .where("assigned.organization_id", "=", slot("organizationId"))
      .where("assigned.user_ordinal", "=", slot("userOrdinal")),
  );

  const selectUserSlugs = prepare((slot: Slot<{ organizationId: string; userOrdinals: unknown }>) =>
    selectAssignments
      .select([
        "assigned.user_ordinal as userOrdinal",
        "loyalty_user_tags.slug",
        sql<number>`cast(${createdAt} as double precision)`.as("createdAt"),
      ])
      .where("assigned.organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("assigned.user_ordinal"), slot("userOrdinals"))),
  );

  const readMembers = prepareSetMembers(dialect);

  function* assignmentsOfUsers(
    { session, organizationId }: ReadContext,
    userOrdinals: readonly number[],
  ): Step<AssignedSlug[]> {
    const query = selectUserSlugs({ organizationId, userOrdinals: listParameter(userOrdinals) });
    return keepFirstPerKey(yield* session.all(query), ({ userOrdinal, slug }) => `${userOrdinal} ${slug}`);
  }

  return {
    *tagsOfUser({ session, organizationId }, userOrdinal) {
      const tags = yield* session.all(selectUserTags({ organizationId, userOrdinal }));
      return keepFirstPerKey(tags, ({ slug }) => slug);
    },
    *slugsOfUsers(context, userOrdinals) {
      const slugs = new Map<number, string[]>();
      for (const { userOrdinal, slug } of yield* assignmentsOfUsers(context, userOrdinals)) {
        const existing = slugs.get(userOrdinal);
        if (existing === undefined) slugs.set(userOrdinal, [slug]);
        else existing.push(slug);
      }
      return slugs;
    },
    assignmentsOfUsers,
    usersOfTag: withRules(
      { readsBuffered: true, needsSnapshot: true },
      function* (context, tagOrdinal, after, limit) {
        const holders = yield* readMembers(context, tagOrdinal, after, limit);
        return yield* users.usersByOrdinal(context, holders);
      },
    ),
  };
}

/** Keeps the first of several rows with the same key. A user may have both a tag and removed tags that are merged into it. */
function keepFirstPerKey<Row>(rows: readonly Row[], getKey: (row: Row) => string): Row[] {
  const seenKeys = new Set<string>();
  return rows.filter((row) => seenKeys.size < seenKeys.add(getKey(row)).size);
}

interface AssignmentKeys {
  organizationId: string;
  tagOrdinal: number;
  userOrdinals: unknown;
}

/** Creates the write functions that assign and unassign tags. They also update the tag's set. */
export function assignmentWrites(dialect: SqlDialect): Functions<AssignmentWrites, WriteContext> {
  const { db, isOneOf, listParameter } = dialect;
  const inserts = dialect.createRowInserts(tables.userTagAssignments);

  // No index lists a tag's assignments, but the tag's set contains its users.
  const removeAssignments = prepare((slot: Slot<AssignmentKeys>) =>
    db
      .deleteFrom("loyalty_user_tag_assignments")
      .where("organization_id", "=", slot("organizationId"))
      .where("tag_ordinal", "=", slot("tagOrdinal"))
      .where(({ ref }) => isOneOf(ref("user_ordinal"), slot("userOrdinals")))
      .returning("user_ordinal as ordinal"),
  );

  const removeAssignment = prepare(
    (slot: Slot<{ organizationId: string; userOrdinal: number; tagOrdinal: number }>) =>
      db
        .deleteFrom("loyalty_user_tag_assignments")
        .where("organization_id", "=", slot("organizationId"))
        .where("user_ordinal", "=", slot("userOrdinal"))
        .where("tag_ordinal", "=", slot("tagOrdinal")),
  );

  return {
    *assignTag({ session, buffer, organizationId }, assignment) {
      yield* buffer.assertSet(organizationId, assignment.tagOrdinal, assignment.userOrdinal);
      const [isAdded] = yield* inserts.addIfMissing(session, organizationId, [assignment]);
      if (!isAdded) throw new StorageConflict("assignment");
      yield* buffer.addToSet(organizationId, assignment.tagOrdinal, assignment.userOrdinal);
    },

    *assignTags({ session, buffer, organizationId }, assignments) {
      for (const { tagOrdinal, userOrdinal } of assignments) {
        yield* buffer.assertSet(organizationId, tagOrdinal, userOrdinal);
      }
      const isAdded = yield* inserts.addIfMissing(session, organizationId, assignments);
      const addedAssignments = assignments.filter((_, index) => isAdded[index]);
      for (const { tagOrdinal, userOrdinal } of addedAssignments) {
        yield* buffer.addToSet(organizationId, tagOrdinal, userOrdinal);
      }
      return addedAssignments;
    },

    *unassignTag({ session, buffer, organizationId }, userOrdinal, tagOrdinal) {
      if (!(yield* changeRow(session, removeAssignment({ organizationId, userOrdinal, tagOrdinal }))))
        return false;
      yield* buffer.removeFromSet(organizationId, tagOrdinal, userOrdinal);
      return true;
    },

    *unassignUsers({ session, buffer, organizationId }, tagOrdinal, ordinals) {
      const values = { organizationId, tagOrdinal, userOrdinals: listParameter(ordinals) };
      const removedOrdinals = (yield* session.all(removeAssignments(values))).map(({ ordinal }) => ordinal);
      // A removed tag's set may include users who only have a tag that was being merged into it.
      for (const ordinal of ordinals) yield* buffer.removeFromSet(organizationId, tagOrdinal, ordinal);
      return removedOrdinals.sort((a, b) => a - b);
    },
  };
}
