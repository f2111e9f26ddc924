import { sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { StoredSegmentDay } from "../../../src/storage/saved-segments.js";
import type { Session } from "../session/session.js";
import { slotsOf } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import { isEmptySlice, type Slice, storedSlice } from "./member-slices.js";

export type ToldRows = ReturnType<typeof toldRows>;

/** Reads and writes the rows of who was told to be a member, and of how many entered and left on a day. */
export function toldRows(dialect: SqlDialect) {
  const { db } = dialect;
  const slices = rowsOf(dialect, tables.segmentSlices);
  const segments = rowsOf(dialect, tables.savedSegments);

  const sum = (column: "entered" | "left") =>
    sql<number>`${sql.ref(`loyalty_segment_days.${column}`)} + ${sql.ref(`excluded.${column}`)}`;
  const addToDay = prepare((slot: Slot<StoredSegmentDay & { organizationId: string }>) =>
    db
      .insertInto("loyalty_segment_days")
      .values({
        organization_id: slot("organizationId"),
        ...slotsOf(tables.segmentDays.record.columns, slot),
      })
      .onConflict((conflict) =>
        conflict.columns(["organization_id", "segment_id", "day"]).doUpdateSet({
          members: sql`coalesce(excluded.members, ${sql.ref("loyalty_segment_days.members")})`,
          entered: sum("entered"),
          left: sum("left"),
        }),
      ),
  );

  return {
    /** A slice of the members; `null` where it has no row. */
    *slice(session: Session, organizationId: string, segmentId: string, slice: number): Step<Slice | null> {
      const found = yield* slices.find(session, organizationId, { segmentId, slice });
      return found === null ? null : storedSlice(found.ordinals);
    },

    /** Writes a slice; one that is empty has no row. */
    *putSlice(
      session: Session,
      organizationId: string,
      segmentId: string,
      slice: number,
      ordinals: Slice,
    ): Step<void> {
      const place = { segmentId, slice };
      const statement = isEmptySlice(ordinals)
        ? slices.remove(organizationId, place)
        : slices.put(organizationId, { ...place, ordinals });
      yield* session.change(statement);
    },

    /** @throws an error when there is no such segment. */
    *assertSegment(session: Session, organizationId: string, id: string): Step<void> {
      if ((yield* segments.find(session, organizationId, { id })) === null)
        throw new Error(`there is no segment ${id}`);
    },

    *addToDay(session: Session, organizationId: string, day: StoredSegmentDay): Step<void> {
      yield* session.change(addToDay({ organizationId, ...day }));
    },
  };
}
