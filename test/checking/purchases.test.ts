import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { beforeAll, describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { type Damageable, databases } from "./damageable.js";

const MORNING = "2026-03-02T08:00:00.000Z";
const NOON = "2026-03-02T12:00:00.000Z";

/** Creates a stamp card with stamps from purchases, returns and calls, and a card with points. */
async function createCards(storage: StorageAdapter, organizationId: string) {
  const { templates, passes, stamps, purchases, points } = new LoyaltyService({ storage }).organization(
    organizationId,
  );
  const earning = { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] };
  const coffee = await templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 4, earning });
  const club = await templates.create({ name: "Club", type: "LOYALTY_CARD", earning, points: {} });
  const stampCard = await passes.create(coffee.id, { user: { email: "ada@example.com" } });
  const pointCard = await passes.create(club.id, { userId: stampCard.userId });
  const buy = (receipt: string, amount: number, at: string) =>
    purchases.put("till", receipt, {
      userId: stampCard.userId,
      at,
      currency: "EUR",
      lines: amount === 0 ? [] : [{ amount }],
    });
  const takeBack = (receipt: string, amount: number) =>
    purchases.addReturn("till", receipt, { returnId: `${amount}`, lines: [{ id: "0", amount }] });
  await buy("1", 600, NOON);
  await takeBack("1", 200);
  await buy("2", 100, NOON);
  await takeBack("2", 100);
  await stamps.add(stampCard.id, { count: 2 });
  await buy("3", 300, MORNING);
  await takeBack("3", 100);
  await takeBack("3", 200);
  await buy("4", 100, MORNING);
  const { entryId } = await points.add(pointCard.id, { points: 20 });
  await points.spend(pointCard.id, { points: 22 });
  await takeBack("1", 300);
  await points.add(pointCard.id, { points: 1 });
  return { stampCardId: stampCard.id, pointCardId: pointCard.id, addedId: entryId, stamps, points, passes };
}

describe.each(databases)("a check of purchases on $name", ({ open }) => {
  let shop: Damageable;
  beforeAll(async () => {
    shop = await open();
  });

  it("finds nothing wrong with their stamps, visits, statistics and points", async () => {
    const { passes, pointCardId } = await createCards(shop.storage, "whole");
    expect(await checkStorage(shop.storage, { organizationId: "whole" })).toEqual([]);
    await passes.delete(pointCardId);
    expect(await checkStorage(shop.storage, { organizationId: "whole" })).toEqual([]);
  });

  it("finds nothing wrong after their cards are revoked", async () => {
    const { passes, stampCardId } = await createCards(shop.storage, "revoked");
    await passes.delete(stampCardId);
    expect(await checkStorage(shop.storage, { organizationId: "revoked" })).toEqual([]);
  });

  it("counts purchases as visits, and restores the time of the last stamp from them", async () => {
    const organizationId = "visits";
    const { stampCardId, stamps } = await createCards(shop.storage, organizationId);
    const before = await stamps.state(stampCardId);
    await shop.damage(
      `update loyalty_wallet_passes set visits = '[]', last_stamp_at = null, total_stamps_collected = 99
        where id = '${stampCardId}'`,
    );
    const repaired = { organizationId, kind: "ledger", about: stampCardId, isRepaired: true };
    expect(await checkStorage(shop.storage, { organizationId, repair: true })).toEqual([repaired]);
    expect(await stamps.state(stampCardId)).toEqual(before);
    expect(await checkStorage(shop.storage, { organizationId })).toEqual([]);
  });

  it("doesn't change a last-stamp time that is too late, on a card with earned stamps", async () => {
    const organizationId = "later";
    const { stampCardId, stamps } = await createCards(shop.storage, organizationId);
    await shop.damage(
      `update loyalty_wallet_passes set last_stamp_at = last_stamp_at + 5 where id = '${stampCardId}'`,
    );
    const before = await stamps.state(stampCardId);
    expect(await checkStorage(shop.storage, { organizationId, repair: true })).toEqual([]);
    expect(await stamps.state(stampCardId)).toEqual(before);
  });

  it("counts each purchase as one visit, and repairs the statistics from events and entries", async () => {
    const organizationId = "statistics";
    await createCards(shop.storage, organizationId);
    const readCounts = () =>
      runStep(shop.storage.reader(organizationId).readDayCounts(0, Number.MAX_SAFE_INTEGER));
    const before = await readCounts();
    await shop.damage(
      `update loyalty_organizations set current_day_counts = null where organization_id = '${organizationId}'`,
    );
    const found = await checkStorage(shop.storage, { organizationId, repair: true });
    expect(new Set(found.map(({ kind, isRepaired }) => `${kind} ${isRepaired}`))).toEqual(
      new Set(["statistics true"]),
    );
    expect(await readCounts()).toEqual(before);
    const [day] = before.days;
    const visits = Object.entries(day ?? {}).flatMap(([name, count]) => (/^visitsAt/.test(name) ? count : 0));
    expect(visits.reduce((sum, count) => sum + count, 0)).toBe(3);
  });

  it("repairs the points of a card from its entries", async () => {
    const organizationId = "sums";
    const { pointCardId, points } = await createCards(shop.storage, organizationId);
    const before = await points.state(pointCardId);
    await shop.damage(
      `update loyalty_point_cards set debt = 70, earned = 7, spent = -1 where pass_id = '${pointCardId}'`,
    );
    await shop.damage(
      `update loyalty_point_lots set remaining = points, expired = 1 where pass_id = '${pointCardId}'`,
    );
    const repaired = { organizationId, kind: "points", about: pointCardId, isRepaired: true };
    expect(await checkStorage(shop.storage, { organizationId, repair: true })).toEqual([repaired]);
    expect(await points.state(pointCardId)).toEqual(before);
    await shop.damage(`delete from loyalty_point_cards where pass_id = '${pointCardId}'`);
    expect(await checkStorage(shop.storage, { organizationId, repair: true })).toEqual([repaired]);
    expect(await points.state(pointCardId)).toEqual(before);
  });

  it.each([
    {
      what: "lost its first entry",
      damage: "delete from loyalty_point_entries where sequence = 1",
      entry: 1,
    },
    {
      what: "lost its last entry",
      damage: "delete from loyalty_point_entries where sequence = 11",
      entry: 11,
    },
  ])("reports a ledger that $what, and keeps its points", async ({ what, damage, entry }) => {
    const organizationId = what;
    const { pointCardId, points } = await createCards(shop.storage, organizationId);
    const before = await points.state(pointCardId);
    await shop.damage(`${damage} and pass_id = '${pointCardId}'`);
    const found = await checkStorage(shop.storage, { organizationId, repair: true });
    const reason = `entry ${entry} of its points is missing`;
    expect(found).toContainEqual({
      organizationId,
      kind: "points",
      about: pointCardId,
      isRepaired: false,
      reason,
    });
    expect(await points.state(pointCardId)).toEqual(before);
  });

  it.each([
    {
      what: "more than it had",
      damage: "set lots = replace(lots, ',-', ',-1')",
      where: "type = 'spent'",
    },
    { what: "another sum", damage: "set points = points - 1", where: "type = 'spent'" },
    { what: "a text that is no list", damage: "set lots = '{}'", where: "type = 'added'" },
    {
      what: "a lot that nobody gave",
      damage: "set lots = '[[70,20]]'",
      where: "points = 20",
    },
  ])("reports an entry with $what", async ({ what, damage, where }) => {
    const organizationId = what;
    const { pointCardId } = await createCards(shop.storage, organizationId);
    await shop.damage(`update loyalty_point_entries ${damage} where ${where} and pass_id = '${pointCardId}'`);
    const found = await checkStorage(shop.storage, { organizationId, repair: true });
    const reason = expect.stringMatching(/^entry \d+ of its points was altered$/);
    expect(found).toEqual([
      { organizationId, kind: "points", about: pointCardId, isRepaired: false, reason },
    ]);
  });

  it("reports a missing lot, and a lot that no entry gave", async () => {
    const organizationId = "lots";
    const { pointCardId, addedId } = await createCards(shop.storage, organizationId);
    const sequence = addedId.split("_").at(-1);
    const lots = `pass_id = '${pointCardId}' and sequence`;
    await shop.damage(`update loyalty_point_lots set sequence = 70 where ${lots} = ${sequence}`);
    const told = { organizationId, kind: "points", about: pointCardId, isRepaired: false };
    expect(await checkStorage(shop.storage, { organizationId, repair: true })).toEqual([
      { ...told, reason: "no entry gave lot 70 of its points" },
    ]);
    await shop.damage(`delete from loyalty_point_lots where ${lots} = 70`);
    expect(await checkStorage(shop.storage, { organizationId, repair: true })).toEqual([
      { ...told, reason: `lot ${sequence} of its points is missing` },
    ]);
  });

  it("reports units that no entry gave, and entries for a purchase that doesn't count on their pass", async () => {
    const organizationId = "units";
    const { pointCardId, stampCardId } = await createCards(shop.storage, organizationId);
    const [purchase] = await shop.rows(
      `select id from loyalty_purchases where organization_id = '${organizationId}' and receipt = '4'`,
    );
    await shop.damage(`update loyalty_purchase_effects set units = 3 where purchase_id = '${purchase?.id}'`);
    const reason = "it gives 3, but its entries add up to 1";
    const told = { organizationId, kind: "purchases", isRepaired: false };
    const expected = [pointCardId, stampCardId].map((id) => ({
      ...told,
      about: `${purchase?.id} on ${id}`,
      reason,
    }));
    const found = await checkStorage(shop.storage, { organizationId, repair: true });
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining(expected));
    await shop.damage(`delete from loyalty_purchase_effects where pass_id = '${pointCardId}' and units = 3`);
    expect(await checkStorage(shop.storage, { organizationId, repair: true })).toContainEqual({
      ...told,
      about: `till/4 on ${pointCardId}`,
      reason: "entries are for a purchase that doesn't count on this pass",
    });
  });

  it("reports an amount that differs from what the purchase's lines leave", async () => {
    const organizationId = "amounts";
    await createCards(shop.storage, organizationId);
    await shop.damage(
      `update loyalty_purchases set remaining_amount = coalesce(remaining_amount, 0) + 1
        where organization_id = '${organizationId}' and receipt in ('1', '2')`,
    );
    const purchases = await shop.rows(
      `select id, receipt from loyalty_purchases where organization_id = '${organizationId}'`,
    );
    const expected = [
      ["1", "its lines leave 100, but it says 101"],
      ["2", "its lines leave 0, but it says 1"],
    ].map(([receipt, reason]) => ({
      ...{ organizationId, kind: "purchases", isRepaired: false, reason },
      about: purchases.find((purchase) => purchase.receipt === receipt)?.id,
    }));
    expect(await checkStorage(shop.storage, { organizationId, repair: true })).toEqual(expected);
  });
});
