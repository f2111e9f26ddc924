import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { beforeAll, describe, expect, it } from "vitest";
import { type Damageable, databases } from "./damageable.js";

/** Creates a card with six entries in its ledger. */
async function createStampedCard(storage: StorageAdapter, organizationId: string) {
  const { templates, passes, stamps } = new LoyaltyService({ storage }).organization(organizationId);
  const { id: templateId } = await templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const { id } = await passes.create(templateId, { user: { email: "ada@example.com" } });
  for (const count of [3, 9, 1, 2]) await stamps.add(id, { count });
  await stamps.redeem(id);
  await stamps.add(id);
  return { id, stamps };
}

describe.each(databases)("a damaged ledger on $name", ({ open }) => {
  let shop: Damageable;
  beforeAll(async () => {
    shop = await open();
  });

  it.each([
    { lost: "1", first: 1 },
    { lost: "3", first: 3 },
    { lost: "2, 4", first: 2 },
    { lost: "6", first: 6 },
    { lost: "5, 6", first: 5 },
    { lost: "1, 2, 3, 4, 5, 6", first: 1 },
  ])(
    "is reported if entries are missing, and repairs leave its card unchanged: $lost",
    async ({ lost, first }) => {
      const { storage, damage } = shop;
      const organizationId = `lost ${lost}`;
      const { id, stamps } = await createStampedCard(storage, organizationId);
      const before = await stamps.state(id);
      await damage(`delete from loyalty_stamp_entries where pass_id = '${id}' and sequence in (${lost})`);
      const reason = `entry ${first} of its ledger is missing`;
      const finding = { organizationId, kind: "ledger", about: id, isRepaired: false, reason };
      for (const repair of [false, true, true, false])
        expect(await checkStorage(storage, { organizationId, repair })).toEqual([finding]);
      expect(await stamps.state(id)).toEqual(before);
      await stamps.add(id);
      expect(await checkStorage(storage, { organizationId, repair: true })).toEqual([finding]);
      expect(await stamps.state(id)).toMatchObject({ currentStamps: before.currentStamps + 1 });
    },
  );

  it("doesn't keep other cards from being repaired", async () => {
    const { storage, damage } = shop;
    const [lostId, wrong] = [
      await createStampedCard(storage, "both"),
      await createStampedCard(storage, "other"),
    ];
    await damage(`delete from loyalty_stamp_entries where pass_id = '${lostId.id}' and sequence = 6`);
    const before = await wrong.stamps.state(wrong.id);
    await damage(`update loyalty_wallet_passes set current_stamps = 9 where id = '${wrong.id}'`);
    await checkStorage(storage, { repair: true });
    expect(await checkStorage(storage, { organizationId: "other" })).toEqual([]);
    expect(await wrong.stamps.state(wrong.id)).toEqual(before);
  });

  it("is reported if an entry was altered, and the card keeps its state", async () => {
    const { storage, damage } = shop;
    const organizationId = "changed";
    const { id, stamps } = await createStampedCard(storage, organizationId);
    const before = await stamps.state(id);
    await damage(`update loyalty_stamp_entries set delta = 7 where pass_id = '${id}' and sequence = 4`);
    const reason = "entry 4 of its ledger was altered";
    expect(await checkStorage(storage, { organizationId, repair: true })).toMatchObject([
      { about: id, reason },
    ]);
    expect(await stamps.state(id)).toEqual(before);
  });
});
