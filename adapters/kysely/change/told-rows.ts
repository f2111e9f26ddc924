import { sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { StoredSegmentDay } from "../../../src/storage/saved-segments.js";
import type { Session } from "../session/session.js";
import { slotsOf } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import { KeptSlice } from "./kept-slice.js";
import { emptySlice, storedSlice } from "./member-slices.js";
import type { MovesOfDay } from "./moves-of-days.js";

export type ToldRows = ReturnType<typeof toldRows>;

/** Reads and writes the rows of who was told to be a member, and of how many entered and left on a day. */
export function toldRows(dialect: SqlDialect) {
  const { db } = dialect;
  const slices = rowsOf(dialect, tables.segmentSlices);
  const segments = rowsOf(dialect, tables.savedSegments);

  const addToDay = prepare((slot: Slot<StoredSegmentDay & { organizationId: string }>) =>
    db
      .insertInto("loyalty_segment_days")
      .values({
        organization_id: slot("organizationId"),
        ...slotsOf(tables.segmentDays.record.columns, slot),
      })
      .onConflict((conflict) =>
        conflict.columns(["organization_id", "segment_id", "day"]).doUpdateSet(addedToDay),
      ),
  );

  return {
    /** A slice of the members; one that has no row says nothing. */
    *slice(session: Session, organizationId: string, segmentId: string, slice: number): Step<KeptSlice> {
      const found = yield* slices.find(session, organizationId, { segmentId, slice });
      if (found === null) return new KeptSlice(emptySlice(), null);
      const { ordinals, day, entered, left } = found;
      const counted = day === null ? null : { day, entered: entered ?? 0, left: left ?? 0 };
      return new KeptSlice(storedSlice(ordinals), counted);
    },

    *putSlice(
      session: Session,
      organizationId: string,
      segmentId: string,
      slice: number,
      kept: KeptSlice,
    ): Step<void> {
      const { ordinals, counted } = kept;
      const statement = kept.saysNothing
        ? slices.remove(organizationId, { segmentId, slice })
        : slices.put(organizationId, {
            segmentId,
            slice,
            ordinals,
            day: counted?.day ?? null,
            entered: counted?.entered ?? null,
            left: counted?.left ?? null,
          });
      yield* session.change(statement);
    },

    /** @throws an error when there is no such segment. */
    *assertSegment(session: Session, organizationId: string, id: string): Step<void> {
      if ((yield* segments.find(session, organizationId, { id })) === null)
        throw new Error(`there is no segment ${id}`);
    },

    *addToDay(session: Session, organizationId: string, segmentId: string, moves: MovesOfDay): Step<void> {
      yield* session.change(addToDay({ organizationId, segmentId, ...moves, members: null }));
    },

    /** Notes how many members there were at the end of a day, unless that is known. */
    *noteMembers(
      session: Session,
      organizationId: string,
      segmentId: string,
      day: number,
      members: number,
    ): Step<void> {
      yield* session.change(addToDay({ organizationId, segmentId, day, members, entered: 0, left: 0 }));
    },
  };
}

/** What an insert sets of a day that has a row: it adds to the numbers, and says how many members there were unless that is known. */
export const addedToDay = {
  members: sql<number | null>`coalesce(loyalty_segment_days.members, excluded.members)`,
  entered: sql<number>`loyalty_segment_days.entered + excluded.entered`,
  left: sql<number>`loyalty_segment_days."left" + excluded."left"`,
};
