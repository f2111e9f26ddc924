import {
  type PointChange,
  pointCardRecord,
  pointEntryRecord,
  pointLotRecord,
  type StoredPointLot,
} from "../../../../../src/storage/points.js";
import {
  purchaseEffectRecord,
  purchaseRecord,
  purchaseReturnRecord,
} from "../../../../../src/storage/purchases.js";
import { pastProgramRecord } from "../../../../../src/storage/templates.js";
import {
  someEffect,
  somePastProgram,
  somePoints,
  somePurchase,
  someReturn,
} from "../../kit/purchase-records.js";
import type { World } from "../world.js";
import { pickPass } from "./cards.js";
import { actors, pickTemplate, type Write, type WriteName } from "./choosing.js";

const sources = ["till", "Till", "shop"];
const receipts = ["1", "01", "2", "é😀"];

/** Columns of points that refer to a purchase. */
function createReference(world: World) {
  const { source, receipt } = world.pickOne(world.purchases);
  return world.oneIn(3) ? { source: null, receipt: null } : { source, receipt };
}

export const purchaseWrites = {
  *insertPastProgram(tx, world) {
    const template = yield* pickTemplate(tx, world);
    const version = 1 + world.randomBelow(3);
    if (template === null || (yield* tx.findPastProgram(template.id, version)) !== null) return;
    const fields = world.createFields(pastProgramRecord);
    yield* tx.insertPastProgram(somePastProgram(template, { ...fields, version }));
  },
  *putPurchase(tx, world) {
    const [source, receipt] = [world.pickOne(sources), world.pickOne(receipts)];
    const purchase = somePurchase({
      ...world.createFields(purchaseRecord),
      // Always the same ID for the same receipt, so that no two purchases have the same one.
      id: `pur ${source} ${receipt}`,
      source,
      receipt,
      userId: world.orNull(world.pickOne(world.users).id),
    });
    const before = yield* tx.findPurchase(source, receipt);
    yield* tx.putPurchase(world.track(world.purchases, purchase), before);
  },
  *putPurchaseEffect(tx, world) {
    const pass = yield* pickPass(tx, world);
    if (pass === null) return;
    // A pass never changes hands, so all of its effects name its holder.
    const fields = { ...world.createFields(purchaseEffectRecord), userId: pass.userId };
    yield* tx.putPurchaseEffect(someEffect(world.pickOne(world.purchases), pass, fields));
  },
  putPurchaseReturn(tx, world) {
    const returnId = world.pickOne(["back", "BACK", "2"]);
    const fields = { ...world.createFields(purchaseReturnRecord), returnId };
    return tx.putPurchaseReturn(
      world.track(world.returns, someReturn(world.pickOne(world.purchases), fields)),
    );
  },
  *recordPoints(tx, world) {
    const pass = yield* pickPass(tx, world);
    if (pass === null) return;
    const before = yield* tx.findPointCard(pass.id);
    const lots: StoredPointLot[] = [];
    for (const lot of yield* tx.openPointLots(pass.id)) {
      if (world.oneIn(2))
        lots.push({ ...lot, remaining: world.randomBelow(3), graceUntil: world.orNull(world.time()) });
    }
    const entries: PointChange["entries"][number][] = [];
    for (let count = world.randomBelow(3); count > 0; count -= 1) {
      const reversedSequence = 1 + world.randomBelow(4);
      const isReversal =
        (yield* tx.findPointEntry(pass.id, reversedSequence)) !== null &&
        !(yield* tx.isPointEntryReversed(pass.id, reversedSequence)) &&
        entries.every(({ reverses }) => reverses !== reversedSequence);
      const sequence = (before?.entries ?? 0) + entries.length + 1;
      const purchaseId = world.orNull(world.pickOne(world.purchases).id);
      const change = somePoints(pass.id, before, {
        entry: {
          ...world.createFields(pointEntryRecord),
          ...createReference(world),
          ...world.pickOne(actors),
          sequence,
          reverses: isReversal ? reversedSequence : null,
        },
        lot: { ...world.createFields(pointLotRecord), purchaseId },
      });
      entries.push(...change.entries);
      if (world.oneIn(2)) lots.push(...change.lots);
    }
    const card = {
      passId: pass.id,
      debt: 0,
      earned: 0,
      spent: 0,
      expired: 0,
      lastEarnedAt: null,
      updatedAt: 0,
      nextChangeAt: null,
      ...world.createFields(pointCardRecord),
      entries: (before?.entries ?? 0) + entries.length,
    };
    yield* tx.recordPoints({ card, lots, entries });
  },
} satisfies Partial<Record<WriteName, Write>>;
