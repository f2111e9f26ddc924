import type { CreateMessage, StorageAdapter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { walletJobs } from "../../src/storage/wallets.js";
import { someEmail } from "../kit/acme.js";
import { adapters } from "../kit/adapters.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, untyped } from "../kit/refusal.js";
import { createPhone, openShop } from "../wallets/some-shop.js";
import { HOUR, MINUTE } from "./mailing.js";

const yes = { status: "SUBSCRIBED", text: "Yes, send me news." } as const;
const no = { status: "UNSUBSCRIBED" } as const;

/** Opens a shop with mail and wallets, whose customers can subscribe to messages. */
async function openPreviewing(storage: StorageAdapter) {
  const shop = await openShop(storage);
  const { acme, loyalty, backend, template, clock } = shop;
  serviceInternals(loyalty).backends.mail.attachSender({ host: "mail.example", perSecond: 2 });
  const createDraft = (message: Partial<CreateMessage> = {}) =>
    acme.messages.create({
      ...{ name: "News", audience: { all: true }, channels: ["email", "wallet"], templateId: template.id },
      texts: [
        { language: "en", wallet: "Hello", subject: "Hello", text: "Hello" },
        { language: "de", wallet: "Hallo", subject: "Hallo", text: "Hallo" },
      ],
      ...message,
    });
  await acme.settings.update({ requiresEmail: false });
  const createCustomer = async (subscription: object = {}, email: string | null = someEmail()) => {
    const user = await acme.users.create({ email, phone: "1" });
    if (Object.keys(subscription).length > 0) await acme.subscriptions.put(user.id, untyped(subscription));
    return user;
  };
  /** Puts a new pass of a customer into a wallet. */
  const createCard = async (userId: string, platform: "apple" | "google" = "apple") => {
    const { id } = await acme.passes.create(template.id, { userId });
    await acme.passes.walletLinks(id);
    await backend.devices.register("acme", { ...createPhone(id, id), platform });
    if (platform === "google") {
      await storage.transaction("acme", function* (tx) {
        yield* tx.lockQueue(walletJobs);
        const cards = yield* tx.walletCardsOf([id]);
        const there = cards.map((card) => ({ ...card, atGoogleSince: clock.now }));
        yield* tx.updateWalletCards(there);
      });
    }
    return id;
  };
  return { ...shop, draft: createDraft, createCustomer, createCard };
}

describe.each(everyAdapter)("a preview, on $name", ({ open }) => {
  it("counts recipients by channel, and the others by reason", async () => {
    const { acme, draft, createCustomer, createCard } = await openPreviewing(await open());
    const both = await createCustomer({ email: yes, wallet: yes, language: "de-AT" });
    await createCard(both.id);
    await createCard(both.id, "google");
    const byMail = await createCustomer({ email: yes, wallet: no });
    await createCard(byMail.id);
    await createCustomer({ email: no, language: "fr" });
    const silent = await createCustomer();
    await createCard(silent.id, "google");
    await createCustomer({ email: yes, wallet: yes }, null);
    const { id } = await draft();
    expect(await acme.messages.preview(id)).toEqual({
      ...{ customers: 5, recipients: 10, byChannel: { email: 2, wallet: 1 } },
      skipped: { unsubscribed: 2, no_wallet: 2, no_consent: 2, no_address: 1 },
      languages: { de: 1, en: 1 },
      seconds: { email: 1, apple: 1, google: 1 },
    });
    await acme.messages.update(id, { order: "first_reachable" });
    expect(await acme.messages.preview(id)).toMatchObject({
      ...{ customers: 5, recipients: 5, byChannel: { email: 2, wallet: 0 } },
      skipped: { no_wallet: 2, no_consent: 1 },
    });
    await acme.messageSettings.update({ walletByDefault: true });
    await acme.messages.update(id, { channels: ["wallet", "email"] });
    expect(await acme.messages.preview(id)).toMatchObject({
      ...{ recipients: 5, byChannel: { email: 1, wallet: 2 } },
      skipped: { unsubscribed: 1, no_address: 1 },
    });
  });

  it("includes only its audience, as it is now", async () => {
    const { acme, draft, createCustomer } = await openPreviewing(await open());
    await acme.tags.create({ name: "VIP" });
    const [ada, bob] = [await createCustomer({ email: yes }), await createCustomer({ email: yes })];
    const channels = ["email" as const];
    const tagged = { filter: { operator: "AND" as const, conditions: [{ slug: "vip" }] } };
    const byFilter = await draft({ channels, audience: tagged });
    const byId = await draft({ channels, audience: { userIds: [ada.id, bob.id] } });
    expect(await acme.messages.preview(byFilter.id)).toMatchObject({ customers: 0, recipients: 0 });
    await acme.tags.assign(bob.id, "vip");
    await acme.users.delete(ada.id);
    expect(await acme.messages.preview(byFilter.id)).toMatchObject({ customers: 1, byChannel: { email: 1 } });
    expect(await acme.messages.preview(byId.id)).toMatchObject({ customers: 1, byChannel: { email: 1 } });
  });

  it("counts each customer of a large audience once, and estimates the time at the mail rate", async () => {
    const { acme, draft } = await openPreviewing(await open());
    const rows = Array.from({ length: 2_500 }, (_, at) => ({
      email: `c${at}@example.com`,
      ...(at % 2 === 0 && { emailConsent: "SUBSCRIBED" as const, consentAt: "2020-01-01T00:00:00Z" }),
    }));
    await acme.users.import(rows);
    const { id } = await draft({ channels: ["email"] });
    expect(await acme.messages.preview(id)).toMatchObject({
      ...{ customers: 2_500, recipients: 2_500, byChannel: { email: 1_250 }, skipped: { no_consent: 1_250 } },
      seconds: { email: 625, apple: 0, google: 0 },
    });
  });
});

it("a preview of many customers doesn't block changes until its end", async () => {
  const { acme, draft } = await openPreviewing(await adapters.sqlite());
  for (let part = 0; part < 8; part += 1)
    await acme.users.import(
      Array.from({ length: 1_000 }, (_, at) => ({ email: `c${part * 1_000 + at}@example.com` })),
    );
  const { id } = await draft({ channels: ["email"] });
  const endedIds: string[] = [];
  const preview = acme.messages.preview(id).then(() => endedIds.push("preview"));
  await acme.tags.create({ name: "VIP" }).then(() => endedIds.push("change"));
  await preview;
  expect(endedIds).toEqual(["change", "preview"]);
});

describe.each(everyAdapter)("a test of a message, on $name", ({ open }) => {
  it("goes to one customer, regardless of consent, and isn't counted", async () => {
    const { acme, draft, createCustomer } = await openPreviewing(await open());
    const { id: userId } = await createCustomer({ email: no });
    const { id } = await draft();
    const delivery = await acme.messages.test(id, { userId });
    expect(delivery).toMatchObject({
      kind: "test",
      userId,
      messageId: id,
      channel: "email",
      status: "PENDING",
    });
    expect(await acme.messageDeliveries.get(delivery.id)).toEqual(delivery);
    expect(await acme.messages.get(id)).toMatchObject({ status: "DRAFT", sums: null });
    expect((await acme.messages.deliveries(id)).content).toEqual([]);
  });

  it("uses the first channel that reaches the customer, and is skipped if none does", async () => {
    const { acme, draft, createCustomer, createCard } = await openPreviewing(await open());
    const nowhere = await createCustomer({}, null);
    const { id } = await draft();
    expect(await acme.messages.test(id, { userId: nowhere.id })).toMatchObject({ status: "SKIPPED" });
    await createCard(nowhere.id);
    expect(await acme.messages.test(id, { userId: nowhere.id })).toMatchObject({
      ...{ channel: "wallet", status: "SENDING", reason: null },
    });
    await acme.messages.delete(id);
  });

  it("is limited to ten an hour per organization", async () => {
    const { acme, clock, draft, createCustomer } = await openPreviewing(await open());
    const { id: userId } = await createCustomer();
    const { id } = await draft({ channels: ["email"] });
    const first = clock.now;
    for (let at = 0; at < 10; at += 1) {
      await acme.messages.test(id, { userId });
      clock.now += MINUTE;
    }
    const rejection = acme.messages.test((await draft({ channels: ["email"] })).id, { userId });
    expect(await getErrorDetail(rejection)).toEqual({
      code: "message_tested_recently",
      params: [new Date(first + HOUR).toISOString()],
    });
    clock.now = first + HOUR;
    await acme.messages.test(id, { userId });
    expect(await getErrorDetail(acme.messages.test(id, { userId }))).toMatchObject({
      code: "message_tested_recently",
    });
  });

  it("is sent once per idempotency key", async () => {
    const { acme, draft, createCustomer } = await openPreviewing(await open());
    const { id: userId } = await createCustomer();
    const { id } = await draft({ channels: ["email"] });
    const delivery = await acme.messages.test(id, { userId, idempotencyKey: "a" });
    expect(await acme.messages.test(id, { userId, idempotencyKey: "a" })).toEqual(delivery);
  });

  it("requires complete texts, and a customer of the organization", async () => {
    const { acme, loyalty, draft, createCustomer } = await openPreviewing(await open());
    const { id: userId } = await createCustomer();
    const { id } = await draft({ channels: ["email"], texts: [{ language: "en" }] });
    expect(await getRefusedFields(acme.messages.test(id, { userId }))).toEqual([
      "texts.0.subject",
      "texts.0.text",
    ]);
    const stranger = await loyalty.organization("other").users.create({ email: someEmail() });
    expect(await getErrorDetail(acme.messages.test(id, { userId: stranger.id }))).toMatchObject({
      code: "resource_not_found",
    });
  });
});
