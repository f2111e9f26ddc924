import { sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { SavedSegmentReads, SavedSegmentWrites } from "../../../src/storage/saved-segments.js";
import type { Part } from "../change/pending.js";
import { addedToDay, type ToldRows } from "../change/told-rows.js";
import { called } from "../session/call-rules.js";
import type { Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { type OfSegment, placesOfSlices } from "./places-of-slices.js";

type Reads = Pick<SavedSegmentReads, "segmentDays">;
type Writes = Pick<SavedSegmentWrites, "recordMemberCount">;

export interface SegmentDays extends Part<Reads, Writes> {
  /** Has the rows of days count what the slices of a segment count, which are about to go. */
  takeFromSlices(session: Session, organizationId: string, segmentId: string): Step<void>;
}

/** Reads how the members of segments changed day by day: what the rows of days count, and what the slices of members do. */
export function segmentDays({ db }: SqlDialect, rows: ToldRows): SegmentDays {
  const sumOf = (column: "entered" | "left") =>
    sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as double precision)`;

  const days = prepare((slot: Slot<OfSegment & { from: number; to: number }>) =>
    db
      .selectFrom(
        db
          .selectFrom("loyalty_segment_days")
          .select(["day", "members", "entered", "left"])
          .where("organization_id", "=", slot("organizationId"))
          .where("segment_id", "=", slot("segmentId"))
          .where("day", ">=", slot("from"))
          .where("day", "<=", slot("to"))
          .unionAll(
            db
              .selectFrom("loyalty_segment_slices")
              .select([
                sql<number>`day`.as("day"),
                sql<number | null>`null`.as("members"),
                sql<number>`entered`.as("entered"),
                sql<number>`${sql.ref("left")}`.as("left"),
              ])
              .where("organization_id", "=", slot("organizationId"))
              .where("slice", "in", placesOfSlices(slot))
              .where("segment_id", "=", slot("segmentId"))
              .where("day", ">=", slot("from"))
              .where("day", "<=", slot("to")),
          )
          .as("counted"),
      )
      .select(({ fn }) => [
        "day",
        fn.max("members").as("members"),
        sumOf("entered").as("entered"),
        sumOf("left").as("left"),
      ])
      .groupBy("day")
      .orderBy("day"),
  );

  const taken = prepare((slot: Slot<OfSegment>) =>
    db
      .insertInto("loyalty_segment_days")
      .columns(["organization_id", "segment_id", "day", "entered", "left"])
      .expression(
        db
          .selectFrom("loyalty_segment_slices")
          .select([
            "organization_id",
            "segment_id",
            sql<number>`day`.as("day"),
            sumOf("entered").as("entered"),
            sumOf("left").as("left"),
          ])
          .where("organization_id", "=", slot("organizationId"))
          .where("slice", "in", placesOfSlices(slot))
          .where("segment_id", "=", slot("segmentId"))
          .where("day", "is not", null)
          .groupBy(["organization_id", "segment_id", "day"]),
      )
      .onConflict((conflict) =>
        conflict.columns(["organization_id", "segment_id", "day"]).doUpdateSet(addedToDay),
      ),
  );

  return {
    reads: {
      segmentDays: called(
        { readsPending: true },
        function* ({ session }, organizationId, segmentId, from, to) {
          const counted = yield* session.all(days({ organizationId, segmentId, from, to }));
          return counted.map(({ day, members, entered, left }) => ({
            segmentId,
            day,
            members,
            entered,
            left,
          }));
        },
      ),
    },
    writes: {
      *recordMemberCount({ session }, organizationId, segmentId, day, members) {
        yield* rows.assertSegment(session, organizationId, segmentId);
        yield* rows.noteMembers(session, organizationId, segmentId, day, members);
      },
    },
    *takeFromSlices(session, organizationId, segmentId) {
      yield* session.change(taken({ organizationId, segmentId }));
    },
  };
}
