import { Bitmap } from "../../../../../src/storage/bitmap.js";
import { type StoredSegment, segmentRecord } from "../../../../../src/storage/saved-segments.js";
import type { StorageTransaction } from "../../../../../src/storage/storage-adapter.js";
import { someSegment } from "../../kit/segment-records.js";
import type { World } from "../world.js";
import { chooseRow, newOrShared, type Write, type WriteName } from "./choosing.js";

/** Ordinals in two chunks, with an empty chunk between them. */
const ordinals = [0, 1, 31, 32, 7, 15_359, 46_080, 46_111];

function* aSegment(tx: StorageTransaction, world: World) {
  return yield* chooseRow(world, world.segments, (segment) => tx.findSegment(segment.slug));
}

export const segmentWrites = {
  *insertSegment(tx, world) {
    const make = () => someSegment({ ...world.fieldsOf(segmentRecord), id: world.id(), slug: world.name() });
    const existingIds = (yield* tx.listSegments()).map((segment) => segment.id);
    const segment = yield* newOrShared(
      world,
      world.segments,
      function* (each: StoredSegment) {
        return existingIds.includes(each.id) || (yield* tx.findSegment(each.slug)) !== null;
      },
      make,
    );
    const slug = world.rarely(5) ? world.one(world.segments).slug : segment.slug;
    const isNew = slug === segment.slug;
    yield* tx.insertSegment(world.keep(world.segments, isNew ? segment : { ...make(), slug }));
  },
  *updateSegment(tx, world) {
    const segment = { ...world.one(world.segments), ...world.fieldsOf(segmentRecord) };
    yield* tx.updateSegment(segment);
  },
  deleteSegment: (tx, world) => tx.deleteSegment(world.one(world.segments).id),
  *putSegmentMembers(tx, world) {
    const segment = yield* aSegment(tx, world);
    if (segment !== null) yield* tx.putSegmentMembers(segment.id, Bitmap.of(world.some(ordinals, 6)));
  },
  *changeSegmentMembers(tx, world) {
    const segment = yield* aSegment(tx, world);
    if (segment === null) return;
    const day = world.rarely(3) ? null : world.below(6);
    yield* tx.changeSegmentMembers(segment.id, world.some(ordinals, 5), world.rarely(2), day);
  },
  putSegmentFollower: (tx, world) =>
    tx.putSegmentFollower({
      position: world.rarely(3) ? null : world.below(20),
      watermark: world.time(),
      nextMidnight: world.time(),
    }),
  insertSilentChange: (tx, world) => tx.insertSilentChange({ id: world.id(), names: "[]" }),
  *deleteSilentChanges(tx, world) {
    const changeIds = (yield* tx.silentChanges(9)).map((change) => change.id);
    if (changeIds.length > 0) yield* tx.deleteSilentChanges(world.some(changeIds, 2));
  },
  *recordMemberCount(tx, world) {
    const segment = yield* aSegment(tx, world);
    if (segment !== null) yield* tx.recordMemberCount(segment.id, world.below(6), world.below(100));
  },
} satisfies Partial<Record<WriteName, Write>>;
