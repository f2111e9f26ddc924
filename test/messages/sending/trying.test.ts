import { describe, expect, it } from "vitest";
import { runStep } from "../../../src/base/concurrency/step.js";
import { serviceInternals } from "../../../src/internals.js";
import { everyAdapter } from "../../kit/every-adapter.js";
import { createPhone } from "../../wallets/some-shop.js";
import { HOUR, openSending } from "./sending-scene.js";
import { expectSums } from "./watched-sums.js";

describe.each(everyAdapter)("a test of a draft, on $name", ({ open }) => {
  it("goes to one customer by mail, regardless of consent, and isn't counted", async () => {
    const shop = await openSending({ storage: await open() });
    const { acme, draft, mail, sent, get, deliveries, sums } = shop;
    const user = await acme.users.create({ name: "Ada", email: "ada@example.com" });
    await acme.messageSettings.update({
      quietHours: { from: "23:00", to: "01:00" },
      cap: { perDays: 1, messages: 1 },
    });
    const { id } = await draft();
    for (let at = 0; at < 2; at += 1) {
      expect(await acme.messages.test(id, { userId: user.id })).toMatchObject({
        ...{ kind: "test", messageId: id, channel: "email", status: "PENDING" },
      });
      await mail.runOnce();
    }
    expect(sent).toHaveLength(2);
    expect(sent[0]?.subject).toBe("[Test] News for Ada");
    expect(await get(id)).toMatchObject({ status: "DRAFT", sums: null });
    expect(await deliveries(id)).toEqual([]);
    await acme.messages.send(id);
    await acme.messageSettings.update({ quietHours: null });
    await mail.runOnce();
    expect(await get(id)).toMatchObject({
      status: "SENT",
      sums: { recipients: 1, skipped: { no_consent: 1 } },
    });
    expectSums(sums);
  });

  it("is skipped for a suppressed address, even if it was requested before the suppression", async () => {
    const { acme, draft, mail, sent } = await openSending({ storage: await open() });
    const user = await acme.users.create({ email: "ada@example.com" });
    const { id } = await draft();
    const { id: first } = await acme.messages.test(id, { userId: user.id });
    await acme.messageDeliveries.bounceAddress({ email: "ada@example.com", kind: "hard" });
    await mail.runOnce();
    expect(await acme.messageDeliveries.get(first)).toMatchObject({
      status: "SKIPPED",
      reason: "suppressed",
    });
    const second = await acme.messages.test(id, { userId: user.id });
    expect(second).toMatchObject({ status: "SKIPPED", reason: "suppressed" });
    await acme.messages.delete(id);
    await mail.runOnce();
    expect(sent).toEqual([]);
  });

  it("stays on the customer's card for an hour", async () => {
    const shop = await openSending({ storage: await open() });
    const { acme, loyalty, template, storage, draft, messages, advance, clock, get, sums } = shop;
    const wallets = serviceInternals(loyalty).createWalletBackend(0);
    wallets.attachLinker(() => ({ apple: "https://shop.example/apple", google: null }));
    const pass = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
    await acme.passes.walletLinks(pass.id);
    await wallets.devices.register("acme", createPhone(pass.id));
    const readCard = async () => (await runStep(storage.reader("acme").walletCardsOf([pass.id])))[0];
    const { id } = await draft({ channels: ["wallet", "email"] });
    const first = await acme.messages.test(id, { userId: pass.userId });
    expect(first).toMatchObject({ channel: "wallet", status: "SENDING", platform: "apple" });
    const second = await acme.messages.test(id, { userId: pass.userId });
    expect(await acme.messageDeliveries.get(first.id)).toMatchObject({ reason: "replaced" });
    await messages.walletAccepted("acme", second.id, "apple", false);
    expect(await acme.messageDeliveries.get(second.id)).toMatchObject({ status: "ACCEPTED" });
    const third = await acme.messages.test(id, { userId: pass.userId });
    clock.move(HOUR - 1);
    await advance();
    expect(await readCard()).toMatchObject({ messageId: id });
    clock.move(1);
    await advance();
    expect(await readCard()).toMatchObject({ messageId: null });
    expect(await acme.messageDeliveries.get(third.id)).toMatchObject({
      status: "SKIPPED",
      reason: "expired",
    });
    await acme.messages.test(id, { userId: pass.userId });
    await acme.messages.cancel(id);
    await advance();
    expect(await readCard()).toMatchObject({ messageId: null });
    expect(await get(id)).toMatchObject({ status: "CANCELED", sums: null });
    const { id: other } = await draft({ channels: ["wallet"] });
    await acme.messages.test(other, { userId: pass.userId });
    await acme.messages.delete(other);
    expect(await readCard()).toMatchObject({ messageId: null });
    expectSums(sums);
  });

  it("on a card doesn't delay a message that is to be sent before the hour is over", async () => {
    const shop = await openSending({ storage: await open() });
    const { acme, loyalty, template, send, advance, clock, get } = shop;
    serviceInternals(loyalty)
      .createWalletBackend(0)
      .attachLinker(() => ({ apple: "https://shop.example/apple", google: null }));
    const wallets = serviceInternals(loyalty).createWalletBackend(0);
    const pass = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
    await acme.passes.walletLinks(pass.id);
    await wallets.devices.register("acme", createPhone(pass.id));
    const sendAt = new Date(clock.now + HOUR / 2).toISOString();
    const { id } = await send({ channels: ["wallet"], sendAt });
    await acme.messages.test(id, { userId: pass.userId });
    await advance();
    expect(await get(id)).toMatchObject({ status: "SCHEDULED" });
    clock.move(HOUR / 2);
    await advance();
    expect(await get(id)).toMatchObject({ status: "SENT", sums: { recipients: 1 } });
  });
});
