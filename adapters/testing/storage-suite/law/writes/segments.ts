import { Bitmap } from "../../../../../src/storage/bitmap.js";
import { type StoredSegment, segmentRecord } from "../../../../../src/storage/saved-segments.js";
import type { StorageTransaction } from "../../../../../src/storage/storage-adapter.js";
import { someSegment } from "../../kit/segment-records.js";
import type { World } from "../world.js";
import { chooseRow, createOrShareRow, type Write, type WriteName } from "./choosing.js";

/** Ordinals in two chunks, with an empty chunk between them. */
const ordinals = [0, 1, 31, 32, 7, 15_359, 46_080, 46_111];

function* pickSegment(tx: StorageTransaction, world: World) {
  return yield* chooseRow(world, world.segments, (segment) => tx.findSegment(segment.slug));
}

export const segmentWrites = {
  *insertSegment(tx, world) {
    const createSegment = () =>
      someSegment({ ...world.createFields(segmentRecord), id: world.id(), slug: world.name() });
    const existingIds = (yield* tx.listSegments()).map((segment) => segment.id);
    const segment = yield* createOrShareRow(
      world,
      world.segments,
      function* (each: StoredSegment) {
        return existingIds.includes(each.id) || (yield* tx.findSegment(each.slug)) !== null;
      },
      createSegment,
    );
    const slug = world.oneIn(5) ? world.pickOne(world.segments).slug : segment.slug;
    const isNew = slug === segment.slug;
    yield* tx.insertSegment(world.track(world.segments, isNew ? segment : { ...createSegment(), slug }));
  },
  *updateSegment(tx, world) {
    const segment = { ...world.pickOne(world.segments), ...world.createFields(segmentRecord) };
    yield* tx.updateSegment(segment);
  },
  deleteSegment: (tx, world) => tx.deleteSegment(world.pickOne(world.segments).id),
  *putSegmentMembers(tx, world) {
    const segment = yield* pickSegment(tx, world);
    if (segment !== null) yield* tx.putSegmentMembers(segment.id, Bitmap.of(world.pickSome(ordinals, 6)));
  },
  *changeSegmentMembers(tx, world) {
    const segment = yield* pickSegment(tx, world);
    if (segment === null) return;
    const day = world.oneIn(3) ? null : world.randomBelow(6);
    yield* tx.changeSegmentMembers(segment.id, world.pickSome(ordinals, 5), world.oneIn(2), day);
  },
  putSegmentFollower: (tx, world) =>
    tx.putSegmentFollower({
      position: world.oneIn(3) ? null : world.randomBelow(20),
      watermark: world.time(),
      nextMidnight: world.time(),
    }),
  insertSilentChange: (tx, world) => tx.insertSilentChange({ id: world.id(), names: "[]" }),
  *deleteSilentChanges(tx, world) {
    const changeIds = (yield* tx.silentChanges(9)).map((change) => change.id);
    if (changeIds.length > 0) yield* tx.deleteSilentChanges(world.pickSome(changeIds, 2));
  },
  *recordMemberCount(tx, world) {
    const segment = yield* pickSegment(tx, world);
    if (segment !== null)
      yield* tx.recordMemberCount(segment.id, world.randomBelow(6), world.randomBelow(100));
  },
} satisfies Partial<Record<WriteName, Write>>;
