import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../../src/internals.js";
import { createPhone, openShop } from "../some-shop.js";

describe("the cards that Google is asked about", () => {
  it("are all that exist there, page by page, and say which of them customers have", async () => {
    const { loyalty, acme, backend, template } = await openShop(memoryStorage());
    const rows = Array.from({ length: 501 }, (_, at) => ({
      email: `customer-${at}@example.com`,
      passes: [{ templateId: template.id }],
    }));
    await acme.passes.import(rows);
    const ids: string[] = [];
    for await (const user of acme.users.list()) {
      for (const { id } of await acme.passes.ofUser(user.id)) {
        await acme.passes.walletLinks(id);
        ids.push(id);
      }
    }
    const { google } = serviceInternals(loyalty).createWalletBackend(0);
    for (const id of ids.slice(1)) await google.recordAtGoogle("acme", id, 0);
    const [, held = ""] = ids;
    await backend.devices.register("acme", { ...createPhone(held), platform: "google", pushToken: null });
    const first = await google.readPage("");
    const second = await google.readPage(first.next ?? "there is none");
    expect(second.next).toBeNull();
    const known = [...first.cards, ...second.cards];
    expect(known.map(({ passId }) => passId).sort()).toEqual(ids.slice(1).sort());
    expect(known.filter(({ isHeld }) => isHeld).map(({ passId }) => passId)).toEqual([held]);
  });

  it("are delivered again if they have changed since they were read for Google, and not otherwise", async () => {
    const { loyalty, acme, newCard, follow } = await openShop(memoryStorage());
    const backend = serviceInternals(loyalty).createWalletBackend(0);
    const [changed, same] = [await newCard(), await newCard()];
    await acme.stamps.add(changed.id);
    await follow();
    expect(await backend.claim("acme", "google", 10)).toEqual([]);
    for (const { id } of [changed, same]) await backend.google.recordAtGoogle("acme", id, 0);
    const jobs = await backend.claim("acme", "google", 10);
    expect(jobs.map(({ delivery }) => delivery.passId)).toEqual([changed.id]);
  });
});
