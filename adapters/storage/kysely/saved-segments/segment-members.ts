import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import {
  Bitmap,
  CHUNK_BYTES,
  CHUNK_SIZE,
  type Chunk,
  chunkFromBytes,
  chunkToBytes,
} from "../../../../src/storage/bitmap.js";
import type { SavedSegmentReads, SavedSegmentWrites } from "../../../../src/storage/saved-segments.js";
import type { PortModule } from "../change/commit-buffer.js";
import { prepare, type ReadSession, type Session, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

/**
 * Number of ordinals in a slice. A chunk consists of a whole number of slices. Slices that cover the same users are stored
 * contiguously across all segments, so reading a single range of rows shows which segments a user is in.
 */
const SLICE_SIZE = 1_024;

const SLICE_BYTES = SLICE_SIZE / 8;

const SLICES_PER_CHUNK = CHUNK_SIZE / SLICE_SIZE;

type Reads = Pick<SavedSegmentReads, "segmentMembers" | "membersAmong" | "segmentDays">;
type Writes = Pick<SavedSegmentWrites, "putSegmentMembers" | "changeSegmentMembers" | "recordMemberCount">;

interface SegmentKey {
  organizationId: string;
  segmentId: string;
}

export interface SegmentMembers extends PortModule<Reads, Writes> {
  clear(session: Session, organizationId: string, segmentId: string): Step<void>;
  removeUser(session: Session, organizationId: string, ordinal: number): Step<void>;
}

/**
 * Creates the read and write functions for the members of segments that emit events. Members are stored in slices. The functions
 * also store how many members entered and left on each day.
 */
export function createSegmentMembers(dialect: SqlDialect): SegmentMembers {
  const { db, isOneOf, listParameter } = dialect;
  const slices = createRowStatements(dialect, tables.segmentSlices);
  const segments = createRowStatements(dialect, tables.savedSegments);
  const days = createRowStatements(dialect, tables.segmentDays);

  /**
   * Selects every slice index up to the organization's highest. The key begins with the slice, so one segment's rows are looked up
   * by these indexes.
   */
  const selectSliceIndexes = (slot: Slot<SegmentKey>) =>
    sql<number>`(with recursive places (place) as (
      select 0 union all select place + 1 from places where place < (select max(slice) from loyalty_segment_slices
        where organization_id = ${slot("organizationId")})) select place from places)`;

  const selectSegmentSlices = prepare((slot: Slot<SegmentKey>) =>
    db
      .selectFrom("loyalty_segment_slices")
      .select(["slice", "ordinals"])
      .where("organization_id", "=", slot("organizationId"))
      .where("slice", "in", selectSliceIndexes(slot))
      .where("segment_id", "=", slot("segmentId")),
  );

  const removeAll = prepare((slot: Slot<SegmentKey>) =>
    db
      .deleteFrom("loyalty_segment_slices")
      .where("organization_id", "=", slot("organizationId"))
      .where("slice", "in", selectSliceIndexes(slot))
      .where("segment_id", "=", slot("segmentId")),
  );

  const selectSlicesAt = prepare((slot: Slot<{ organizationId: string; slices: unknown }>) =>
    db
      .selectFrom("loyalty_segment_slices")
      .select(["slice", "segment_id as segmentId", "ordinals"])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("slice"), slot("slices"))),
  );

  const selectSegmentSlicesAt = prepare((slot: Slot<SegmentKey & { slices: unknown }>) =>
    db
      .selectFrom("loyalty_segment_slices")
      .select(["slice", "ordinals"])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("slice"), slot("slices")))
      .where("segment_id", "=", slot("segmentId")),
  );

  const selectDays = prepare((slot: Slot<SegmentKey & { from: number; to: number }>) =>
    db
      .selectFrom("loyalty_segment_days")
      .select(days.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where("segment_id", "=", slot("segmentId"))
      .where("day", ">=", slot("from"))
      .where("day", "<=", slot("to"))
      .orderBy("day"),
  );

  type DayChange = SegmentKey & { day: number; members: number | null; entered: number; left: number };
  const addToDay = prepare((slot: Slot<DayChange>) =>
    db
      .insertInto("loyalty_segment_days")
      .values({
        organization_id: slot("organizationId"),
        segment_id: slot("segmentId"),
        day: slot("day"),
        members: slot("members"),
        entered: slot("entered"),
        left: slot("left"),
      })
      .onConflict((conflict) =>
        conflict.columns(["organization_id", "segment_id", "day"]).doUpdateSet({
          members: sql<number | null>`coalesce(loyalty_segment_days.members, excluded.members)`,
          entered: sql<number>`loyalty_segment_days.entered + excluded.entered`,
          left: sql<number>`loyalty_segment_days."left" + excluded."left"`,
        }),
      ),
  );

  const toSliceList = (ordinals: Iterable<number>) =>
    listParameter([...new Set(Array.from(ordinals, toSliceIndex))]);

  function* assertSegment(session: ReadSession, organizationId: string, id: string): Step<void> {
    if ((yield* segments.find(session, organizationId, { id })) === null)
      throw new Error(`no such segment: ${id}`);
  }

  function putSlice(organizationId: string, segmentId: string, { slice, ordinals }: IndexedSlice) {
    return isEmptySlice(ordinals)
      ? slices.remove(organizationId, { segmentId, slice })
      : slices.put(organizationId, { segmentId, slice, ordinals });
  }

  function* clear(session: Session, organizationId: string, segmentId: string): Step<void> {
    yield* session.change(removeAll({ organizationId, segmentId }));
  }

  /** Returns mutable copies of the slices that contain these ordinals. */
  function* readSlices(
    session: ReadSession,
    segmentKey: SegmentKey,
    ordinals: readonly number[],
  ): Step<ReadonlyMap<number, Uint8Array>> {
    const slicesByIndex = new Map(ordinals.map((ordinal) => [toSliceIndex(ordinal), createEmptySlice()]));
    const storedSlices = yield* session.all(
      selectSegmentSlicesAt({ ...segmentKey, slices: toSliceList(ordinals) }),
    );
    for (const { slice, ordinals: bits } of storedSlices) slicesByIndex.set(slice, decodeSlice(bits).slice());
    return slicesByIndex;
  }

  return {
    reads: {
      *segmentMembers({ session, organizationId }, segmentId) {
        return buildSet(yield* session.all(selectSegmentSlices({ organizationId, segmentId })));
      },
      *membersAmong({ session, organizationId }, userOrdinals) {
        const membersBySegment = new Map<string, Set<number>>();
        const bySlice = groupBySlice(new Set(userOrdinals));
        const rows = yield* session.all(
          selectSlicesAt({ organizationId, slices: toSliceList(userOrdinals) }),
        );
        for (const { slice, segmentId, ordinals } of rows) {
          const bits = decodeSlice(ordinals);
          for (const ordinal of bySlice.get(slice) ?? []) {
            if (!hasMember(bits, ordinal)) continue;
            const members = membersBySegment.get(segmentId);
            if (members === undefined) membersBySegment.set(segmentId, new Set([ordinal]));
            else members.add(ordinal);
          }
        }
        return membersBySegment;
      },
      *segmentDays({ session, organizationId }, segmentId, from, to) {
        const rows = yield* session.all(selectDays({ organizationId, segmentId, from, to }));
        return rows.map(days.toRow);
      },
    },
    writes: {
      *putSegmentMembers({ session, organizationId }, segmentId, members) {
        yield* assertSegment(session, organizationId, segmentId);
        yield* clear(session, organizationId, segmentId);
        for (const slice of listSlices(members))
          yield* session.change(slices.insert(organizationId, { segmentId, ...slice }));
      },
      *changeSegmentMembers({ session, organizationId }, segmentId, userOrdinals, isMember, day) {
        if (isMember) yield* assertSegment(session, organizationId, segmentId);
        const segmentKey = { organizationId, segmentId };
        const slicesByIndex = yield* readSlices(session, segmentKey, userOrdinals);
        const changedOrdinals = [...new Set(userOrdinals)]
          .filter(
            (ordinal) =>
              hasMember(slicesByIndex.get(toSliceIndex(ordinal)) ?? createEmptySlice(), ordinal) !== isMember,
          )
          .sort((a, b) => a - b);
        for (const [slice, sliceOrdinals] of groupBySlice(changedOrdinals)) {
          const ordinals = slicesByIndex.get(slice) ?? createEmptySlice();
          for (const ordinal of sliceOrdinals) flipMember(ordinals, ordinal);
          yield* session.change(putSlice(organizationId, segmentId, { slice, ordinals }));
        }
        if (day === null || changedOrdinals.length === 0) return changedOrdinals;
        const [entered, left] = isMember ? [changedOrdinals.length, 0] : [0, changedOrdinals.length];
        yield* session.change(addToDay({ ...segmentKey, day, members: null, entered, left }));
        return changedOrdinals;
      },
      *recordMemberCount({ session, organizationId }, segmentId, day, members) {
        yield* assertSegment(session, organizationId, segmentId);
        yield* session.change(addToDay({ organizationId, segmentId, day, members, entered: 0, left: 0 }));
      },
    },
    clear,
    *removeUser(session, organizationId, ordinal) {
      const slice = toSliceIndex(ordinal);
      const rows = yield* session.all(selectSlicesAt({ organizationId, slices: listParameter([slice]) }));
      for (const { segmentId, ordinals: bytes } of rows) {
        const ordinals = decodeSlice(bytes).slice();
        if (!hasMember(ordinals, ordinal)) continue;
        flipMember(ordinals, ordinal);
        yield* session.change(putSlice(organizationId, segmentId, { slice, ordinals }));
      }
    },
  };
}

function groupBySlice(ordinals: Iterable<number>): ReadonlyMap<number, readonly number[]> {
  const slices = new Map<number, number[]>();
  for (const ordinal of ordinals) {
    const slice = toSliceIndex(ordinal);
    const sliceOrdinals = slices.get(slice);
    if (sliceOrdinals === undefined) slices.set(slice, [ordinal]);
    else sliceOrdinals.push(ordinal);
  }
  return slices;
}

/**
 * The stored form of a slice: one bit for each of {@link SLICE_SIZE} consecutive ordinals. The lowest bit of the first byte
 * belongs to the first ordinal.
 */
type Slice = Uint8Array;

/** A slice of a set, with its index (`slice`) and its bits (`ordinals`). */
interface IndexedSlice {
  readonly slice: number;
  readonly ordinals: Slice;
}

function toSliceIndex(ordinal: number): number {
  return Math.floor(ordinal / SLICE_SIZE);
}

function createEmptySlice(): Slice {
  return new Uint8Array(SLICE_BYTES);
}

/** Decodes a stored slice. The result always has the full length. If a damaged row is too short, the missing bytes are 0. */
function decodeSlice(bytes: Uint8Array): Slice {
  if (bytes.byteLength === SLICE_BYTES) return bytes;
  const slice = createEmptySlice();
  slice.set(bytes.subarray(0, SLICE_BYTES));
  return slice;
}

function isEmptySlice(slice: Slice): boolean {
  return slice.every((byte) => byte === 0);
}

function hasMember(slice: Slice, ordinal: number): boolean {
  const bit = ordinal % SLICE_SIZE;
  return (readByte(slice, bit >>> 3) & (1 << (bit & 7))) !== 0;
}

/** Adds a user to the slice, or removes the user if the slice already contains the user. */
function flipMember(slice: Slice, ordinal: number): void {
  const bit = ordinal % SLICE_SIZE;
  slice[bit >>> 3] = readByte(slice, bit >>> 3) ^ (1 << (bit & 7));
}

/** Yields all slices of a set that have at least one member. */
function* listSlices(set: Bitmap): Generator<IndexedSlice> {
  for (let chunkIndex = 0; chunkIndex < set.length; chunkIndex += 1) {
    const chunk = set.chunk(chunkIndex);
    if (chunk === undefined) continue;
    const bytes = chunkToBytes(chunk);
    for (let index = 0; index < SLICES_PER_CHUNK; index += 1) {
      const ordinals = bytes.subarray(index * SLICE_BYTES, (index + 1) * SLICE_BYTES);
      if (!isEmptySlice(ordinals)) yield { slice: chunkIndex * SLICES_PER_CHUNK + index, ordinals };
    }
  }
}

/** Builds a set from its slices. The slices can be in any order. */
function buildSet(slices: Iterable<IndexedSlice>): Bitmap {
  const bytesByChunk = new Map<number, Uint8Array>();
  for (const { slice, ordinals } of slices) {
    const chunkIndex = Math.floor(slice / SLICES_PER_CHUNK);
    const bytes = bytesByChunk.get(chunkIndex) ?? new Uint8Array(CHUNK_BYTES);
    bytesByChunk.set(chunkIndex, bytes);
    bytes.set(decodeSlice(ordinals), (slice % SLICES_PER_CHUNK) * SLICE_BYTES);
  }
  const chunks: (Chunk | undefined)[] = [];
  for (const [chunkIndex, bytes] of bytesByChunk) chunks[chunkIndex] = chunkFromBytes(bytes);
  return new Bitmap(Array.from(chunks));
}

function readByte(slice: Slice, at: number): number {
  return slice[at] ?? 0;
}
