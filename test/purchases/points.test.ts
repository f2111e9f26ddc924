import { describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound, wrongType } from "../kit/refusal.js";
import { createTills, type Till, unitsOf } from "./till.js";

/** Returns the entries of the card, oldest first. */
async function listEntries({ acme, card }: Till) {
  const { content } = await acme.points.history(card, { size: 200 });
  return content.toReversed();
}

async function listTypes(till: Till): Promise<string[]> {
  const entries = await listEntries(till);
  return entries.map(({ type, points }) => `${type} ${points}`);
}

async function expectCode(call: Promise<unknown>, code: string): Promise<void> {
  expect(await getErrorDetail(call)).toMatchObject({ code });
}

/** Converts a local time of Vienna to the format of the API. */
function at(time: string): string {
  return new Date(time).toISOString();
}

describe.each(everyAdapter)("points on $name", ({ open }) => {
  const { openPointTill, openStampTill } = createTills(open);

  describe("a point card", () => {
    it("is empty before anything is earned", async () => {
      const { acme, card, template } = await openPointTill();
      expect(await acme.points.state(card)).toEqual({
        object: "point_card",
        walletPassId: card,
        templateId: template,
        ...{ available: 0, held: 0, pending: 0, debt: 0, expiring: [], earned: 0, spent: 0, expired: 0 },
        lastEarnedAt: null,
      });
    });

    it("can be used immediately, even if the call that gives the points takes long", async () => {
      const { acme, card, clock, buy } = await openPointTill({}, { pendingDays: 2 });
      clock.tick = 1;
      expect(await acme.points.add(card, { points: 20 })).toMatchObject({ available: 20, pending: 0 });
      await buy("1", 1_000);
      await acme.purchases.confirm("till", "1");
      await buy("1", 1_500);
      clock.tick = 0;
      expect(await acme.points.state(card)).toMatchObject({ available: 35, pending: 0 });
    });

    it("can't be read or changed on a pass without points", async () => {
      const { acme, card } = await openStampTill(10);
      for (const call of [
        () => acme.points.state(card),
        () => acme.points.history(card),
        () => acme.points.add(card, { points: 1 }),
        () => acme.points.spend(card, { points: 1 }),
      ])
        await expectCode(call(), "not_a_point_card");
      expect(await getErrorDetail(acme.points.state("none"))).toEqual(notFound);
    });

    it("keeps its points when its template no longer has any", async () => {
      const { acme, card, template, buy } = await openPointTill();
      await buy("1", 1_000);
      await acme.templates.update(template, { earning: null, points: null });
      expect(await acme.points.spend(card, { points: 4 })).toMatchObject({ available: 6 });
      expect((await buy("2", 1_000)).effects).toEqual([]);
    });

    it("lists at most 24 expiry times, soonest first", async () => {
      const { acme, card } = await openPointTill();
      for (let day = 30; day >= 1; day -= 1) {
        const expiresAt = at(`2026-07-${`${day}`.padStart(2, "0")}T00:00+02:00`);
        await acme.points.add(card, { points: day, expiresAt });
      }
      const { expiring } = await acme.points.state(card);
      expect(expiring).toHaveLength(24);
      expect(expiring[0]).toEqual({ points: 1, at: at("2026-07-01T00:00+02:00") });
      expect(expiring.at(-1)).toEqual({ points: 24, at: at("2026-07-24T00:00+02:00") });
    });

    it("always has the sum of its entries", async () => {
      const till = await openPointTill({}, { pendingDays: 3 });
      const { acme, card, buy, takeBack } = till;
      await buy("1", 5_000);
      await acme.points.add(card, { points: 20 });
      await acme.points.spend(card, { points: 15 });
      await acme.points.remove(card, { points: 10, allowsDebt: true });
      await takeBack("1", "r");
      const { available, held, pending, debt } = await acme.points.state(card);
      const entries = await listEntries(till);
      const sum = entries.reduce((total, { points }) => total + points, 0);
      expect(available + held + pending - debt).toBe(sum);
      expect(available === 0 || debt === 0).toBe(true);
    });
  });

  describe("lots", () => {
    /**
     * Opens a till with 100 points that expire after July, 50 that expire after the year, and 30 that never do. Spends
     * 120.
     */
    async function openWithLots() {
      const till = await openPointTill();
      const { acme, card, goTo } = till;
      await acme.points.add(card, { points: 30, expiresAt: null });
      await acme.points.add(card, { points: 50, expiresAt: "2027-01-01T00:00:00+01:00" });
      await acme.points.add(card, { points: 100, expiresAt: "2026-08-01T00:00:00+02:00" });
      goTo("2026-07-01T12:00+02:00");
      await acme.points.spend(card, { points: 120 });
      return till;
    }

    it("are spent in order of expiry", async () => {
      const till = await openWithLots();
      const [third, second, first, spent] = await listEntries(till);
      expect(spent?.lots).toEqual([
        { lotId: first?.id, points: -100 },
        { lotId: second?.id, points: -20 },
      ]);
      expect(third?.lots).toEqual([{ lotId: third?.id, points: 30 }]);
    });

    it("that were spent don't expire", async () => {
      const { acme, card, goTo } = await openWithLots();
      goTo("2026-08-01T12:00+02:00");
      expect(await acme.points.state(card)).toMatchObject({
        available: 60,
        expired: 0,
        expiring: [{ points: 30, at: at("2027-01-01T00:00+01:00") }],
      });
    });

    it("with the same expiry are spent oldest first", async () => {
      const till = await openPointTill();
      const { acme, card } = till;
      for (const points of [1, 2, 3]) await acme.points.add(card, { points });
      await acme.points.spend(card, { points: 2 });
      const [first, second, , spent] = await listEntries(till);
      expect(spent?.lots).toEqual([
        { lotId: first?.id, points: -1 },
        { lotId: second?.id, points: -1 },
      ]);
    });

    it("can't be spent while they are pending", async () => {
      const { acme, card, buy, goTo } = await openPointTill({}, { pendingDays: 2 });
      await buy("1", 1_000);
      expect(await acme.points.state(card)).toMatchObject({ available: 0, pending: 10 });
      await expectCode(acme.points.spend(card, { points: 1 }), "not_enough_points");
      goTo("2026-06-16T23:59:59.999+02:00");
      await expectCode(acme.points.spend(card, { points: 1 }), "not_enough_points");
      goTo("2026-06-17T00:00+02:00");
      expect(await acme.points.spend(card, { points: 10 })).toMatchObject({ available: 0, pending: 0 });
    });

    it.each([
      ["2025-07-06T10:00+02:00", { months: 12, to: "month" }, "2026-08-01T00:00+02:00"],
      ["2027-01-31T10:00+01:00", { months: 1, to: "day" }, "2027-03-01T00:00+01:00"],
      ["2026-10-24T10:00+02:00", { days: 1 }, "2026-10-26T00:00+01:00"],
      ["2026-03-28T10:00+01:00", { days: 1 }, "2026-03-30T00:00+02:00"],
    ] as const)("earned on %s with the expiry %j expire at %s", async (bought, expiry, end) => {
      const { acme, card, buy, goTo } = await openPointTill({}, { expiry });
      goTo(bought);
      await buy("1", 1_000);
      expect((await acme.points.state(card)).expiring).toEqual([{ points: 10, at: at(end) }]);
    });
  });

  describe("an expired entry", () => {
    async function openExpired() {
      const till = await openPointTill({}, { expiry: { days: 1 } });
      await till.buy("1", 1_000);
      till.goTo("2026-06-17T09:00+02:00");
      return till;
    }

    it("is in the history before it's written, dated at its midnight", async () => {
      const till = await openExpired();
      const { acme, card } = till;
      expect(await acme.points.state(card)).toMatchObject({ available: 0, expired: 10, expiring: [] });
      const [earned, expired] = await listEntries(till);
      expect(expired).toMatchObject({
        type: "expired",
        points: -10,
        debt: 0,
        lots: [{ lotId: earned?.id, points: -10 }],
        at: at("2026-06-17T00:00+02:00"),
        actor: { kind: "worker" },
      });
    });

    it("has the same ID and content once refreshSegments has written it", async () => {
      const till = await openExpired();
      const [before, unknown] = [await till.acme.points.history(till.card), await listTypes(till)];
      till.goTo("2026-06-20T09:00+02:00");
      await till.loyalty.refreshSegments();
      expect(await till.acme.points.history(till.card)).toEqual(before);
      const stored = await till.acme.events.list({ types: ["points.expired"] });
      expect(stored.content).toHaveLength(1);
      expect(unknown).toEqual(["earned 10", "expired -10"]);
    });

    it("has the same ID and content once the next change has written it", async () => {
      const till = await openExpired();
      const { acme, card } = till;
      const before = await acme.points.history(card);
      await acme.points.add(card, { points: 5 });
      const [added, ...others] = (await acme.points.history(card)).content;
      expect(added).toMatchObject({ type: "added" });
      expect(others).toEqual(before.content);
    });

    it("is included in the total and the pages of the history", async () => {
      const { acme, card } = await openExpired();
      const { content: all, totalElements } = await acme.points.history(card);
      expect(totalElements).toBe(2);
      for (const [page, entry] of all.entries())
        expect((await acme.points.history(card, { page, size: 1 })).content).toEqual([entry]);
    });

    it("is written once for each midnight", async () => {
      const till = await openExpired();
      till.goTo("2026-06-15T12:00+02:00");
      await till.buy("2", 500);
      till.goTo("2026-06-16T12:00+02:00");
      await till.buy("3", 300);
      till.goTo("2026-06-30T12:00+02:00");
      expect(await listTypes(till)).toEqual([
        "earned 10",
        "earned 5",
        "earned 3",
        "expired -15",
        "expired -3",
      ]);
    });

    it("can't be reversed, whether it's written or not", async () => {
      const { acme, card, loyalty } = await openExpired();
      const [expired] = (await acme.points.history(card)).content;
      const reverse = () => acme.points.reverse(card, { entryId: expired?.id ?? "" });
      await expectCode(reverse(), "not_reversible");
      await loyalty.refreshSegments();
      await expectCode(reverse(), "not_reversible");
    });
  });

  describe("add", () => {
    it("gives points that expire like those of a purchase made now, unless expiresAt is set", async () => {
      const { acme, card } = await openPointTill({}, { expiry: { days: 3 }, pendingDays: 9 });
      const { entryId, ...state } = await acme.points.add(card, { points: 5, note: "Sorry" });
      expect(state).toMatchObject({
        available: 5,
        earned: 0,
        expiring: [{ points: 5, at: at("2026-06-19T00:00+02:00") }],
      });
      await acme.points.add(card, { points: 7, expiresAt: null });
      const [newest, oldest] = (await acme.points.history(card)).content;
      expect(newest).toMatchObject({ type: "added", points: 7, expiresAt: null });
      expect(oldest).toMatchObject({ id: entryId, note: "Sorry", purchase: null, reverses: null });
    });

    it("accepts 1 to 10⁹ points", async () => {
      const { acme, card } = await openPointTill();
      for (const points of [0, -1, 1_000_000_001])
        expect(await getRefusedFields(acme.points.add(card, { points }))).toEqual(["points"]);
      expect(await getErrorDetail(acme.points.add(card, { points: 1.5 }))).toEqual(wrongType("points"));
      expect(await acme.points.add(card, { points: 1_000_000_000 })).toMatchObject({
        available: 1_000_000_000,
      });
    });

    it("with an idempotency key adds points once", async () => {
      const { acme, card } = await openPointTill();
      const add = () => acme.points.add(card, { points: 5, idempotencyKey: "sorry-1" });
      expect(await add()).toEqual(await add());
      expect(await acme.points.state(card)).toMatchObject({ available: 5 });
    });
  });

  describe("remove", () => {
    it("takes no more than is available, unless debt is allowed", async () => {
      const { acme, card } = await openPointTill();
      await acme.points.add(card, { points: 5 });
      await expectCode(acme.points.remove(card, { points: 6 }), "not_enough_points");
      expect(await acme.points.remove(card, { points: 6, allowsDebt: true })).toMatchObject({
        available: 0,
        debt: 1,
      });
      expect((await acme.points.history(card)).content[0]).toMatchObject({ points: -6, debt: 1 });
    });
  });

  describe("spend", () => {
    it("takes no more than is available, and records which purchase it's for", async () => {
      const { acme, card } = await openPointTill();
      await acme.points.add(card, { points: 5 });
      await expectCode(acme.points.spend(card, { points: 6 }), "not_enough_points");
      const purchase = { source: "till-7", receipt: "991" };
      expect(await acme.points.spend(card, { points: 5, purchase })).toMatchObject({ spent: 5 });
      expect((await acme.points.history(card)).content[0]).toMatchObject({ type: "spent", purchase });
    });

    it("of all points succeeds for only one of fifty concurrent callers", async () => {
      const { acme, card } = await openPointTill();
      await acme.points.add(card, { points: 100 });
      const spends = Array.from({ length: 50 }, () => acme.points.spend(card, { points: 100 }));
      const outcomes = await Promise.allSettled(spends);
      const refused = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
      expect(refused).toHaveLength(49);
      for (const error of refused) expect(error).toMatchObject({ code: "not_enough_points" });
      expect(await acme.points.state(card)).toMatchObject({ available: 0, debt: 0, spent: 100 });
    });
  });

  describe("a return", () => {
    it("takes the purchase's own points first", async () => {
      const till = await openPointTill();
      const { acme, card, buy, takeBack } = till;
      await acme.points.add(card, { points: 10, expiresAt: "2026-07-01T00:00:00Z" });
      await buy("1", 1_000);
      await takeBack("1", "r", 400);
      const [, earned, returned] = await listEntries(till);
      expect(returned?.lots).toEqual([{ lotId: earned?.id, points: -4 }]);
    });

    it("takes its own pending points", async () => {
      const { acme, card, buy, takeBack } = await openPointTill({}, { pendingDays: 5 });
      await buy("1", 1_000);
      await takeBack("1", "r", 400);
      expect(await acme.points.state(card)).toMatchObject({ pending: 6, debt: 0 });
    });

    it("of spent points takes others, then creates debt", async () => {
      const { acme, card, buy, takeBack } = await openPointTill();
      await buy("1", 2_000);
      await acme.points.spend(card, { points: 20 });
      await acme.points.add(card, { points: 5 });
      expect(unitsOf(await takeBack("1", "r"))).toBe(-20);
      expect(await acme.points.state(card)).toMatchObject({ available: 0, debt: 15, earned: 0, spent: 20 });
    });

    it("of spent points creates no debt if it's forgiven, and the purchase doesn't get them again", async () => {
      const { acme, card, buy, takeBack } = await openPointTill({ onReturn: "forgive" });
      await buy("1", 2_000);
      await acme.points.spend(card, { points: 20 });
      await acme.points.add(card, { points: 5 });
      const returned = await takeBack("1", "r", 1_000);
      expect(returned.changes).toMatchObject([{ units: -5 }]);
      expect(returned.effects).toMatchObject([{ units: 10, notTaken: 5 }]);
      const grown = await buy("1", 3_000);
      expect(grown.changes).toMatchObject([{ units: 5 }]);
      expect(grown.effects).toMatchObject([{ units: 20, notTaken: 0 }]);
    });

    it("of expired points takes nothing, and creates no debt", async () => {
      const { acme, card, buy, takeBack, goTo } = await openPointTill({}, { expiry: { days: 1 } });
      await buy("1", 2_000);
      await acme.points.spend(card, { points: 5 });
      goTo("2026-06-20T12:00+02:00");
      const returned = await takeBack("1", "r");
      // 15 points have expired, and 5 were spent.
      expect(returned.changes).toMatchObject([{ units: -5 }]);
      expect(returned.effects).toMatchObject([{ units: 0, notTaken: 15 }]);
      expect(await acme.points.state(card)).toMatchObject({ debt: 5, expired: 15 });
    });
  });

  describe("debt", () => {
    it("is paid by new points first, and a reversed spend restores the rest", async () => {
      const { acme, card, buy, takeBack } = await openPointTill();
      await buy("a", 2_000);
      const { entryId } = await acme.points.spend(card, { points: 20 });
      await takeBack("a", "r");
      expect(await acme.points.state(card)).toMatchObject({ available: 0, debt: 20 });
      await buy("b", 3_000);
      expect(await acme.points.state(card)).toMatchObject({ available: 10, debt: 0 });
      expect(await acme.points.reverse(card, { entryId })).toMatchObject({
        available: 30,
        debt: 0,
        spent: 0,
      });
    });

    it("is paid by pending points immediately", async () => {
      const { acme, card, buy } = await openPointTill({}, { pendingDays: 5 });
      await acme.points.remove(card, { points: 4, allowsDebt: true });
      await buy("1", 1_000);
      expect(await acme.points.state(card)).toMatchObject({ available: 0, pending: 6, debt: 0 });
      const [earned] = (await acme.points.history(card)).content;
      expect(earned).toMatchObject({ points: 10, debt: -4, lots: [{ lotId: earned?.id, points: 6 }] });
    });

    it("is paid by a reversed spend first", async () => {
      const { acme, card } = await openPointTill();
      await acme.points.add(card, { points: 10 });
      const { entryId } = await acme.points.spend(card, { points: 10 });
      await acme.points.remove(card, { points: 4, allowsDebt: true });
      expect(await acme.points.reverse(card, { entryId })).toMatchObject({ available: 6, debt: 0 });
    });

    it("of a reversed entry becomes a new lot without expiry", async () => {
      const { acme, card } = await openPointTill({}, { expiry: { days: 5 } });
      await acme.points.add(card, { points: 3 });
      const { entryId } = await acme.points.remove(card, { points: 10, allowsDebt: true });
      await acme.points.add(card, { points: 7 });
      expect(await acme.points.reverse(card, { entryId })).toMatchObject({
        available: 10,
        debt: 0,
        expiring: [{ points: 3, at: at("2026-06-21T00:00+02:00") }],
      });
      const [reversed] = (await acme.points.history(card)).content;
      expect(reversed).toMatchObject({ type: "reversed", points: 10, reverses: entryId, expiresAt: null });
    });
  });

  describe("reverse", () => {
    async function openSpent(graceDays: number) {
      const till = await openPointTill({}, { graceDays });
      const { acme, card } = till;
      await acme.points.add(card, { points: 10, expiresAt: "2026-06-16T00:00:00+02:00" });
      await acme.points.add(card, { points: 10, expiresAt: "2026-07-15T00:00:00+02:00" });
      const { entryId } = await acme.points.spend(card, { points: 15 });
      till.goTo("2026-06-16T12:00+02:00");
      return { ...till, entryId };
    }

    it("returns a spend to its lots, one of which has expired", async () => {
      const till = await openSpent(0);
      const { acme, card, entryId } = till;
      expect(await acme.points.reverse(card, { entryId, note: "canceled" })).toMatchObject({
        available: 10,
        expired: 10,
        spent: 0,
      });
      expect(await listTypes(till)).toEqual([
        "added 10",
        "added 10",
        "spent -15",
        "reversed 15",
        "expired -10",
      ]);
    });

    it("makes points that are restored late usable until the end of the last day of grace", async () => {
      const { acme, card, entryId, goTo } = await openSpent(2);
      expect(await acme.points.reverse(card, { entryId })).toMatchObject({
        available: 20,
        expiring: [
          { points: 10, at: at("2026-06-19T00:00+02:00") },
          { points: 10, at: at("2026-07-15T00:00+02:00") },
        ],
      });
      goTo("2026-06-19T00:00+02:00");
      expect(await acme.points.state(card)).toMatchObject({ available: 10, expired: 10 });
    });

    it("succeeds only once", async () => {
      const { acme, card, entryId } = await openSpent(0);
      await acme.points.reverse(card, { entryId });
      await expectCode(acme.points.reverse(card, { entryId }), "already_reversed");
    });

    it("is refused for entries of purchases and for reversals", async () => {
      const till = await openPointTill();
      const { acme, card, buy, takeBack } = till;
      await buy("1", 1_000);
      await takeBack("1", "r", 500);
      const { entryId } = await acme.points.add(card, { points: 1 });
      await acme.points.reverse(card, { entryId });
      const entries = await listEntries(till);
      for (const { id } of entries.filter(({ type }) => type !== "added"))
        await expectCode(acme.points.reverse(card, { entryId: id }), "not_reversible");
      expect(await getErrorDetail(acme.points.reverse(card, { entryId: "none" }))).toEqual(notFound);
      // None of these is an entry, and a database would refuse some of the numbers.
      for (const number of [
        "0",
        "01",
        "-1",
        "1.5",
        "99",
        "9007199254740993",
        "1".padEnd(21, "0"),
        "1".padEnd(400, "0"),
      ])
        expect(
          await getErrorDetail(acme.points.reverse(card, { entryId: entryId.replace(/\d+$/, number) })),
        ).toEqual(notFound);
    });

    it("is refused for added points that were spent", async () => {
      const { acme, card } = await openPointTill();
      const { entryId } = await acme.points.add(card, { points: 10 });
      await acme.points.spend(card, { points: 1 });
      await expectCode(acme.points.reverse(card, { entryId }), "not_enough_points");
    });

    it("takes back added points that are untouched", async () => {
      const { acme, card } = await openPointTill();
      const { entryId } = await acme.points.add(card, { points: 10 });
      expect(await acme.points.reverse(card, { entryId })).toMatchObject({ available: 0, debt: 0, spent: 0 });
    });

    it("makes points usable that are restored to a purchase's lot after it was confirmed", async () => {
      const { acme, card, buy } = await openPointTill({}, { pendingDays: 5 });
      await buy("1", 1_000);
      const { entryId } = await acme.points.remove(card, { points: 10, allowsDebt: true });
      await acme.purchases.confirm("till", "1");
      expect(await acme.points.reverse(card, { entryId })).toMatchObject({ available: 10, pending: 0 });
    });
  });

  describe("a template's point terms", () => {
    it("get defaults, and are replaced as a whole", async () => {
      const { acme, template } = await openPointTill();
      const { points } = await acme.templates.update(template, {
        points: { unit: "beans", expiry: { days: 5 } },
      });
      expect(points).toEqual({ unit: "beans", pendingDays: 0, expiry: { days: 5 }, graceDays: 0 });
      const changed = await acme.templates.update(template, { points: { graceDays: 1 } });
      expect(changed.points).toEqual({ unit: null, pendingDays: 0, expiry: null, graceDays: 1 });
    });

    it("are refused on a stamp card, and required for earning points", async () => {
      const { acme, template } = await openPointTill();
      const stamps = { name: "Stamps", type: "STAMP_CARD" as const, maxStamps: 5 };
      expect(await getRefusedFields(acme.templates.create({ ...stamps, points: {} }))).toEqual(["points"]);
      expect(await getRefusedFields(acme.templates.update(template, { points: null }))).toEqual(["earning"]);
      const rules = [{ give: 101, per: "purchase" as const }];
      expect(
        await getRefusedFields(acme.templates.create({ ...stamps, earning: { currency: "EUR", rules } })),
      ).toEqual(["earning.rules.0.give"]);
    });

    it.each([
      [{ unit: "" }, "unit"],
      [{ unit: "x".repeat(31) }, "unit"],
      [{ pendingDays: 366 }, "pendingDays"],
      [{ pendingDays: -1 }, "pendingDays"],
      [{ graceDays: 91 }, "graceDays"],
      [{ expiry: { days: 0 } }, "expiry"],
      [{ expiry: { days: 3_651 } }, "expiry"],
      [{ expiry: { months: 121, to: "day" as const } }, "expiry"],
    ])("are refused if they are %j", async (points, field) => {
      const { acme, template } = await openPointTill();
      const [refused] = await getRefusedFields(acme.templates.update(template, { points }));
      expect(refused).toMatch(new RegExp(`^points\\.${field}`));
    });
  });
});
