import fc, { type Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/values/clock.js";
import { earningSchema, type LineKind, lineKinds, pointTermsSchema } from "../../src/cards/program-schema.js";
import { computeEndOfGrace, computeExpiry, computeUsableFrom } from "../../src/points/dates.js";
import { type CountedLine, type CountedPurchase, countUnits } from "../../src/purchases/earning.js";
import { readLocalTime } from "../../src/purchases/local-time.js";
import { runs } from "../properties/runs.js";
import * as calendarModel from "./calendar.js";
import * as earningModel from "./earning.js";

/** Instants at which clocks of a zone change. In São Paulo they skip or repeat midnight, and Apia skips a whole day. */
const changes = [
  ["Europe/Vienna", "2026-03-29T01:00Z"],
  ["Europe/Vienna", "2026-10-25T01:00Z"],
  ["America/Sao_Paulo", "2018-11-04T03:00Z"],
  ["America/Sao_Paulo", "2019-02-17T02:00Z"],
  ["Pacific/Apia", "2011-12-30T10:00Z"],
  ["Pacific/Apia", "2020-04-04T14:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30Z"],
] as const;

interface Moment {
  readonly timeZone: string;
  readonly at: number;
}

const anyTime = fc.integer({ min: Date.UTC(2010, 0), max: Date.UTC(2030, 0) });

/** Moments within two days of a change of clocks, and any others. */
const moments: Arbitrary<Moment> = fc
  .tuple(fc.constantFrom(...changes), fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }), fc.option(anyTime))
  .map(([[timeZone, change], distance, time]) => ({ timeZone, at: time ?? toTime(change) + distance }));

const labels = fc.constantFrom("x", "y", "z");
const percents = fc.integer({ min: 101, max: 1_000 });

const filters: Arbitrary<earningModel.LineFilter> = fc.record(
  {
    skus: fc.array(labels, { maxLength: 3 }),
    categories: fc.array(labels, { maxLength: 3 }),
    notSkus: fc.array(labels, { maxLength: 1 }),
    notCategories: fc.array(labels, { maxLength: 1 }),
  },
  { requiredKeys: [] },
);

const rules: Arbitrary<earningModel.Rule> = fc.record(
  {
    give: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 1_000_000 })),
    per: fc.oneof(
      fc.constantFrom("purchase" as const, "item" as const),
      fc.record({ amount: fc.integer({ min: 1, max: 2_000 }) }),
    ),
    only: filters,
    minAmount: fc.nat(5_000),
    inSteps: fc.boolean(),
  },
  { requiredKeys: ["give", "per"] },
);

const timesOfDay = fc
  .tuple(fc.nat(23), fc.nat(59))
  .map((parts) => parts.map((part) => `${part}`.padStart(2, "0")).join(":"));

/** Generates bonuses whose dates are near a moment. */
function createBonuses({ at }: Moment): Arbitrary<earningModel.Bonus[]> {
  const dates = fc
    .integer({ min: -3, max: 3 })
    .map((days) => new Date(at + days * DAY_MS).toISOString().slice(0, 10));
  const bonus: Arbitrary<earningModel.Bonus> = fc.record(
    {
      percent: percents,
      only: filters,
      from: dates,
      to: dates,
      weekdays: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
      between: fc.record({ from: timesOfDay, to: timesOfDay }),
    },
    { requiredKeys: ["percent"] },
  );
  return fc.array(bonus, { maxLength: 3 });
}

function createEarnings(moment: Moment): Arbitrary<earningModel.Earning> {
  return fc.record(
    {
      currency: fc.constant("EUR"),
      rules: fc.array(rules, { minLength: 1, maxLength: 4 }),
      combine: fc.constantFrom("sum" as const, "best" as const),
      bonuses: createBonuses(moment),
      counts: fc.record(
        {
          kinds: fc.subarray([...lineKinds], { minLength: 1 }),
          tax: fc.boolean(),
          paidWithPoints: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ["currency", "rules"] },
  );
}

type ModelLine = earningModel.Line & CountedLine;

/** Lines that were returned in full, in part or not at all. */
const lines: Arbitrary<ModelLine> = fc
  .record({
    sku: fc.option(labels),
    category: fc.option(labels),
    kind: fc.constantFrom<LineKind>("goods", "goods", "goods", ...lineKinds),
    quantity: fc.nat(5),
    amount: fc.oneof(fc.nat(5_000), fc.nat(5_000), fc.nat(1_000_000_000_000)),
    tax: fc.constantFrom(0, 0.1, 0.5, 1),
    returned: fc.record({ quantity: fc.nat(5), amount: fc.constantFrom(0, 0, 0.1, 0.5, 1) }),
  })
  .map(({ tax, returned, ...line }) => ({
    ...line,
    id: "line",
    tax: Math.floor(line.amount * tax),
    returned: {
      quantity: Math.min(line.quantity, returned.quantity),
      amount: Math.floor(line.amount * returned.amount),
    },
  }));

function createPurchases(maxLength: number): Arbitrary<CountedPurchase & earningModel.Basket> {
  return fc
    .record({
      currency: fc.constantFrom("EUR", "EUR", "EUR", "EUR", "CHF"),
      lines: fc.array(lines, { minLength: 1, maxLength, size: "max" }),
      paid: fc.constantFrom(0, 0, 0.1, 0.9, 1),
    })
    .map(({ paid, ...purchase }) => ({
      ...purchase,
      paidWithPoints: Math.floor(purchase.lines.reduce((sum, { amount }) => sum + amount, 0) * paid),
    }));
}

function toTime(text: string): number {
  return new Date(text).getTime();
}

function expectModel(
  earning: earningModel.Earning,
  purchase: CountedPurchase & earningModel.Basket,
  moment: Moment,
) {
  const at = readLocalTime(moment.timeZone, moment.at);
  expect(countUnits(earningSchema.parse(earning), purchase, at)).toBe(
    earningModel.countUnits(earning, purchase, at),
  );
}

describe("countUnits", () => {
  const noon = { day: 20_000, time: DAY_MS / 2 };

  /** Counts the units of one line of goods after an amount of it was returned. */
  function count(rule: earningModel.Rule, line: Partial<CountedLine>, returned = 0, bonuses: number[] = []) {
    const earning = { currency: "EUR", rules: [rule], bonuses: bonuses.map((percent) => ({ percent })) };
    const empty = { sku: null, category: null, kind: "goods" as const, quantity: 1, amount: 0, tax: 0 };
    const bought = { ...empty, ...line, returned: { quantity: 0, amount: returned } };
    const purchase = { currency: "EUR", lines: [bought], paidWithPoints: 0 };
    return Number(countUnits(earningSchema.parse(earning), purchase, noon));
  }

  it("returns the same as the model for any program, purchase, and time", () => {
    const cases = moments.chain((moment) =>
      fc.tuple(createEarnings(moment), createPurchases(6), fc.constant(moment)),
    );
    fc.assert(
      fc.property(cases, ([earning, purchase, moment]) => expectModel(earning, purchase, moment)),
      runs(1_000),
    );
  });

  it("returns the same as the model for a large basket, most of which was partly returned", () => {
    const cases = moments.chain((moment) =>
      fc.tuple(createEarnings(moment), createPurchases(200), fc.constant(moment)),
    );
    fc.assert(
      fc.property(cases, ([earning, purchase, moment]) => expectModel(earning, purchase, moment)),
      runs(20),
    );
  });

  const worked = {
    P: { give: 1, per: { amount: 1_000 } },
    Q: { give: 3, per: { amount: 700 } },
    S: { give: 3, per: { amount: 700 }, inSteps: true },
  };

  it.each([
    ["P", [2, 2, 1, 0]],
    ["Q", [10, 8, 8, 0]],
    ["S", [9, 6, 6, 0]],
  ] as const)(
    "with rule %s returns %j for 25.00, then after returns of 5.00, 1.00, and 19.00",
    (name, expected) => {
      const given = [0, 500, 600, 2_500].map((returned) => count(worked[name], { amount: 2_500 }, returned));
      expect(given).toEqual(expected);
    },
  );

  it.each([
    ["P", [2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
    ["Q", [8, 8, 7, 7, 6, 6, 6, 5, 5, 4, 4]],
    ["S", [6, 6, 6, 6, 6, 6, 6, 3, 3, 3, 3]],
  ] as const)("with rule %s returns %j for 20.00 and after each of ten returns of 1.00", (name, expected) => {
    const given = expected.map((_, times) => count(worked[name], { amount: 2_000 }, times * 100));
    expect(given).toEqual(expected);
  });

  it("returns 6 for 4 items at 1 per item, with the larger of two matching bonuses", () => {
    expect(count({ give: 1, per: "item" }, { quantity: 4 }, 0, [150, 120])).toBe(6);
  });

  it.each([
    ["14:00", "17:00", "13:59:59.999", 1],
    ["14:00", "17:00", "14:00", 2],
    ["14:00", "17:00", "16:59:59.999", 2],
    ["14:00", "17:00", "17:00", 1],
    ["22:00", "02:00", "21:59:59.999", 1],
    ["22:00", "02:00", "22:00", 2],
    ["22:00", "02:00", "01:59:59.999", 2],
    ["22:00", "02:00", "02:00", 1],
    ["14:00", "14:00", "14:00", 1],
  ])("with a bonus between %s and %s, multiplies the units at %s by %i", (from, to, shown, times) => {
    const bonuses = [{ percent: 200, between: { from, to } }];
    const rules = [{ give: 1, per: "purchase" }];
    const earning = earningSchema.parse({ currency: "EUR", rules, bonuses });
    const line = { sku: null, category: null, kind: "goods" as const, quantity: 1, amount: 100, tax: 0 };
    const bought = { ...line, returned: { quantity: 0, amount: 0 } };
    const at = { day: 20_000, time: toTime(`1970-01-01T${shown}Z`) };
    const given = countUnits(earning, { currency: "EUR", lines: [bought], paidWithPoints: 0 }, at);
    expect(Number(given)).toBe(times);
  });

  it("rounds once, where rounding each line or the tax would lose a unit", () => {
    const line = { sku: null, category: null, kind: "goods" as const, quantity: 1, amount: 3, tax: 1 };
    const bought = Array.from({ length: 3 }, () => ({ ...line, returned: { quantity: 0, amount: 1 } }));
    const counts = { tax: false };
    const earning = earningSchema.parse({
      currency: "EUR",
      rules: [{ give: 1, per: { amount: 4 } }],
      counts,
    });
    // Two thirds of 2.00 are without tax. Three lines of 4 / 3 make 4.
    expect(countUnits(earning, { currency: "EUR", lines: bought, paidWithPoints: 0 }, noon)).toBe(1n);
  });

  it("returns 0 units for a purchase in another currency", () => {
    const earning = earningSchema.parse({ currency: "CHF", rules: [{ give: 1, per: "purchase" }] });
    expect(countUnits(earning, { currency: "EUR", lines: [], paidWithPoints: 0 }, noon)).toBe(0n);
  });
});

describe("readLocalTime", () => {
  it("returns the same as the model, also around clock changes", () => {
    fc.assert(
      fc.property(moments, ({ timeZone, at }) => {
        expect(readLocalTime(timeZone, at)).toEqual(calendarModel.readLocalTime(timeZone, at));
      }),
      runs(300),
    );
  });

  it.each([
    ["Europe/Vienna", "2026-03-29T00:59:59.999Z", "2026-03-29T01:59:59.999Z"],
    ["Europe/Vienna", "2026-03-29T01:00Z", "2026-03-29T03:00Z"],
    ["Europe/Vienna", "2026-10-25T01:00Z", "2026-10-25T02:00Z"],
    ["America/Sao_Paulo", "2018-11-04T03:00Z", "2018-11-04T01:00Z"],
    ["America/Sao_Paulo", "2019-02-17T02:00Z", "2019-02-16T23:00Z"],
    ["Pacific/Apia", "2011-12-30T09:59Z", "2011-12-29T23:59Z"],
    ["Pacific/Apia", "2011-12-30T10:00Z", "2011-12-31T00:00Z"],
    ["Australia/Lord_Howe", "2026-10-03T15:30Z", "2026-10-04T02:30Z"],
  ])("in %s at %s returns the wall-clock time %s", (timeZone, at, shown) => {
    const { day, time } = readLocalTime(timeZone, toTime(at));
    expect(day * DAY_MS + time).toBe(toTime(shown));
  });
});

describe("dates of points", () => {
  const expiries: Arbitrary<calendarModel.Expiry> = fc.oneof(
    fc.record({ days: fc.integer({ min: 1, max: 3_650 }) }),
    fc.record({ months: fc.integer({ min: 1, max: 120 }), to: fc.constantFrom("day", "month", "year") }),
  );
  const terms: Arbitrary<calendarModel.PointTerms> = fc.record(
    { pendingDays: fc.nat(365), expiry: fc.option(expiries), graceDays: fc.nat(90) },
    { requiredKeys: [] },
  );

  function expectModelDates(terms: calendarModel.PointTerms, { timeZone, at }: Moment) {
    const parsed = pointTermsSchema.parse(terms);
    const dates = [computeUsableFrom, computeExpiry, computeEndOfGrace].map((find) =>
      find(parsed, timeZone, at),
    );
    const { findFirstUse: first, findEnd: end, findEndOfGrace: grace } = calendarModel;
    expect(dates).toEqual([first, end, grace].map((find) => find(terms, timeZone, at)));
  }

  it("are the same as the model's for any terms", () => {
    fc.assert(fc.property(terms, moments, expectModelDates), runs(500));
  });

  it("are the same as the model's when they fall on days on which clocks change", () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 1, max: 90 }), ({ timeZone, at }, days) => {
        const exact = { pendingDays: days, expiry: { days }, graceDays: days };
        expectModelDates(exact, { timeZone, at: at - days * DAY_MS });
      }),
      runs(300),
    );
  });

  it.each([
    ["Europe/Vienna", "2026-07-06T10:00+02:00", 0, "2026-07-06T00:00+02:00"],
    ["Europe/Vienna", "2026-07-06T23:59+02:00", 1, "2026-07-07T00:00+02:00"],
    ["Europe/Vienna", "2026-03-29T10:00+02:00", 0, "2026-03-29T00:00+01:00"],
    ["Europe/Vienna", "2026-03-28T10:00+01:00", 2, "2026-03-30T00:00+02:00"],
    // Midnight is skipped, and then a whole date.
    ["America/Sao_Paulo", "2018-11-03T10:00-03:00", 1, "2018-11-04T01:00-02:00"],
    ["Pacific/Apia", "2011-12-29T10:00-10:00", 1, "2011-12-31T00:00+14:00"],
  ])(
    "in %s, points of %s that are pending for %i days are usable from %s",
    (timeZone, at, pendingDays, first) => {
      const found = computeUsableFrom(pointTermsSchema.parse({ pendingDays }), timeZone, toTime(at));
      expect(found).toBe(toTime(first));
    },
  );

  it.each([
    ["2025-07-06T10:00+02:00", { months: 12, to: "month" }, "2026-08-01T00:00+02:00"],
    ["2027-01-31T10:00+01:00", { months: 1, to: "day" }, "2027-03-01T00:00+01:00"],
    ["2028-01-31T10:00+01:00", { months: 1, to: "day" }, "2028-03-01T00:00+01:00"],
    ["2028-02-29T10:00+01:00", { months: 12, to: "day" }, "2029-03-01T00:00+01:00"],
    ["2026-02-28T10:00+01:00", { months: 1, to: "day" }, "2026-03-29T00:00+01:00"],
    ["2026-12-06T10:00+01:00", { months: 1, to: "year" }, "2028-01-01T00:00+01:00"],
    ["2026-06-15T10:00+02:00", { months: 120, to: "year" }, "2037-01-01T00:00+01:00"],
    ["2026-12-31T23:30+01:00", { months: 120, to: "month" }, "2037-01-01T00:00+01:00"],
    ["2026-12-31T23:30Z", { days: 1 }, "2027-01-03T00:00+01:00"],
  ])("points of %s in Vienna with the expiry %j expire at %s", (at, expiry, end) => {
    const found = computeExpiry(pointTermsSchema.parse({ expiry }), "Europe/Vienna", toTime(at));
    expect(found).toBe(toTime(end));
  });

  it("points without an expiry never expire, and 0 days of grace give no grace", () => {
    const none = pointTermsSchema.parse({});
    expect([computeExpiry, computeEndOfGrace].map((find) => find(none, "UTC", 0))).toEqual([null, null]);
  });

  it("a grace of 3 days ends after the third local day", () => {
    const found = computeEndOfGrace(
      pointTermsSchema.parse({ graceDays: 3 }),
      "Europe/Vienna",
      toTime("2026-10-23T12:00+02:00"),
    );
    expect(found).toBe(toTime("2026-10-27T00:00+01:00"));
  });
});
