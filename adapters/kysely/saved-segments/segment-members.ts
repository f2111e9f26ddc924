import type { Step } from "../../../src/concurrency/step.js";
import {
  Bitmap,
  type Chunk,
  chunkFromBytes,
  chunkOf,
  chunkToBytes,
  clearBit,
  emptyChunk,
  hasBit,
  setBit,
} from "../../../src/storage/bitmap.js";
import type { Functions } from "../../../src/storage/methods.js";
import type { SavedSegmentReads, SavedSegmentWrites } from "../../../src/storage/saved-segments.js";
import type { Changing } from "../change/pending.js";
import type { Reading, Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Writes = Pick<SavedSegmentWrites, "putSegmentMembers" | "changeSegmentMembers">;

export interface SegmentMembers {
  readonly reads: Functions<Pick<SavedSegmentReads, "segmentMembers">, Reading>;
  readonly writes: Functions<Writes, Changing>;
  /** Removes all members of a segment. */
  clear(session: Session, organizationId: string, segmentId: string): Step<void>;
  /** Takes a user who is deleted out of every segment. */
  forget(session: Session, organizationId: string, ordinal: number): Step<void>;
}

interface OfSegment {
  organizationId: string;
  segmentId: string;
}

/** Keeps the members of segments as they were told, chunk by chunk. */
export function segmentMembers(dialect: SqlDialect): SegmentMembers {
  const { db } = dialect;
  const rows = rowsOf(dialect, tables.segmentMembers);

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

  function* put(session: Session, organizationId: string, segmentId: string, chunk: number, bits: Chunk) {
    const key = { segmentId, chunk };
    const isEmpty = bits.every((word) => word === 0);
    const statement = isEmpty
      ? rows.remove(organizationId, key)
      : rows.put(organizationId, { ...key, ordinals: chunkToBytes(bits) });
    yield* session.change(statement);
  }

  function* clear(session: Session, organizationId: string, segmentId: string): Step<void> {
    yield* session.change(removeChunks({ organizationId, segmentId }));
  }

  function* change(
    session: Session,
    organizationId: string,
    segmentId: string,
    ordinals: readonly number[],
    isMember: boolean,
  ): Step<number[]> {
    const changed: number[] = [];
    for (const [chunk, some] of byChunk(ordinals)) {
      const known = yield* rows.find(session, organizationId, { segmentId, chunk });
      const bits = known === null ? emptyChunk() : chunkFromBytes(known.ordinals);
      const differing = some.filter((ordinal) => hasBit(bits, ordinal) !== isMember);
      if (differing.length === 0) continue;
      for (const ordinal of differing) (isMember ? setBit : clearBit)(bits, ordinal);
      yield* put(session, organizationId, segmentId, chunk, bits);
      changed.push(...differing);
    }
    return changed.sort((a, b) => a - b);
  }

  return {
    reads: {
      *segmentMembers({ session }, organizationId, segmentId) {
        const chunks: (Chunk | undefined)[] = [];
        for (const { chunk, ordinals } of yield* session.all(chunksOf({ organizationId, segmentId })))
          chunks[chunk] = chunkFromBytes(ordinals);
        return new Bitmap(Array.from(chunks));
      },
    },
    writes: {
      *putSegmentMembers({ session }, organizationId, segmentId, members) {
        yield* clear(session, organizationId, segmentId);
        for (let chunk = 0; chunk < members.length; chunk += 1) {
          const bits = members.chunk(chunk);
          if (bits !== undefined) yield* put(session, organizationId, segmentId, chunk, bits);
        }
      },
      changeSegmentMembers: ({ session }, organizationId, segmentId, ordinals, isMember) =>
        change(session, organizationId, segmentId, ordinals, isMember),
    },
    clear,
    *forget(session, organizationId, ordinal) {
      for (const { id } of yield* session.all(emitting({ organizationId })))
        yield* change(session, organizationId, id, [ordinal], false);
    },
  };
}

/** The ordinals, each once, by the chunk that they are in. */
function byChunk(ordinals: readonly number[]): Map<number, number[]> {
  const chunks = new Map<number, number[]>();
  for (const ordinal of new Set(ordinals)) {
    const at = chunkOf(ordinal);
    const some = chunks.get(at);
    if (some === undefined) chunks.set(at, [ordinal]);
    else some.push(ordinal);
  }
  return chunks;
}
