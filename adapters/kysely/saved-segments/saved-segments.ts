import type { SavedSegmentReads, SavedSegmentWrites } from "../../../src/storage/saved-segments.js";
import { StorageConflict } from "../../../src/storage/storage-adapter.js";
import type { Part } from "../change/pending.js";
import { changed, first } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import type { SegmentMembers } from "./segment-members.js";

type Reads = Pick<SavedSegmentReads, "findSegment" | "listSegments">;
type Writes = Pick<SavedSegmentWrites, "insertSegment" | "updateSegment" | "deleteSegment">;

/** Keeps saved segments. */
export function savedSegments(
  dialect: SqlDialect,
  members: Pick<SegmentMembers, "clear">,
): Part<Reads, Writes> {
  const rows = rowsOf(dialect, tables.savedSegments);
  const insert = rows.insertUnless("slug");

  const bySlug = prepare((slot: Slot<{ organizationId: string; slug: string }>) =>
    dialect.db
      .selectFrom("loyalty_saved_segments")
      .select(rows.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where("slug", "=", slot("slug")),
  );

  return {
    reads: {
      *findSegment({ session }, organizationId, slug) {
        const found = yield* first(session, bySlug({ organizationId, slug }));
        return found === null ? null : rows.rowOf(found);
      },
      listSegments: ({ session }, organizationId) => rows.list(session, organizationId),
    },
    writes: {
      *insertSegment({ session, pending }, organizationId, segment) {
        yield* pending.count(organizationId, {});
        if (!(yield* changed(session, insert(organizationId, segment)))) throw new StorageConflict("slug");
      },
      *updateSegment({ session }, organizationId, segment) {
        if (!(yield* changed(session, rows.update(organizationId, segment)))) return false;
        if (!segment.emitsEvents) yield* members.clear(session, organizationId, segment.id);
        return true;
      },
      *deleteSegment({ session }, organizationId, id) {
        // Its days go with it, by their reference to it.
        yield* members.clear(session, organizationId, id);
        return yield* changed(session, rows.remove(organizationId, { id }));
      },
    },
  };
}
