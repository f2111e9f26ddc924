import type { StorageAdapter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { clearFinishedDeliveries } from "../../src/wallets/card-messages.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { createCardToUpdate, onCards, SomeMessages } from "./some-message.js";
import { createPhone, openShop } from "./some-shop.js";

describe.each(everyAdapter)("messages on cards on $name", ({ open }) => {
  async function start() {
    const storage = await open();
    const shop = await openShop(storage, 0);
    const messages = new SomeMessages(storage, shop.clock.read);
    const { backend, template } = shop;
    const make = (texts: Parameters<typeof messages.make>[1]) => messages.make(template.id, texts);
    const readTexts = async (passId: string) => (await backend.card(passId))?.message?.texts ?? null;
    const isNewest = async (passId: string) => (await backend.card(passId))?.isMessageNewest;
    const listCards = async (...passIds: string[]) => runStep(storage.reader("acme").walletCardsOf(passIds));
    const listDue = async () =>
      (await backend.claim("acme", "apple", 100)).map(({ delivery }) => delivery.passId).sort();
    return { ...shop, messages, make, shown: readTexts, isNewest, rows: listCards, listDue };
  }

  it("are a change of each card, which is delivered to its wallets", async () => {
    const { backend, newCard, messages, make, shown, isNewest, rows, listDue } = await start();
    const [first, second, other] = [await newCard(), await newCard(), await newCard()];
    for (const { id } of [first, second, other]) await backend.devices.register("acme", createPhone(id));
    await backend.google.recordAtGoogle("acme", first.id, 0);
    const before = (await rows(first.id))[0]?.changedAt ?? 0;
    const id = await make("Cake is back");
    expect(await messages.show(id, [createCardToUpdate(first.id), createCardToUpdate(second.id)])).toEqual(
      [],
    );
    expect(await listDue()).toEqual([first.id, second.id].sort());
    expect(await backend.claim("acme", "google", 100)).toHaveLength(1);
    expect(await shown(first.id)).toEqual([{ language: "en", text: "Cake is back" }]);
    expect([await shown(other.id), await isNewest(other.id)]).toEqual([null, false]);
    const [card] = await rows(first.id);
    expect(card?.changedAt).toBeGreaterThan(before);
    expect(card?.messageRevision).toBe(card?.revision);
  });

  it("are the newest change until there is another one", async () => {
    const { acme, newCard, follow, messages, make, shown, isNewest } = await start();
    const { id } = await newCard();
    await messages.show(await make("You have {stamps} of them, {toGo} to go"), [createCardToUpdate(id)]);
    expect(await isNewest(id)).toBe(true);
    await acme.stamps.add(id);
    await follow();
    expect(await isNewest(id)).toBe(false);
    expect(await shown(id)).toEqual([{ language: "en", text: "You have 1 of them, 2 to go" }]);
    await messages.show(await make("Cake is back"), [createCardToUpdate(id)]);
    expect([await isNewest(id), await shown(id)]).toEqual([true, [{ language: "en", text: "Cake is back" }]]);
  });

  it("are in the languages that they have for wallets, with placeholders filled in for each card", async () => {
    const { acme, template, newCard, messages, make, shown } = await start();
    const [ada, stranger] = [await newCard(), await newCard()];
    const names = [
      [ada, "Ada"],
      [stranger, "www.evil.example"],
    ] as const;
    for (const [{ id }, name] of names) {
      const { userId } = await acme.passes.get(id);
      await acme.users.update(userId, { name });
    }
    const texts = [
      { language: "fr", wallet: null, subject: "Salut", text: "Salut" },
      onCards("de", "Hallo {name}, {card}: {rewards}"),
      onCards("en", "Hello {name} and all"),
    ];
    await messages.show(await make(texts), [createCardToUpdate(ada.id), createCardToUpdate(stranger.id)]);
    expect(await shown(ada.id)).toEqual([
      { language: "de", text: `Hallo Ada, ${template.name}: 0` },
      { language: "en", text: "Hello Ada and all" },
    ]);
    // A name that a phone would turn into a link is left out.
    expect((await shown(stranger.id))?.[1]).toEqual({ language: "en", text: "Hello and all" });
  });

  it("replace the older one, and return the deliveries that waited for it", async () => {
    const { newCard, messages, make, rows } = await start();
    const [first, second, third] = [await newCard(), await newCard(), await newCard()];
    await messages.show(await make("One"), [
      createCardToUpdate(first.id, "mdl_1"),
      createCardToUpdate(second.id, "mdl_1"),
    ]);
    await messages.show(await make("Two"), [createCardToUpdate(third.id, "mdl_3")]);
    const cards = [
      createCardToUpdate(first.id, "mdl_4"),
      createCardToUpdate(second.id, "mdl_4"),
      createCardToUpdate(third.id),
    ];
    expect([...(await messages.show(await make("Three"), cards))].sort()).toEqual(["mdl_1", "mdl_3"]);
    const waiting = (await rows(first.id, second.id, third.id)).map((card) => card.messageDeliveryId);
    expect(waiting.filter((id) => id !== null)).toEqual(["mdl_4", "mdl_4"]);
  });

  it("stop waiting for a wallet when their delivery has ended, without a change of the card", async () => {
    const { storage, newCard, messages, make, rows } = await start();
    const [first, second] = [await newCard(), await newCard()];
    await messages.show(await make("One"), [
      createCardToUpdate(first.id, "mdl_1"),
      createCardToUpdate(second.id, "mdl_2"),
    ]);
    const before = await rows(first.id, second.id);
    const end = (adapter: StorageAdapter) =>
      adapter.transaction("acme", (tx) =>
        clearFinishedDeliveries(tx, [first.id, second.id], ["mdl_1", "mdl_9"]),
      );
    await end(storage);
    await end(storage);
    const expectedCards = before.map((card) =>
      card.passId === first.id ? { ...card, messageDeliveryId: null } : card,
    );
    expect(await rows(first.id, second.id)).toEqual(expectedCards);
  });

  it("disappear when their time is over and when they are canceled, even before they are removed", async () => {
    const { clock, newCard, messages, make, shown, isNewest } = await start();
    const [first, second] = [await newCard(), await newCard()];
    await messages.show(await make("One"), [createCardToUpdate(first.id)], clock.now + 1_000);
    const canceled = await make("Two");
    await messages.show(canceled, [createCardToUpdate(second.id)]);
    clock.move(999);
    expect(await shown(first.id)).not.toBeNull();
    clock.move(1);
    await messages.cancel(canceled);
    for (const { id } of [first, second]) {
      expect([await shown(id), await isNewest(id)]).toEqual([null, false]);
    }
  });

  it("are removed in parts, as a silent change, and only while they are the newest", async () => {
    const { backend, newCard, messages, make, shown, isNewest, rows, listDue } = await start();
    const cards = [await newCard(), await newCard(), await newCard()];
    for (const { id } of cards) await backend.devices.register("acme", createPhone(id));
    const [older, newer] = [await make("One"), await make("Two")];
    const told3 = cards.map(({ id }) => createCardToUpdate(id, `mdl_${id}`));
    await messages.show(older, told3);
    await listDue();
    const [firstCard, ...others] = cards;
    await messages.show(newer, [createCardToUpdate(firstCard?.id ?? "")]);
    await messages.clear(older, 1);
    expect(await shown(firstCard?.id ?? "")).toEqual([{ language: "en", text: "Two" }]);
    for (const { id } of others) {
      expect([await shown(id), await isNewest(id)]).toEqual([null, false]);
      const [card] = await rows(id);
      expect(card).toMatchObject({ messageId: null, messageDeliveryId: null });
      expect(card?.messageRevision).toBe(card?.revision);
    }
  });

  it("aren't shown on a revoked card, and are removed from it without a notification", async () => {
    const { acme, backend, newCard, follow, messages, make, shown, rows, listDue } = await start();
    const [revoked, keptCard] = [await newCard(), await newCard()];
    for (const { id } of [revoked, keptCard]) await backend.devices.register("acme", createPhone(id));
    const id = await make("One");
    await messages.show(id, [createCardToUpdate(revoked.id), createCardToUpdate(keptCard.id)]);
    await acme.passes.delete(revoked.id);
    await follow();
    expect(await shown(revoked.id)).toBeNull();
    await listDue();
    const [before] = await rows(revoked.id);
    await messages.clear(id);
    const [after] = await rows(revoked.id);
    expect([after?.revision, after?.messageId]).toEqual([before?.revision, null]);
    await messages.show(await make("Two"), [createCardToUpdate(revoked.id)]);
    expect((await rows(revoked.id))[0]?.messageId).toBeNull();
  });

  it("change nothing in an organization without wallets", async () => {
    const { messages, make } = await start();
    const id = await make("One");
    expect(await messages.show(id, [createCardToUpdate("pas_none")])).toEqual([]);
    await messages.clear(id);
  });
});
