import type { SavedSegmentReads, SavedSegmentWrites } from "../../../../src/storage/saved-segments.js";
import { StorageConflict } from "../../../../src/storage/storage-adapter.js";
import type { PortModule } from "../change/commit-buffer.js";
import { changeRow, findFirst, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import type { SegmentMembers } from "./segment-members.js";

type Reads = Pick<SavedSegmentReads, "findSegment" | "listSegments">;
type Writes = Pick<SavedSegmentWrites, "insertSegment" | "updateSegment" | "deleteSegment">;

/** Creates the storage module for saved segments. When a segment stops emitting events, its stored members are removed. */
export function savedSegmentModule(
  dialect: SqlDialect,
  members: Pick<SegmentMembers, "clear">,
): PortModule<Reads, Writes> {
  const rows = createRowStatements(dialect, tables.savedSegments);
  const insert = rows.prepareInsertUnless("slug");

  const findBySlug = prepare((slot: Slot<{ organizationId: string; slug: string }>) =>
    dialect.db
      .selectFrom("loyalty_saved_segments")
      .select(rows.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where("slug", "=", slot("slug")),
  );

  return {
    reads: {
      *findSegment({ session, organizationId }, slug) {
        const row = yield* findFirst(session, findBySlug({ organizationId, slug }));
        return row === null ? null : rows.toRow(row);
      },
      listSegments: ({ session, organizationId }) => rows.list(session, organizationId),
    },
    writes: {
      *insertSegment({ session, buffer, organizationId }, segment) {
        yield* buffer.updateCounters(organizationId, {});
        if (!(yield* changeRow(session, insert(organizationId, segment)))) throw new StorageConflict("slug");
      },
      *updateSegment({ session, organizationId }, segment) {
        if (!(yield* changeRow(session, rows.update(organizationId, segment)))) return false;
        if (!segment.emitsEvents) yield* members.clear(session, organizationId, segment.id);
        return true;
      },
      *deleteSegment({ session, organizationId }, id) {
        // The segment's days are deleted by their foreign key.
        yield* members.clear(session, organizationId, id);
        return yield* changeRow(session, rows.remove(organizationId, { id }));
      },
    },
  };
}
