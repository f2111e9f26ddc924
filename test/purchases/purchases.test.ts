import { describe, expect, it, vi } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound, untyped, wrongType } from "../kit/refusal.js";
import { createTills, fillEarning, type PutPurchase, toFields, unitsOf } from "./till.js";

const programs = {
  P: { give: 1, per: { amount: 1_000 } },
  Q: { give: 3, per: { amount: 700 } },
  S: { give: 3, per: { amount: 700 }, inSteps: true },
} as const;

async function expectCode(call: Promise<unknown>, code: string): Promise<void> {
  expect(await getErrorDetail(call)).toMatchObject({ code });
}

describe.each(everyAdapter)("purchases on $name", ({ open }) => {
  const { openPointTill, openStampTill } = createTills(open);

  describe("the worked examples", () => {
    it.each([
      ["P", [2, 0, -1, -1]],
      ["Q", [10, -2, 0, -8]],
      ["S", [9, -3, 0, -6]],
    ] as const)("of %s give %j for 25.00 and returns of 5.00, 1.00, and 19.00", async (name, expected) => {
      const { buy, takeBack } = await openPointTill({ rules: [programs[name]] });
      const calls = [
        await buy("1", 2_500),
        await takeBack("1", "a", 500),
        await takeBack("1", "b", 100),
        await takeBack("1", "c", 1_900),
      ];
      expect(calls.map(unitsOf)).toEqual(expected);
      expect(calls.every(({ isApplied }) => isApplied)).toBe(true);
    });

    it.each([
      ["P", 2, [-1, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
      ["Q", 8, [0, -1, 0, -1, 0, 0, -1, 0, -1, 0]],
      ["S", 6, [0, 0, 0, 0, 0, 0, -3, 0, 0, 0]],
    ] as const)("of %s give %i for 20.00, and %j for ten returns of 1.00", async (name, given, expected) => {
      const { buy, takeBack } = await openPointTill({ rules: [programs[name]] });
      expect(unitsOf(await buy("1", 2_000))).toBe(given);
      const taken = [];
      for (let time = 1; time <= 10; time += 1) taken.push(unitsOf(await takeBack("1", `r-${time}`, 100)));
      expect(taken).toEqual(expected);
    });

    it("give 6 for 4 items at 1 each, with the larger of the bonuses 150 and 120", async () => {
      const bonuses = [{ percent: 150 }, { percent: 120 }];
      const { buy } = await openPointTill({ rules: [{ give: 1, per: "item" }], bonuses });
      expect(unitsOf(await buy("1", [{ amount: 400, quantity: 4 }]))).toBe(6);
    });
  });

  describe("a purchase", () => {
    it("is recorded and returned with its effects", async () => {
      const { ada, card, template, buy, acme, clock } = await openPointTill();
      const receipt = await buy("991", [{ amount: 1_250, sku: "beans" }], { note: "gift", revision: 3 });
      const { changes, isApplied, ...purchase } = receipt;
      expect(purchase).toEqual({
        id: expect.stringMatching(/^pur_/),
        object: "purchase",
        ...{ source: "till", receipt: "991", revision: 3, userId: ada, at: clock.timestamp, currency: "EUR" },
        lines: [
          {
            ...{ id: "0", sku: "beans", category: null, name: null, kind: "goods" },
            ...{ quantity: 1, amount: 1_250, tax: 0, returned: { quantity: 0, amount: 0 } },
          },
        ],
        ...{ total: 1_250, returnedTotal: 0, paidWithPoints: 0, note: "gift" },
        effects: [
          {
            ...{ walletPassId: card, templateId: template, unit: "points", units: 12, notTaken: 0, cut: 0 },
            because: null,
          },
        ],
        ...{ createdAt: clock.timestamp, updatedAt: clock.timestamp },
      });
      const entryId = expect.stringMatching(/^pte_/);
      expect(changes).toEqual([
        { walletPassId: card, templateId: template, unit: "points", units: 12, entryId },
      ]);
      expect(isApplied).toBe(true);
      expect(await acme.purchases.get("till", "991")).toEqual(purchase);
    });

    it("put again with the same content changes nothing and emits nothing", async () => {
      const { buy, acme, card, clock } = await openPointTill();
      const first = await buy("1", 1_000);
      const before = [await acme.points.history(card), await acme.events.list({ limit: 100 })];
      clock.move(1_000);
      expect(await buy("1", 1_000)).toEqual({ ...first, changes: [], isApplied: false });
      expect([await acme.points.history(card), await acme.events.list({ limit: 100 })]).toEqual(before);
    });

    it("put again with the same content opens no transaction", async () => {
      const { buy, storage } = await openPointTill();
      await buy("1", 1_000);
      const transaction = vi.spyOn(storage, "transaction");
      expect(await buy("1", 1_000)).toMatchObject({ isApplied: false });
      expect(transaction).not.toHaveBeenCalled();
      expect(await buy("1", 2_000)).toMatchObject({ isApplied: true });
      expect(transaction).toHaveBeenCalled();
    });

    it("put again without a time keeps its time", async () => {
      const { buy, clock } = await openPointTill();
      const { at } = await buy("1", 1_000);
      clock.move(3_600_000);
      expect(await buy("1", 2_000)).toMatchObject({ at, isApplied: true });
      expect(await buy("1", 2_000, { at })).toMatchObject({ at, isApplied: false });
    });

    it("with a lower revision changes nothing", async () => {
      const { buy } = await openPointTill();
      const stored = await buy("1", 1_000, { revision: 2 });
      expect(await buy("1", 9_000, { revision: 1 })).toEqual({ ...stored, changes: [], isApplied: false });
    });

    it("with the same revision and other content is a conflict", async () => {
      const { buy } = await openPointTill();
      await buy("1", 1_000, { revision: 2 });
      await expectCode(buy("1", 1_001, { revision: 2 }), "purchase_conflict");
      expect(await buy("1", 1_000, { revision: 2 })).toMatchObject({ isApplied: false });
    });

    it("needs a revision once it has one", async () => {
      const { buy } = await openPointTill();
      await buy("1", 1_000, { revision: 0 });
      expect(await getRefusedFields(buy("1", 1_000))).toEqual(["revision"]);
    });

    it("with a higher revision and the same content gets the revision, and nothing else changes", async () => {
      const { buy, acme, clock } = await openPointTill();
      const first = await buy("1", 1_000, { revision: 1 });
      const events = await acme.events.list({ limit: 100 });
      clock.move(1_000);
      expect(await buy("1", 1_000, { revision: 5 })).toEqual({
        ...first,
        ...{ revision: 5, changes: [], isApplied: false },
      });
      expect(await acme.events.list({ limit: 100 })).toEqual(events);
    });

    it("without a customer earns nothing until it names one", async () => {
      const { acme, ada, buy } = await openPointTill();
      const nobody: PutPurchase = { currency: "EUR", lines: [{ amount: 1_000 }] };
      expect(await acme.purchases.put("till", "1", nobody)).toMatchObject({
        userId: null,
        effects: [],
        changes: [],
      });
      const named = await buy("1", 1_000);
      expect(named).toMatchObject({ userId: ada, changes: [{ units: 10 }] });
    });

    it("put without a customer takes everything back", async () => {
      const { acme, card, buy } = await openPointTill();
      await buy("1", 1_000);
      const taken = await acme.purchases.put("till", "1", { currency: "EUR", lines: [{ amount: 1_000 }] });
      expect(taken).toMatchObject({ userId: null, effects: [], changes: [{ units: -10 }] });
      expect(await acme.points.state(card)).toMatchObject({ available: 0, debt: 0 });
    });

    it("that names another customer takes everything from the first and gives it to the second", async () => {
      const { acme, card, template, bob, buy } = await openPointTill();
      const other = await acme.passes.create(template, { userId: bob });
      await buy("1", 1_000);
      const moved = await buy("1", 1_000, { userId: bob });
      expect(moved.changes).toMatchObject([
        { walletPassId: card, units: -10 },
        { walletPassId: other.id, units: 10 },
      ]);
      expect(moved.effects).toMatchObject([{ walletPassId: other.id, units: 10 }]);
      const back = await buy("1", 1_000);
      expect(back.changes).toMatchObject([{ units: 10 }, { units: -10 }]);
    });

    it.each(["userId", "walletPassId", "qrCodeValue"] as const)(
      "identifies its customer by %s",
      async (name) => {
        const { acme, ada, card, buy } = await openPointTill();
        const { qrCodeValue } = await acme.passes.get(card);
        const names = { userId: ada, walletPassId: card, qrCodeValue };
        const customer = { [name]: names[name] };
        expect(await buy("1", 1_000, customer)).toMatchObject({ userId: ada, changes: [{ units: 10 }] });
        expect(await buy("2", 1_000, { [name]: names[name] })).toMatchObject({ userId: ada });
      },
    );

    it("is refused with two customer identifiers, and for a customer who doesn't exist", async () => {
      const { ada, acme, card } = await openPointTill();
      const put = (customer: Partial<PutPurchase>) =>
        acme.purchases.put("till", "1", { currency: "EUR", lines: [{ amount: 1 }], ...customer });
      expect(await getRefusedFields(put({ userId: ada, walletPassId: card }))).toEqual(["userId"]);
      for (const customer of [{ userId: "none" }, { walletPassId: "none" }, { qrCodeValue: "none" }])
        expect(await getErrorDetail(put(customer))).toEqual(notFound);
    });

    it("earns on the oldest card of each earning template that exists when it first names the customer", async () => {
      const { acme, ada, card, template, buy, clock } = await openPointTill();
      clock.move(1_000);
      await acme.passes.create(template, { userId: ada });
      const plain = await acme.templates.create({ name: "Plain", type: "LOYALTY_CARD" });
      await acme.passes.create(plain.id, { userId: ada });
      const stamps = await acme.templates.create({
        ...{ name: "Stamps", type: "STAMP_CARD", maxStamps: 5 },
        ...toFields({ earning: fillEarning({ rules: [{ give: 1, per: "purchase" }] }) }),
      });
      const first = await buy("1", 1_000);
      expect(first.effects.map(({ walletPassId }) => walletPassId)).toEqual([card]);
      const stampCard = await acme.passes.create(stamps.id, { userId: ada });
      expect((await buy("1", 2_000)).effects).toHaveLength(1);
      expect((await buy("2", 1_000)).effects).toMatchObject([
        { walletPassId: card, unit: "points", units: 10 },
        { walletPassId: stampCard.id, unit: "stamps", units: 1 },
      ]);
    });

    it("keeps the program and the day's allowance of the moment when it first named the customer", async () => {
      const { acme, template, buy, takeBack } = await openPointTill({ limits: { perDay: 15 } });
      expect(await buy("1", 1_000)).toMatchObject({ effects: [{ units: 10, cut: 0 }] });
      expect(await buy("2", 1_000)).toMatchObject({ effects: [{ units: 5, cut: 5 }] });
      await acme.templates.update(template, toFields({ earning: fillEarning({ limits: { perDay: 1 } }) }));
      await takeBack("1", "r");
      expect(await buy("2", 900)).toMatchObject({ changes: [], effects: [{ units: 5, cut: 4 }] });
      expect(await buy("3", 1_000)).toMatchObject({ effects: [{ units: 0, cut: 10 }] });
      expect(await takeBack("2", "r", 500)).toMatchObject({ effects: [{ units: 4, cut: 0 }] });
    });

    it("in another currency earns nothing and gives the reason", async () => {
      const { buy } = await openPointTill();
      expect(await buy("1", 1_000, { currency: "CHF" })).toMatchObject({
        changes: [],
        effects: [{ units: 0, cut: 0, because: "currency_mismatch" }],
      });
      expect(await buy("1", 1_000)).toMatchObject({ changes: [{ units: 10 }], effects: [{ because: null }] });
    });

    it("that is recorded late gives points that have expired, and expires them immediately", async () => {
      const { acme, card, buy } = await openPointTill({}, { expiry: { days: 1 } });
      const late = await buy("1", 1_000, { at: "2026-06-01T12:00:00+02:00" });
      expect(late).toMatchObject({ at: "2026-06-01T10:00:00.000Z", changes: [{ units: 10 }] });
      const [expired, earned] = (await acme.points.history(card)).content;
      expect(earned).toMatchObject({ id: late.changes[0]?.entryId, at: "2026-06-01T10:00:00.000Z" });
      expect(expired).toMatchObject({ type: "expired", points: -10, at: "2026-06-02T22:00:00.000Z" });
      expect(await acme.points.state(card)).toMatchObject({ available: 0, earned: 10, expired: 10 });
    });

    it("gives at most 10⁹ units to a card, and the rest is cut", async () => {
      const { buy } = await openPointTill({ rules: [{ give: 1_000_000, per: { amount: 1 } }] });
      expect(await buy("1", 1_001)).toMatchObject({
        effects: [{ units: 1_000_000_000, cut: 1_000_000 }],
      });
    });

    it("keeps the order of its effects after the card of one effect was revoked", async () => {
      const { acme, ada, bob, card, template, buy } = await openPointTill();
      const other = await acme.passes.create(template, { userId: bob });
      const kind = { name: "Stamps", type: "STAMP_CARD" as const, maxStamps: 5 };
      const stamps = await acme.templates.create({ ...kind, ...toFields({ earning: fillEarning({}) }) });
      const stampCard = await acme.passes.create(stamps.id, { userId: ada });
      await buy("1", 100);
      await acme.passes.delete(card);
      await buy("1", 100, { userId: bob });
      const { changes } = await buy("1", 200);
      expect(changes.map(({ walletPassId }) => walletPassId)).toEqual([stampCard.id, other.id]);
    });

    it("keeps its effects on a card until the card is revoked", async () => {
      const { acme, card, buy } = await openPointTill();
      const { qrCodeValue } = await acme.passes.get(card);
      await buy("1", 1_000, { qrCodeValue });
      await acme.passes.delete(card);
      expect((await acme.purchases.get("till", "1")).effects).toEqual([]);
      expect(await buy("1", 1_000, { qrCodeValue })).toMatchObject({ isApplied: false });
      expect(await buy("1", 2_000, { qrCodeValue })).toMatchObject({
        isApplied: true,
        changes: [],
        effects: [],
      });
      expect(await getErrorDetail(buy("2", 1_000, { qrCodeValue }))).toEqual(notFound);
    });
  });

  describe("rules", () => {
    it("have defaults", async () => {
      const { acme, template } = await openPointTill();
      const { earning } = await acme.templates.get(template);
      expect(earning).toEqual({
        currency: "EUR",
        rules: [{ give: 1, per: { amount: 100 }, minAmount: 0 }],
        ...{ combine: "sum", bonuses: [], limits: {}, onReturn: "debt" },
        counts: { kinds: ["goods"], tax: true, paidWithPoints: false },
      });
    });

    it("deduct tax and the amount paid with points in proportion to what remains", async () => {
      const { buy, takeBack } = await openPointTill({
        rules: [{ give: 1, per: { amount: 1 } }],
        counts: { tax: false },
      });
      // 9.00 without 1.50 of tax, and without the third that was paid with points.
      const bought = await buy("1", [{ amount: 900, tax: 150 }], { paidWithPoints: 300 });
      expect(bought.effects).toMatchObject([{ units: 500 }]);
      expect((await takeBack("1", "r", 300)).effects).toMatchObject([{ units: 333 }]);
    });

    it("apply if the remaining counted amount reaches the minimum, before bonuses", async () => {
      const { buy, takeBack } = await openPointTill({
        rules: [{ give: 1, per: { amount: 100 }, minAmount: 1_000 }],
        bonuses: [{ percent: 200 }],
      });
      expect((await buy("1", 1_000)).effects).toMatchObject([{ units: 20 }]);
      expect((await takeBack("1", "r", 1)).effects).toMatchObject([{ units: 0 }]);
      expect((await buy("2", 999)).effects).toMatchObject([{ units: 0 }]);
    });

    it("per purchase apply while a matching line has anything left, with the largest bonus of those lines", async () => {
      const { acme, buy } = await openPointTill({
        rules: [{ give: 10, per: "purchase", only: { categories: ["coffee"] } }],
        bonuses: [{ percent: 300, only: { skus: ["rare"] } }],
      });
      const lines = [
        { amount: 100, category: "coffee", sku: "rare" },
        { amount: 100, category: "coffee" },
        { amount: 100, category: "cake" },
      ];
      expect((await buy("1", lines)).effects).toMatchObject([{ units: 30 }]);
      const giveBack = (returnId: string, id: string, amount?: number) =>
        acme.purchases.addReturn("till", "1", {
          returnId,
          lines: [{ id, ...(amount !== undefined && { amount }) }],
        });
      // An amount without a quantity returns no piece.
      expect((await giveBack("a", "0", 100)).effects).toMatchObject([{ units: 30 }]);
      expect((await giveBack("b", "0")).effects).toMatchObject([{ units: 10 }]);
      expect((await giveBack("c", "1")).effects).toMatchObject([{ units: 0 }]);
    });

    it("apply a bonus by the weekday of the purchase's time, also after midnight", async () => {
      const bonuses = [{ percent: 200, weekdays: [2], between: { from: "22:00", to: "02:00" } }];
      const { buy, goTo } = await openPointTill({ bonuses });
      goTo("2026-06-30T12:00+02:00");
      const unitsAt = async (at: string) => unitsOf(await buy(at, 1_000, { at }));
      // The 16th is a Tuesday.
      expect(await unitsAt("2026-06-16T23:00:00+02:00")).toBe(20);
      expect(await unitsAt("2026-06-17T01:00:00+02:00")).toBe(10);
      expect(await unitsAt("2026-06-16T01:00:00+02:00")).toBe(20);
      expect(await unitsAt("2026-06-16T21:00:00+02:00")).toBe(10);
    });

    it("re-evaluate bonuses when the purchase's time changes", async () => {
      const { buy } = await openPointTill({
        bonuses: [{ percent: 200, from: "2026-06-10", to: "2026-06-10" }],
      });
      expect(unitsOf(await buy("1", 1_000))).toBe(10);
      expect(unitsOf(await buy("1", 1_000, { at: "2026-06-10T23:59:59+02:00" }))).toBe(10);
      expect(unitsOf(await buy("1", 1_000, { at: "2026-06-09T23:59:59+02:00" }))).toBe(-10);
    });

    it("limit the units of a purchase and of a local day", async () => {
      const { buy } = await openPointTill({ limits: { perPurchase: 20, perDay: 30 } });
      expect((await buy("1", 2_500)).effects).toMatchObject([{ units: 20, cut: 5 }]);
      expect((await buy("2", 2_500)).effects).toMatchObject([{ units: 10, cut: 15 }]);
      expect((await buy("3", 2_500)).effects).toMatchObject([{ units: 0, cut: 25 }]);
      const yesterday = await buy("4", 2_500, { at: "2026-06-14T23:59:59+02:00" });
      expect(yesterday.effects).toMatchObject([{ units: 20, cut: 5 }]);
    });

    it("allow per day what the day's other purchases don't use now", async () => {
      const { buy, takeBack } = await openPointTill({ limits: { perDay: 30 } });
      await buy("1", 3_000);
      await takeBack("1", "r", 1_000);
      expect((await buy("2", 3_000)).effects).toMatchObject([{ units: 10, cut: 20 }]);
    });
  });

  describe("a return", () => {
    it("takes the same units in parts as in one return, in any order", async () => {
      const { acme, buy, takeBack } = await openPointTill({ rules: [programs.Q] });
      const left = [];
      for (const [receipt, amounts] of Object.entries({
        a: [1_000],
        b: [500, 500],
        c: [300, 700],
        d: [700, 300],
      })) {
        await buy(receipt, 2_500);
        for (const [index, amount] of amounts.entries()) await takeBack(receipt, `${index}`, amount);
        left.push((await acme.purchases.get("till", receipt)).effects[0]?.units);
      }
      expect(left).toEqual([6, 6, 6, 6]);
    });

    it("has the same effect as a smaller purchase", async () => {
      const { buy, takeBack } = await openPointTill({ rules: [programs.Q] });
      await buy("1", 2_500);
      await buy("2", 2_500);
      expect(unitsOf(await takeBack("1", "r", 500))).toBe(unitsOf(await buy("2", 2_000)));
    });

    it("that is repeated changes nothing, and with other content is a conflict", async () => {
      const { buy, takeBack } = await openPointTill();
      await buy("1", 1_000);
      const first = await takeBack("1", "r", 400);
      expect(await takeBack("1", "r", 400)).toEqual({ ...first, changes: [], isApplied: false });
      await expectCode(takeBack("1", "r", 401), "return_conflict");
      await expectCode(takeBack("1", "r"), "return_conflict");
      await buy("2", 1_000);
      expect(await takeBack("2", "r", 400)).toMatchObject({ isApplied: true });
    });

    it("of some pieces returns their amount pro rata, rounded down, and the last pieces return the rest", async () => {
      const { buy, acme } = await openPointTill();
      await buy("1", [{ amount: 1_000, quantity: 3 }]);
      const returned = [];
      for (const returnId of ["a", "b", "c"]) {
        const lines = [{ id: "0", quantity: 1 }];
        returned.push((await acme.purchases.addReturn("till", "1", { returnId, lines })).returnedTotal);
      }
      expect(returned).toEqual([333, 666, 1_000]);
    });

    it("of everything cancels the purchase, and a second one changes nothing", async () => {
      const { buy, takeBack } = await openPointTill();
      const { total } = await buy("1", [{ amount: 700, quantity: 2 }, { amount: 300 }]);
      const canceled = await takeBack("1", "all");
      expect(canceled).toMatchObject({
        returnedTotal: total,
        changes: [{ units: -10 }],
        lines: [{ returned: { quantity: 2, amount: 700 } }, { returned: { quantity: 1, amount: 300 } }],
      });
      expect(await takeBack("1", "again")).toMatchObject({ isApplied: false, changes: [] });
    });

    it("shows the time at which goods were returned, and is booked now", async () => {
      const { buy, acme, card, clock } = await openPointTill();
      await buy("1", 1_000, { at: "2026-06-01T12:00:00Z" });
      const input = { returnId: "r", all: true as const, at: "2026-06-05T12:00:00.000Z" };
      await acme.purchases.addReturn("till", "1", input);
      const [returned] = (await acme.points.history(card)).content;
      expect(returned).toMatchObject({ type: "returned", at: input.at, createdAt: clock.timestamp });
    });

    it.each([
      [{ lines: [{ id: "0", amount: 1_001 }] }, ["lines.0"]],
      [
        {
          lines: [
            { id: "1", amount: 1 },
            { id: "0", quantity: 2 },
          ],
        },
        ["lines.1"],
      ],
      [
        {
          lines: [
            { id: "0", amount: 600 },
            { id: "0", amount: 600 },
          ],
        },
        ["lines.0"],
      ],
    ])("of more than was bought is refused: %j", async (input, params) => {
      const { buy, acme } = await openPointTill();
      await buy("1", [{ amount: 1_000 }, { amount: 500 }]);
      const call = acme.purchases.addReturn("till", "1", { returnId: "r", ...input });
      expect(await getErrorDetail(call)).toEqual({ code: "more_than_bought", params });
    });

    it.each([
      [{ lines: [{ id: "none" }] }, "lines.0.id"],
      [{ lines: [{ id: "0" }], all: true as const }, "lines"],
      [{}, "lines"],
      [{ lines: [] }, "lines"],
      [{ returnId: "", all: true as const }, "returnId"],
      [{ returnId: "x".repeat(256), all: true as const }, "returnId"],
      [{ all: true as const, at: "2026-06-15T12:05:01+02:00" }, "at"],
      [{ all: true as const, note: "x".repeat(513) }, "note"],
    ])("is refused with %j", async (input, field) => {
      const { buy, acme } = await openPointTill();
      await buy("1", 1_000);
      const call = acme.purchases.addReturn("till", "1", { returnId: "r", ...input });
      expect(await getRefusedFields(call)).toEqual([field]);
    });

    it("of a purchase that doesn't exist is refused", async () => {
      const { takeBack, acme } = await openPointTill();
      expect(await getErrorDetail(takeBack("1", "r"))).toEqual(notFound);
      expect(await getErrorDetail(acme.purchases.confirm("till", "1"))).toEqual(notFound);
    });

    it("is preserved when the purchase is put again", async () => {
      const { buy, takeBack } = await openPointTill();
      await buy("1", 1_000);
      await takeBack("1", "r", 400);
      expect(await buy("1", 1_000)).toMatchObject({ isApplied: false, returnedTotal: 400 });
      expect(await buy("1", 1_200)).toMatchObject({ changes: [{ units: 2 }], effects: [{ units: 8 }] });
      expect(await getErrorDetail(buy("1", 399))).toEqual({ code: "more_than_bought", params: ["lines.0"] });
      expect(await getRefusedFields(buy("1", [{ id: "other", amount: 5_000 }]))).toEqual(["lines"]);
    });
  });

  describe("confirm", () => {
    it("makes pending points usable, and also those that the purchase gives later", async () => {
      const { acme, card, buy } = await openPointTill({}, { pendingDays: 10 });
      await buy("1", 1_000);
      await buy("2", 500);
      const confirmed = await acme.purchases.confirm("till", "1");
      expect(confirmed).toMatchObject({ isApplied: true, changes: [], effects: [{ units: 10 }] });
      expect(await acme.points.state(card)).toMatchObject({ available: 10, pending: 5 });
      await buy("1", 1_200);
      expect(await acme.points.state(card)).toMatchObject({ available: 12, pending: 5 });
      expect(await acme.purchases.confirm("till", "1")).toMatchObject({ isApplied: false });
    });
  });

  describe("stamps", () => {
    it("are earned and returned as entries of the purchase", async () => {
      const { acme, card, buy, takeBack } = await openStampTill(5);
      const { changes } = await buy("1", 700);
      expect(changes).toMatchObject([{ unit: "stamps", units: 7, entryId: expect.stringMatching(/^ste_/) }]);
      expect(await acme.stamps.state(card)).toMatchObject({
        ...{ currentStamps: 2, timesCompleted: 1, rewardsAvailable: 1, totalStampsCollected: 7 },
      });
      await takeBack("1", "r", 300);
      expect(await acme.stamps.state(card)).toMatchObject({
        ...{ currentStamps: 4, timesCompleted: 0, rewardsAvailable: 0, totalStampsCollected: 4 },
      });
      const purchase = { source: "till", receipt: "1" };
      expect((await acme.stamps.history(card)).content).toMatchObject([
        { type: "returned", delta: -3, completions: -1, purchase },
        { type: "earned", delta: 7, completions: 1, purchase },
      ]);
    });

    it("that were redeemed are forgiven, and the purchase doesn't get them again", async () => {
      const { acme, card, buy, takeBack } = await openStampTill(5);
      await buy("1", 700);
      await acme.stamps.redeem(card);
      expect(await takeBack("1", "r")).toMatchObject({
        changes: [{ units: -2 }],
        effects: [{ units: 0, notTaken: 5 }],
      });
      expect(await acme.stamps.state(card)).toMatchObject({ currentStamps: 0, rewardsAvailable: 0 });
      expect(await buy("1", 1_300)).toMatchObject({
        changes: [{ units: 1 }],
        effects: [{ units: 6, notTaken: 0 }],
      });
    });

    it("are returned from the open card, then from full cards whose reward isn't redeemed", async () => {
      const { acme, card, buy, takeBack } = await openStampTill(5);
      await acme.stamps.add(card, { count: 4 });
      await buy("1", 900);
      await acme.stamps.redeem(card);
      expect(await takeBack("1", "r", 500)).toMatchObject({ changes: [{ units: -5 }] });
      expect(await acme.stamps.state(card)).toMatchObject({ currentStamps: 3, rewardsAvailable: 0 });
    });

    it("of a purchase set lastStampAt to its time, but never back", async () => {
      const { acme, card, buy } = await openStampTill(5);
      const at = "2026-06-10T12:00:00.000Z";
      await buy("1", 100, { at });
      expect(await acme.stamps.state(card)).toMatchObject({ lastStampAt: at });
      await buy("2", 100, { at: "2026-06-09T12:00:00.000Z" });
      expect(await acme.stamps.state(card)).toMatchObject({ lastStampAt: at });
    });

    it("of a purchase can't be reversed", async () => {
      const { acme, card, buy, takeBack } = await openStampTill(5);
      await buy("1", 300);
      await takeBack("1", "r", 100);
      const { content } = await acme.stamps.history(card);
      for (const { id } of content)
        await expectCode(acme.stamps.reverse(card, { entryId: id }), "not_reversible");
    });
  });

  describe("events", () => {
    it("report what a purchase changed, with the card and the entry", async () => {
      const { acme, buy, takeBack, card } = await openPointTill();
      const { isApplied: _, ...recorded } = await buy("1", 1_000);
      const pointCard = await acme.points.state(card);
      const [entry] = (await acme.points.history(card)).content;
      const { isApplied: __, ...changed } = await takeBack("1", "r", 500);
      const types = ["purchase.recorded", "purchase.changed", "points.earned", "points.returned"] as const;
      const { content } = await acme.events.list({ types: [...types] });
      const found = Object.fromEntries(content.map(({ type, data }) => [type, data]));
      expect(Object.keys(found).sort()).toEqual([...types].sort());
      expect(found["purchase.recorded"]).toEqual(recorded);
      expect(found["purchase.changed"]).toEqual(changed);
      expect(found["points.earned"]).toEqual({ pointCard, entry });
      expect(found["points.returned"]).toMatchObject({
        pointCard: { available: 5 },
        entry: { type: "returned", points: -5 },
      });
    });

    it("report each change to points", async () => {
      const { acme, card, clock, loyalty } = await openPointTill({}, { expiry: { days: 1 } });
      await acme.points.add(card, { points: 9 });
      await acme.points.remove(card, { points: 1 });
      const { entryId } = await acme.points.spend(card, { points: 2 });
      await acme.points.reverse(card, { entryId });
      clock.move(3 * 86_400_000);
      await loyalty.refreshSegments();
      const { content } = await acme.events.list({ limit: 100 });
      const types = content.map(({ type }) => type).filter((type) => type.startsWith("points."));
      expect(types).toEqual([
        ...["points.added", "points.removed", "points.spent", "points.reversed", "points.expired"],
      ]);
    });

    it("of stamps are the same as for stamp calls", async () => {
      const { acme, buy, takeBack } = await openStampTill(5);
      await buy("1", 600);
      await takeBack("1", "r", 200);
      const { content } = await acme.events.list({ limit: 100 });
      const types = content.map(({ type }) => type).filter((type) => /^(stamp|purchase)/.test(type));
      expect(types.sort()).toEqual(
        [
          "stamp.added",
          "stamp_card.completed",
          "purchase.recorded",
          "stamp.removed",
          "purchase.changed",
        ].sort(),
      );
    });
  });

  describe("the list", () => {
    it("has the newest purchases first, and filters them", async () => {
      const { acme, ada, bob, card, buy } = await openPointTill();
      await buy("1", 100, { at: "2026-06-01T00:00:00Z" });
      await buy("2", 100, { at: "2026-06-03T00:00:00Z" });
      await buy("3", 100, { at: "2026-06-02T00:00:00Z", userId: bob });
      await acme.purchases.put("web", "4", {
        currency: "EUR",
        lines: [{ amount: 1 }],
        at: "2026-06-04T00:00:00Z",
      });
      const list = async (query: Parameters<typeof acme.purchases.list>[0]) =>
        (await acme.purchases.list(query)).content.map(({ receipt }) => receipt);
      expect(await list({})).toEqual(["4", "2", "3", "1"]);
      expect(await list({ userId: ada })).toEqual(["2", "1"]);
      expect(await list({ walletPassId: card })).toEqual(["2", "1"]);
      expect(await list({ source: "web" })).toEqual(["4"]);
      expect(await list({ from: "2026-06-02T00:00:00Z", to: "2026-06-03T00:00:00Z" })).toEqual(["3"]);
      expect(await list({ page: 1, size: 2 })).toEqual(["3", "1"]);
      expect(await getErrorDetail(acme.purchases.list({ userId: "none" }))).toEqual(notFound);
    });
  });

  describe.each(["delete", "erase"] as const)("users.%s", (call) => {
    async function openGone() {
      const till = await openPointTill();
      const { acme, ada, card, buy, takeBack } = till;
      const { qrCodeValue } = await acme.passes.get(card);
      await buy("1", [{ amount: 1_000, name: "Ring for Zoe" }], { note: "for Zoe", revision: 2 });
      await takeBack("1", "r", 100);
      await acme.purchases.addReturn("till", "1", {
        returnId: "s",
        lines: [{ id: "0", amount: 50 }],
        note: "Zoe",
      });
      const before = await acme.purchases.get("till", "1");
      await acme.users[call](ada);
      return { ...till, qrCodeValue, before };
    }

    it("leaves the customer's purchases with their amounts but without personal data", async () => {
      const { acme, before } = await openGone();
      const { updatedAt: _, ...after } = await acme.purchases.get("till", "1");
      const { updatedAt: __, ...expected } = before;
      expect(after).toEqual({
        ...expected,
        ...{ userId: null, note: null, effects: [] },
        lines: before.lines.map((line) => ({ ...line, name: null })),
      });
    });

    it("freezes the customer's purchases", async () => {
      const { acme, ada, card, qrCodeValue, bob, buy, takeBack } = await openGone();
      const after = await acme.purchases.get("till", "1");
      const unchanged = { ...after, changes: [], isApplied: false };
      const customers = [{ userId: ada }, { userId: bob }, { walletPassId: card }, { qrCodeValue }, {}];
      for (const customer of customers) {
        expect(await buy("1", 2_000, { ...customer, revision: 7 })).toEqual(unchanged);
        expect(await buy("1", 2_000, customer)).toEqual(unchanged);
      }
      expect(await takeBack("1", "t")).toEqual(unchanged);
      expect(await takeBack("1", "r", 7)).toEqual(unchanged);
      expect(await acme.purchases.confirm("till", "1")).toEqual(unchanged);
      expect(await acme.purchases.get("till", "1")).toEqual(after);
    });

    it("doesn't affect purchases that name another customer now", async () => {
      const { acme, ada, bob, template, buy } = await openPointTill();
      const { id: other } = await acme.passes.create(template, { userId: bob });
      await buy("1", 1_000);
      await buy("1", 1_000, { userId: bob });
      await acme.users[call](ada);
      expect(await buy("1", 1_100, { userId: bob })).toMatchObject({
        changes: [{ walletPassId: other, units: 1 }],
      });
      expect(await getErrorDetail(buy("1", 1_200, { userId: ada }))).toEqual(notFound);
    });
  });

  it("leave no notes or item names of an erased customer in events", async () => {
    const { acme, ada, buy } = await openPointTill();
    await buy("1", [{ amount: 1_000, name: "Ring for Zoe" }], { note: "for Zoe" });
    await buy("1", [{ amount: 900, name: "Ring for Zoe" }], { note: "for Zoe" });
    const { card } = { card: (await acme.passes.ofUser(ada))[0]?.id ?? "" };
    await acme.points.add(card, { points: 1, note: "for Zoe" });
    await acme.users.erase(ada);
    const { content } = await acme.events.list({ limit: 100 });
    expect(JSON.stringify(content)).not.toContain("Zoe");
    expect(content.filter(({ type }) => type.startsWith("purchase.")).map(({ data }) => data)).toMatchObject([
      { userId: ada, note: null, lines: [{ amount: 1_000, name: null }], changes: [{ units: 10 }] },
      { userId: ada, note: null, lines: [{ amount: 900, name: null }], changes: [{ units: -1 }] },
    ]);
  });

  describe("scopes", () => {
    it("allow callers only to write purchases, or only to read them", async () => {
      const { loyalty, acme, buy } = await openPointTill();
      await buy("1", 100);
      const as = (scope: "purchase:write" | "purchase:read") =>
        loyalty.organization(acme.id, { scopes: [scope] }).purchases;
      const input: PutPurchase = { currency: "EUR", lines: [{ amount: 1 }] };
      await as("purchase:write").put("till", "2", input);
      await as("purchase:read").get("till", "2");
      await as("purchase:read").list();
      for (const refused of [
        as("purchase:write").get("till", "2"),
        as("purchase:write").list(),
        as("purchase:read").put("till", "2", input),
        as("purchase:read").addReturn("till", "2", { returnId: "r", all: true }),
        as("purchase:read").confirm("till", "2"),
      ])
        await expectCode(refused, "access_denied");
    });
  });

  describe("invalid input", () => {
    const line = { amount: 100 };

    it.each<[string, Partial<PutPurchase>]>([
      ["lines", { lines: [] }],
      ["lines", { lines: Array.from({ length: 501 }, () => line) }],
      ["lines.0.amount", { lines: [{ amount: -1 }] }],
      ["lines.0.amount", { lines: [{ amount: 1_000_000_000_001 }] }],
      ["lines.1.quantity", { lines: [line, { amount: 1, quantity: -1 }] }],
      ["lines.0.quantity", { lines: [{ amount: 1, quantity: 1_000_001 }] }],
      ["lines.0.tax", { lines: [{ amount: 1, tax: 2 }] }],
      ["lines.0.id", { lines: [{ ...line, id: "" }] }],
      ["lines.0.id", { lines: [{ ...line, id: "x".repeat(65) }] }],
      ["lines.1.id", { lines: [line, { ...line, id: "0" }] }],
      ["lines.0.sku", { lines: [{ ...line, sku: "x".repeat(101) }] }],
      ["lines.0.name", { lines: [{ ...line, name: "x".repeat(151) }] }],
      ["currency", { currency: "eur" }],
      ["currency", { currency: "EURO" }],
      ["at", { at: "2026-06-15T12:05:00.001+02:00" }],
      ["at", { at: "yesterday" }],
      ["paidWithPoints", { paidWithPoints: 101 }],
      ["paidWithPoints", { paidWithPoints: -1 }],
      ["revision", { revision: -1 }],
      ["note", { note: "x".repeat(513) }],
    ])("is refused at %s", async (field, input) => {
      const { buy } = await openPointTill();
      expect(await getRefusedFields(buy("1", [line], input))).toEqual([field]);
    });

    it("of another type is refused at its path", async () => {
      const { buy } = await openPointTill();
      const call = buy("1", [{ amount: 1.5 }], { revision: untyped("1") });
      expect(await getErrorDetail(call)).toEqual(wrongType("lines.0.amount", "revision"));
    });

    it("in the source or the receipt is refused, and not found when read", async () => {
      const { acme } = await openPointTill();
      const input: PutPurchase = { currency: "EUR", lines: [line] };
      for (const source of ["", "Till", "a b", "x".repeat(51), ".", ".."]) {
        expect(await getRefusedFields(acme.purchases.put(source, "1", input))).toEqual(["source"]);
        expect(await getErrorDetail(acme.purchases.get(source, "1"))).toEqual(notFound);
      }
      for (const receipt of ["", "x".repeat(256), ".", ".."]) {
        expect(await getRefusedFields(acme.purchases.put("till", receipt, input))).toEqual(["receipt"]);
        expect(await getErrorDetail(acme.purchases.get("till", receipt))).toEqual(notFound);
      }
      await acme.purchases.put("a-z0.9_", "é/ 1", input);
      expect(await acme.purchases.get("a-z0.9_", "é/ 1")).toMatchObject({ receipt: "é/ 1" });
    });

    it("doesn't include values at the limits, which are accepted", async () => {
      const { buy } = await openPointTill();
      const lines = Array.from({ length: 500 }, () => ({ amount: 1_000_000_000_000, quantity: 1_000_000 }));
      const receipt = await buy("x".repeat(255), lines, { at: "2026-06-15T12:05:00+02:00" });
      expect(receipt).toMatchObject({ total: 500_000_000_000_000, effects: [{ units: 1_000_000_000 }] });
    });

    it("leaves the purchase unchanged", async () => {
      const { acme, buy } = await openPointTill();
      await buy("1", 1_000);
      const before = await acme.purchases.get("till", "1");
      await getErrorDetail(buy("1", 900, { userId: "none" }));
      expect(await acme.purchases.get("till", "1")).toEqual(before);
    });
  });
});
