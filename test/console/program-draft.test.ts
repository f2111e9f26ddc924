import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  convertAmount,
  findDecimals,
  formatAmount,
  parseAmount,
} from "../../adapters/apps/console/browser/cards/program/amount-text.js";
import {
  countExample,
  listExampleLines,
  suggestExampleLine,
} from "../../adapters/apps/console/browser/cards/program/example-purchase.js";
import {
  buildProgramChanges,
  changeCurrency,
  createEarningDraft,
  createPointsDraft,
  findDraftErrors,
  fromProgramDraft,
  type ProgramDraft,
  toProgramDraft,
} from "../../adapters/apps/console/browser/cards/program/program-draft.js";
import {
  earningSchema,
  type LineKind,
  type Program,
  pointTermsSchema,
} from "../../src/cards/program-schema.js";
import { countUnits, type Earning as EarningInput } from "../purchases/earning.js";
import { bonuses, expiries, rules } from "../purchases/histories.js";

const amounts = fc.oneof(
  fc.integer({ min: 1, max: 5_000 }),
  fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
);
const texts = fc.array(
  fc.string({ minLength: 1, maxLength: 5 }).filter((text) => text.trim() !== ""),
  { maxLength: 3 },
);
const dates = fc.constantFrom("0001-01-01", "2026-02-28", "9999-12-31");

/** Rules of every kind, including those with empty lists, which match nothing. */
const anyRules = fc
  .tuple(rules, fc.record({ per: fc.record({ amount: amounts }), minAmount: amounts }, { requiredKeys: [] }))
  .map(([rule, larger]) => ({ ...rule, ...larger }));

const anyBonuses = fc
  .tuple(
    bonuses,
    fc.record(
      {
        percent: fc.integer({ min: 101, max: 1_000 }),
        from: dates,
        to: dates,
        only: fc.record({ skus: texts }),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([bonus, more]) => ({ ...bonus, ...more }));

const earningInputs: fc.Arbitrary<EarningInput> = fc.record(
  {
    currency: fc.constantFrom("EUR", "JPY", "KWD", "ZZZ"),
    rules: fc.array(anyRules, { minLength: 1, maxLength: 4 }),
    combine: fc.constantFrom("sum" as const, "best" as const),
    bonuses: fc.array(anyBonuses, { maxLength: 3 }),
    counts: fc.record(
      {
        kinds: fc.subarray<LineKind>(["goods", "shipping", "tip", "fee", "gift_card"]),
        tax: fc.boolean(),
        paidWithPoints: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    limits: fc.record({ perPurchase: fc.nat(1_000), perDay: fc.nat(1_000) }, { requiredKeys: [] }),
    onReturn: fc.constantFrom("debt" as const, "forgive" as const),
  },
  { requiredKeys: ["currency", "rules"] },
);

const earnings = earningInputs.map((earning) => earningSchema.parse(earning));

const terms = fc
  .record(
    {
      unit: fc.constantFrom(null, "beans", " Bohnen "),
      pendingDays: fc.nat(365),
      expiry: fc.option(expiries),
      graceDays: fc.nat(90),
    },
    { requiredKeys: [] },
  )
  .map((points) => pointTermsSchema.parse(points));

/** Any program that the API accepts, as it returns it. */
const programs: fc.Arbitrary<Program> = fc.record({ earning: fc.option(earnings), points: fc.option(terms) });

/** The draft that a shop starts with. */
const startDraft: ProgramDraft = {
  earning: createEarningDraft("LOYALTY_CARD", "EUR"),
  points: createPointsDraft(),
};

describe("a program in the form", () => {
  it("is complete and stays unchanged, whatever it is", () => {
    fc.assert(
      fc.property(programs, (program) => {
        const draft = toProgramDraft(program);
        expect(fromProgramDraft(draft)).toEqual(program);
        expect(findDraftErrors(draft)).toEqual({});
        expect(buildProgramChanges(draft, program)).toEqual({});
      }),
    );
  });

  it("changes only where the user changes it", () => {
    fc.assert(
      fc.property(earnings, terms, (earning, points) => {
        const program = { earning, points };
        const draft = toProgramDraft(program);
        if (draft.earning === null || draft.points === null) throw new Error("the draft has lost a part");
        const [rule, ...otherRules] = draft.earning.rules;
        if (rule === undefined) throw new Error("the draft has no rules");
        const changedRules = [{ ...rule, give: "77" }, ...otherRules];
        const [savedRule, ...otherSavedRules] = earning.rules;
        expect(
          buildProgramChanges({ ...draft, earning: { ...draft.earning, rules: changedRules } }, program),
        ).toEqual(
          savedRule?.give === 77
            ? {}
            : { earning: { ...earning, rules: [{ ...savedRule, give: 77 }, ...otherSavedRules] } },
        );
        expect(
          buildProgramChanges({ ...draft, points: { ...draft.points, unit: "stars" } }, program),
        ).toEqual({
          points: { ...points, unit: "stars" },
        });
        expect(buildProgramChanges({ ...draft, earning: null }, program)).toEqual({ earning: null });
      }),
    );
  });

  it("starts with one point for each unit of the currency, or one stamp for each purchase", () => {
    const { earning, points } = fromProgramDraft(startDraft);
    expect(earning).toEqual(
      earningSchema.parse({ currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] }),
    );
    expect(points).toEqual(pointTermsSchema.parse({}));
    const yen = { earning: createEarningDraft("STAMP_CARD", "JPY"), points: null };
    expect(fromProgramDraft(yen).earning).toEqual(
      earningSchema.parse({ currency: "JPY", rules: [{ give: 1, per: "purchase" }] }),
    );
  });

  it("shows at its field which number is missing or wrong, before it is sent", () => {
    const { earning, points } = startDraft;
    if (earning === null || points === null) throw new Error("the draft has lost a part");
    const [rule] = earning.rules;
    const [bonus] =
      toProgramDraft({
        earning: earningSchema.parse({
          currency: "EUR",
          rules: [{ give: 1, per: "item" }],
          bonuses: [{ percent: 250 }],
        }),
        points: null,
      }).earning?.bonuses ?? [];
    if (rule === undefined || bonus === undefined) throw new Error("the draft has no rule or bonus");
    const number = "must be a whole number";
    const amount = "must be an amount, such as 12.50";
    const draft = {
      earning: {
        ...earning,
        rules: [
          { ...rule, give: "", amount: "0", minAmount: "much" },
          { ...rule, give: "1.5", basis: "item" as const, amount: "" },
        ],
        bonuses: [{ ...bonus, percent: "double" }],
        limits: { perPurchase: "-1", perDay: " " },
      },
      points: { ...points, pendingDays: "", expiry: "month" as const, expiresAfter: "x", graceDays: "1e3" },
    };
    expect(findDraftErrors(draft)).toEqual({
      "earning.rules.0.give": number,
      "earning.rules.0.per.amount": amount,
      "earning.rules.0.minAmount": amount,
      "earning.rules.1.give": number,
      "earning.bonuses.0.percent": number,
      "earning.limits.perPurchase": number,
      "points.pendingDays": number,
      "points.expiry.months": number,
      "points.graceDays": number,
    });
    expect(() => buildProgramChanges(draft, { earning: null, points: null })).toThrow(number);
  });

  it("keeps the value of its amounts when the currency changes", () => {
    const { earning } = startDraft;
    if (earning === null) throw new Error("the draft has lost a part");
    const readPer = (currency: string) =>
      fromProgramDraft({ earning: changeCurrency(earning, currency), points: null }).earning?.rules[0]?.per;
    expect([readPer("JPY"), readPer("KWD"), readPer("CHF")]).toEqual([
      { amount: 1 },
      { amount: 1_000 },
      { amount: 100 },
    ]);
  });
});

describe("an amount in the form", () => {
  it.each([
    ["12.50", "EUR", 1_250],
    ["12,5", "EUR", 1_250],
    [" 12 ", "EUR", 1_200],
    ["1,250", "KWD", 1_250],
    ["1250", "JPY", 1_250],
    ["0", "EUR", 0],
  ])("reads %j in %s as %i", (text, currency, minorUnits) => {
    expect(parseAmount(text, findDecimals(currency))).toBe(minorUnits);
  });

  it.each([
    ["1,000", "EUR"],
    ["1.000", "EUR"],
    ["1.5", "JPY"],
    ["-1", "EUR"],
    ["1e3", "EUR"],
    ["", "EUR"],
    [".5", "EUR"],
    ["99999999999999999", "EUR"],
  ])("doesn't guess what %j in %s means", (text, currency) => {
    expect(parseAmount(text, findDecimals(currency))).toBeNaN();
  });

  it("is parsed as it was formatted, at any size", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.constantFrom(0, 2, 3), (minorUnits, decimals) => {
        expect(parseAmount(formatAmount(minorUnits, decimals), decimals)).toBe(minorUnits);
      }),
    );
  });

  it("stays as typed if the other currency can't express it", () => {
    expect(["12.50", "much", ""].map((text) => convertAmount(text, 2, 0))).toEqual(["12.50", "much", ""]);
  });
});

describe("the example below the rules", () => {
  it("gives the same as a purchase would, up to the limits", () => {
    fc.assert(
      fc.property(
        earningInputs,
        fc.nat(5_000),
        fc.nat(5),
        fc.nat(30),
        fc.nat(24 * 60 - 1),
        fc.nat(20),
        (input, amount, quantity, day, minute, pick) => {
          const earning = earningSchema.parse(input);
          const lines = listExampleLines(earning);
          const line = lines[pick % lines.length];
          if (line === undefined) throw new Error("the example has nothing to buy");
          const at = { day: 20_500 + day, time: minute * 60_000 };
          const { kind, category, sku } = line;
          const returned = { quantity: 0, amount: 0 };
          const basket = {
            currency: earning.currency,
            lines: [{ id: "0", kind, category, sku, quantity, amount, tax: 0, returned }],
            paidWithPoints: 0,
          };
          const bound = Math.min(earning.limits.perPurchase ?? 1e9, earning.limits.perDay ?? 1e9);
          const counted = amount === 0 && quantity === 0 ? 0 : Number(countUnits(input, basket, at));
          expect(countExample(earning, { line, amount, quantity, at })).toEqual({
            units: Math.min(counted, bound),
            isLimited: counted > bound,
          });
        },
      ),
    );
  });

  it("offers what the rules name, and starts with something that the first rule covers", () => {
    const earning = earningSchema.parse({
      currency: "EUR",
      rules: [{ give: 1, per: "item", only: { categories: ["coffee"], notSkus: ["X-1"] } }],
      bonuses: [{ percent: 200, only: { skus: ["A-7"], categories: ["coffee"] } }],
    });
    expect(listExampleLines(earning).map(({ key }) => key)).toEqual([
      "category coffee",
      "sku X-1",
      "sku A-7",
      "goods",
      "shipping",
      "tip",
      "fee",
      "gift_card",
    ]);
    expect(suggestExampleLine(earning)).toBe("category coffee");
  });
});
