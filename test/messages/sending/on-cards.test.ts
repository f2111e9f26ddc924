import type { CreateMessage } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { runStep } from "../../../src/base/concurrency/step.js";
import { serviceInternals } from "../../../src/internals.js";
import { everyAdapter } from "../../kit/every-adapter.js";
import { createPhone } from "../../wallets/some-shop.js";
import { DAY, openSending, SECOND, words } from "./sending-scene.js";
import { expectSums } from "./watched-sums.js";

describe.each(everyAdapter)("a message on cards, on $name", ({ open }) => {
  async function start(limits = {}) {
    const shop = await openSending({ storage: await open(), limits });
    const { acme, loyalty, template, storage, messages, get, deliveries, advance } = shop;
    const wallets = serviceInternals(loyalty).createWalletBackend(0);
    wallets.attachLinker(() => ({ apple: "https://shop.example/apple", google: null }));
    await acme.messageSettings.update({ walletByDefault: true });
    /** Creates a customer with one card per argument, each on that number of phones. */
    const createHolder = async (name: string, ...phones: number[]) => {
      const user = await acme.users.create({ name, email: `${name}@example.com` });
      const passIds: string[] = [];
      for (const [card, count] of phones.entries()) {
        const { id } = await acme.passes.create(template.id, { userId: user.id });
        await acme.passes.walletLinks(id);
        for (let at = 0; at < count; at += 1)
          await wallets.devices.register("acme", createPhone(id, `${name} ${card} ${at}`));
        passIds.push(id);
      }
      return { user, passIds };
    };
    const sendToCards = async (message: Partial<CreateMessage> = {}) => {
      const { id } = await shop.send({ channels: ["wallet"], ...message });
      await advance();
      return id;
    };
    const listCards = async (...passIds: string[]) => runStep(storage.reader("acme").walletCardsOf(passIds));
    /** Pushes everything that is due to the phones, which don't fetch it. */
    const push = async () => {
      const jobs = await wallets.claim("acme", "apple", 100);
      for (const { lease, delivery, devices } of jobs) {
        const deviceIds = devices.map(({ deviceId }) => deviceId);
        const outcome = { ...delivery, deviceIds, nextAttemptAt: null };
        await wallets.recordResults("acme", "apple", lease, [outcome]);
      }
      return jobs.length;
    };
    const accept = async (id: string) => {
      for (const delivery of await deliveries(id))
        if (delivery.status === "SENDING") await messages.walletAccepted("acme", delivery.id, "apple", false);
    };
    return { ...shop, wallets, createHolder, sendToCards, listCards, push, accept, get };
  }

  it("is on all cards of a customer at the same time, and is accepted when the first phone has it", async () => {
    const { messages, createHolder, sendToCards, listCards, push, get, deliveries, events, sums } =
      await start();
    const { passIds } = await createHolder("ada", 1, 2);
    await createHolder("bob");
    const id = await sendToCards();
    expect(await get(id)).toMatchObject({
      status: "SENDING",
      sums: { recipients: 2, sending: 1, skipped: { no_wallet: 1 } },
    });
    const [delivery] = (await deliveries(id)).filter(({ status }) => status === "SENDING");
    if (delivery === undefined) throw new Error("nothing is on its way");
    expect(delivery).toMatchObject({ passId: passIds[0], platform: "apple", channel: "wallet" });
    for (const card of await listCards(...passIds))
      expect(card).toMatchObject({ messageId: id, messageDeliveryId: delivery.id });
    expect(await push()).toBe(2);
    for (let at = 0; at < 2; at += 1) await messages.walletAccepted("acme", delivery.id, "apple", true);
    expect(await get(id)).toMatchObject({ status: "SENT", sums: { sending: 0, accepted: 1 } });
    expect(await deliveries(id)).toContainEqual(
      expect.objectContaining({ status: "ACCEPTED", isSilent: true }),
    );
    for (const card of await listCards(...passIds))
      expect(card).toMatchObject({ messageId: id, messageDeliveryId: null });
    expect((await events()).map(({ type }) => type)).toEqual(["message.started", "message.completed"]);
    expectSums(sums);
  });

  it("isn't sent to customers who unsubscribed from messages on cards or have reached the cap", async () => {
    const { acme, createHolder, sendToCards, accept, get, sums } = await start();
    const { user } = await createHolder("ada", 1);
    await createHolder("bob", 1);
    await acme.subscriptions.put(user.id, { wallet: { status: "UNSUBSCRIBED" } });
    await acme.messageSettings.update({ cap: { perDays: 1, messages: 1 } });
    const first = await sendToCards();
    await accept(first);
    expect(await get(first)).toMatchObject({ sums: { accepted: 1, skipped: { unsubscribed: 1 } } });
    const second = await sendToCards();
    expect(await get(second)).toMatchObject({
      status: "SENT",
      sums: { recipients: 2, skipped: { capped: 1, unsubscribed: 1 } },
    });
    await acme.messageSettings.update({ walletByDefault: false, cap: null });
    const third = await sendToCards();
    expect(await get(third)).toMatchObject({ sums: { skipped: { no_consent: 1, unsubscribed: 1 } } });
    expectSums(sums);
  });

  it("with `first_reachable` is sent by mail to customers whom no card reaches", async () => {
    const { acme, createHolder, sendToCards, deliveries, get, mail, sent, sums } = await start();
    await createHolder("ada", 1);
    const bob = await createHolder("bob");
    await createHolder("eve");
    await acme.subscriptions.put(bob.user.id, { email: { status: "SUBSCRIBED", text: words } });
    const id = await sendToCards({ channels: ["wallet", "email"], order: "first_reachable" });
    await mail.runOnce();
    expect(sent.map(({ to }) => to)).toEqual(["bob@example.com"]);
    expect(await get(id)).toMatchObject({
      sums: { recipients: 3, customers: 3, sending: 1, accepted: 1, skipped: { no_consent: 1 } },
    });
    expect((await deliveries(id)).map(({ channel, status }) => `${channel} ${status}`).sort()).toEqual([
      ...["email ACCEPTED", "email SKIPPED", "wallet SENDING"],
    ]);
    expectSums(sums);
  });

  it("replaces an older one, which then stops waiting for phones", async () => {
    const { createHolder, sendToCards, listCards, get, events, sums } = await start();
    const { passIds } = await createHolder("ada", 1);
    const [older, newer] = [await sendToCards(), await sendToCards()];
    expect(await get(older)).toMatchObject({ status: "SENT", sums: { skipped: { replaced: 1 } } });
    expect(await get(newer)).toMatchObject({ status: "SENDING", sums: { sending: 1 } });
    expect(await listCards(...passIds)).toMatchObject([{ messageId: newer }]);
    expect((await events()).map(({ type }) => type)).toEqual([
      ...["message.started", "message.started", "message.completed"],
    ]);
    expectSums(sums);
  });

  it("that no phone has fetched ends when it expires, and a later phone changes nothing", async () => {
    const {
      acme,
      messages,
      createHolder,
      sendToCards,
      push,
      deliveries,
      get,
      advance,
      clock,
      sums,
      listCards,
    } = await start();
    const { passIds } = await createHolder("told", 1);
    const id = await sendToCards();
    await push();
    await createHolder("late", 1);
    const { user } = await createHolder("left", 1);
    const other = await sendToCards({ audience: { userIds: [user.id] } });
    const third = await createHolder("untold", 1);
    const untold = await sendToCards({ audience: { userIds: [third.user.id] } });
    await acme.users.delete(user.id);
    clock.move(DAY);
    await advance();
    expect(await get(id)).toMatchObject({ status: "SENT", sums: { failed: 1, sending: 0 } });
    expect(await get(other)).toMatchObject({ status: "SENT", sums: { skipped: { customer_deleted: 1 } } });
    expect(await get(untold)).toMatchObject({ status: "SENT", sums: { skipped: { expired: 1 } } });
    const [delivery] = await deliveries(id);
    expect(delivery).toMatchObject({ status: "FAILED", reason: "gave_up" });
    await messages.walletAccepted("acme", delivery?.id ?? "", "apple", false);
    expect(await get(id)).toMatchObject({ sums: { failed: 1, accepted: 0 } });
    expect(await listCards(...passIds)).toMatchObject([{ messageId: id, messageDeliveryId: null }]);
    expectSums(sums);
  });

  it("leaves the cards once its display time is over, or once it is canceled", async () => {
    const { acme, createHolder, sendToCards, listCards, get, advance, push, accept, clock, events, sums } =
      await start();
    const { passIds } = await createHolder("ada", 1);
    const first = await sendToCards();
    await accept(first);
    clock.move(7 * DAY - SECOND);
    await advance();
    expect(await listCards(...passIds)).toMatchObject([{ messageId: first }]);
    clock.move(SECOND);
    await advance();
    expect(await listCards(...passIds)).toMatchObject([{ messageId: null }]);
    const second = await sendToCards();
    await push();
    await acme.messages.cancel(second);
    await advance();
    expect(await listCards(...passIds)).toMatchObject([{ messageId: null, messageDeliveryId: null }]);
    expect(await push()).toBe(1);
    expect(await get(second)).toMatchObject({ status: "CANCELED", sums: { skipped: { canceled: 1 } } });
    expect((await events()).at(-1)).toMatchObject({ type: "message.canceled" });
    clock.move(30 * DAY);
    await advance();
    expect((await events()).filter(({ type }) => type === "message.canceled")).toHaveLength(1);
    expectSums(sums);
  });

  it("is skipped as no_wallet once Google reports that, unless a phone has the card too", async () => {
    const { messages, wallets, createHolder, sendToCards, deliveries, get, sums } = await start();
    const { passIds } = await createHolder("ada", 1);
    const id = await sendToCards();
    const [delivery] = await deliveries(id);
    await messages.walletMissing("acme", delivery?.id ?? "");
    expect(await get(id)).toMatchObject({ sums: { sending: 1 } });
    await wallets.devices.unregister("acme", createPhone(passIds[0] ?? "", "ada 0 0"));
    for (let at = 0; at < 2; at += 1) await messages.walletMissing("acme", delivery?.id ?? "");
    expect(await get(id)).toMatchObject({ status: "SENT", sums: { skipped: { no_wallet: 1 } } });
    expectSums(sums);
  });

  it("of an erased customer is counted as customer_deleted", async () => {
    const { acme, createHolder, sendToCards, get, sums } = await start();
    const { user } = await createHolder("ada", 1);
    const id = await sendToCards();
    sums.rowsMayBeGone = true;
    await acme.users.erase(user.id);
    expect(await get(id)).toMatchObject({
      status: "SENT",
      sums: { recipients: 1, skipped: { customer_deleted: 1 } },
    });
    expectSums(sums);
  });

  it("reaches cards at Google at the rate of Google updates, so that stamps wait for only a few of them", async () => {
    // Each slice contains one customer.
    const { wallets, createHolder, sendToCards, deliveries, advance, clock, sums } = await start({
      pendingMessageDeliveries: 4,
    });
    for (const name of ["ada", "bob", "cyd"]) {
      const [passId = ""] = (await createHolder(name, 0)).passIds;
      await wallets.google.recordAtGoogle("acme", passId, clock.now);
      const device = { passId, platform: "google", deviceId: "google", pushToken: null } as const;
      await wallets.devices.register("acme", device);
    }
    const id = await sendToCards();
    const counts: number[] = [];
    for (let second = 0; second < 4; second += 1) {
      counts.push((await deliveries(id)).length);
      clock.move(SECOND);
      await advance();
    }
    expect(counts).toEqual([1, 2, 3, 3]);
    expectSums(sums);
  });
});
