import { describe, expect, it } from "vitest";
import type { Bonus, Earning } from "./earning.js";
import {
  addPoints,
  changeProgram,
  confirmPurchase,
  eraseCustomer,
  findCard,
  findPurchase,
  type LineInput,
  type Outcome,
  type PurchaseInput,
  putPurchase,
  readPoints,
  redeemReward,
  removePoints,
  returnLines,
  reverseEntry,
  revokeCard,
  type Shop,
  spendPoints,
} from "./model.js";
import { addStampCard, createCard, createProgram, createShop, onePerTen, readEffect } from "./some-shop.js";

const noon = toTime("2026-06-15T12:00+02:00");
const dayMs = 86_400_000;

const onePerEuro = createProgram({ rules: [{ give: 1, per: { amount: 100 } }] });

function toTime(text: string): number {
  return new Date(text).getTime();
}

/** Creates a purchase of Ann's, with one line for each amount. */
function buy(
  key: string,
  amounts: number | readonly LineInput[],
  rest: Partial<PurchaseInput> = {},
): PurchaseInput {
  const lines = typeof amounts === "number" ? [{ amount: amounts }] : amounts;
  return { key, customer: "ann", currency: "EUR", lines, ...rest };
}

function put(shop: Shop, input: PurchaseInput, now = noon): Shop {
  return putPurchase(shop, input, now).shop;
}

function returnAmount(shop: Shop, key: string, returnId: string, amount: number, now = noon): Outcome {
  return returnLines(shop, key, { returnId, lines: [{ id: "0", amount }] }, now);
}

function returnAll(shop: Shop, key: string, now = noon): Shop {
  return returnLines(shop, key, { returnId: "all", all: true }, now).shop;
}

function unitsOf({ changes }: Outcome): number {
  return changes.reduce((sum, { units }) => sum + units, 0);
}

/** Returns the units of one purchase of Ann's under these rules. */
function earn(earning: Partial<Earning>, input: PurchaseInput): number {
  return unitsOf(putPurchase(createShop(createProgram(earning)), input, noon));
}

function newestEntry(shop: Shop): number {
  return findCard(shop, "ann").state.entries.length;
}

describe("worked examples of purchases", () => {
  const programs = {
    P: onePerTen,
    Q: createProgram({ rules: [{ give: 3, per: { amount: 700 } }] }),
    S: createProgram({ rules: [{ give: 3, per: { amount: 700 }, inSteps: true }] }),
  };

  it.each([
    ["P", [2, 0, -1, -1]],
    ["Q", [10, -2, 0, -8]],
    ["S", [9, -3, 0, -6]],
  ] as const)(
    "program %s changes the card by %j for 25.00, less 5.00, less 1.00, less 19.00",
    (name, expected) => {
      const bought = putPurchase(createShop(programs[name]), buy("a", 2_500), noon);
      const first = returnAmount(bought.shop, "a", "1", 500);
      const second = returnAmount(first.shop, "a", "2", 100);
      const third = returnAmount(second.shop, "a", "3", 1_900);
      expect([bought, first, second, third].map(unitsOf)).toEqual(expected);
    },
  );

  it.each([
    ["P", 2, -1],
    ["Q", 8, -4],
    ["S", 6, -3],
  ] as const)(
    "program %s gives %j for 20.00, and ten returns of 1.00 change that by %j, as one of 10.00 does",
    (name, gave, took) => {
      const bought = putPurchase(createShop(programs[name]), buy("a", 2_000), noon);
      const ids = Array.from({ length: 10 }, (_, index) => `${index}`);
      const { shop } = ids.reduce((outcome, id) => returnAmount(outcome.shop, "a", id, 100), bought);
      expect(unitsOf(bought)).toBe(gave);
      expect(readPoints(shop, "ann", noon).available).toBe(gave + took);
      expect(unitsOf(returnAmount(bought.shop, "a", "once", 1_000))).toBe(took);
    },
  );

  it("program P takes its point back at the first of ten returns", () => {
    const bought = put(createShop(), buy("a", 2_000));
    const first = returnAmount(bought, "a", "1", 100);
    const second = returnAmount(first.shop, "a", "2", 100);
    expect([first, second].map(unitsOf)).toEqual([-1, 0]);
  });

  it("4 items at 1 per item give 6 when bonuses of 150 and 120 percent match", () => {
    const bonuses = [{ percent: 150 }, { percent: 120 }];
    const lines = [{ quantity: 4, amount: 1_000 }];
    expect(earn({ rules: [{ give: 1, per: "item" }], bonuses }, buy("a", lines))).toBe(6);
  });
});

describe("worked examples of points", () => {
  it("spending 120 takes 100 that expire in July and 20 that expire in December", () => {
    const june = toTime("2026-06-01T12:00+02:00");
    const [july, december] = [toTime("2026-08-01T00:00+02:00"), toTime("2027-01-01T00:00+01:00")];
    const lots = [
      { points: 100, expiresAt: july },
      { points: 50, expiresAt: december },
      { points: 30, expiresAt: null },
    ];
    const full = lots.reduce((shop, lot) => addPoints(shop, "ann", lot, june), createShop());
    const spent = spendPoints(full, "ann", 120, toTime("2026-07-01T12:00+02:00"));
    expect(findCard(spent, "ann").state.entries.at(-1)).toMatchObject({
      type: "spent",
      lots: [
        { lotId: 1, points: -100 },
        { lotId: 2, points: -20 },
      ],
    });
    expect(readPoints(spent, "ann", july)).toMatchObject({
      available: 60,
      expiring: [{ points: 30, at: december }],
      expired: 0,
    });
  });

  it("spending takes the older of two lots that expire together", () => {
    const two = [10, 10].reduce((shop, points) => addPoints(shop, "ann", { points }, noon), createShop());
    const { state } = findCard(spendPoints(two, "ann", 5, noon), "ann");
    expect(state.entries.at(-1)).toMatchObject({ lots: [{ lotId: 1, points: -5 }] });
  });

  it("a return after spending creates debt, which new points pay before they are usable", () => {
    const bought = put(createShop(onePerEuro), buy("A", 2_000));
    const spent = spendPoints(bought, "ann", 20, noon);
    const spend = newestEntry(spent);
    const returned = returnAll(spent, "A");
    expect(readPoints(returned, "ann", noon)).toMatchObject({ available: 0, debt: 20 });
    const again = put(returned, buy("C", 3_000));
    expect(readPoints(again, "ann", noon)).toMatchObject({ available: 10, debt: 0 });
    const reversed = reverseEntry(again, "ann", spend, noon);
    expect(readPoints(reversed, "ann", noon)).toMatchObject({ available: 30, debt: 0, spent: 0 });
  });

  it.each([
    ["2025-07-06T10:00+02:00", { months: 12, to: "month" }, "2026-08-01T00:00+02:00"],
    ["2027-01-31T10:00+01:00", { months: 1, to: "day" }, "2027-03-01T00:00+01:00"],
    ["2028-01-31T10:00+01:00", { months: 1, to: "day" }, "2028-03-01T00:00+01:00"],
    ["2027-01-31T23:30+00:00", { days: 1 }, "2027-02-03T00:00+01:00"],
    ["2026-12-06T10:00+01:00", { months: 1, to: "year" }, "2028-01-01T00:00+01:00"],
    ["2026-03-01T10:00+01:00", { months: 1, to: "day" }, "2026-04-02T00:00+02:00"],
  ] as const)("points of %s with the expiry %j are usable until %s", (at, expiry, end) => {
    const earning = { rules: [{ give: 1, per: { amount: 100 } }] };
    const shop = put(
      createShop(createProgram(earning, { expiry })),
      buy("a", 500, { at: toTime(at) }),
      toTime(at),
    );
    expect(readPoints(shop, "ann", toTime(end) - 1).available).toBe(5);
    expect(readPoints(shop, "ann", toTime(end))).toMatchObject({ available: 0, expired: 5 });
    expect(readPoints(shop, "ann", toTime(at)).expiring).toEqual([{ points: 5, at: toTime(end) }]);
  });

  it.each([
    { graceDays: 0, available: 10, expired: 10, end: null },
    { graceDays: 3, available: 20, expired: 0, end: toTime("2026-06-20T00:00+02:00") },
  ])(
    "reversing a spend a day after its lot expired leaves $available available with $graceDays days of grace",
    (row) => {
      const { graceDays, available, expired, end } = row;
      const shop = createShop(createProgram({}, { graceDays }));
      const tonight = toTime("2026-06-16T00:00+02:00");
      const first = addPoints(shop, "ann", { points: 10, expiresAt: tonight }, noon);
      const second = addPoints(first, "ann", { points: 10, expiresAt: noon + 30 * dayMs }, noon);
      const spent = spendPoints(second, "ann", 15, noon);
      const reversed = reverseEntry(spent, "ann", newestEntry(spent), noon + dayMs);
      const state = readPoints(reversed, "ann", noon + dayMs);
      expect(state.available).toBe(available);
      expect(state.expired).toBe(expired);
      if (end === null) return;
      expect(state.expiring[0]).toEqual({ points: 10, at: end });
      expect(readPoints(reversed, "ann", end)).toMatchObject({ available: 10, expired: 10 });
    },
  );
});

describe("units of a purchase", () => {
  const perAmount = { give: 1, per: { amount: 100 } } as const;

  it.each<[string, Partial<Earning>, readonly LineInput[], Partial<PurchaseInput>, number]>([
    ["exclude lines that aren't goods", { rules: [perAmount] }, [{ amount: 500, kind: "tip" }], {}, 0],
    ["include tax", { rules: [perAmount] }, [{ amount: 500, tax: 100 }], {}, 5],
    [
      "exclude tax if the program says so",
      { rules: [perAmount], counts: { tax: false } },
      [{ amount: 500, tax: 150 }],
      {},
      3,
    ],
    [
      "exclude the share paid with points",
      { rules: [perAmount] },
      [{ amount: 900 }],
      { paidWithPoints: 450 },
      4,
    ],
    [
      "spread the share paid with points over the whole total, including lines that don't count",
      { rules: [perAmount] },
      [{ amount: 900 }, { amount: 900, kind: "shipping" }],
      { paidWithPoints: 900 },
      4,
    ],
    [
      "include the amount paid with points if the program says so",
      { rules: [perAmount], counts: { paidWithPoints: true } },
      [{ amount: 900 }],
      { paidWithPoints: 900 },
      9,
    ],
    [
      "are rounded for each rule and then added up",
      { rules: [perAmount, perAmount] },
      [{ amount: 199 }],
      {},
      2,
    ],
    [
      "are rounded for the sum of the lines, not for each line",
      { rules: [perAmount] },
      [{ amount: 50 }, { amount: 50 }],
      {},
      1,
    ],
    [
      "come from the best rule",
      { rules: [perAmount, { give: 7, per: "purchase" }], combine: "best" },
      [{ amount: 500 }],
      {},
      7,
    ],
    [
      "are zero below the minimum amount",
      { rules: [{ ...perAmount, minAmount: 500 }] },
      [{ amount: 499 }],
      {},
      0,
    ],
    [
      "are counted from the minimum amount",
      { rules: [{ ...perAmount, minAmount: 500 }] },
      [{ amount: 500 }],
      {},
      5,
    ],
    [
      "ignore bonuses when the minimum amount is checked",
      { rules: [{ ...perAmount, minAmount: 500 }], bonuses: [{ percent: 200 }] },
      [{ amount: 499 }],
      {},
      0,
    ],
    [
      "match only lines that are in every list",
      { rules: [{ ...perAmount, only: { skus: ["a"], categories: ["b"] } }] },
      [
        { amount: 100, sku: "a", category: "b" },
        { amount: 100, sku: "a" },
        { amount: 100, category: "b" },
      ],
      {},
      1,
    ],
    [
      "match no line on an exclusion list",
      { rules: [{ ...perAmount, only: { notSkus: ["a"], notCategories: ["b"] } }] },
      [{ amount: 100, sku: "a" }, { amount: 100, category: "b" }, { amount: 100 }],
      {},
      1,
    ],
    [
      "use the largest bonus of its lines for a rule per purchase",
      { rules: [{ give: 10, per: "purchase" }], bonuses: [{ percent: 150, only: { skus: ["a"] } }] },
      [{ amount: 100, sku: "a" }, { amount: 100 }],
      {},
      15,
    ],
    [
      "don't exceed the limit per purchase",
      { rules: [perAmount], limits: { perPurchase: 3 } },
      [{ amount: 900 }],
      {},
      3,
    ],
    [
      "don't exceed a billion",
      { rules: [{ give: 1_000_000, per: "item" }] },
      [{ amount: 1, quantity: 1_001 }],
      {},
      1_000_000_000,
    ],
    ["are zero in another currency", { rules: [perAmount] }, [{ amount: 900 }], { currency: "CHF" }, 0],
    ["are zero without a customer", { rules: [perAmount] }, [{ amount: 900 }], { customer: null }, 0],
  ])("%s", (_title, earning, lines, rest, expected) => {
    expect(earn(earning, buy("a", lines, rest))).toBe(expected);
  });

  it.each<[string, Omit<Bonus, "percent">, string, boolean]>([
    ["on its first date", { from: "2026-06-16" }, "2026-06-16T00:00+02:00", true],
    ["not on the date before", { from: "2026-06-16" }, "2026-06-15T23:59+02:00", false],
    ["through its last date", { to: "2026-06-16" }, "2026-06-16T23:59+02:00", true],
    ["not on the date after", { to: "2026-06-16" }, "2026-06-17T00:00+02:00", false],
    ["on its weekday", { weekdays: [2] }, "2026-06-16T00:00+02:00", true],
    ["not on another weekday", { weekdays: [2] }, "2026-06-15T23:59+02:00", false],
    ["from its first minute", { between: { from: "14:00", to: "17:00" } }, "2026-06-16T14:00+02:00", true],
    ["not at its end time", { between: { from: "14:00", to: "17:00" } }, "2026-06-16T17:00+02:00", false],
    ["past midnight", { between: { from: "22:00", to: "02:00" } }, "2026-06-16T01:59+02:00", true],
    [
      "past midnight, on the weekday of the purchase",
      { weekdays: [2], between: { from: "22:00", to: "02:00" } },
      "2026-06-17T01:00+02:00",
      false,
    ],
    [
      "by the local time in winter",
      { between: { from: "14:00", to: "17:00" } },
      "2026-01-16T16:59+01:00",
      true,
    ],
  ])("have a bonus %s", (_title, conditions, at, matches) => {
    const program = createProgram({ rules: [perAmount], bonuses: [{ percent: 300, ...conditions }] });
    const outcome = putPurchase(createShop(program), buy("a", 100, { at: toTime(at) }), toTime(at));
    expect(unitsOf(outcome)).toBe(matches ? 3 : 1);
  });

  it("of a rule per purchase stay until every matching line was returned", () => {
    const shop = createShop(createProgram({ rules: [{ give: 5, per: "purchase" }] }));
    const bought = put(shop, buy("a", [{ amount: 500, quantity: 2 }, { amount: 300 }]));
    const amount = returnAmount(bought, "a", "1", 500);
    const pieces = returnLines(amount.shop, "a", { returnId: "2", lines: [{ id: "0", quantity: 2 }] }, noon);
    expect([amount, pieces].map(unitsOf)).toEqual([0, 0]);
    expect(readPoints(returnAll(pieces.shop, "a"), "ann", noon).available).toBe(0);
  });

  it("account exactly for tax and the share paid with points when a part is returned", () => {
    const shop = createShop(createProgram({ rules: [perAmount], counts: { tax: false } }));
    const bought = put(shop, buy("a", [{ amount: 1_200, tax: 200 }], { paidWithPoints: 300 }));
    expect(readPoints(bought, "ann", noon).available).toBe(7);
    // 800 of 1,200 remain, with a tax of 133.33… and a paid share of a quarter, which leaves exactly 500.
    expect(readPoints(returnAmount(bought, "a", "1", 400).shop, "ann", noon).available).toBe(5);
  });

  it("above a limit are cut, and a return takes the cut units first", () => {
    const shop = createShop(createProgram({ rules: [perAmount], limits: { perPurchase: 6 } }));
    const bought = put(shop, buy("a", 1_000));
    expect(readEffect(bought, "a", "ann")).toEqual({ units: 6, notTaken: 0, cut: 4n });
    expect(unitsOf(returnAmount(bought, "a", "1", 400))).toBe(0);
  });

  it("of later purchases on the same local day are limited to the rest of the day's limit", () => {
    const shop = createShop(createProgram({ rules: [perAmount], limits: { perDay: 10 } }));
    const first = put(shop, buy("a", 700));
    const second = put(first, buy("b", 700));
    const yesterday = put(second, buy("c", 700, { at: toTime("2026-06-14T23:59+02:00") }));
    expect(["a", "b", "c"].map((key) => readEffect(yesterday, key, "ann").units)).toEqual([7, 3, 7]);
    // The allowance was fixed, so that this return gives the second purchase nothing.
    expect(readEffect(returnAll(yesterday, "a"), "b", "ann").units).toBe(3);
    expect(readEffect(put(returnAll(yesterday, "a"), buy("d", 700)), "d", "ann").units).toBe(7);
  });
});

describe("a purchase", () => {
  it("changes nothing when it's put again, whether defaults are spelled out or left out", () => {
    const first = putPurchase(createShop(), buy("a", 2_000), noon);
    const second = putPurchase(first.shop, buy("a", [{ id: "0", amount: 2_000, quantity: 1 }]), noon + dayMs);
    expect(second).toEqual({ ...first, isApplied: false, changes: [] });
  });

  it("isn't changed by an older revision that arrives late", () => {
    const newer = put(createShop(), buy("a", 2_000, { revision: 2 }));
    const { shop, isApplied } = putPurchase(newer, buy("a", 9_000, { revision: 1 }), noon);
    expect([shop, isApplied]).toEqual([newer, false]);
  });

  it("stores a newer revision of the same content, and applies nothing", () => {
    const older = put(createShop(), buy("a", 2_000, { revision: 1 }));
    const outcome = putPurchase(older, buy("a", 2_000, { revision: 2 }), noon);
    expect(outcome).toMatchObject({ purchase: { revision: 2 }, isApplied: false, changes: [] });
    expect(outcome.shop.cards).toEqual(older.cards);
  });

  it.each<[string, Partial<PurchaseInput>]>([
    ["purchase_conflict", { revision: 2, note: "other" }],
    ["revision_required", { note: "other" }],
    ["at_in_future", { revision: 3, at: noon + 5 * 60_000 + 1 }],
    ["paid_above_total", { revision: 3, paidWithPoints: 2_001 }],
    ["returned_line_missing", { revision: 3, lines: [{ id: "1", amount: 2_000 }] }],
    ["more_than_bought", { revision: 3, lines: [{ amount: 499 }] }],
  ])("is refused as %s", (code, change) => {
    const stored = returnAmount(put(createShop(), buy("a", 2_000, { revision: 2 })), "a", "1", 500).shop;
    expect(() => putPurchase(stored, { ...buy("a", 2_000), ...change }, noon)).toThrow(code);
  });

  it("keeps the program of the moment when it first named its customer, and so do its returns", () => {
    const bought = put(createShop(), buy("a", 2_000));
    const changed = changeProgram(bought, "points", onePerEuro);
    expect(unitsOf(returnAmount(changed, "a", "1", 1_000))).toBe(-1);
    expect(unitsOf(putPurchase(changed, buy("b", 2_000), noon))).toBe(20);
  });

  it("has, for each customer, the program of the moment when it first named them", () => {
    const nobody = put(createShop(), buy("a", 2_000, { customer: null }));
    const ann = put(changeProgram(nobody, "points", onePerEuro), buy("a", 2_000));
    const bob = put(changeProgram(ann, "points", onePerTen), buy("a", 2_000, { customer: "bob" }));
    expect(readPoints(ann, "ann", noon).available).toBe(20);
    expect(["ann", "bob"].map((card) => readPoints(bob, card, noon).available)).toEqual([0, 2]);
    expect(readPoints(put(bob, buy("a", 2_000)), "ann", noon).available).toBe(20);
  });

  it("earns on the oldest card of each template, and never on a card issued later", () => {
    const two = { ...createShop(), cards: [...createShop().cards, createCard("ann", "second")] };
    const bought = put(two, buy("a", 2_000));
    const grown = put({ ...bought, cards: [...bought.cards, createCard("ann", "third")] }, buy("a", 9_000));
    expect(["ann", "second", "third"].map((card) => readPoints(grown, card, noon).available)).toEqual([
      9, 0, 0,
    ]);
  });

  it("without a customer takes everything back from its previous customer", () => {
    const nobody = put(put(createShop(), buy("a", 2_000)), buy("a", 2_000, { customer: null }));
    expect(readPoints(nobody, "ann", noon)).toMatchObject({ available: 0, debt: 0, earned: 0 });
  });

  it("is frozen once its customer is erased", () => {
    const erased = eraseCustomer(put(createShop(), buy("a", 2_000)), "ann");
    const outcomes = [
      putPurchase(erased, buy("a", 9_000), noon),
      returnLines(erased, "a", { returnId: "1", all: true }, noon),
      confirmPurchase(erased, "a", noon),
    ];
    for (const { shop, isApplied } of outcomes) expect([shop, isApplied]).toEqual([erased, false]);
  });

  it("ignores a card that was revoked", () => {
    const revoked = revokeCard(put(createShop(), buy("a", 2_000)), "ann");
    expect(returnAll(revoked, "a").cards).toEqual(revoked.cards);
    expect(findPurchase(revoked, "a").effects).toEqual([]);
  });

  it("gives points that are pending until their local day begins, or until the purchase is confirmed", () => {
    const shop = createShop(
      createProgram({ rules: [{ give: 1, per: { amount: 100 } }] }, { pendingDays: 14 }),
    );
    const bought = put(shop, buy("a", 500));
    const usable = toTime("2026-06-29T00:00+02:00");
    expect(readPoints(bought, "ann", usable - 1)).toMatchObject({ available: 0, pending: 5 });
    expect(readPoints(bought, "ann", usable)).toMatchObject({ available: 5, pending: 0 });
    expect(() => spendPoints(bought, "ann", 1, usable - 1)).toThrow("not_enough_points");
    const confirmed = confirmPurchase(bought, "a", noon).shop;
    expect(readPoints(put(confirmed, buy("a", 700)), "ann", noon)).toMatchObject({
      available: 7,
      pending: 0,
    });
  });

  it("that is recorded after its points would have expired gives them and lets them expire", () => {
    const shop = createShop(
      createProgram({ rules: [{ give: 1, per: { amount: 100 } }] }, { expiry: { days: 1 } }),
    );
    const late = put(shop, buy("a", 500, { at: noon - 9 * dayMs }));
    expect(readPoints(late, "ann", noon)).toMatchObject({ available: 0, earned: 5, expired: 5 });
  });
});

describe("a return", () => {
  const threePieces = [{ id: "beer", quantity: 3, amount: 1_000 }];

  it("of some pieces takes their share of the amount, and the last piece takes the rest", () => {
    const bought = put(createShop(), buy("a", threePieces));
    const ids = ["1", "2", "3"];
    const shops = ids.map((_, index) =>
      ids
        .slice(0, index + 1)
        .reduce(
          (shop, returnId) =>
            returnLines(shop, "a", { returnId, lines: [{ id: "beer", quantity: 1 }] }, noon).shop,
          bought,
        ),
    );
    const returned = shops.flatMap((shop) =>
      findPurchase(shop, "a").lines.map((line) => line.returned.amount),
    );
    expect(returned).toEqual([333, 666, 1_000]);
  });

  it.each([
    ["more_than_bought", { returnId: "2", lines: [{ id: "beer", quantity: 3 }] }],
    ["more_than_bought", { returnId: "2", lines: [{ id: "beer", amount: 668 }] }],
    ["unknown_line", { returnId: "2", lines: [{ id: "wine", quantity: 1 }] }],
    ["return_conflict", { returnId: "1", lines: [{ id: "beer", quantity: 2 }] }],
  ])("is refused as %s: %j", (code, request) => {
    const first = { returnId: "1", lines: [{ id: "beer", quantity: 1 }] };
    const { shop } = returnLines(put(createShop(), buy("a", threePieces)), "a", first, noon);
    expect(() => returnLines(shop, "a", request, noon)).toThrow(code);
  });

  it("of everything changes nothing the second time, but uses up its id", () => {
    const returned = returnAll(put(createShop(), buy("a", 2_000)), "a");
    const second = returnLines(returned, "a", { returnId: "again", all: true }, noon);
    expect(second).toMatchObject({ isApplied: false, changes: [] });
    const grown = put(second.shop, buy("a", 9_000));
    expect(readPoints(grown, "ann", noon).available).toBe(7);
    expect(returnLines(grown, "a", { returnId: "again", all: true }, noon).shop).toEqual(grown);
  });

  it("creates no debt for expired points, and growth doesn't give them again", () => {
    const shop = createShop(
      createProgram({ rules: [{ give: 1, per: { amount: 100 } }] }, { expiry: { days: 1 } }),
    );
    const later = noon + 9 * dayMs;
    const returned = returnAmount(put(shop, buy("a", 1_000)), "a", "1", 1_000, later);
    expect(unitsOf(returned)).toBe(0);
    expect(readEffect(returned.shop, "a", "ann")).toMatchObject({ units: 0, notTaken: 10 });
    expect(readPoints(returned.shop, "ann", later)).toMatchObject({ debt: 0, expired: 10 });
    const grown = putPurchase(returned.shop, buy("a", 1_600), later);
    expect(unitsOf(grown)).toBe(0);
    expect(readEffect(grown.shop, "a", "ann")).toMatchObject({ units: 6, notTaken: 4 });
  });

  it("in two parts leaves out expired points once, and creates debt for spent points", () => {
    const shop = createShop(
      createProgram({ rules: [{ give: 1, per: { amount: 100 } }] }, { expiry: { days: 1 } }),
    );
    const spent = spendPoints(put(shop, buy("a", 1_000)), "ann", 6, noon);
    const later = noon + 9 * dayMs;
    const first = returnAmount(spent, "a", "1", 500, later).shop;
    expect(readPoints(first, "ann", later)).toMatchObject({ debt: 1, expired: 4 });
    expect(readPoints(returnAmount(first, "a", "2", 500, later).shop, "ann", later).debt).toBe(6);
  });

  it("that is forgiven still restores the debt that its points had paid", () => {
    const program = createProgram({ rules: [{ give: 1, per: { amount: 100 } }], onReturn: "forgive" });
    const owing = removePoints(createShop(program), "ann", { points: 4, allowsDebt: true }, noon);
    const spent = spendPoints(put(owing, buy("a", 1_000)), "ann", 6, noon);
    expect(readPoints(returnAll(spent, "a"), "ann", noon)).toMatchObject({ available: 0, debt: 4 });
  });

  it.each([
    ["debt", { available: 0, pending: 0, debt: 3 }, 0],
    ["forgive", { available: 0, pending: 4, debt: 0 }, 7],
  ] as const)(
    "with onReturn %s takes other points before it creates debt",
    (onReturn, expected, notTaken) => {
      const earning = { rules: [{ give: 1, per: { amount: 100 } }], onReturn };
      const bought = put(createShop(createProgram(earning)), buy("a", 1_000));
      const spent = addPoints(spendPoints(bought, "ann", 10, noon), "ann", { points: 3 }, noon);
      const pending = changeProgram(spent, "points", createProgram(earning, { pendingDays: 14 }));
      const returned = returnAll(put(pending, buy("b", 400)), "a");
      expect(readPoints(returned, "ann", noon)).toMatchObject(expected);
      expect(readEffect(returned, "a", "ann").notTaken).toBe(notTaken);
    },
  );

  it("takes stamps from the open card, then from full cards whose reward is unredeemed", () => {
    const rules = [{ give: 1, per: "item" as const }];
    const bought = put(addStampCard(createShop(), 5, { rules }), buy("a", [{ amount: 100, quantity: 12 }]));
    expect(findCard(bought, "stamps").state).toMatchObject({ full: 2, current: 2 });
    const redeemed = redeemReward(bought, "stamps");
    const four = { returnId: "1", lines: [{ id: "0", quantity: 4 }] };
    const opened = returnLines(redeemed, "a", four, noon).shop;
    expect(findCard(opened, "stamps").state).toMatchObject({ full: 0, current: 3 });
    const returned = returnAll(opened, "a");
    expect(findCard(returned, "stamps").state).toMatchObject({ full: 0, current: 0 });
    expect(readEffect(returned, "a", "stamps")).toMatchObject({ units: 0, notTaken: 5 });
  });
});

describe("an entry", () => {
  it("can be reversed only once", () => {
    const added = addPoints(createShop(), "ann", { points: 5 }, noon);
    const reversed = reverseEntry(added, "ann", 1, noon);
    expect(readPoints(reversed, "ann", noon)).toMatchObject({ available: 0, debt: 0 });
    expect(() => reverseEntry(reversed, "ann", 1, noon)).toThrow("already_reversed");
    expect(() => reverseEntry(reversed, "ann", 2, noon)).toThrow("not_reversible");
  });

  it("of a purchase can't be reversed", () => {
    expect(() => reverseEntry(put(createShop(), buy("a", 2_000)), "ann", 1, noon)).toThrow("not_reversible");
  });

  it("that added points can't be reversed once they were spent", () => {
    const added = addPoints(createShop(), "ann", { points: 5 }, noon);
    expect(() => reverseEntry(spendPoints(added, "ann", 1, noon), "ann", 1, noon)).toThrow(
      "not_enough_points",
    );
  });

  it("that removed points into debt restores its lots when reversed, and paid debt becomes a lot without expiry", () => {
    const added = addPoints(createShop(), "ann", { points: 10, expiresAt: noon + dayMs }, noon);
    const removed = removePoints(added, "ann", { points: 30, allowsDebt: true }, noon);
    expect(readPoints(removed, "ann", noon)).toMatchObject({ available: 0, debt: 20 });
    const asBefore = readPoints(reverseEntry(removed, "ann", 2, noon), "ann", noon);
    expect(asBefore).toEqual(readPoints(added, "ann", noon));
    const paid = addPoints(removed, "ann", { points: 20 }, noon);
    const reversed = readPoints(reverseEntry(paid, "ann", 2, noon), "ann", noon);
    expect(reversed).toMatchObject({ available: 30, debt: 0, expiring: [{ points: 10, at: noon + dayMs }] });
  });

  it("that is reversed without grace doesn't shorten the grace of an earlier reversal", () => {
    const shop = addPoints(
      createShop(createProgram({}, { graceDays: 3 })),
      "ann",
      { points: 10, expiresAt: noon + 1 },
      noon,
    );
    const spent = spendPoints(spendPoints(shop, "ann", 5, noon), "ann", 5, noon);
    const graced = reverseEntry(spent, "ann", 2, noon + dayMs);
    const reversed = reverseEntry(changeProgram(graced, "points", onePerTen), "ann", 3, noon + dayMs);
    expect(readPoints(reversed, "ann", noon + dayMs).available).toBe(10);
  });

  it("of a spend pays debt first when it is reversed", () => {
    const bought = put(createShop(onePerEuro), buy("a", 2_000));
    const spent = spendPoints(bought, "ann", 20, noon);
    const returned = returnAmount(spent, "a", "1", 1_500).shop;
    expect(readPoints(reverseEntry(returned, "ann", 2, noon), "ann", noon)).toMatchObject({
      available: 5,
      debt: 0,
    });
  });
});
