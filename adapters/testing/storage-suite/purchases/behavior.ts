import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { BehaviorTest } from "../../../../src/storage/behavior.js";
import type { Bitmap } from "../../../../src/storage/bitmap.js";
import type { PointChange, StoredPointCard, StoredPointLot } from "../../../../src/storage/points.js";
import type { StoredPurchase } from "../../../../src/storage/purchases.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { pseudoRandom } from "../kit/pseudo-random.js";
import { somePoints, somePurchase } from "../kit/purchase-records.js";
import type { Statements } from "../kit/statements.js";

/** Number of times that tests of points are compared, each perhaps after a change. */
const STEP_COUNT = 150;

type PointTest = Extract<BehaviorTest, { readonly of: "points" }>;

/** A pass with its points. */
interface Holder {
  readonly ordinal: number;
  readonly passId: string;
  readonly card: StoredPointCard | null;
  readonly lots: readonly StoredPointLot[];
}

type Choose = <T>(...values: readonly T[]) => T;

function createChoose(seed: number): Choose {
  const random = pseudoRandom(seed);
  return (...values) => {
    for (const value of values.slice(random(values.length))) return value;
    throw new RangeError("there is nothing to choose from");
  };
}

/** Chooses a change of a pass's points: a new lot, or what became of the oldest one. */
function chooseChange(choose: Choose, { passId, card, lots }: Holder, now: number): PointChange {
  const newLot = {
    usableFrom: now + choose(0, 0, 1, 3, 5),
    expiresAt: choose(null, now, now + 1, now + 4, now + 11),
    createdAt: now,
  };
  const added = somePoints(passId, card, { lot: newLot });
  const [oldest] = lots;
  if (card === null || oldest === undefined || choose(true, false)) return added;
  const lotChange = choose(
    { remaining: 0, expired: oldest.remaining },
    { graceUntil: now + 3 },
    { remaining: 4 },
  );
  return { card, lots: [{ ...oldest, ...lotChange }], entries: [] };
}

function applyChange(holder: Holder, { card, lots }: PointChange): Holder {
  const changedSequences = new Set(lots.map(({ sequence }) => sequence));
  return {
    ...holder,
    card,
    lots: [...holder.lots.filter(({ sequence }) => !changedSequences.has(sequence)), ...lots],
  };
}

/** Chooses a test of points at a time, or of a span that begins then, as days do. */
function chooseTest(choose: Choose, templateId: string, at: number): PointTest {
  const soon = at + choose(0, 1, 3, 7);
  const bounds = choose(
    { endsBy: null, min: 0, max: choose(null, 0, 10) },
    { endsBy: null, min: choose(1, 11), max: null },
    { endsBy: soon, min: 1, max: null },
    { endsBy: soon, min: 0, max: 10 },
  );
  const usableBy = choose(at, at, at, at + 2);
  return { of: "points", templateId, countsUnused: choose(true, false), usableBy, endsAfter: at, ...bounds };
}

async function match(storage: StorageAdapter, acme: SuiteOrganization, tests: readonly BehaviorTest[]) {
  const sets = await runStep(storage.reader(acme.id).matchBehavior(tests));
  return sets.map(listOrdinals);
}

function listOrdinals(set: Bitmap): readonly number[] {
  return set.slice(0, set.count());
}

function isMatch({ card, lots }: Holder, test: PointTest): boolean {
  const { countsUnused, usableBy, endsAfter, endsBy, min, max } = test;
  let points = 0;
  for (const lot of lots) {
    const end = lot.graceUntil ?? lot.expiresAt ?? Number.POSITIVE_INFINITY;
    const isUsable = lot.usableFrom <= usableBy || lot.usableFrom <= lot.createdAt;
    if (!isUsable || end <= endsAfter || (endsBy !== null && end > endsBy)) continue;
    points += lot.remaining + (lot.graceUntil === null && end > usableBy ? lot.expired : 0);
  }
  return (countsUnused || card !== null) && points >= min && (max === null || points <= max);
}

export const purchaseBehavior: Statements = {
  "matchBehavior counts points at any time, also after rollbacks and after changes with or without an event":
    async (storage, acme) => {
      const choose = createChoose(3);
      const template = await acme.template({ maxStamps: null });
      let holders: readonly Holder[] = [];
      for (let count = 0; count < 4; count += 1) {
        const user = await acme.user();
        const { id: passId } = await acme.pass(user, template, { card: null });
        holders = [...holders, { ordinal: user.ordinal, passId, card: null, lots: [] }];
      }
      const findExpected = (all: readonly Holder[], tests: readonly PointTest[]) =>
        tests.map((test) => all.flatMap((holder) => (isMatch(holder, test) ? [holder.ordinal] : [])));
      const rollback = new Error("rolled back");
      for (let step = 0, now = 0; step < STEP_COUNT; step += 1) {
        // Time goes on, and now and then back.
        now = Math.max(0, now + choose(0, 1, 1, 2, 3, -2));
        const times = [now, now, choose(now, now + 1, now - 1)];
        const tests = times.map((at) => chooseTest(choose, template.id, at));
        const description = `step ${step} at ${now}: ${JSON.stringify(tests)}`;
        const changedHolder = choose(null, ...holders);
        if (changedHolder !== null) {
          const change = chooseChange(choose, changedHolder, now);
          const after = holders.map((holder) =>
            holder === changedHolder ? applyChange(holder, change) : holder,
          );
          const data = JSON.stringify({
            walletPassId: choose(changedHolder.passId, changedHolder.passId, "wp_none"),
          });
          const isCommitted = choose(true, true, false);
          const work = acme.write(function* (tx) {
            yield* tx.recordPoints(change);
            yield* acme.withTransaction(tx).events([{ data }]);
            const sets = yield* tx.matchBehavior(tests);
            assert.deepEqual(
              sets.map(listOrdinals),
              findExpected(after, tests),
              `in a change, ${description}`,
            );
            if (!isCommitted) throw rollback;
          });
          await (isCommitted ? work : assert.rejects(work, rollback));
          if (isCommitted) holders = after;
        }
        assert.deepEqual(await match(storage, acme, tests), findExpected(holders, tests), description);
      }
    },

  "matchBehavior counts points at an earlier time than the last call, even if they have expired by now":
    async (storage, acme) => {
      const [user, template] = [await acme.user(), await acme.template({ maxStamps: null })];
      const { id: passId } = await acme.pass(user, template, { card: null });
      const countAt = async (at: number) => {
        const range = { countsUnused: true, usableBy: at, endsAfter: at, endsBy: null };
        const test = { of: "points", templateId: template.id, ...range, min: 10, max: 10 } as const;
        return (await match(storage, acme, [test])).flat().length;
      };
      assert.equal(await countAt(10), 0);
      await acme.write(function* (tx) {
        yield* tx.recordPoints(
          somePoints(passId, null, { lot: { createdAt: 12, usableFrom: 15, expiresAt: 18 } }),
        );
        yield* acme.withTransaction(tx).events([{ data: JSON.stringify({ walletPassId: passId }) }]);
      });
      const counts: number[] = [];
      for (const at of [20, 16, 14, 17, 18]) counts.push(await countAt(at));
      assert.deepEqual(counts, [0, 1, 0, 1, 0]);
    },

  "matchBehavior follows changes of a purchase, also to or from a customer whom no event names": async (
    storage,
    acme,
  ) => {
    const [ada, bob] = [await acme.user(), await acme.user()];
    const tests: readonly BehaviorTest[] = [
      { of: "spent", currency: "EUR", since: 5, min: 10, max: null },
      { of: "spent", currency: "USD", since: 5, min: 0, max: 9 },
      { of: "purchases", since: 5, min: 1, max: 1 },
      { of: "purchases", since: 5, min: 0, max: 0 },
    ];
    let before: StoredPurchase | null = null;
    const put = async (fields: Partial<StoredPurchase>, named: readonly string[] = []) => {
      const purchase = somePurchase({ id: "pur_1", source: "till", receipt: "1", createdAt: 1, ...fields });
      await acme.write(function* (tx) {
        yield* tx.putPurchase(purchase, before);
        yield* acme.withTransaction(tx).events([{ data: JSON.stringify({ named }) }]);
      });
      before = purchase;
      return match(storage, acme, tests);
    };
    const [a, b] = [ada.ordinal, bob.ordinal];
    const purchaseFields = { userId: ada.id, at: 7, remainingAmount: 10 };
    assert.deepEqual(await match(storage, acme, tests), [[], [a, b], [], [a, b]]);
    assert.deepEqual(await put(purchaseFields), [[a], [a, b], [a], [b]]);
    assert.deepEqual(await put({ ...purchaseFields, at: 4 }), [[], [a, b], [], [a, b]]);
    assert.deepEqual(await put({ ...purchaseFields, currency: "USD" }), [[], [b], [a], [b]]);
    assert.deepEqual(await put({ ...purchaseFields, userId: bob.id }, [bob.id]), [[b], [a, b], [b], [a]]);
    assert.deepEqual(await put({ ...purchaseFields, remainingAmount: 9 }, [ada.id]), [[], [a, b], [a], [b]]);
    assert.deepEqual(await put({ ...purchaseFields, remainingAmount: null }), [[], [a, b], [], [a, b]]);
    assert.deepEqual(await put({ ...purchaseFields }, [ada.id]), [[a], [a, b], [a], [b]]);
    assert.deepEqual(await put({ ...purchaseFields, userId: null }), [[], [a, b], [], [a, b]]);
  },
};
