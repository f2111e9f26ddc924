import { type LoyaltyOptions, LoyaltyService } from "loyalty-kit";
import { createMail, type OutgoingMail } from "loyalty-kit/mail";
import { describe, expect, it, onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { adapters } from "../kit/adapters.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { replaceTransactions } from "../kit/intercept-calls.js";
import { createPhone } from "../wallets/some-shop.js";
import { DAY, HOUR, openAutomatedShop } from "./automated-shop.js";

const says = {
  templateId: null,
  channels: ["email"],
  order: "each",
  texts: [{ language: "en", subject: "Hello {name}", text: "You have {stamps}.", wallet: "{toGo} to go" }],
  link: null,
  respectsCap: true,
};

/** Opens a shop that sends mails through a function and updates phones on request. */
async function openSendingShop(
  open: (typeof everyAdapter)[number]["open"],
  options: Partial<LoyaltyOptions> = {},
) {
  const shop = await openAutomatedShop(await open(), options);
  const { acme, clock, loyalty, storage, template, passTime } = shop;
  clock.now = Date.parse("2026-05-04T10:00:00Z");
  const sentMails: OutgoingMail[] = [];
  const mail = createMail(loyalty, {
    ...{ publicUrl: "https://shop.example", from: "Shop <cards@shop.example>", deliver: false },
    smtp: {
      async send(outgoingMail) {
        sentMails.push(outgoingMail);
      },
    },
  });
  onTestFinished(() => mail.close());
  const wallets = serviceInternals(loyalty).createWalletBackend(0);
  wallets.attachLinker(() => ({ apple: "https://shop.example/apple", google: null }));
  const messages = serviceInternals(loyalty).backends.messages;
  /** Creates a customer with a card on a phone who is subscribed to messages on all channels. */
  const createReader = async (name: string) => {
    const user = await acme.users.create({ name, email: `${name}@example.com` });
    const consent = { status: "SUBSCRIBED", text: "Yes." } as const;
    await acme.subscriptions.put(user.id, { email: consent, wallet: consent });
    const card = await acme.passes.create(template.id, { userId: user.id });
    await acme.passes.walletLinks(card.id);
    await wallets.devices.register("acme", createPhone(card.id, name));
    return { user, card };
  };
  const listDeliveries = async (userId: string) => {
    const query = { status: null, page: 0, size: 100 };
    const { items } = await runStep(storage.reader("acme").messageDeliveriesOf({ userId }, query));
    return [...items].reverse();
  };
  const passAndSend = async (ms: number) => {
    await passTime(ms);
    await mail.runOnce();
  };
  const textOnCard = async (passId: string) =>
    (await serviceInternals(loyalty).findCardMessage("acme", passId))?.texts[0].text ?? null;
  const findCard = (passId: string) => runStep(storage.reader("acme").findWalletCard(passId));
  return {
    ...shop,
    findCard,
    sentMails,
    mail,
    messages,
    wallets,
    createReader,
    listDeliveries,
    passAndSend,
    textOnCard,
  };
}

const trigger = { on: { event: "stamp.added" } };

describe.each(everyAdapter)("the message of an automation, on $name", ({ open }) => {
  it("is sent by mail, with placeholders filled in, as a delivery of the run", async () => {
    const { acme, template, automate, listRuns, createReader, passAndSend, sentMails, listDeliveries } =
      await openSendingShop(open);
    const message = { ...says, templateId: template.id };
    const id = await automate({ ...trigger, do: [{ assignTag: "new" }, { message }] });
    const { user, card } = await createReader("Ada");
    await acme.stamps.add(card.id, { count: 2 });
    await passAndSend(0);
    expect(sentMails).toMatchObject([{ to: "Ada@example.com", subject: "Hello Ada" }]);
    expect(sentMails[0]?.text).toContain("You have 2.");
    expect(sentMails[0]?.headers).toMatchObject({ "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" });
    const [done] = await listRuns(id);
    expect(await listDeliveries(user.id)).toMatchObject([
      { kind: "automation", messageId: null, automationRunId: done?.id, actionIndex: 1, status: "ACCEPTED" },
    ]);
    expect(done).toMatchObject({ status: "DONE", nextAttemptAt: null });
  });

  it("is listed with the id of its run, and any other mail without one", async () => {
    const { acme, template, automate, listRuns, createReader, passAndSend } = await openSendingShop(open);
    const message = { ...says, templateId: template.id };
    const id = await automate({ ...trigger, do: [{ message }] });
    const { card } = await createReader("Ada");
    const notified = await acme.passes.notify(card.id);
    await acme.stamps.add(card.id);
    await passAndSend(0);
    const [done] = await listRuns(id);
    const { content } = await acme.passes.deliveries(card.id);
    expect(content.map(({ kind, automationRunId }) => [kind, automationRunId])).toEqual([
      ["automation", done?.id],
      ["pass", null],
    ]);
    expect(notified.automationRunId).toBe(null);
    const [delivery] = content;
    expect(await acme.messageDeliveries.get(delivery?.id ?? "")).toEqual(delivery);
  });

  it("is shown on the customer's cards until it expires", async () => {
    const {
      acme,
      clock,
      template,
      automate,
      listRuns,
      createReader,
      passTime,
      messages,
      listDeliveries,
      textOnCard,
    } = await openSendingShop(open);
    const message = { ...says, templateId: template.id, channels: ["wallet"] };
    const id = await automate({ ...trigger, do: [{ message }] });
    const { user, card } = await createReader("Ada");
    await acme.stamps.add(card.id);
    await passTime(0);
    expect(await textOnCard(card.id)).toBe("4 to go");
    const [delivery] = await listDeliveries(user.id);
    expect(delivery).toMatchObject({
      kind: "automation",
      channel: "wallet",
      status: "SENDING",
      platform: "apple",
    });
    await messages.walletAccepted("acme", delivery?.id ?? "", "apple", false);
    await passTime(DAY);
    expect(await listDeliveries(user.id)).toMatchObject([{ status: "ACCEPTED" }]);
    expect(await textOnCard(card.id)).toBe("4 to go");
    await passTime(6 * DAY);
    expect(await textOnCard(card.id)).toBe(null);
    expect(await listRuns(id)).toMatchObject([{ status: "DONE", nextAttemptAt: null }]);
    expect(clock.now).toBeGreaterThan(0);
  });

  it("leaves all cards once the automation is deleted; phones are notified, waiting deliveries canceled", async () => {
    const shop = await openSendingShop(open);
    const {
      acme,
      clock,
      loyalty,
      template,
      automate,
      createReader,
      passTime,
      messages,
      listDeliveries,
      textOnCard,
      findCard,
    } = shop;
    const message = { ...says, templateId: template.id, channels: ["wallet"] };
    const id = await automate({ ...trigger, do: [{ assignTag: "new" }, { message }] });
    const other = await automate({ ...trigger, do: [{ assignTag: "vip" }] });
    const readers: Awaited<ReturnType<typeof createReader>>[] = [];
    for (let nth = 0; nth < 22; nth += 1) readers.push(await createReader(`reader-${nth}`));
    const listStatuses = async () => {
      const all = await Promise.all(readers.map(({ user }) => listDeliveries(user.id)));
      return all.flat().map(({ status, reason }) => [status, reason].join(" "));
    };
    for (const each of readers) await acme.stamps.add(each.card.id);
    await passTime(0);
    const [first, ...others] = readers;
    const [acceptedDelivery] = await listDeliveries(first?.user.id ?? "");
    await messages.walletAccepted("acme", acceptedDelivery?.id ?? "", "apple", false);
    // Another delivery waits for the end of quiet hours.
    await acme.messageSettings.update({ quietHours: { from: "09:00", to: "13:00" } });
    const heldReader = await createReader("held");
    await acme.stamps.add(heldReader.card.id);
    await passTime(HOUR);
    expect(await listDeliveries(heldReader.user.id)).toMatchObject([{ status: "PENDING" }]);
    const revisions = await Promise.all(
      readers.map(async (each) => (await findCard(each.card.id))?.revision ?? 0),
    );
    await acme.automations.delete(id);
    expect(await textOnCard(first?.card.id ?? "")).toBe(null);
    const lateReader = await createReader("late");
    await acme.stamps.add(lateReader.card.id);
    await passTime(0);
    for (const [at, each] of readers.entries()) {
      const after = await findCard(each.card.id);
      expect(after).toMatchObject({ messageId: null, messageDeliveryId: null, messageUntil: null });
      expect(after?.revision).toBeGreaterThan(revisions[at] ?? 0);
    }
    expect(await listStatuses()).toEqual(["ACCEPTED ", ...others.map(() => "SKIPPED canceled")]);
    expect(await listDeliveries(heldReader.user.id)).toMatchObject([
      { status: "SKIPPED", reason: "canceled" },
    ]);
    // The other automation continues, and nothing is left to do for the deleted one.
    expect(await shop.listRuns(other)).toHaveLength(24);
    expect(await shop.listRuns(id)).toMatchObject(
      Array.from({ length: 23 }, () => ({ nextAttemptAt: null })),
    );
    const before = clock.now;
    await loyalty.runAutomations();
    expect([clock.now, await textOnCard(heldReader.card.id)]).toEqual([before, null]);
  });

  it("leaves all cards after the deletion, even if a worker dies and two others take over together", async () => {
    const shop = await openSendingShop(open);
    const {
      acme,
      clock,
      loyalty,
      storage,
      template,
      automate,
      createReader,
      passTime,
      listDeliveries,
      findCard,
    } = shop;
    const message = { ...says, templateId: template.id, channels: ["wallet"] };
    const id = await automate({ ...trigger, do: [{ message }] });
    const readers: Awaited<ReturnType<typeof createReader>>[] = [];
    for (let nth = 0; nth < 45; nth += 1) readers.push(await createReader(`reader-${nth}`));
    for (const each of readers) await acme.stamps.add(each.card.id);
    await passTime(0);
    const countCardsWithMessage = async () => {
      const cards = await Promise.all(readers.map((each) => findCard(each.card.id)));
      return cards.filter((each) => each?.messageId != null).length;
    };
    expect(await countCardsWithMessage()).toBe(45);
    await acme.automations.delete(id);
    let transactions = 0;
    const dyingStorage = replaceTransactions(storage, async (organizationId, work, options) => {
      transactions += 1;
      if (transactions > 1) throw new Error("killed");
      return storage.transaction(organizationId, work, options);
    });
    const dyingService = new LoyaltyService({ storage: dyingStorage, clock: clock.read, onError: () => {} });
    await expect(dyingService.runAutomations()).rejects.toThrow("killed");
    expect(await countCardsWithMessage()).toBe(25);
    const other = new LoyaltyService({ storage, clock: clock.read });
    await Promise.all([loyalty.runAutomations(), other.runAutomations()]);
    expect(await countCardsWithMessage()).toBe(0);
    const all = await Promise.all(readers.map(({ user }) => listDeliveries(user.id)));
    expect(all.flat().map(({ status, reason }) => `${status} ${reason}`)).toEqual(
      readers.map(() => "SKIPPED canceled"),
    );
  });

  it("stays on cards until it expires when the automation is disabled", async () => {
    const { acme, template, automate, createReader, passTime, textOnCard } = await openSendingShop(open);
    const message = { ...says, templateId: template.id, channels: ["wallet"] };
    const id = await automate({ ...trigger, do: [{ message }] });
    const { card } = await createReader("Ada");
    await acme.stamps.add(card.id);
    await passTime(0);
    await acme.automations.update(id, { isEnabled: false });
    await passTime(0);
    expect(await textOnCard(card.id)).toBe("4 to go");
    await passTime(7 * DAY);
    expect(await textOnCard(card.id)).toBe(null);
  });
});

describe("the message of an automation", () => {
  const open = adapters.memory;

  it("expires if no wallet fetches it within a day", async () => {
    const { acme, template, automate, createReader, passTime, listDeliveries } = await openSendingShop(open);
    const message = { ...says, templateId: template.id, channels: ["wallet"] };
    await automate({ ...trigger, do: [{ message }] });
    const { user, card } = await createReader("Ada");
    await acme.stamps.add(card.id);
    await passTime(0);
    await passTime(DAY);
    expect(await listDeliveries(user.id)).toMatchObject([{ status: "SKIPPED", reason: "expired" }]);
  });

  it("is skipped for a customer without consent or a card, and the run still succeeds", async () => {
    const { acme, template, automate, listRuns, createCustomer, passAndSend, sentMails, listDeliveries } =
      await openSendingShop(open);
    const message = { ...says, templateId: template.id, channels: ["email", "wallet"] };
    const id = await automate({ on: { event: "user.created" }, do: [{ message }, { assignTag: "new" }] });
    const bob = await createCustomer();
    await passAndSend(0);
    expect(sentMails).toEqual([]);
    expect((await listDeliveries(bob.id)).map(({ channel, reason }) => [channel, reason]).sort()).toEqual([
      ["email", "no_consent"],
      ["wallet", "no_wallet"],
    ]);
    expect(await listRuns(id)).toMatchObject([{ status: "DONE" }]);
    expect((await acme.tags.ofUser(bob.id)).map(({ slug }) => slug)).toEqual(["new"]);
  });

  it("is not sent to a customer who has unsubscribed since", async () => {
    const { acme, automate, createReader, passTime, mail, sentMails, listDeliveries } =
      await openSendingShop(open);
    await automate({ ...trigger, do: [{ message: says }] });
    const { user, card } = await createReader("Ada");
    await acme.stamps.add(card.id);
    await passTime(0);
    await acme.subscriptions.put(user.id, { email: { status: "UNSUBSCRIBED" } });
    await mail.runOnce();
    expect(sentMails).toEqual([]);
    expect(await listDeliveries(user.id)).toMatchObject([{ status: "SKIPPED", reason: "unsubscribed" }]);
  });

  it("is sent on the first channel that reaches the customer", async () => {
    const { acme, template, automate, createReader, passAndSend, sentMails, listDeliveries } =
      await openSendingShop(open);
    const channelOptions = { channels: ["wallet", "email"], order: "first_reachable" };
    await automate({
      ...trigger,
      do: [{ message: { ...says, ...channelOptions, templateId: template.id } }],
    });
    const { user, card } = await createReader("Ada");
    await acme.stamps.add(card.id);
    await passAndSend(0);
    expect(sentMails).toEqual([]);
    expect(await listDeliveries(user.id)).toMatchObject([{ channel: "wallet", status: "SENDING" }]);
  });

  it("counts once against the frequency cap on two channels, and is skipped above the cap", async () => {
    const { acme, template, automate, createReader, passAndSend, sentMails, listDeliveries } =
      await openSendingShop(open);
    await acme.messageSettings.update({ cap: { perDays: 7, messages: 1 } });
    const message = { ...says, templateId: template.id, channels: ["wallet", "email"] };
    await automate({ ...trigger, do: [{ message }] });
    const { user, card } = await createReader("Ada");
    await acme.stamps.add(card.id);
    await passAndSend(0);
    expect(sentMails).toHaveLength(1);
    await acme.stamps.add(card.id);
    await passAndSend(HOUR);
    expect(sentMails).toHaveLength(1);
    const summaries = (await listDeliveries(user.id)).map(
      ({ channel, status, reason }) => `${channel} ${status} ${reason}`,
    );
    expect(summaries.sort()).toEqual([
      "email ACCEPTED null",
      "email SKIPPED capped",
      "wallet SENDING null",
      "wallet SKIPPED capped",
    ]);
  });

  it("waits for the end of quiet hours by mail and on cards, while the rest of the run continues", async () => {
    const {
      acme,
      template,
      automate,
      listRuns,
      listTagSlugs,
      createReader,
      passAndSend,
      sentMails,
      listDeliveries,
      textOnCard,
    } = await openSendingShop(open);
    await acme.messageSettings.update({ quietHours: { from: "09:00", to: "13:00" } });
    const message = { ...says, templateId: template.id, channels: ["wallet", "email"] };
    const id = await automate({ ...trigger, do: [{ message }, { assignTag: "vip" }] });
    const { user, card } = await createReader("Ada");
    const { user: leaver, card: leaverCard } = await createReader("Bob");
    await acme.stamps.add(card.id);
    await acme.stamps.add(leaverCard.id);
    await passAndSend(0);
    expect(await listTagSlugs(user.id)).toEqual(["vip"]);
    expect([sentMails, await textOnCard(card.id)]).toEqual([[], null]);
    await acme.subscriptions.put(leaver.id, { wallet: { status: "UNSUBSCRIBED" } });
    await passAndSend(3 * HOUR - 1);
    expect([sentMails, await textOnCard(card.id)]).toEqual([[], null]);
    await passAndSend(1);
    expect(sentMails).toHaveLength(2);
    expect([await textOnCard(card.id), await textOnCard(leaverCard.id)]).toEqual(["4 to go", null]);
    expect((await listDeliveries(leaver.id)).filter(({ channel }) => channel === "wallet")).toMatchObject([
      { status: "SKIPPED", reason: "unsubscribed" },
    ]);
    expect((await listRuns(id)).map(({ status }) => status)).toEqual(["DONE", "DONE"]);
  });

  it("leaves no mail, delivery or text on the card when a later action is refused", async () => {
    const {
      acme,
      template,
      automate,
      listRuns,
      createReader,
      passAndSend,
      sentMails,
      listDeliveries,
      textOnCard,
    } = await openSendingShop(open);
    const message = { ...says, templateId: template.id, channels: ["wallet", "email"] };
    const id = await automate({ ...trigger, do: [{ message }, { assignTag: "nothing" }] });
    const { user, card } = await createReader("Ada");
    await acme.stamps.add(card.id);
    await passAndSend(0);
    expect(await listRuns(id)).toMatchObject([
      { status: "FAILED", reason: "resource_not_found", actionIndex: 1 },
    ]);
    expect([sentMails, await listDeliveries(user.id), await textOnCard(card.id)]).toEqual([[], [], null]);
  });

  it("waits for capacity in the mail queue", async () => {
    const limits = { pendingMessageDeliveries: 4 };
    const { acme, automate, listRuns, createReader, passAndSend, loyalty, sentMails } = await openSendingShop(
      open,
      { limits },
    );
    const id = await automate({ ...trigger, do: [{ message: says }] });
    for (let nth = 0; nth < 5; nth += 1) await acme.stamps.add((await createReader(`Ada${nth}`)).card.id);
    await loyalty.runAutomations();
    expect((await listRuns(id)).map(({ status }) => status).sort()).toEqual([
      "DONE",
      "DONE",
      "WAITING",
      "WAITING",
      "WAITING",
    ]);
    for (let second = 0; second < 6; second += 1) await passAndSend(2_000);
    expect(sentMails).toHaveLength(5);
    expect((await listRuns(id)).every(({ status }) => status === "DONE")).toBe(true);
  });

  it("is skipped as canceled once the automation is deleted", async () => {
    const { acme, storage, automate, createReader, passTime, mail, sentMails, listDeliveries } =
      await openSendingShop(open);
    const id = await automate({ ...trigger, do: [{ message: says }] });
    const { user, card } = await createReader("Ada");
    await acme.stamps.add(card.id);
    await passTime(0);
    await storage.transaction("acme", (tx) => tx.deleteAutomation(id));
    await mail.runOnce();
    expect(sentMails).toEqual([]);
    expect(await listDeliveries(user.id)).toMatchObject([{ status: "SKIPPED", reason: "canceled" }]);
  });
});
