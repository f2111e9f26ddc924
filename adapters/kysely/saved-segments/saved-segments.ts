import { randomUUID } from "node:crypto";
import type { Step } from "../../../src/concurrency/step.js";
import type { SavedSegmentReads, SavedSegmentWrites } from "../../../src/storage/saved-segments.js";
import { StorageConflict } from "../../../src/storage/storage-adapter.js";
import type { Changing, Part } from "../change/pending.js";
import { changed, first } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import { EmittingCache } from "./emitting-cache.js";
import type { SegmentMembers } from "./segment-members.js";

type Reads = Pick<SavedSegmentReads, "findSegment" | "listSegments" | "findSegmentWatermark">;
type Writes = Pick<
  SavedSegmentWrites,
  "emittingSegments" | "insertSegment" | "updateSegment" | "deleteSegment" | "putSegmentWatermark"
>;

/**
 * Keeps saved segments. The row of the organization, which every change has read anyway, says whether one of them emits events, and
 * names the state that they are in.
 */
export function savedSegments(
  dialect: SqlDialect,
  members: Pick<SegmentMembers, "clear">,
): Part<Reads, Writes> {
  const { db } = dialect;
  const rows = rowsOf(dialect, tables.savedSegments);
  const insert = rows.insertUnless("slug");
  const marks = rowsOf(dialect, tables.segmentMarks);
  const cache = new EmittingCache();

  const bySlug = prepare((slot: Slot<{ organizationId: string; slug: string }>) =>
    db
      .selectFrom("loyalty_saved_segments")
      .select(rows.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where("slug", "=", slot("slug")),
  );

  const anyEmitting = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_saved_segments")
      .select("id")
      .where("organization_id", "=", slot("organizationId"))
      .where("emits_events", "=", 1)
      .limit(1),
  );

  /** Names the new state of the segments and their mark. */
  function* rename({ session, pending }: Changing, organizationId: string): Step<void> {
    const isEmitting = (yield* first(session, anyEmitting({ organizationId }))) !== null;
    yield* pending.count(organizationId, { emittingSegments: isEmitting ? randomUUID() : null });
  }

  return {
    reads: {
      *findSegment({ session }, organizationId, slug) {
        const found = yield* first(session, bySlug({ organizationId, slug }));
        return found === null ? null : rows.rowOf(found);
      },
      findSegmentWatermark: ({ session }, organizationId) => marks.find(session, organizationId, {}),
      listSegments: ({ session }, organizationId) => rows.list(session, organizationId),
    },
    writes: {
      *emittingSegments({ session, pending }, organizationId) {
        const { emittingSegments: state } = yield* pending.countersOf(organizationId);
        if (state === null) return null;
        const known = cache.get(state);
        if (known !== undefined) return known;
        const all = yield* rows.list(session, organizationId);
        return cache.put(state, all, yield* marks.find(session, organizationId, {}));
      },
      *insertSegment(changing, organizationId, segment) {
        if (!(yield* changed(changing.session, insert(organizationId, segment))))
          throw new StorageConflict("slug");
        yield* rename(changing, organizationId);
      },
      *updateSegment(changing, organizationId, segment) {
        const { session } = changing;
        if (!(yield* changed(session, rows.update(organizationId, segment)))) return false;
        if (!segment.emitsEvents) yield* members.clear(changing, organizationId, segment.id);
        yield* rename(changing, organizationId);
        return true;
      },
      *putSegmentWatermark(changing, organizationId, mark) {
        yield* changing.session.change(marks.put(organizationId, mark));
        yield* rename(changing, organizationId);
      },
      *deleteSegment(changing, organizationId, id) {
        // Its members and days go with it, also those that are still to be written: the days by their reference to it.
        yield* members.clear(changing, organizationId, id);
        if (!(yield* changed(changing.session, rows.remove(organizationId, { id })))) return false;
        yield* rename(changing, organizationId);
        return true;
      },
    },
  };
}
