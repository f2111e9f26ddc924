import { generateKeyPairSync } from "node:crypto";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { createMail } from "loyalty-kit/mail";
import { memoryStorage } from "loyalty-kit/memory";
import { createPages } from "loyalty-kit/pages";
import { createFakeMail, headerOf, type ReceivedMail } from "loyalty-kit/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../kit/manual-clock.js";

const publicUrl = "https://shop.example/loyalty";
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1_024 });
const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const consent = { status: "SUBSCRIBED", text: "I want news." } as const;

/**
 * Opens a shop with two customers who subscribed to news, its pages, and a mail server whose mailboxes press buttons
 * and follow links.
 */
async function openShop() {
  const clock = new ManualClock();
  const loyalty = new LoyaltyService({
    ...{ storage: memoryStorage(), clock: clock.read, shortLinkBase: `${publicUrl}/c` },
  });
  const api = createHttpApi(loyalty, {
    ...{ authenticate: apiTokens(loyalty), extensions: [createPages(loyalty)], basePath: "/loyalty" },
  });
  const fake = await createFakeMail({ fetch: (url, init) => api.fetch(new Request(url, init)) });
  const mail = createMail(loyalty, {
    ...{ publicUrl, from: "Shop <news@shop.example>", smtp: fake.url, deliver: false },
    ...{ rate: { requests: 1_000, seconds: 1 }, dkim: { selector: "s1", key } },
  });
  onTestFinished(async () => {
    await mail.close();
    await loyalty.close();
    await fake.close();
  });
  const acme = loyalty.organization("acme");
  const template = await acme.templates.create({ name: "Coffee card", type: "STAMP_CARD", maxStamps: 10 });
  const createCustomer = async (email: string, name: string) => {
    const { userId, id } = await acme.passes.create(template.id, { user: { email, name } });
    await acme.subscriptions.put(userId, { email: consent, wallet: consent });
    return { email, userId, passId: id };
  };
  const [ada, bob] = [
    await createCustomer("ada@example.com", "Ada"),
    await createCustomer("bob@example.com", "Bob"),
  ];

  /** Creates a message to all customers and starts sending it. */
  async function sendMessage(more: Partial<Parameters<typeof acme.messages.create>[0]> = {}) {
    const { id } = await acme.messages.create({
      ...{ name: "Rolls", audience: { all: true }, templateId: template.id, channels: ["email"] },
      texts: [{ language: "en", subject: "Rolls for {name}", text: "{toGo} to go on your {card}." }],
      respectsCap: false,
      ...more,
    });
    await acme.messages.send(id);
    return { id, sums: async () => (await acme.messages.get(id)).sums };
  }

  const findNewestMail = (email: string): ReceivedMail => {
    const found = fake.mailbox(email).at(-1);
    if (found === undefined) throw new Error(`no mail to ${email}`);
    return found;
  };
  return { clock, api, fake, mail, acme, ada, bob, sent: sendMessage, findNewestMail };
}

describe("a message by mail", () => {
  it("has the customer's name and stamps, a signature, and unsubscribe headers for mailbox providers", async () => {
    const { mail, acme, fake, ada, sent, findNewestMail } = await openShop();
    await acme.stamps.add(ada.passId, { count: 8 });
    const { sums } = await sent();
    await mail.runOnce();
    const got = findNewestMail(ada.email);
    expect(got.subject).toBe("Rolls for Ada");
    expect(got.text).toMatch(/^2 to go on your Coffee card\.\n\nOpen your card\nhttps:/);
    const unsubscribe = got.links.find((link) => link.includes("/m/u/")) ?? "";
    expect(headerOf(got, "List-Unsubscribe")).toBe(`<${unsubscribe}>`);
    expect(unsubscribe.length).toBeLessThanOrEqual(200);
    expect(headerOf(got, "DKIM-Signature")?.toLowerCase()).toMatch(
      /h=[^;]*list-unsubscribe:\s*list-unsubscribe-post/,
    );
    expect(got.links.map((link) => link.replace(/\w{12}(?=\?)|[^/=]*$/g, ""))).toEqual([
      `${publicUrl}/c/?m=`,
      `${publicUrl}/m/u/`,
    ]);
    expect(fake.mails).toHaveLength(2);
    expect(await sums()).toMatchObject({ recipients: 2, accepted: 2, pending: 0, skipped: {} });
  });

  it("links to the card's page", async () => {
    const { mail, api, ada, sent, findNewestMail } = await openShop();
    await sent();
    await mail.runOnce();
    const card = findNewestMail(ada.email).links.find((link) => link.includes("/c/")) ?? "";
    expect(await (await api.fetch(new Request(card))).text()).toContain("0 of 10 stamps");
  });

  it("isn't affected by a scanner that follows all of its links, and unsubscribes with one click", async () => {
    const { mail, fake, acme, ada, sent, findNewestMail } = await openShop();
    await sent();
    await mail.runOnce();
    const before = await acme.subscriptions.get(ada.userId);
    const scanned = await fake.scan(findNewestMail(ada.email));
    expect(scanned.map(({ method, status }) => [method, status])).toEqual([
      ["HEAD", 200],
      ["GET", 200],
      ["HEAD", 200],
      ["GET", 200],
    ]);
    expect(await acme.subscriptions.get(ada.userId)).toEqual(before);

    expect(await fake.unsubscribe(findNewestMail(ada.email))).toMatchObject({ method: "POST", status: 200 });
    const after = await acme.subscriptions.get(ada.userId);
    expect([after.email.status, after.email.source]).toEqual(["UNSUBSCRIBED", "link"]);
    expect(after.wallet).toEqual(before.wallet);
    const { sums } = await sent();
    await mail.runOnce();
    expect(await sums()).toMatchObject({ accepted: 1, skipped: { unsubscribed: 1 } });
    expect(fake.mailbox(ada.email)).toHaveLength(1);
  });

  it("that waits for a retry is not sent once the customer has unsubscribed", async () => {
    const { clock, mail, fake, ada, bob, sent, findNewestMail } = await openShop();
    await sent();
    await mail.runOnce();
    const first = findNewestMail(ada.email);
    fake.isGreylisting = true;
    const { sums } = await sent();
    await mail.runOnce();
    expect(await sums()).toMatchObject({ pending: 2, accepted: 0 });
    await fake.unsubscribe(first);
    clock.move(60_000);
    await mail.runOnce();
    expect(await sums()).toMatchObject({ pending: 0, accepted: 1, skipped: { unsubscribed: 1 } });
    expect([fake.mailbox(ada.email).length, fake.mailbox(bob.email).length]).toEqual([1, 2]);
  });

  it("unsubscribes on its page from the chosen channels, and the page still works for an erased customer", async () => {
    const { mail, api, acme, ada, bob, sent, findNewestMail } = await openShop();
    await sent();
    await mail.runOnce();
    const findUnsubscribePage = (email: string) =>
      findNewestMail(email).links.find((link) => link.includes("/m/u/")) ?? "";
    const body = new URLSearchParams({ channel: "all" });
    const answer = await api.fetch(new Request(findUnsubscribePage(ada.email), { method: "POST", body }));
    expect(await answer.text()).toContain("You’ve been unsubscribed");
    const { email, wallet } = await acme.subscriptions.get(ada.userId);
    expect([email.status, wallet.status]).toEqual(["UNSUBSCRIBED", "UNSUBSCRIBED"]);
    const link = findUnsubscribePage(bob.email);
    await acme.users.erase(bob.userId);
    expect((await api.fetch(new Request(link))).status).toBe(200);
    expect((await api.fetch(new Request(link, { method: "POST", body }))).status).toBe(200);
  });

  it("sent as a test goes to one customer, is marked as a test, and isn't counted", async () => {
    const { mail, acme, fake, ada, findNewestMail } = await openShop();
    const { id } = await acme.messages.create({
      ...{ name: "Rolls", audience: { all: true }, channels: ["email"] },
      texts: [{ language: "en", subject: "Rolls", text: "Hello {name}" }],
    });
    await acme.messages.test(id, { userId: ada.userId });
    await mail.runOnce();
    expect(fake.mails).toHaveLength(1);
    expect(findNewestMail(ada.email)).toMatchObject({ subject: "[Test] Rolls" });
    expect(headerOf(findNewestMail(ada.email), "List-Unsubscribe-Post")).toBe("List-Unsubscribe=One-Click");
    expect(await acme.messages.get(id)).toMatchObject({ status: "DRAFT", sums: null });
  });

  it("has the organization's sender name and footer, and its fixed words in the language of the text", async () => {
    const { mail, acme, ada, bob, sent, findNewestMail } = await openShop();
    await acme.messageSettings.update({ senderName: "Café Müller", footer: "Main Street 1" });
    await acme.users.update(bob.userId, { name: null });
    const texts = [
      { language: "de", subject: "Für {name}", text: "Hallo {name}, https://shop.example/de." },
      { language: "en", subject: "For {name}", text: "Hello {name}!" },
    ];
    await sent({ texts, link: "https://shop.example/offer" });
    await mail.runOnce();
    expect(findNewestMail(ada.email)).toMatchObject({ subject: "Für Ada", from: { name: "Café Müller" } });
    expect(findNewestMail(ada.email).links).toEqual([
      "https://shop.example/de.",
      "https://shop.example/offer",
      expect.stringContaining("/m/u/"),
      "https://shop.example/de",
    ]);
    expect(findNewestMail(ada.email).text).toContain(
      "Main Street 1\n\nDu bekommst diese E-Mail, weil du dich für Neuigkeiten",
    );
    expect(findNewestMail(bob.email).text).toMatch(/^Hallo, https:/);
  });
});
