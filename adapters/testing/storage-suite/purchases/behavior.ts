import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { BehaviorTest } from "../../../../src/storage/behavior.js";
import type { StoredPointCard, StoredPointLot } from "../../../../src/storage/points.js";
import type { StoredPurchase } from "../../../../src/storage/purchases.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { pseudoRandom } from "../kit/pseudo-random.js";
import { somePoints, somePurchase } from "../kit/purchase-records.js";
import type { Statements } from "../kit/statements.js";

/** Number of changes after which a test of points is compared, and the range of their times. */
const STEPS = 150;
const TIMES = 40;

type PointTest = Extract<BehaviorTest, { readonly of: "points" }>;

/** A pass with its points as they were last written. */
interface Holder {
  readonly ordinal: number;
  readonly passId: string;
  card: StoredPointCard | null;
  lots: readonly StoredPointLot[];
}

async function match(storage: StorageAdapter, acme: SuiteOrganization, tests: readonly BehaviorTest[]) {
  const sets = await runStep(storage.reader(acme.id).matchBehavior(tests));
  return sets.map((set) => set.slice(0, set.count()));
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
  "matchBehavior counts points at any time, whether or not an event names the pass that changed": async (
    storage,
    acme,
  ) => {
    const random = pseudoRandom(3);
    const choose = <T>(...values: readonly T[]): T => {
      for (const value of values.slice(random(values.length))) return value;
      throw new RangeError("there is nothing to choose from");
    };
    const template = await acme.template({ maxStamps: null });
    const { id: templateId } = template;
    const holders: Holder[] = [];
    for (let count = 0; count < 4; count += 1) {
      const user = await acme.user();
      const { id: passId } = await acme.pass(user, template, { card: null });
      holders.push({ ordinal: user.ordinal, passId, card: null, lots: [] });
    }
    const change = (holder: Holder, now: number) =>
      acme.write(function* (tx) {
        const newLot = {
          usableFrom: now + random(6),
          expiresAt: choose(null, now + random(12)),
          createdAt: now,
        };
        const added = somePoints(holder.passId, holder.card, { lot: newLot });
        const [first, ...others] = holder.lots;
        const changed = first !== undefined && {
          ...first,
          ...choose({ remaining: 0, expired: first.remaining }, { graceUntil: now + 3 }, { remaining: 4 }),
        };
        const change = changed && choose(true, false) ? { ...added, lots: [changed], entries: [] } : added;
        const card = { ...change.card, entries: (holder.card?.entries ?? 0) + change.entries.length };
        yield* tx.recordPoints({ ...change, card });
        holder.card = card;
        holder.lots = changed && change !== added ? [...others, changed] : [...holder.lots, ...added.lots];
        const data = JSON.stringify({ walletPassId: choose(holder.passId, holder.passId, "wp_none") });
        yield* acme.within(tx).events([{ data }]);
      });
    for (let step = 0, now = 0; step < STEPS; step += 1) {
      if (choose(true, false)) await change(choose(...holders), now);
      // Time goes on, and now and then back.
      now = Math.max(0, now + choose(0, 1, 1, 2, 3, -2));
      if (now > TIMES * 10) now = 0;
      const createTest = (at: number): PointTest => {
        const [usableBy, endsAfter] = choose([at, at], [at, at], [at, at], [at + 2, at]);
        const range = { usableBy: usableBy ?? at, endsAfter: endsAfter ?? at };
        const bounds = choose(
          { endsBy: null, min: 0, max: choose(null, 0, 10) },
          { endsBy: null, min: choose(1, 11), max: null },
          { endsBy: at + random(8), min: 1, max: null },
          { endsBy: at + random(8), min: 0, max: 10 },
        );
        return { of: "points", templateId, countsUnused: choose(true, false), ...range, ...bounds };
      };
      const tests = [createTest(now), createTest(now), createTest(choose(now, now + 1, now - 1))];
      const expected = tests.map((test) =>
        holders.flatMap((holder) => (isMatch(holder, test) ? [holder.ordinal] : [])),
      );
      assert.deepEqual(
        await match(storage, acme, tests),
        expected,
        `step ${step} at ${now}: ${JSON.stringify(tests)}`,
      );
    }
  },

  "matchBehavior follows a purchase that changes, also to and from another customer without an event": async (
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
        yield* acme.within(tx).events([{ data: JSON.stringify({ named }) }]);
      });
      before = purchase;
      return match(storage, acme, tests);
    };
    const [a, b] = [ada.ordinal, bob.ordinal];
    const bought = { userId: ada.id, at: 7, remainingAmount: 10 };
    assert.deepEqual(await match(storage, acme, tests), [[], [a, b], [], [a, b]]);
    assert.deepEqual(await put(bought), [[a], [a, b], [a], [b]]);
    assert.deepEqual(await put({ ...bought, at: 4 }), [[], [a, b], [], [a, b]]);
    assert.deepEqual(await put({ ...bought, currency: "USD" }), [[], [b], [a], [b]]);
    assert.deepEqual(await put({ ...bought, userId: bob.id }, [bob.id]), [[b], [a, b], [b], [a]]);
    assert.deepEqual(await put({ ...bought, remainingAmount: 9 }, [ada.id]), [[], [a, b], [a], [b]]);
    assert.deepEqual(await put({ ...bought, remainingAmount: null }), [[], [a, b], [], [a, b]]);
    assert.deepEqual(await put({ ...bought }, [ada.id]), [[a], [a, b], [a], [b]]);
    assert.deepEqual(await put({ ...bought, userId: null }), [[], [a, b], [], [a, b]]);
  },
};
