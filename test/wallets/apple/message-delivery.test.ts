import type { CreateMessage, StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { fieldsOf, type PassOnPhone } from "loyalty-kit/testing";
import { describe, expect, it } from "vitest";
import { createLoyaltyError } from "../../../src/base/errors.js";
import { serviceInternals } from "../../../src/internals.js";
import { everyAdapter } from "../../kit/every-adapter.js";
import { replaceTransactions } from "../../kit/intercept-calls.js";
import { appleOptions, openWallets, pki } from "./wallets-scene.js";

async function start(storage: StorageAdapter, options: Parameters<typeof openWallets>[1] = {}) {
  const shop = await openWallets(storage, options);
  const { acme, template, newPass, newPhone, wallets } = shop;
  await acme.messageSettings.update({ walletByDefault: true, cap: null });
  /** Sends a message to all cards, and pushes it to phones that don't fetch the pass yet. */
  async function send(wallet: string, message: Partial<CreateMessage> = {}) {
    const { id } = await acme.messages.create({
      ...{ name: "News", audience: { all: true }, channels: ["wallet"], templateId: template.id },
      texts: [{ language: "en", wallet }],
      ...message,
    });
    await acme.messages.send(id);
    await wallets.runOnce();
    return id;
  }
  async function install() {
    const pass = await newPass();
    const phone = newPhone(`iphone-${pass.id}`);
    await phone.add(pass.url);
    return { ...pass, phone };
  }
  const listDeliveries = async (messageId: string) => (await acme.messages.deliveries(messageId)).content;
  const readState = async (messageId: string) => {
    const { status, sums } = await acme.messages.get(messageId);
    return { status, ...sums };
  };
  return { ...shop, send, install, rows: listDeliveries, state: readState };
}

describe.each(everyAdapter)("the delivery of a message to an iPhone on $name", ({ open }) => {
  it("is accepted once when a phone has fetched the pass with it, and the message is then sent", async () => {
    const { send, install, rows, state } = await start(await open());
    const { id, phone } = await install();
    const messageId = await send("Cake is back");
    expect(await rows(messageId)).toMatchObject([{ status: "SENDING", channel: "wallet", passId: id }]);
    await phone.pushed();
    expect(phone.messages).toEqual(["Cake is back"]);
    expect(await rows(messageId)).toMatchObject([
      { status: "ACCEPTED", platform: "apple", isSilent: false, reason: null },
    ]);
    expect(await state(messageId)).toMatchObject({ status: "SENT", recipients: 1, accepted: 1, sending: 0 });
  });
});

describe("the delivery of a message to an iPhone", () => {
  it("is skipped as replaced when a newer message comes before a phone fetches the pass", async () => {
    const { send, install, rows, state } = await start(memoryStorage());
    const { phone } = await install();
    const older = await send("Cake is back");
    const newer = await send("Tea is back");
    expect(await rows(older)).toMatchObject([{ status: "SKIPPED", reason: "replaced" }]);
    expect(await state(older)).toMatchObject({ status: "SENT", skipped: { replaced: 1 }, sending: 0 });
    await phone.pushed();
    expect(phone.messages).toEqual(["Tea is back"]);
    expect(await rows(newer)).toMatchObject([{ status: "ACCEPTED" }]);
  });

  it("counts as silent when a later change is what the phone announces", async () => {
    const { acme, send, install, rows, wallets } = await start(memoryStorage());
    const { id, phone } = await install();
    const messageId = await send("Cake is back");
    await acme.stamps.add(id);
    await wallets.runOnce();
    await phone.pushed();
    expect(phone.messages).toEqual(["4 more to go"]);
    expect(fieldsOf(phone.passes.get(id) as PassOnPhone).get("message")?.value).toBe("Cake is back");
    expect(await rows(messageId)).toMatchObject([{ status: "ACCEPTED", isSilent: true }]);
  });

  it("is one for all cards of the customer, and is accepted when a phone fetches the first of them", async () => {
    const { acme, template, send, install, newPhone, rows, state, wallets } = await start(memoryStorage());
    const { id, phone } = await install();
    const { userId } = await acme.passes.get(id);
    const second = await acme.passes.create(template.id, { userId });
    const { apple } = await acme.passes.walletLinks(second.id);
    const other = newPhone("other");
    await other.add(apple ?? "");
    const messageId = await send("Cake is back");
    await other.pushed();
    expect(await rows(messageId)).toMatchObject([{ status: "ACCEPTED" }]);
    await phone.pushed();
    await wallets.runOnce();
    expect([other.messages, phone.messages]).toEqual([["Cake is back"], ["Cake is back"]]);
    expect(await state(messageId)).toMatchObject({ status: "SENT", recipients: 1, accepted: 1 });
  });

  it("is accepted by a phone that already has the pass, but not by a link, a HEAD or without authentication", async () => {
    const { send, install, rows, call, api } = await start(memoryStorage());
    const { id, url, phone } = await install();
    const messageId = await send("Cake is back");
    const path = `/apple/v1/passes/${pki.passTypeId}/${id}`;
    const token = phone.passes.get(id)?.pass.authenticationToken;
    const headers = { authorization: `ApplePass ${token}` };
    const link = await api.fetch(new Request(url));
    expect(link.status).toBe(200);
    expect((await call("HEAD", path, { headers })).status).toBe(200);
    expect((await call("GET", path)).status).toBe(401);
    expect(await rows(messageId)).toMatchObject([{ status: "SENDING" }]);
    const since = { "if-modified-since": link.headers.get("last-modified") ?? "" };
    expect((await call("GET", path, { headers: { ...headers, ...since } })).status).toBe(304);
    expect(await rows(messageId)).toMatchObject([{ status: "ACCEPTED", isSilent: true }]);
  });

  it("isn't accepted while no pass can be signed", async () => {
    const options = { apple: { ...appleOptions, ...pki.expired } };
    const { acme, send, rows, newPass, call, loyalty } = await start(memoryStorage(), options);
    const { id } = await newPass();
    const issuedCard = await serviceInternals(loyalty).createWalletBackend(0).card(id);
    const device = { passId: id, platform: "apple", deviceId: "phone", pushToken: "token" } as const;
    await serviceInternals(loyalty).createWalletBackend(0).devices.register("acme", device);
    const messageId = await send("Cake is back");
    const headers = { authorization: `ApplePass ${issuedCard?.card.authenticationToken}` };
    const answer = await call("GET", `/apple/v1/passes/${pki.passTypeId}/${id}`, { headers });
    expect(answer.status).toBe(503);
    expect(await rows(messageId)).toMatchObject([{ status: "SENDING" }]);
    expect((await acme.messages.get(messageId)).status).toBe("SENDING");
  });

  it("is recorded once: later fetches write nothing, and a phone whose response failed fetches again", async () => {
    const innerStorage = memoryStorage();
    let writeCount = 0;
    let isBroken = false;
    const storage = replaceTransactions(innerStorage, (organizationId, work, options) => {
      writeCount += 1;
      if (isBroken) throw createLoyaltyError("storage_unavailable");
      return innerStorage.transaction(organizationId, work, options);
    });
    const { send, install, rows } = await start(storage);
    const { id, phone } = await install();
    const messageId = await send("Cake is back");
    isBroken = true;
    expect(await phone.refresh(id)).toBe(503);
    expect([await rows(messageId), phone.messages]).toMatchObject([[{ status: "SENDING" }], []]);
    isBroken = false;
    writeCount = 0;
    expect(await phone.refresh(id)).toBe(200);
    expect([await rows(messageId), phone.messages]).toMatchObject([
      [{ status: "ACCEPTED" }],
      ["Cake is back"],
    ]);
    expect(writeCount).toBe(1);
    for (let time = 0; time < 3; time += 1) await phone.refresh(id);
    expect(writeCount).toBe(1);
  });

  it("is removed from the pass silently when the message is canceled, and when its display time is over", async () => {
    const { acme, clock, send, install, rows, state, deliver } = await start(memoryStorage());
    const { id, phone } = await install();
    const getShownMessage = () => fieldsOf(phone.passes.get(id) as PassOnPhone).get("message")?.value;
    const canceled = await send("Cake is back");
    await acme.messages.cancel(canceled);
    await deliver();
    expect([getShownMessage(), phone.messages]).toEqual(["Nothing new right now", []]);
    expect(await rows(canceled)).toMatchObject([{ status: "SKIPPED", reason: "canceled" }]);
    const timestampInHours = (hours: number) => new Date(clock.now + hours * 3_600_000).toISOString();
    const short = await send("An hour alone", {
      expiresAt: timestampInHours(1),
      showUntil: timestampInHours(2),
    });
    await phone.pushed();
    expect([getShownMessage(), await state(short)]).toMatchObject(["An hour alone", { status: "SENT" }]);
    clock.move(2 * 3_600_000);
    await deliver();
    expect(getShownMessage()).toBe("Nothing new right now");
    expect(phone.messages).toEqual(["An hour alone"]);
    expect(phone.complaints).toEqual([]);
  });
});
