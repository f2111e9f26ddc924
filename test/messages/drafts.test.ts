import type { CreateMessage, Organization } from "loyalty-kit";
import { createWallets } from "loyalty-kit/wallets";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { listTypesAndData, recordEvents } from "../events/recorded-events.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound, untyped, wrongType } from "../kit/refusal.js";
import { HOUR } from "./mailing.js";

const DAY = 24 * HOUR;

const text = { language: "en", subject: "News", text: "There is coffee." };
const news = {
  name: "News",
  audience: { all: true },
  channels: ["email"],
  texts: [text],
} satisfies CreateMessage;

const createDraftWithTexts = (...texts: readonly object[]) => untyped({ ...news, texts });

async function createPass(acme: Organization) {
  const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  return id;
}

describe.each(everyAdapter)("a draft, on $name", ({ open }) => {
  it("is stored as created, with defaults for missing fields", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const message = await acme.messages.create(news);
    expect(message).toEqual({
      id: expect.stringMatching(/^msg_/),
      object: "message",
      ...news,
      status: "DRAFT",
      templateId: null,
      order: "each",
      texts: [{ ...text, wallet: null }],
      ...{ link: null, sendAt: null, expiresAt: null, showUntil: null, respectsCap: true, sums: null },
      ...{ startedAt: null, completedAt: null, createdAt: clock.timestamp, updatedAt: clock.timestamp },
    });
    expect(await acme.messages.get(message.id)).toEqual(message);
  });

  it("retains all given fields, and the channels in their order", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const timestampAfter = (ms: number) => new Date(clock.now + ms).toISOString();
    const draft = {
      ...news,
      audience: { filter: { operator: "NOT" as const, conditions: [{ slug: "gone" }] } },
      templateId: await createPass(acme),
      channels: ["wallet" as const, "email" as const],
      order: "first_reachable" as const,
      texts: [
        { language: "de-at", wallet: "Noch {toGo}", subject: "{name}", text: "a < b\r\n{card} { x } {}" },
        { language: "en", wallet: null, subject: null, text: null },
      ],
      link: "https://shop.example/news?a=b",
      ...{
        sendAt: timestampAfter(HOUR),
        expiresAt: timestampAfter(DAY),
        showUntil: timestampAfter(3 * DAY),
        respectsCap: false,
      },
    };
    const message = await acme.messages.create(draft);
    expect(message).toMatchObject({
      ...draft,
      texts: [{ ...draft.texts[0], language: "de-AT", text: "a < b\n{card} { x } {}" }, draft.texts[1]],
    });
    expect(await acme.messages.get(message.id)).toEqual(message);
  });

  it("accepts external ids of users, lists each user once, and rejects those of another organization", async () => {
    const { acme, loyalty } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: someEmail(), externalId: "c-1" });
    const message = await acme.messages.create({ ...news, audience: { userIds: ["c-1", id, "c-1"] } });
    expect(message.audience).toEqual({ userIds: [id] });
    const stranger = await loyalty.organization("other").users.create({ email: someEmail() });
    const foreign = acme.messages.create({ ...news, audience: { userIds: [id, stranger.id] } });
    expect(await getErrorDetail(foreign)).toEqual(notFound);
  });

  it("requires an existing template of its organization", async () => {
    const { acme, loyalty } = openAcme({ storage: await open() });
    const foreign = await createPass(loyalty.organization("other"));
    for (const templateId of [foreign, "none"]) {
      expect(await getErrorDetail(acme.messages.create({ ...news, templateId }))).toEqual(notFound);
    }
    const { id } = await acme.messages.create(news);
    expect(await getErrorDetail(acme.messages.update(id, { templateId: foreign }))).toEqual(notFound);
  });

  it("changes only the given fields; an update without a difference keeps updatedAt", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const templateId = await createPass(acme);
    const message = await acme.messages.create({ ...news, templateId, link: "https://a.example" });
    clock.now += HOUR;
    expect(await acme.messages.update(message.id, { ...news, link: "https://a.example" })).toEqual(message);
    const updatedMessage = await acme.messages.update(message.id, { name: "Old news", link: null });
    expect(updatedMessage).toEqual({ ...message, name: "Old news", link: null, updatedAt: clock.timestamp });
    const texts = [{ language: "en", wallet: "{stamps}" }];
    expect(await acme.messages.update(message.id, { channels: ["wallet"], texts })).toMatchObject({
      channels: ["wallet"],
      texts: [{ ...texts[0], subject: null, text: null }],
    });
    expect(await getRefusedFields(acme.messages.update(message.id, { templateId: null }))).toEqual([
      "templateId",
      "texts.0.wallet",
    ]);
  });

  it("can be deleted, and isn't visible to another organization", async () => {
    const { acme, loyalty } = openAcme({ storage: await open() });
    const { id } = await acme.messages.create(news);
    const { messages } = loyalty.organization("other");
    for (const call of [
      () => messages.get(id),
      () => messages.update(id, { name: "Mine" }),
      () => messages.delete(id),
      () => messages.preview(id),
      () => messages.test(id, { userId: "nobody" }),
      () => messages.send(id),
      () => messages.cancel(id),
      () => messages.deliveries(id),
    ]) {
      expect(await getErrorDetail(call())).toEqual(notFound);
    }
    expect((await messages.list()).content).toEqual([]);
    await acme.messages.delete(id);
    expect(await getErrorDetail(acme.messages.get(id))).toEqual(notFound);
  });

  it("is listed by status, newest first, in pages", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const messages = [];
    for (let at = 0; at < 5; at += 1) {
      clock.now += 1;
      messages.unshift(await acme.messages.create({ ...news, name: `${at}` }));
    }
    const [newest] = messages;
    await acme.messages.cancel(newest?.id ?? "");
    const drafts = messages.slice(1);
    expect(await acme.messages.list({ status: "DRAFT", size: 3 })).toEqual({
      content: drafts.slice(0, 3),
      ...{ totalElements: 4, totalPages: 2, number: 0, size: 3 },
    });
    expect((await acme.messages.list({ status: "DRAFT", size: 3, page: 1 })).content).toEqual(
      drafts.slice(3),
    );
    expect((await acme.messages.list({ page: Number.MAX_SAFE_INTEGER })).content).toEqual([]);
    expect(await acme.messages.list()).toMatchObject({ totalElements: 5, size: 50 });
    expect(await getRefusedFields(acme.messages.list(untyped({ status: "GONE" })))).toEqual(["status"]);
  });

  it("can't be created beyond the limit of messages", async () => {
    const { acme } = openAcme({ storage: await open(), limits: { messages: 2 } });
    await acme.messages.create(news);
    const { id } = await acme.messages.create(news);
    expect(await getErrorDetail(acme.messages.create(news))).toMatchObject({ code: "too_many_messages" });
    await acme.messages.delete(id);
    await acme.messages.create(news);
  });

  it("is created once per idempotency key", async () => {
    const { acme } = openAcme({ storage: await open() });
    const message = await acme.messages.create({ ...news, idempotencyKey: "a" });
    expect(await acme.messages.create({ ...news, idempotencyKey: "a" })).toEqual(message);
    expect((await acme.messages.list()).totalElements).toBe(1);
  });
});

const filterByLeaf = (leaf: object) => ({ filter: { operator: "AND", conditions: [leaf] } });

describe("a message is refused at the field", () => {
  test.each([
    ["name", { name: "" }],
    ["name", { name: "x".repeat(151) }],
    ["name", { name: "two\r\nlines" }],
    ["audience", { audience: {} }],
    ["audience", { audience: { all: true, userIds: ["a"] } }],
    ["audience.all", { audience: { all: false } }],
    ["audience.userIds", { audience: { userIds: [] } }],
    ["audience.userIds", { audience: { userIds: Array.from({ length: 10_001 }, () => "a") } }],
    ["audience.segment", { audience: { segment: "regulars" } }],
    ["audience.fliter", { audience: { all: true, fliter: {} } }],
    ["audience.filter", { audience: { filter: { operator: "AND" } } }],
    [
      "audience.filter.conditions.0.stamps.min",
      { audience: filterByLeaf({ stamps: { templateId: "t", min: 3, max: 2 } }) },
    ],
    [
      "audience.filter.conditions.0.stamps.mni",
      { audience: filterByLeaf({ stamps: { templateId: "t", mni: 3 } }) },
    ],
    ["audience.filter.conditions.0.vistis", { audience: filterByLeaf({ vistis: { days: 3 } }) }],
    ["audience.filter.conditions.0", { audience: filterByLeaf({ slug: "a", language: "de" }) }],
    ["audience.filter", { audience: { filter: createDeepFilter(33) } }],
    ["audience.filter", { audience: { filter: createWideFilter(1_001) } }],
    ["templateId", { channels: ["wallet"], texts: [{ language: "en", wallet: "Hello" }] }],
    ["channels", { channels: [] }],
    ["channels", { channels: ["email", "wallet", "email"] }],
    ["channels.1", { channels: ["email", "email"] }],
    ["channels.0", { channels: ["sms"] }],
    ["order", { order: "random" }],
    ["texts", { texts: [] }],
    ["texts", { texts: Array.from({ length: 21 }, () => text) }],
    ["texts", { texts: createTexts(11, 20_000) }],
    ["texts.1.language", { texts: [text, { ...text, language: "EN" }] }],
    ["texts.0.language", { texts: [{ ...text, language: "e n" }] }],
    ["texts.0.subject", { texts: [{ ...text, subject: "x".repeat(151) }] }],
    ["texts.0.subject", { texts: [{ ...text, subject: "Hello\r\nBcc: all@example.com" }] }],
    ["texts.0.wallet", { texts: [{ ...text, wallet: "a\u2028b" }] }],
    ["texts.0.wallet", { texts: [{ ...text, wallet: "x".repeat(151) }] }],
    ["texts.0.text", { texts: [{ ...text, text: "x".repeat(20_001) }] }],
    ["texts.0.text", { texts: [{ ...text, text: "bell\u0007" }] }],
    ["texts.0.text", { texts: [{ ...text, text: "old Mac\rline" }] }],
    ["texts.0.text", { texts: [{ ...text, text: "Hello {nmae}" }] }],
    ["texts.0.subject", { texts: [{ ...text, subject: "{Name}" }] }],
    ["texts.0.text", { texts: [{ ...text, text: "{stamps} stamps" }] }],
    ["link", { link: "http://shop.example" }],
    ["link", { link: "javascript:alert(1)" }],
    ["link", { link: "https://shop@evil.example" }],
    ["link", { link: "https://shop.example/ a" }],
    ["link", { link: "https:shop.example" }],
    ["link", { link: "https:\\\\shop.example" }],
    ["link", { link: "https://shop.example/\u202egpj.exe" }],
    ["link", { link: `https://shop.example/${"a".repeat(2_000)}` }],
    ["sendAt", { sendAt: "tomorrow" }],
    ["sendAt", { sendAt: "2000-01-01T00:00:00Z" }],
    ["expiresAt", { expiresAt: "2000-01-01T00:00:00Z" }],
  ])("%s, case %#", async (field, wrong) => {
    const { acme } = openAcme();
    expect(await getRefusedFields(acme.messages.create(untyped({ ...news, ...wrong })))).toEqual([field]);
    const { id } = await acme.messages.create(news);
    expect(await getRefusedFields(acme.messages.update(id, untyped(wrong)))).toEqual([field]);
  });

  test.each([
    ["expiresAt", { sendAt: DAY, expiresAt: DAY }],
    ["expiresAt", { sendAt: DAY, expiresAt: 31 * DAY + 1 }],
    ["expiresAt", { expiresAt: 30 * DAY + 1 }],
    ["showUntil", { sendAt: DAY, showUntil: 2 * DAY - 1 }],
    ["showUntil", { expiresAt: 2 * DAY, showUntil: 2 * DAY - 1 }],
    ["showUntil", { sendAt: DAY, showUntil: 31 * DAY + 1 }],
  ])("%s, for the order of its times, case %#", async (field, times) => {
    const { acme, clock } = openAcme();
    const templateId = await createPass(acme);
    const card = { ...news, templateId, channels: ["wallet" as const] };
    const at = Object.fromEntries(
      Object.entries(times).map(([name, ms]) => [name, new Date(clock.now + ms).toISOString()]),
    );
    expect(await getRefusedFields(acme.messages.create({ ...card, ...at }))).toEqual([field]);
  });

  it("with all wrong fields together, and with wrong types before wrong values", async () => {
    const { acme } = openAcme();
    expect(
      await getRefusedFields(acme.messages.create(untyped({ ...news, name: "", channels: [] }))),
    ).toEqual(["channels", "name"]);
    expect(
      await getErrorDetail(
        acme.messages.create(untyped({ ...news, name: "", texts: [{ ...text, wallet: 5 }] })),
      ),
    ).toEqual(wrongType("texts.0.wallet"));
    expect(await getErrorDetail(acme.messages.create(untyped({ ...news, audience: "all" })))).toEqual(
      wrongType("audience"),
    );
  });

  it("of an unknown key in a text, if the service is strict", async () => {
    const { acme } = openAcme({ strict: true });
    const texts = [text, { language: "de", subjekt: "Neues" }];
    expect(await getRefusedFields(acme.messages.create(untyped({ ...news, texts })))).toEqual([
      "texts.1.subjekt",
    ]);
    const { id } = await acme.messages.create(news);
    expect(await getRefusedFields(acme.messages.update(id, untyped({ texts })))).toEqual(["texts.1.subjekt"]);
  });

  it("texts, if the list is too long, without reading all of it", async () => {
    const { acme } = openAcme();
    const texts = Array.from({ length: 100_000 }, () => ({}));
    expect(await getRefusedFields(acme.messages.create(createDraftWithTexts(...texts)))).toEqual(["texts"]);
  });
});

test("the largest message that fits is stored, with an emoji counted as one character", async () => {
  const { acme } = openAcme();
  const texts = createTexts(10, 20_000, "😀");
  const filter = createWideFilter(1_000);
  const { id } = await acme.messages.create({ ...news, texts, audience: { filter } });
  expect(await acme.messages.get(id)).toMatchObject({ texts, audience: { filter } });
});

function createDeepFilter(levels: number): object {
  return levels === 1
    ? { operator: "AND", conditions: [{ slug: "a" }] }
    : { operator: "AND", filters: [createDeepFilter(levels - 1)] };
}

function createWideFilter(operands: number) {
  const conditions = Array.from({ length: operands }, (_, at) => ({ slug: `t${at}` }));
  return { operator: "OR" as const, conditions };
}

function createTexts(count: number, length: number, character = "x") {
  const languages = ["de", "fr", "it", "es", "pt", "nl", "pl", "cs", "da", "sv", "fi"];
  return languages.slice(0, count).map((language) => ({ language, text: character.repeat(length) }));
}

describe.each(everyAdapter)("a message, on $name", ({ open }) => {
  const openShop = async () => {
    const shop = openAcme({ storage: await open() });
    serviceInternals(shop.loyalty).backends.mail.attachSender({ host: "mail.example" });
    return shop;
  };

  it("is scheduled once by send, and can no longer be changed, deleted or sent", async () => {
    const { acme, clock } = await openShop();
    const sendAt = new Date(clock.now + HOUR).toISOString();
    const { id, ...message } = await acme.messages.create({ ...news, sendAt });
    clock.now += 1;
    const sentMessage = await acme.messages.send(id);
    const expiresAt = new Date(Date.parse(sendAt) + DAY).toISOString();
    expect(sentMessage).toEqual({
      id,
      ...message,
      expiresAt,
      status: "SCHEDULED",
      updatedAt: clock.timestamp,
    });
    expect(await acme.messages.get(id)).toEqual(sentMessage);
    for (const call of [
      () => acme.messages.send(id),
      () => acme.messages.update(id, { name: "Other" }),
      () => acme.messages.delete(id),
    ]) {
      expect(await getErrorDetail(call())).toMatchObject({ code: "message_not_draft" });
    }
  });

  it("can be canceled before it starts, with one event", async () => {
    const { acme, loyalty } = await openShop();
    const events = recordEvents(loyalty);
    for (const isSent of [false, true]) {
      const { id } = await acme.messages.create(news);
      if (isSent) await acme.messages.send(id);
      const canceled = await acme.messages.cancel(id);
      expect(canceled).toMatchObject({ status: "CANCELED", sums: null, completedAt: expect.any(String) });
      const { texts: _, ...progress } = canceled;
      expect(listTypesAndData(events.splice(0))).toEqual([["message.canceled", progress]]);
      for (const call of [() => acme.messages.cancel(id)])
        expect(await getErrorDetail(call())).toMatchObject({ code: "message_ended" });
      for (const call of [() => acme.messages.send(id), () => acme.messages.preview(id)])
        expect(await getErrorDetail(call())).toMatchObject({ code: "message_not_draft" });
    }
    expect(events).toEqual([]);
  });

  it("is sent only if each text has the fields that its channels need", async () => {
    const { acme } = await openShop();
    const templateId = await createPass(acme);
    const { id } = await acme.messages.create({
      ...news,
      templateId,
      channels: ["email", "wallet"],
      texts: [
        { language: "en", subject: "News" },
        { language: "de", wallet: "Hallo", text: "Hallo" },
      ],
    });
    const fields = ["texts.0.text", "texts.0.wallet", "texts.1.subject"];
    for (const call of [
      () => acme.messages.send(id),
      () => acme.messages.preview(id),
      () => acme.messages.test(id, { userId: "nobody" }),
    ]) {
      const error = await getErrorDetail(call());
      if (error.code === "resource_not_found") continue;
      expect(error).toMatchObject({ code: "validation_failed" });
      expect(Object.keys("fields" in error ? error.fields : {}).toSorted()).toEqual(fields);
    }
    expect(await acme.messages.get(id)).toMatchObject({ status: "DRAFT" });
  });

  it("is sent immediately if its time has passed, but not after it expires", async () => {
    const { acme, clock } = await openShop();
    const sendAt = new Date(clock.now + HOUR).toISOString();
    const late = await acme.messages.create({ ...news, sendAt });
    const tooLate = await acme.messages.create({ ...news, sendAt });
    clock.now += 2 * HOUR;
    expect(await acme.messages.update(late.id, { name: "Late" })).toMatchObject({ name: "Late", sendAt });
    expect(await acme.messages.send(late.id)).toMatchObject({ status: "SCHEDULED" });
    clock.now += DAY;
    expect(await getRefusedFields(acme.messages.send(tooLate.id))).toEqual(["expiresAt"]);
    const expiresAt = new Date(clock.now + HOUR).toISOString();
    await acme.messages.update(tooLate.id, { expiresAt });
    expect(await acme.messages.send(tooLate.id)).toMatchObject({ status: "SCHEDULED" });
  });

  it("shows its expiry once it is sent: a day after its sendAt, or after the call", async () => {
    const { acme, clock } = await openShop();
    const sendAt = new Date(clock.now + HOUR).toISOString();
    const later = await acme.messages.create({ ...news, sendAt });
    const atOnce = await acme.messages.create(news);
    const givenMessage = await acme.messages.create({
      ...news,
      sendAt,
      expiresAt: new Date(clock.now + 2 * HOUR).toISOString(),
    });
    expect([later.expiresAt, atOnce.expiresAt]).toEqual([null, null]);
    clock.now += 5;
    const callAt = clock.now;
    for (const { id } of [later, atOnce, givenMessage]) await acme.messages.send(id);
    clock.now += 5;
    const getExpiry = async ({ id }: { readonly id: string }) => (await acme.messages.get(id)).expiresAt;
    expect(await getExpiry(later)).toBe(new Date(Date.parse(sendAt) + DAY).toISOString());
    expect(await getExpiry(atOnce)).toBe(new Date(callAt + DAY).toISOString());
    expect(await getExpiry(givenMessage)).toBe(givenMessage.expiresAt);
  });

  it("is refused beyond the limit of scheduled messages, which includes those to be sent immediately", async () => {
    const shop = openAcme({ storage: await open(), limits: { scheduledMessages: 2 } });
    serviceInternals(shop.loyalty).backends.mail.attachSender({ host: "mail.example" });
    const { messages } = shop.acme;
    const drafts = [await messages.create(news), await messages.create(news), await messages.create(news)];
    const [first, second, third] = drafts.map(({ id }) => id);
    await messages.send(first ?? "");
    await messages.send(second ?? "");
    expect(await getErrorDetail(messages.send(third ?? ""))).toMatchObject({ code: "too_many_messages" });
    await messages.cancel(first ?? "");
    await messages.send(third ?? "");
  });

  it("is sent and canceled once by concurrent calls, which don't exceed the limit of scheduled messages", async () => {
    const shop = openAcme({ storage: await open(), limits: { scheduledMessages: 2 } });
    serviceInternals(shop.loyalty).backends.mail.attachSender({ host: "mail.example" });
    const { messages, audit } = shop.acme;
    const listOutcomes = async (calls: readonly Promise<unknown>[]) => {
      const results = await Promise.allSettled(calls);
      return results.map((each) => (each.status === "fulfilled" ? "done" : each.reason.code)).sort();
    };
    const { id } = await messages.create(news);
    expect(await listOutcomes([messages.send(id), messages.send(id), messages.send(id)])).toEqual([
      ...["done", "message_not_draft", "message_not_draft"],
    ]);
    expect(await listOutcomes([messages.cancel(id), messages.cancel(id)])).toEqual(["done", "message_ended"]);
    const { content } = await audit.list();
    expect(content.map(({ action }) => action)).toEqual(["message.sent", "message.canceled"]);
    const drafts = [await messages.create(news), await messages.create(news), await messages.create(news)];
    expect(await listOutcomes(drafts.map(({ id }) => messages.send(id)))).toEqual([
      ...["done", "done", "too_many_messages"],
    ]);
    const { id: other } = await messages.create(news);
    expect(await listOutcomes([messages.delete(other), messages.update(other, { name: "Other" })])).toEqual(
      expect.arrayContaining(["done"]),
    );
    expect(await getErrorDetail(messages.get(other))).toEqual(notFound);
  });

  it("is sent once per idempotency key, which replays the response", async () => {
    const { acme } = await openShop();
    const { id } = await acme.messages.create(news);
    const sentMessage = await acme.messages.send(id, { idempotencyKey: "a" });
    expect(await acme.messages.send(id, { idempotencyKey: "a" })).toEqual(sentMessage);
    expect(await getErrorDetail(acme.messages.send(id, { idempotencyKey: "b" }))).toMatchObject({
      code: "message_not_draft",
    });
  });

  it("is recorded in the audit trail when it is sent and canceled", async () => {
    const { acme } = await openShop();
    const { id } = await acme.messages.create(news);
    await acme.messages.send(id);
    await acme.messages.cancel(id);
    const { content } = await acme.audit.list();
    expect(content.map(({ action, target, details }) => ({ action, target, details }))).toEqual([
      { action: "message.sent", target: id, details: { channels: ["email"], sendAt: null } },
      { action: "message.canceled", target: id, details: {} },
    ]);
  });

  it("requires mail and wallets for its channels", async () => {
    const { acme, loyalty } = openAcme({ storage: await open() });
    const templateId = await createPass(acme);
    const wallet = { language: "en", wallet: "Hello", subject: "Hello", text: "Hello" };
    const { id } = await acme.messages.create({
      ...news,
      templateId,
      channels: ["email", "wallet"],
      texts: [wallet],
    });
    expect(await getErrorDetail(acme.messages.send(id))).toMatchObject({ code: "mail_not_configured" });
    serviceInternals(loyalty).backends.mail.attachSender({ host: "mail.example" });
    expect(await getErrorDetail(acme.messages.send(id))).toMatchObject({ code: "wallets_not_configured" });
    expect(await acme.messages.get(id)).toMatchObject({ status: "DRAFT" });
  });

  it("requires a configured wallet, not only the URL of wallets", async () => {
    const { acme, loyalty } = openAcme({ storage: await open() });
    const wallets = createWallets(loyalty, { publicUrl: "https://shop.example" });
    onTestFinished(() => wallets.close());
    const templateId = await createPass(acme);
    const { id: userId } = await acme.users.create({ email: "ada@example.com" });
    const pass = await acme.passes.create(templateId, { userId });
    const { id } = await acme.messages.create({
      ...news,
      templateId,
      channels: ["wallet"],
      texts: [{ language: "en", wallet: "Hello" }],
    });
    for (const call of [acme.messages.send(id), acme.messages.test(id, { userId })])
      expect(await getErrorDetail(call)).toMatchObject({ code: "wallets_not_configured" });
    expect(serviceInternals(loyalty).channels).toEqual({ email: false, wallet: false });
    expect(await acme.passes.walletLinks(pass.id)).toMatchObject({ apple: null, google: null });
    expect(() => createWallets(loyalty, { publicUrl: "https://shop.example" })).toThrow(
      "wallets are already",
    );
  });
});
