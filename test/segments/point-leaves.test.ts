import type { Organization, Scope, SegmentCondition, StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { type EmittedEvent, recordEvents } from "../events/recorded-events.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields } from "../kit/refusal.js";
import { createEmittingSegment } from "./emitting.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Opens a shop in Vienna on 1 March 2026 at 10:00, whose cards give one point for each 1.00, valid for 10 days. */
async function openShop(storage: StorageAdapter) {
  const { loyalty, acme, clock } = openAcme({ storage });
  clock.now = Date.parse("2026-03-01T10:00:00+01:00");
  await acme.settings.update({ timeZone: "Europe/Vienna" });
  const { id: templateId } = await acme.templates.create({
    name: "Points",
    type: "LOYALTY_CARD",
    earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] },
    points: { expiry: { days: 10 } },
  });
  const ada = await createHolder(acme, templateId);
  const bob = await createHolder(acme, templateId);
  const names = new Map([
    [ada.userId, "ada"],
    [bob.userId, "bob"],
  ]);
  /** Returns the names of the customers who match a condition. */
  const find = async (condition: SegmentCondition): Promise<string> => {
    const filter = { operator: "AND", conditions: [condition] } as const;
    const { content } = await acme.segments.query({ filter });
    return content.map(({ id }) => names.get(id) ?? id).join(" ");
  };
  const buy = (receipt: string, userId: string, amount: number, at?: string) =>
    acme.purchases.put("till", receipt, { userId, currency: "EUR", lines: [{ amount }], ...(at && { at }) });
  return { loyalty, acme, clock, templateId, ada, bob, names, find, buy };
}

async function createHolder(acme: Organization, templateId: string) {
  const { id: userId } = await acme.users.create({ email: someEmail() });
  const { id: passId } = await acme.passes.create(templateId, { userId });
  return { userId, passId };
}

describe.each(everyAdapter)("conditions on points, on $name", ({ open }) => {
  it("match the points that are available at the time of the call", async () => {
    const { acme, clock, templateId, ada, find } = await openShop(await open());
    const withPoints = (bounds: { min?: number; max?: number }) =>
      find({ points: { templateId, ...bounds } });
    await acme.points.add(ada.passId, { points: 30, expiresAt: "2026-03-01T12:00:00+01:00" });
    await acme.points.add(ada.passId, { points: 12 });
    expect(await withPoints({})).toBe("ada bob");
    expect(await withPoints({ min: 42, max: 42 })).toBe("ada");
    expect(await withPoints({ max: 0 })).toBe("bob");
    clock.move(2 * HOUR - 1);
    expect(await withPoints({ min: 13 })).toBe("ada");
    clock.move(1);
    expect(await withPoints({ min: 13 })).toBe("");
    expect(await withPoints({ min: 12 })).toBe("ada");
    await acme.points.spend(ada.passId, { points: 2 });
    expect(await withPoints({ min: 10, max: 11 })).toBe("ada");
    clock.now = Date.parse("2026-03-12T00:00:00+01:00");
    expect(await withPoints({ max: 0 })).toBe("ada bob");
  });

  it("count pending points from the day on which they become available", async () => {
    const { acme, clock, templateId, ada, find, buy } = await openShop(await open());
    await acme.templates.update(templateId, { points: { pendingDays: 2 } });
    await buy("1", ada.userId, 500);
    expect(await find({ points: { templateId, min: 1 } })).toBe("");
    clock.now = Date.parse("2026-03-03T00:00:00+01:00") - 1;
    expect(await find({ points: { templateId, min: 1 } })).toBe("");
    clock.move(1);
    expect(await find({ points: { templateId, min: 5 } })).toBe("ada");
  });

  it("find points that expire by the end of a day", async () => {
    const { acme, templateId, ada, bob, clock, find, buy } = await openShop(await open());
    const expiring = (withinDays: number) => find({ pointsExpire: { templateId, withinDays } });
    await buy("1", ada.userId, 500);
    await acme.points.add(bob.passId, { points: 1, expiresAt: null });
    expect(await expiring(9)).toBe("");
    expect(await expiring(10)).toBe("ada");
    clock.now = Date.parse("2026-03-11T23:59:59+01:00");
    expect(await expiring(0)).toBe("ada");
    clock.move(1_000);
    expect(await expiring(730)).toBe("");
  });

  it("match no customer for a stamp card or an unknown template, and still match balances of a template without points", async () => {
    const { acme, templateId, ada, find } = await openShop(await open());
    const stamps = await acme.templates.create({ name: "Stamps", type: "STAMP_CARD", maxStamps: 5 });
    await acme.passes.create(stamps.id, { userId: ada.userId });
    expect(await find({ points: { templateId: stamps.id } })).toBe("");
    expect(await find({ points: { templateId: "tpl_none" } })).toBe("");
    await acme.points.add(ada.passId, { points: 3 });
    await acme.templates.update(templateId, { earning: null, points: null });
    expect(await find({ points: { templateId } })).toBe("ada");
  });
});

describe.each(everyAdapter)("conditions on purchases, on $name", ({ open }) => {
  it("add up what remains after returns, by the day of the purchase and its currency", async () => {
    const { acme, clock, ada, bob, find, buy } = await openShop(await open());
    const spent = (days: number, min: number) => find({ spent: { days, currency: "EUR", min } });
    await buy("1", ada.userId, 700, "2026-02-27T00:00:00+01:00");
    await buy("2", ada.userId, 500);
    await acme.purchases.put("till", "3", {
      userId: bob.userId,
      currency: "USD",
      lines: [{ amount: 9_000 }],
    });
    expect(await spent(0, 501)).toBe("");
    expect(await spent(0, 500)).toBe("ada");
    expect(await spent(1, 501)).toBe("");
    expect(await spent(2, 1_200)).toBe("ada");
    expect(await find({ spent: { days: 2, currency: "EUR", max: 0 } })).toBe("bob");
    expect(await find({ purchases: { days: 2, min: 2 } })).toBe("ada");
    expect(await find({ purchases: { days: 2, max: 1 } })).toBe("bob");
    await acme.purchases.addReturn("till", "1", { returnId: "a", lines: [{ id: "0", amount: 300 }] });
    expect(await spent(2, 900)).toBe("ada");
    expect(await spent(2, 901)).toBe("");
    await acme.purchases.addReturn("till", "1", { returnId: "b", all: true });
    expect(await find({ purchases: { days: 2, min: 2 } })).toBe("");
    clock.move(DAY);
    expect(await spent(0, 1)).toBe("");
  });

  it("count a purchase without a price while a piece of it remains", async () => {
    const { acme, ada, find } = await openShop(await open());
    const lines = [{ amount: 0, quantity: 2 }];
    await acme.purchases.put("till", "1", { userId: ada.userId, currency: "EUR", lines });
    expect(await find({ purchases: { days: 0, min: 1 } })).toBe("ada");
    await acme.purchases.addReturn("till", "1", { returnId: "a", lines: [{ id: "0", quantity: 1 }] });
    expect(await find({ purchases: { days: 0, min: 1 } })).toBe("ada");
    await acme.purchases.addReturn("till", "1", { returnId: "b", all: true });
    expect(await find({ purchases: { days: 0, min: 1 } })).toBe("");
  });

  it("ignore an erased customer's purchases", async () => {
    const { acme, ada, find, buy } = await openShop(await open());
    await buy("1", ada.userId, 500);
    await acme.users.erase(ada.userId);
    expect(await find({ purchases: { days: 0, min: 1 } })).toBe("");
  });
});

/** Describes the emitted moves, in order. */
function describeMoves(events: readonly EmittedEvent[], names: ReadonlyMap<string, string>): string[] {
  return events.flatMap(({ type, data }) =>
    "because" in data && "segment" in data
      ? `${names.get(data.userId)} ${type.slice("segment.".length)} ${data.segment.slug}: ${data.because}`
      : [],
  );
}

describe.each(everyAdapter)("entering and leaving by points and purchases, on $name", ({ open }) => {
  async function openFollowed(storage: StorageAdapter) {
    const shop = await openShop(storage);
    const { loyalty, acme, templateId, names } = shop;
    const save = (name: string, condition: SegmentCondition) =>
      createEmittingSegment(acme, name, { operator: "AND", conditions: [condition] });
    await save("rich", { points: { templateId, min: 10 } });
    await save("ending", { pointsExpire: { templateId, withinDays: 2 } });
    await save("spender", { spent: { days: 3, currency: "EUR", min: 1_000 } });
    await save("buyer", { purchases: { days: 3, min: 1 } });
    await loyalty.refreshSegments();
    /** Makes a change, and returns what the next refresh emits. */
    const listMoves = async (change: () => unknown = () => {}) => {
      await change();
      const events = recordEvents(loyalty);
      await loyalty.refreshSegments();
      return describeMoves(events, names);
    };
    return { ...shop, listMoves };
  }

  it("happens after a purchase, a return, and a purchase that is assigned to another customer", async () => {
    const { acme, ada, bob, buy, listMoves } = await openFollowed(await open());
    expect(await listMoves(() => buy("1", ada.userId, 1_000))).toEqual([
      "ada entered rich: change",
      "ada entered spender: change",
      "ada entered buyer: change",
    ]);
    const returned = { returnId: "a", lines: [{ id: "0", amount: 1 }] };
    expect(await listMoves(() => acme.purchases.addReturn("till", "1", returned))).toEqual([
      "ada left rich: change",
      "ada left spender: change",
    ]);
    expect(await listMoves(() => buy("1", bob.userId, 1_001))).toEqual([
      "bob entered rich: change",
      "bob entered spender: change",
      "bob entered buyer: change",
      "ada left buyer: change",
    ]);
    expect(
      await listMoves(() => acme.purchases.addReturn("till", "1", { returnId: "b", all: true })),
    ).toEqual(["bob left rich: change", "bob left spender: change", "bob left buyer: change"]);
  });

  it("happens for the previous customer of a purchase, even without a card", async () => {
    const { acme, names, bob, buy, listMoves } = await openFollowed(await open());
    const { id } = await acme.users.create({ email: someEmail() });
    names.set(id, "cy");
    expect(await listMoves(() => buy("1", id, 500))).toEqual(["cy entered buyer: change"]);
    expect(await listMoves(() => buy("1", bob.userId, 500))).toEqual([
      "bob entered buyer: change",
      "cy left buyer: change",
    ]);
  });

  it("happens when points are added, spent and restored", async () => {
    const { acme, ada, listMoves } = await openFollowed(await open());
    expect(await listMoves(() => acme.points.add(ada.passId, { points: 10 }))).toEqual([
      "ada entered rich: change",
    ]);
    const { entryId } = await acme.points.spend(ada.passId, { points: 1 });
    expect(await listMoves()).toEqual(["ada left rich: change"]);
    expect(await listMoves(() => acme.points.reverse(ada.passId, { entryId }))).toEqual([
      "ada entered rich: change",
    ]);
  });

  it("happens at the midnight when points expire, whether or not a worker has recorded the expiry", async () => {
    const { acme, clock, ada, listMoves } = await openFollowed(await open());
    await acme.points.add(ada.passId, { points: 10 });
    await listMoves();
    const days: string[][] = [];
    for (let day = 0; day < 11; day += 1) {
      clock.move(DAY);
      // A change of the card records the expiry before the refresh runs the midnight.
      if (day === 10) await acme.points.add(ada.passId, { points: 1, expiresAt: null });
      days.push(await listMoves());
    }
    expect(days.map((moves) => moves.join())).toEqual([
      ...Array.from({ length: 7 }, () => ""),
      "ada entered ending: time",
      ...["", "", "ada left rich: time,ada left ending: time"],
    ]);
  });

  it("happens soon after points expire in the middle of a day", async () => {
    const { acme, clock, ada, listMoves } = await openFollowed(await open());
    const expiresAt = new Date(clock.now + 2 * HOUR).toISOString();
    expect(await listMoves(() => acme.points.add(ada.passId, { points: 10, expiresAt }))).toEqual([
      "ada entered rich: change",
      "ada entered ending: change",
    ]);
    expect(await listMoves(() => clock.move(2 * HOUR))).toEqual([
      "ada left rich: change",
      "ada left ending: change",
    ]);
  });

  it("happens at the midnight when points become available", async () => {
    const { acme, clock, templateId, ada, buy, listMoves } = await openFollowed(await open());
    await acme.templates.update(templateId, { points: { pendingDays: 1 } });
    await listMoves();
    expect(await listMoves(() => buy("1", ada.userId, 1_000))).toEqual([
      "ada entered spender: change",
      "ada entered buyer: change",
    ]);
    expect(await listMoves(() => clock.move(DAY))).toEqual(["ada entered rich: time"]);
  });

  it("happens at the midnight when a purchase becomes too old", async () => {
    const { clock, ada, buy, listMoves } = await openFollowed(await open());
    await listMoves(() => buy("1", ada.userId, 900));
    clock.move(DAY);
    expect(await listMoves(() => buy("2", ada.userId, 100))).toEqual([
      "ada entered rich: change",
      "ada entered spender: change",
    ]);
    expect(await listMoves(() => clock.move(DAY))).toEqual([]);
    expect(await listMoves(() => clock.move(DAY))).toEqual([]);
    expect(await listMoves(() => clock.move(14 * HOUR))).toEqual(["ada left spender: time"]);
    expect(await listMoves(() => clock.move(DAY))).toEqual(["ada left buyer: time"]);
  });

  it("is evaluated for all customers when a template gets points", async () => {
    const { loyalty, acme, ada, names } = await openShop(await open());
    const { id } = await acme.templates.create({ name: "Plain", type: "LOYALTY_CARD" });
    await acme.passes.create(id, { userId: ada.userId });
    const filter = { operator: "AND", conditions: [{ points: { templateId: id, max: 0 } }] } as const;
    await createEmittingSegment(acme, "empty", filter);
    const events = recordEvents(loyalty);
    await acme.templates.update(id, { points: {} });
    await loyalty.refreshSegments();
    expect(describeMoves(events, names)).toEqual(["ada entered empty: change"]);
  });
});

describe.each(everyAdapter)("an explanation of points and purchases, on $name", ({ open }) => {
  it("shows the values, and when time will change the result", async () => {
    const { acme, templateId, ada, buy } = await openShop(await open());
    await buy("1", ada.userId, 700, "2026-02-27T08:00:00+01:00");
    await buy("2", ada.userId, 500);
    await acme.points.add(ada.passId, { points: 4, expiresAt: "2026-03-05T12:00:00+01:00" });
    const midnight = (day: string) => new Date(`${day}T00:00:00+01:00`).toISOString();
    const leaves: [SegmentCondition, boolean, unknown, string | null][] = [
      [{ points: { templateId, min: 10 } }, true, [16], midnight("2026-03-10")],
      [{ points: { templateId, min: 13 } }, true, [16], midnight("2026-03-06")],
      [{ points: { templateId, max: 5 } }, false, [16], midnight("2026-03-10")],
      [{ points: { templateId } }, true, [16], null],
      [{ pointsExpire: { templateId, withinDays: 3 } }, false, [0], midnight("2026-03-02")],
      [{ pointsExpire: { templateId, withinDays: 8 } }, true, [11], midnight("2026-03-12")],
      [{ spent: { days: 3, currency: "EUR", min: 1_200 } }, true, 1_200, midnight("2026-03-03")],
      [{ spent: { days: 1, currency: "EUR", min: 1_200 } }, false, 500, null],
      [{ spent: { days: 3, currency: "EUR", max: 600 } }, false, 1_200, midnight("2026-03-03")],
      [{ spent: { days: 3, currency: "USD", max: 0 } }, true, 0, null],
      [{ purchases: { days: 3, min: 1 } }, true, 2, midnight("2026-03-05")],
    ];
    const conditions = leaves.map(([condition]) => condition);
    const filter = { operator: "OR", conditions } as const;
    const { slug } = await acme.segments.create({ name: "All", filter });
    const { tree } = await acme.segments.explain(slug, ada.userId);
    expect(tree.conditions).toEqual(
      leaves.map(([condition, matched, currentValue, changesAt]) => ({
        ...condition,
        matched,
        currentValue,
        since: null,
        changesAt,
      })),
    );
  });
});

describe("conditions on points and purchases", () => {
  it("need the scopes for the data that they read", async () => {
    const { loyalty, templateId } = await openShop(memoryStorage());
    const query = (condition: SegmentCondition, ...scopes: Scope[]) =>
      loyalty
        .organization("acme", { scopes: ["segment:read", ...scopes] })
        .segments.query({ filter: { operator: "AND", conditions: [condition] } });
    const missing = (scope: string) => ({ code: "access_denied", scope });
    for (const condition of [{ points: { templateId } }, { pointsExpire: { templateId, withinDays: 1 } }]) {
      expect(await getErrorDetail(query(condition, "purchase:read"))).toEqual(missing("pass:read"));
      await query(condition, "pass:read");
    }
    const onPurchases = [{ spent: { days: 1, currency: "EUR", min: 1 } }, { purchases: { days: 1, min: 1 } }];
    for (const condition of onPurchases) {
      expect(await getErrorDetail(query(condition, "pass:read"))).toEqual(missing("purchase:read"));
      await query(condition, "purchase:read");
    }
  });

  it("are refused with values that are out of bounds", async () => {
    const { acme } = openAcme();
    const refused = (condition: object) =>
      getRefusedFields(
        acme.segments.query({ filter: { operator: "AND", conditions: [condition as SegmentCondition] } }),
      );
    const templateId = "tpl_1";
    const at = (path: string) => [`filter.conditions.0.${path}`];
    expect(await refused({ points: { templateId, min: 2, max: 1 } })).toEqual(at("points.min"));
    expect(await refused({ points: { templateId, min: -1 } })).toEqual(at("points.min"));
    expect(await refused({ points: { templateId, max: 1_000_000_001 } })).toEqual(at("points.max"));
    expect(await refused({ points: { templateId, days: 1 } })).toEqual(at("points.days"));
    expect(await refused({ pointsExpire: { templateId, withinDays: 731 } })).toEqual(
      at("pointsExpire.withinDays"),
    );
    expect(await refused({ spent: { days: 1, currency: "EUR" } })).toEqual(at("spent.min"));
    expect(await refused({ spent: { days: 1, currency: "eur", min: 1 } })).toEqual(at("spent.currency"));
    expect(await refused({ spent: { days: 731, currency: "EUR", min: 1 } })).toEqual(at("spent.days"));
    expect(await refused({ purchases: { days: -1, min: 1 } })).toEqual(at("purchases.days"));
    expect(await refused({ purchases: { days: 1, min: 3, max: 2 } })).toEqual(at("purchases.min"));
  });
});

describe.each(everyAdapter)("the contacts list, on $name", ({ open }) => {
  it("selects contacts by available points", async () => {
    const { acme, clock, templateId, ada, names } = await openShop(await open());
    const list = async (query: Parameters<typeof acme.contacts.list>[0]) =>
      (await acme.contacts.list({ sort: "createdAt,asc", ...query })).content
        .map(({ id }) => names.get(id))
        .join(" ");
    await acme.points.add(ada.passId, { points: 5, expiresAt: new Date(clock.now + HOUR).toISOString() });
    expect(await list({ templateId, minPoints: 5 })).toBe("ada");
    expect(await list({ templateId, minPoints: 0 })).toBe("ada bob");
    expect(await list({ templateId, maxPoints: 4 })).toBe("bob");
    expect(await list({ templateId, minPoints: 5, search: "customer" })).toBe("ada");
    expect(await list({ templateId, minPoints: 5, search: "nobody" })).toBe("");
    expect(await list({ templateId, minPoints: 5, minStamps: 0 })).toBe("");
    expect(await list({ templateId: "tpl_none", minPoints: 0 })).toBe("");
    clock.move(HOUR);
    expect(await list({ templateId, minPoints: 5 })).toBe("");
    expect(await getRefusedFields(acme.contacts.list({ minPoints: 1 }))).toEqual(["templateId"]);
    expect(await getRefusedFields(acme.contacts.list({ templateId, minPoints: 2, maxPoints: 1 }))).toEqual([
      "minPoints",
    ]);
  });
});
