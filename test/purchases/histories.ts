import fc, { type Arbitrary } from "fast-check";
import type { Expiry } from "./calendar.js";
import type { Bonus, Earning, LineFilter, LineKind, Rule } from "./earning.js";
import {
  addPoints,
  confirmPurchase,
  type LineInput,
  type Outcome,
  type Program,
  type PurchaseInput,
  putPurchase,
  type ReturnRequest,
  redeemReward,
  removePoints,
  returnLines,
  reverseEntry,
  type Shop,
  spendPoints,
} from "./model.js";
import { RefusedError } from "./refuse.js";
import { addStampCard, createShop } from "./some-shop.js";

/** One call, some time after the previous one. */
export interface Step {
  readonly waitMs: number;
  readonly call: Call;
}

export type Call =
  | { readonly put: PurchaseInput; readonly daysAgo: number }
  | { readonly returned: ReturnRequest; readonly key: string }
  | { readonly confirm: string }
  | { readonly add: number; readonly days: number | null }
  | { readonly remove: number; readonly allowsDebt: boolean }
  | { readonly spend: number }
  | { readonly reverse: number }
  | { readonly redeem: true };

export interface Moment {
  readonly shop: Shop;
  readonly now: number;
}

/** A week before clocks in Vienna go forward. */
const start = Date.UTC(2026, 2, 22, 12);
const dayMs = 86_400_000;

const keys = fc.constantFrom("a", "b", "c");
const codes = fc.constantFrom("x", "y", "z");
const counts = fc.integer({ min: 1, max: 40 });
const kinds = fc.constantFrom<LineKind>("goods", "goods", "goods", "shipping");

export const lines: Arbitrary<LineInput[]> = fc.array(
  fc
    .record({
      sku: codes,
      category: codes,
      kind: kinds,
      quantity: fc.nat(4),
      amount: fc.nat(4_000),
      part: fc.nat(100),
    })
    .map(({ part, ...line }) => ({ ...line, tax: Math.floor((line.amount * part) / 100) })),
  { minLength: 1, maxLength: 3 },
);

export const inputs: Arbitrary<PurchaseInput> = fc.record({
  key: keys,
  customer: fc.constantFrom("ann", "ann", "ann", "bob", null),
  currency: fc.constantFrom("EUR", "EUR", "EUR", "EUR", "CHF"),
  lines,
  paidWithPoints: fc.constantFrom(0, 0, 0, 333),
});

const filters: Arbitrary<LineFilter> = fc.record(
  { skus: fc.array(codes), categories: fc.array(codes), notSkus: fc.array(codes, { maxLength: 1 }) },
  { requiredKeys: [] },
);

export const rules: Arbitrary<Rule> = fc.record(
  {
    give: fc.integer({ min: 1, max: 5 }),
    per: fc.oneof(
      fc.constantFrom("purchase" as const, "item" as const),
      fc.record({ amount: fc.integer({ min: 1, max: 800 }) }),
    ),
    only: filters,
    minAmount: fc.nat(3_000),
    inSteps: fc.boolean(),
  },
  { requiredKeys: ["give", "per"] },
);

export const bonuses: Arbitrary<Bonus> = fc.record(
  {
    percent: fc.integer({ min: 101, max: 400 }),
    only: filters,
    weekdays: fc.subarray([1, 2, 3, 4, 5, 6, 7]),
    between: fc.record({ from: fc.constantFrom("08:00", "22:00"), to: fc.constantFrom("02:00", "17:00") }),
  },
  { requiredKeys: ["percent"] },
);

export const earnings: Arbitrary<Earning> = fc.record(
  {
    currency: fc.constant("EUR"),
    rules: fc.array(rules, { minLength: 1, maxLength: 3 }),
    combine: fc.constantFrom("sum" as const, "best" as const),
    bonuses: fc.array(bonuses, { maxLength: 2 }),
    counts: fc.record(
      {
        kinds: fc.subarray<LineKind>(["goods", "shipping"]),
        tax: fc.boolean(),
        paidWithPoints: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    limits: fc.record({ perPurchase: fc.nat(40), perDay: fc.nat(60) }, { requiredKeys: [] }),
    onReturn: fc.constantFrom("debt" as const, "forgive" as const),
  },
  { requiredKeys: ["currency", "rules"] },
);

export const expiries: Arbitrary<Expiry> = fc.oneof(
  fc.record({ days: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ months: fc.integer({ min: 1, max: 3 }), to: fc.constantFrom("day", "month", "year") }),
);

export const programs: Arbitrary<Program> = fc.record({
  earning: earnings,
  points: fc.record({
    pendingDays: fc.constantFrom(0, 0, 3, 20),
    expiry: fc.option(expiries, { nil: null }),
    graceDays: fc.constantFrom(0, 5),
  }),
});

/** New shops, with a point card for each customer and a stamp card for Ann. */
export const shops: Arbitrary<Shop> = fc
  .record({ program: programs, stampEarning: earnings, maxStamps: fc.integer({ min: 1, max: 12 }) })
  .map(({ program, stampEarning, maxStamps }) => addStampCard(createShop(program), maxStamps, stampEarning));

export const returns: Arbitrary<ReturnRequest> = fc.oneof(
  fc.record({ returnId: codes, all: fc.constant(true as const) }),
  fc.record({
    returnId: codes,
    lines: fc.uniqueArray(
      fc.record(
        { id: fc.constantFrom("0", "1"), quantity: fc.nat(2), amount: fc.nat(1_500) },
        { requiredKeys: ["id"] },
      ),
      { minLength: 1, selector: ({ id }) => id },
    ),
  }),
);

const calls: Arbitrary<Call> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ put: inputs, daysAgo: fc.constantFrom(0, 0, 0, 7, 40) }) },
  { weight: 3, arbitrary: fc.record({ returned: returns, key: keys }) },
  fc.record({ confirm: keys }),
  fc.record({ add: counts, days: fc.option(fc.nat(30)) }),
  fc.record({ remove: counts, allowsDebt: fc.boolean() }),
  { weight: 3, arbitrary: fc.record({ spend: counts }) },
  { weight: 2, arbitrary: fc.record({ reverse: fc.integer({ min: 1, max: 20 }) }) },
  fc.record({ redeem: fc.constant(true as const) }),
);

/** Milliseconds between calls, so that many fall on one day and some pass a midnight at which points expire. */
const waits = fc.constantFrom(0, 0, 1, 5, 30, 24 * 12).map((hours) => hours * 3_600_000);

export const steps: Arbitrary<Step[]> = fc.array(fc.record({ waitMs: waits, call: calls }), {
  maxLength: 20,
});

/** Returns every moment of a history, including the first. A refused call leaves the shop as it was. */
export function runHistory(shop: Shop, history: readonly Step[]): readonly Moment[] {
  const moments: Moment[] = [{ shop, now: start }];
  for (const step of history) moments.push(runStep(moments.at(-1) ?? { shop, now: start }, step));
  return moments;
}

export function runLast(shop: Shop, history: readonly Step[]): Moment {
  return history.reduce(runStep, { shop, now: start });
}

function runStep({ shop, now: before }: Moment, { waitMs, call }: Step): Moment {
  const now = before + waitMs;
  return { now, shop: tryCall(() => runCall(shop, call, now)) ?? shop };
}

/** Makes a call, and returns `null` if the model refuses it. */
export function tryCall<T>(call: () => T): T | null {
  try {
    return call();
  } catch (error) {
    if (error instanceof RefusedError) return null;
    throw error;
  }
}

function runCall(shop: Shop, call: Call, now: number): Shop {
  const outcome = callPurchase(shop, call, now);
  if (outcome !== null) return outcome.shop;
  if ("add" in call) {
    const expiresAt = call.days === null ? null : now + call.days * dayMs;
    return addPoints(shop, "ann", { points: call.add, expiresAt }, now);
  }
  if ("remove" in call)
    return removePoints(shop, "ann", { points: call.remove, allowsDebt: call.allowsDebt }, now);
  if ("spend" in call) return spendPoints(shop, "ann", call.spend, now);
  if ("reverse" in call) return reverseEntry(shop, "ann", call.reverse, now);
  return redeemReward(shop, "stamps");
}

/** Makes a call about a purchase, and returns `null` if the call is about something else. */
export function callPurchase(shop: Shop, call: Call, now: number): Outcome | null {
  if ("put" in call) return putPurchase(shop, { ...call.put, at: now - call.daysAgo * dayMs }, now);
  if ("returned" in call) return returnLines(shop, call.key, call.returned, now);
  return "confirm" in call ? confirmPurchase(shop, call.confirm, now) : null;
}
