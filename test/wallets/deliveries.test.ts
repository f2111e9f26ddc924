import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import type { PointTerms } from "../../src/cards/program-schema.js";
import { serviceInternals } from "../../src/internals.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { createCardToUpdate, SomeMessages } from "./some-message.js";
import { createPhone, openShop } from "./some-shop.js";

describe.each(everyAdapter)("deliveries to wallets on $name", ({ open }) => {
  const start = async (debounceMs = 1_000) => {
    const shop = await openShop(await open(), debounceMs);
    const { backend } = shop;
    const claim = () => backend.claim("acme", "apple", 100);
    /**
     * Claims the due cards and records them as delivered.
     * @returns the passes and their devices.
     */
    async function deliverAll() {
      const jobs = await claim();
      for (const { lease, delivery, devices } of jobs) {
        const deviceIds = devices.map(({ deviceId }) => deviceId);
        const { passId, revision } = delivery;
        await backend.recordResults("acme", "apple", lease, [
          { passId, revision, deviceIds, nextAttemptAt: null },
        ]);
      }
      return jobs.map(({ delivery, devices }) => [
        delivery.passId,
        ...devices.map(({ deviceId }) => deviceId),
      ]);
    }
    /** Creates a template with points, and a customer's card of it on a phone. */
    async function createPointCard(terms: Partial<PointTerms> = {}) {
      const { id: templateId } = await shop.acme.templates.create({
        ...{ name: "Club", type: "LOYALTY_CARD", points: terms },
        earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] },
      });
      const { id } = await shop.newCard(shop.acme, templateId);
      await backend.devices.register("acme", createPhone(id));
      await shop.follow();
      return { id, templateId, userId: (await shop.acme.passes.get(id)).userId };
    }
    /** Records a purchase of a customer, always with the same receipt. */
    const buy = (userId: string, amount: number, note: string | null = null) =>
      shop.acme.purchases.put("till", "1", { userId, currency: "EUR", lines: [{ amount }], note });
    return { ...shop, claim, tell: deliverAll, createPointCard, buy };
  };

  it("are created from committed changes, after the debounce time", async () => {
    const { clock, acme, backend, newCard, follow, tell } = await start();
    const { id } = await newCard();
    await backend.devices.register("acme", createPhone(id));
    await follow();
    expect(await tell()).toEqual([]);
    for (let stamp = 0; stamp < 3; stamp += 1) {
      await acme.stamps.add(id);
      await follow();
    }
    expect(await tell()).toEqual([]);
    clock.move(1_000);
    expect(await tell()).toEqual([[id, "phone"]]);
    clock.move(100_000);
    expect(await tell()).toEqual([]);
    expect(await backend.queuesWithDueJobs(10)).toEqual([]);
  });

  it("are created again when a card changes while it is being delivered", async () => {
    const { clock, acme, backend, newCard, follow, claim, tell } = await start(0);
    const { id } = await newCard();
    await backend.devices.register("acme", createPhone(id));
    await acme.stamps.add(id);
    await follow();
    const [job] = await claim();
    await acme.stamps.add(id);
    await follow();
    const { passId, revision } = job?.delivery ?? { passId: "", revision: 0 };
    const outcome = { passId, revision, deviceIds: ["phone"], nextAttemptAt: null };
    await backend.recordResults("acme", "apple", job?.lease ?? "", [outcome]);
    expect(await tell()).toEqual([[id, "phone"]]);
    clock.move(100_000);
    expect(await tell()).toEqual([]);
  });

  it("aren't created while no device has the pass, but are for a device that registers after the change", async () => {
    const { acme, backend, newCard, follow, tell } = await start(0);
    const { id } = await newCard();
    await acme.stamps.add(id);
    await follow();
    expect(await tell()).toEqual([]);
    await backend.devices.register("acme", createPhone(id));
    expect(await tell()).toEqual([[id, "phone"]]);
    await backend.devices.register("acme", createPhone(id, "second"));
    expect(await tell()).toEqual([[id, "second"]]);
  });

  it("are due again when their worker dies", async () => {
    const { clock, acme, backend, newCard, follow, claim, tell } = await start(0);
    const { id } = await newCard();
    await backend.devices.register("acme", createPhone(id));
    await acme.stamps.add(id);
    await follow();
    expect(await claim()).toHaveLength(1);
    expect(await claim()).toHaveLength(0);
    clock.move(60_000);
    expect(await tell()).toEqual([[id, "phone"]]);
  });

  it("are created for all cards of a new design, in parts", async () => {
    const { acme, template, backend, newCard, follow, tell } = await start(0);
    const cards = [await newCard(), await newCard()];
    const other = await acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 3 });
    const tea = await newCard(acme, other.id);
    for (const { id } of [...cards, tea]) await backend.devices.register("acme", createPhone(id));
    await acme.templates.update(template.id, { design: { backgroundColor: "#000000" } });
    await follow();
    expect(await tell()).toEqual([]);
    expect(await backend.queuesWithDueJobs(10)).toEqual(["acme"]);
    expect(await backend.refreshNext("acme")).toBe(false);
    expect(await tell()).toEqual(cards.map(({ id }) => [id, "phone"]).sort());
  });

  it("are created for each change of a card's points", async () => {
    const { clock, acme, follow, tell, createPointCard, buy, loyalty } = await start(0);
    const { id, userId } = await createPointCard({ expiry: { days: 1 } });
    const expiry = serviceInternals(loyalty).backends.points;
    const changes: readonly (() => Promise<unknown>)[] = [
      () => acme.points.add(id, { points: 20 }),
      () => acme.points.remove(id, { points: 5 }),
      async () => {
        const { entryId } = await acme.points.spend(id, { points: 5 });
        await follow();
        await tell();
        return acme.points.reverse(id, { entryId });
      },
      () => buy(userId, 1_000),
      () => buy(userId, 500),
      async () => {
        clock.move(3 * 86_400_000);
        await expiry.advanceAll();
      },
    ];
    for (const [index, change] of changes.entries()) {
      await change();
      await follow();
      expect([index, await tell()]).toEqual([index, [[id, "phone"]]]);
    }
    expect(await acme.points.state(id)).toMatchObject({ available: 0, expired: 20 });
  });

  it("are created once per card for a purchase, whatever it changes", async () => {
    const { clock, acme, storage, backend, template, newCard, follow, tell, createPointCard, buy } =
      await start();
    await acme.templates.update(template.id, {
      earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 500 } }] },
    });
    const { id, templateId, userId } = await createPointCard();
    const { id: stampCardId } = await acme.passes.create(template.id, { userId });
    await acme.passes.walletLinks(stampCardId);
    await backend.devices.register("acme", createPhone(stampCardId));
    clock.move(1_000);
    await tell();
    await acme.points.remove(id, { points: 5, allowsDebt: true });
    const before = (await backend.card(id))?.card.revision ?? 0;
    await buy(userId, 1_000);
    await buy(userId, 2_000);
    const messages = new SomeMessages(storage, clock.read);
    await follow();
    await messages.show(await messages.make(templateId, "You have {points}"), [createCardToUpdate(id)]);
    await follow();
    const card = await backend.card(id);
    expect(card?.card.revision).toBe(before + 2);
    expect(card?.points).toMatchObject({ available: 15, debt: 0 });
    expect(card?.message?.texts).toEqual([{ language: "en", text: "You have 15" }]);
    clock.move(1_000);
    expect(await tell()).toEqual([id, stampCardId].sort().map((passId) => [passId, "phone"]));
    clock.move(100_000);
    expect(await tell()).toEqual([]);
    expect((await newCard()).id).not.toBe(id);
  });

  it("are created when pending points are confirmed, but not for a purchase that changes no points", async () => {
    const { acme, backend, follow, tell, createPointCard, buy } = await start(0);
    const { id, userId } = await createPointCard({ pendingDays: 7 });
    const deliver = async () => {
      await follow();
      return tell();
    };
    await buy(userId, 1_000);
    expect(await deliver()).toEqual([[id, "phone"]]);
    await buy(userId, 1_000, "paid in cash");
    expect(await deliver()).toEqual([]);
    await buy(userId, 1_000, "paid in cash");
    expect(await deliver()).toEqual([]);
    expect((await backend.card(id))?.points).toMatchObject({ available: 0, upcoming: { points: 10 } });
    await acme.purchases.confirm("till", "1");
    expect(await deliver()).toEqual([[id, "phone"]]);
    expect((await backend.card(id))?.points).toMatchObject({ available: 10, upcoming: null });
  });

  it("are created once per card when points become usable or expire as time passes", async () => {
    const { clock, backend, loyalty, follow, tell, createPointCard, buy } = await start(0);
    const { id, userId } = await createPointCard({ pendingDays: 2, expiry: { days: 5 } });
    await buy(userId, 1_000);
    await follow();
    await tell();
    const deliverAfter = async (days: number) => {
      clock.move(days * 86_400_000);
      for (let time = 0; time < 2; time += 1) await loyalty.refreshSegments();
      await follow();
      return tell();
    };
    expect(await deliverAfter(1)).toEqual([]);
    expect(await deliverAfter(1)).toEqual([[id, "phone"]]);
    expect((await backend.card(id))?.points).toMatchObject({ available: 10, upcoming: null });
    expect(await deliverAfter(1)).toEqual([]);
    expect(await deliverAfter(5)).toEqual([[id, "phone"]]);
    expect((await backend.card(id))?.points).toMatchObject({ available: 0, expiring: null });
    expect(await deliverAfter(1)).toEqual([]);
  });

  it("are created for points that have become usable, even if a return that takes none is recorded first", async () => {
    const { clock, acme, loyalty, follow, tell, createPointCard, buy } = await start(0);
    const { id, userId } = await createPointCard({ pendingDays: 2, expiry: { days: 3 } });
    const deliver = async () => {
      await loyalty.refreshSegments();
      await follow();
      return tell();
    };
    await buy(userId, 1_000);
    clock.move(3 * 86_400_000);
    await acme.purchases.put("till", "2", { userId, currency: "EUR", lines: [{ amount: 700 }] });
    await deliver();
    clock.move(86_400_000);
    expect(await deliver()).toEqual([[id, "phone"]]);
    clock.move(86_400_000);
    const { changes } = await acme.purchases.addReturn("till", "1", { returnId: "back", all: true });
    expect(changes).toEqual([]);
    expect(await deliver()).toEqual([[id, "phone"]]);
    expect(await acme.points.state(id)).toMatchObject({ available: 7, expired: 10 });
  });

  it("include a revoked pass, which stays stored until the last device has removed it", async () => {
    const { clock, acme, storage, backend, newCard, follow, tell } = await start(0);
    const { id, linkToken } = await newCard();
    await backend.devices.register("acme", createPhone(id));
    await acme.passes.delete(id);
    await follow();
    expect(await tell()).toEqual([[id, "phone"]]);
    const issuedCard = await backend.open(id, "linkToken", linkToken);
    expect(issuedCard).toMatchObject({ qrCodeValue: null, stamps: null, card: { revokedAt: clock.now } });
    await backend.devices.unregister("acme", createPhone(id));
    expect(await runStep(storage.all.findWalletPass(id))).toBeNull();
  });

  it("are created for all cards when events were deleted that weren't applied to the cards", async () => {
    const { acme, storage, backend, newCard, follow, tell } = await start(0);
    const [stamped, revoked] = [await newCard(), await newCard()];
    for (const { id } of [stamped, revoked]) await backend.devices.register("acme", createPhone(id));
    await acme.stamps.add(stamped.id);
    await acme.passes.delete(revoked.id);
    await storage.transaction("acme", (tx) =>
      tx.removeEvents({ since: Number.MAX_SAFE_INTEGER, atMost: 0 }, { after: 0, limit: 100 }),
    );
    await follow();
    await backend.refreshNext("acme");
    expect(await tell()).toEqual([stamped, revoked].map(({ id }) => [id, "phone"]).sort());
    expect((await runStep(storage.all.findWalletPass(revoked.id)))?.card.revokedAt).not.toBeNull();
  });

  it("give each change of a card its own second", async () => {
    const { acme, storage, newCard, follow } = await start();
    const { id } = await newCard();
    const times: number[] = [];
    for (let stamp = 0; stamp < 3; stamp += 1) {
      await acme.stamps.add(id);
      await follow();
      times.push((await runStep(storage.all.findWalletPass(id)))?.card.changedAt ?? 0);
    }
    const [first = 0] = times;
    expect(first % 1_000).toBe(0);
    expect(times).toEqual([first, first + 1_000, first + 2_000]);
  });

  it("show nothing of a deleted card or an erased customer, whether before or during the delivery", async () => {
    const { clock, acme, backend, newCard, follow, claim } = await start();
    const ways = {
      deleted: (id: string) => acme.passes.delete(id),
      erased: async (id: string) => acme.users.erase((await acme.passes.get(id)).userId),
    };
    for (const end of Object.values(ways)) {
      for (const at of ["before it is followed", "before it is claimed", "while it is claimed"]) {
        const { id, linkToken } = await newCard();
        await backend.devices.register("acme", createPhone(id, id));
        await acme.stamps.add(id);
        if (at === "before it is followed") await end(id);
        await follow();
        clock.move(1_000);
        if (at === "before it is claimed") await end(id);
        const claimedIds = (await claim()).map(({ delivery }) => delivery.passId);
        if (at === "while it is claimed") await end(id);
        expect([at, claimedIds]).toEqual([at, [id]]);
        const shownContent = { stamps: null, qrCodeValue: null, message: null };
        expect(await backend.card(id)).toMatchObject(shownContent);
        expect(await backend.open(id, "linkToken", linkToken)).toMatchObject(shownContent);
      }
    }
  });
});
