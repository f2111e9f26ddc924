import type { Step } from "../../../src/concurrency/step.js";
import { Bitmap, type Chunk, chunkFromBytes } from "../../../src/storage/bitmap.js";
import type { SavedSegmentReads, SavedSegmentWrites } from "../../../src/storage/saved-segments.js";
import type { Changing, Part } from "../change/pending.js";
import type { ToldRows } from "../change/told-rows.js";
import { called } from "../session/call-rules.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";

type Reads = Pick<SavedSegmentReads, "segmentMembers">;
type Writes = Pick<SavedSegmentWrites, "putSegmentMembers" | "changeSegmentMembers">;

export interface SegmentMembers extends Part<Reads, Writes> {
  /** Removes all members of a segment. */
  clear(changing: Changing, organizationId: string, segmentId: string): Step<void>;
  /** Takes a user who is deleted out of every segment. */
  forget(changing: Changing, organizationId: string, ordinal: number): Step<void>;
}

interface OfSegment {
  organizationId: string;
  segmentId: string;
}

/** Keeps the members of segments as they were told, chunk by chunk. */
export function segmentMembers({ db }: SqlDialect, rows: ToldRows): SegmentMembers {
  const chunksOf = prepare((slot: Slot<OfSegment>) =>
    db
      .selectFrom("loyalty_segment_members")
      .select(["chunk", "ordinals"])
      .where("organization_id", "=", slot("organizationId"))
      .where("segment_id", "=", slot("segmentId")),
  );

  const removeChunks = prepare((slot: Slot<OfSegment>) =>
    db
      .deleteFrom("loyalty_segment_members")
      .where("organization_id", "=", slot("organizationId"))
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
    yield* pending.write();
    yield* session.change(removeChunks({ organizationId, segmentId }));
  }

  function* change(
    { session, pending }: Changing,
    organizationId: string,
    segmentId: string,
    ordinals: readonly number[],
    isMember: boolean,
  ): Step<number[]> {
    const changed = yield* pending.told.change(session, organizationId, segmentId, ordinals, isMember);
    if (pending.told.isFull) yield* pending.write();
    return changed;
  }

  return {
    reads: {
      segmentMembers: called({ readsPending: true }, function* ({ session }, organizationId, segmentId) {
        const chunks: (Chunk | undefined)[] = [];
        for (const { chunk, ordinals } of yield* session.all(chunksOf({ organizationId, segmentId })))
          chunks[chunk] = chunkFromBytes(ordinals);
        return new Bitmap(Array.from(chunks));
      }),
    },
    writes: {
      *putSegmentMembers(changing, organizationId, segmentId, members) {
        yield* clear(changing, organizationId, segmentId);
        for (let chunk = 0; chunk < members.length; chunk += 1) {
          const bits = members.chunk(chunk);
          if (bits !== undefined)
            yield* rows.putChunk(changing.session, organizationId, segmentId, chunk, bits);
        }
      },
      changeSegmentMembers: change,
    },
    clear,
    *forget(changing, organizationId, ordinal) {
      for (const { id } of yield* changing.session.all(emitting({ organizationId })))
        yield* change(changing, organizationId, id, [ordinal], false);
    },
  };
}
