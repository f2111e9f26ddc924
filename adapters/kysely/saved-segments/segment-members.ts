import type { Step } from "../../../src/concurrency/step.js";
import type { SavedSegmentReads, SavedSegmentWrites } from "../../../src/storage/saved-segments.js";
import { KeptSlice } from "../change/kept-slice.js";
import { setOf, slicesOf } from "../change/member-slices.js";
import type { Changing, Part } from "../change/pending.js";
import type { ToldRows } from "../change/told-rows.js";
import { called } from "../session/call-rules.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { type OfSegment, placesOfSlices } from "./places-of-slices.js";
import type { SegmentDays } from "./segment-days.js";

type Reads = Pick<SavedSegmentReads, "segmentMembers">;
type Writes = Pick<SavedSegmentWrites, "putSegmentMembers" | "changeSegmentMembers">;

export interface SegmentMembers extends Part<Reads, Writes> {
  /** Removes all members of a segment. */
  clear(changing: Changing, organizationId: string, segmentId: string): Step<void>;
  /** Takes a user who is deleted out of every segment. */
  forget(changing: Changing, organizationId: string, ordinal: number): Step<void>;
}

/** Keeps the members of segments as they were told, slice by slice. */
export function segmentMembers({ db }: SqlDialect, rows: ToldRows, days: SegmentDays): SegmentMembers {
  const rowsOfSegment = prepare((slot: Slot<OfSegment>) =>
    db
      .selectFrom("loyalty_segment_slices")
      .select(["slice", "ordinals"])
      .where("organization_id", "=", slot("organizationId"))
      .where("slice", "in", placesOfSlices(slot))
      .where("segment_id", "=", slot("segmentId")),
  );

  const removeRows = prepare((slot: Slot<OfSegment>) =>
    db
      .deleteFrom("loyalty_segment_slices")
      .where("organization_id", "=", slot("organizationId"))
      .where("slice", "in", placesOfSlices(slot))
      .where("segment_id", "=", slot("segmentId")),
  );

  const emitting = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_saved_segments")
      .select("id")
      .where("organization_id", "=", slot("organizationId"))
      .where("emits_events", "=", 1),
  );

  function* clear({ session, pending }: Changing, organizationId: string, segmentId: string): Step<void> {
    yield* pending.writeAndForgetMembers();
    yield* days.takeFromSlices(session, organizationId, segmentId);
    yield* session.change(removeRows({ organizationId, segmentId }));
  }

  function* change(
    { session, pending }: Changing,
    organizationId: string,
    segmentId: string,
    ordinals: readonly number[],
    isMember: boolean,
    day: number | null,
  ): Step<number[]> {
    const changed = yield* pending.told.change(session, organizationId, segmentId, ordinals, isMember, day);
    if (pending.told.isFull) yield* pending.writeAndForgetMembers();
    return changed;
  }

  return {
    reads: {
      segmentMembers: called({ readsPending: true }, function* ({ session }, organizationId, segmentId) {
        return setOf(yield* session.all(rowsOfSegment({ organizationId, segmentId })));
      }),
    },
    writes: {
      *putSegmentMembers(changing, organizationId, segmentId, members) {
        yield* rows.assertSegment(changing.session, organizationId, segmentId);
        yield* clear(changing, organizationId, segmentId);
        for (const { slice, ordinals } of slicesOf(members))
          yield* rows.putSlice(
            changing.session,
            organizationId,
            segmentId,
            slice,
            new KeptSlice(ordinals, null),
          );
      },
      changeSegmentMembers: change,
    },
    clear,
    *forget(changing, organizationId, ordinal) {
      for (const { id } of yield* changing.session.all(emitting({ organizationId })))
        yield* change(changing, organizationId, id, [ordinal], false, null);
    },
  };
}
