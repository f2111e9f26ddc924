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
import { actors, aTemplate, type Write, type WriteName } from "./choosing.js";

const sources = ["till", "Till", "shop"];
const receipts = ["1", "01", "2", "é😀"];

/** Columns of points that refer to a purchase. */
function createReference(world: World) {
  const { source, receipt } = world.one(world.purchases);
  return world.rarely(3) ? { source: null, receipt: null } : { source, receipt };
}

export const purchaseWrites = {
  *insertPastProgram(tx, world) {
    const template = yield* aTemplate(tx, world);
    const version = 1 + world.below(3);
    if (template === null || (yield* tx.findPastProgram(template.id, version)) !== null) return;
    const fields = world.fieldsOf(pastProgramRecord);
    yield* tx.insertPastProgram(somePastProgram(template, { ...fields, version }));
  },
  *putPurchase(tx, world) {
    const [source, receipt] = [world.one(sources), world.one(receipts)];
    const purchase = somePurchase({
      ...world.fieldsOf(purchaseRecord),
      // Always the same ID for the same receipt, so that no two purchases have the same one.
      id: `pur ${source} ${receipt}`,
      source,
      receipt,
      userId: world.orNull(world.one(world.users).id),
    });
    const before = yield* tx.findPurchase(source, receipt);
    yield* tx.putPurchase(world.keep(world.purchases, purchase), before);
  },
  *putPurchaseEffect(tx, world) {
    const pass = yield* pickPass(tx, world);
    if (pass === null) return;
    // A pass never changes hands, so all of its effects name its holder.
    const fields = { ...world.fieldsOf(purchaseEffectRecord), userId: pass.userId };
    yield* tx.putPurchaseEffect(someEffect(world.one(world.purchases), pass, fields));
  },
  putPurchaseReturn(tx, world) {
    const returnId = world.one(["back", "BACK", "2"]);
    const fields = { ...world.fieldsOf(purchaseReturnRecord), returnId };
    return tx.putPurchaseReturn(world.keep(world.returns, someReturn(world.one(world.purchases), fields)));
  },
  *recordPoints(tx, world) {
    const pass = yield* pickPass(tx, world);
    if (pass === null) return;
    const before = yield* tx.findPointCard(pass.id);
    const lots: StoredPointLot[] = [];
    for (const lot of yield* tx.openPointLots(pass.id)) {
      if (world.rarely(2))
        lots.push({ ...lot, remaining: world.below(3), graceUntil: world.orNull(world.time()) });
    }
    const entries: PointChange["entries"][number][] = [];
    for (let count = world.below(3); count > 0; count -= 1) {
      const reversed = 1 + world.below(4);
      const isReversal =
        (yield* tx.findPointEntry(pass.id, reversed)) !== null &&
        !(yield* tx.isPointEntryReversed(pass.id, reversed)) &&
        entries.every(({ reverses }) => reverses !== reversed);
      const sequence = (before?.entries ?? 0) + entries.length + 1;
      const purchaseId = world.orNull(world.one(world.purchases).id);
      const change = somePoints(pass.id, before, {
        entry: {
          ...world.fieldsOf(pointEntryRecord),
          ...createReference(world),
          ...world.one(actors),
          sequence,
          reverses: isReversal ? reversed : null,
        },
        lot: { ...world.fieldsOf(pointLotRecord), purchaseId },
      });
      entries.push(...change.entries);
      if (world.rarely(2)) lots.push(...change.lots);
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
      ...world.fieldsOf(pointCardRecord),
      entries: (before?.entries ?? 0) + entries.length,
    };
    yield* tx.recordPoints({ card, lots, entries });
  },
} satisfies Partial<Record<WriteName, Write>>;
