import { sql } from "kysely";
import { Bitmap, type Chunk, emptyChunk, unite } from "../../../../src/storage/bitmap.js";
import { StorageConflict } from "../../../../src/storage/storage-adapter.js";
import type { TagReads, TagWrites } from "../../../../src/storage/tags.js";
import type { PortModule } from "../change/commit-buffer.js";
import { storedChunk } from "../segments/chunk-encoding.js";
import { withRules } from "../session/call-rules.js";
import { changesRow, findFirst } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<
  TagReads,
  | "findTag"
  | "tagOfOrdinal"
  | "listTags"
  | "tagRemovals"
  | "holdersOfRemovedTags"
  | "organizationsWithTagRemovals"
>;
type Writes = Pick<TagWrites, "insertTag" | "updateTag" | "removeTag" | "endTagRemoval">;

/**
 * Creates the storage module for tags. While a tag is being removed, its assignments and its set remain until the removal is
 * complete.
 */
export function tagModule(dialect: SqlDialect): PortModule<Reads, Writes> {
  const { db } = dialect;
  const rows = createRowStatements(dialect, tables.userTags);
  const removals = createRowStatements(dialect, tables.tagRemovals);
  const insert = rows.insertUnless("slug");

  const bySlug = prepare((slot: Slot<{ organizationId: string; slug: string }>) =>
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
  const byOrdinal = prepare((slot: Slot<Ordinal>) =>
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

  const chunksOf = prepare((slot: Slot<Ordinal>) =>
    db
      .selectFrom("loyalty_segment_chunks")
      .select(["chunk", "bits"])
      .where("organization_id", "=", slot("organizationId"))
      .where("set_id", "=", slot("ordinal")),
  );

  const chunksOfRemoved = prepare((slot: Slot<{ organizationId: string }>) =>
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

  const withRemovals = prepare((slot: Slot<{ limit: number }>) =>
    db
      .selectFrom("loyalty_tag_removals")
      .select("organization_id as organizationId")
      .distinct()
      .orderBy("organization_id")
      .limit(slot("limit")),
  );

  return {
    reads: {
      findTag: ({ session }, organizationId, slug) => findFirst(session, bySlug({ organizationId, slug })),
      tagOfOrdinal: ({ session }, organizationId, ordinal) =>
        findFirst(session, byOrdinal({ organizationId, ordinal })),
      listTags: ({ session }, organizationId) => rows.list(session, organizationId),
      tagRemovals: ({ session }, organizationId) => removals.list(session, organizationId),
      holdersOfRemovedTags: withRules({ readsBuffered: true }, function* ({ session }, organizationId) {
        const united: Chunk[] = [];
        for (const { chunk, bits } of yield* session.all(chunksOfRemoved({ organizationId }))) {
          const before = united[chunk] ?? emptyChunk();
          united[chunk] = before;
          unite(before, before, storedChunk(bits));
        }
        return new Bitmap(united);
      }),
      organizationsWithTagRemovals: withRules({ locks: "none" }, function* ({ session }, limit) {
        const found = yield* session.all(withRemovals({ limit }));
        return found.map(({ organizationId }) => organizationId);
      }),
    },
    writes: {
      *insertTag({ session, buffer }, organizationId, added) {
        const { nextTagOrdinal: ordinal } = yield* buffer.getCounters(organizationId);
        const tag = { ...added, ordinal };
        if (!(yield* changesRow(session, insert(organizationId, tag)))) throw new StorageConflict("slug");
        yield* buffer.updateCounters(organizationId, { nextTagOrdinal: ordinal + 1 });
        return tag;
      },
      updateTag: ({ session }, organizationId, tag) => changesRow(session, rows.update(organizationId, tag)),
      *removeTag({ session, buffer }, organizationId, removal) {
        const { ordinal, targetOrdinal } = removal;
        yield* buffer.write();
        yield* session.change(retarget({ organizationId, ordinal, targetOrdinal }));
        if (!(yield* changesRow(session, remove({ organizationId, ordinal })))) return false;
        yield* session.change(removals.insert(organizationId, removal));
        if (targetOrdinal === null) return true;
        for (const { chunk, bits } of yield* session.all(chunksOf({ organizationId, ordinal })))
          yield* buffer.unite(organizationId, targetOrdinal, chunk, storedChunk(bits));
        return true;
      },
      *endTagRemoval({ session, buffer }, organizationId, ordinal) {
        if (!(yield* changesRow(session, removals.remove(organizationId, { ordinal })))) return false;
        yield* buffer.dropSet(organizationId, ordinal);
        return true;
      },
    },
  };
}
