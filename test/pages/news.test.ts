import type { ExistingCustomer } from "loyalty-kit/pages";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { openShop } from "./shop.js";

const ada = { name: "Ada", email: "ada@example.com" };

/** Returns the label of the news box, as a browser shows it. */
function findLabel(page: string): string | null {
  const [, label] = /<label for="news">([^<]*)<\/label>/.exec(page) ?? [];
  return (
    label
      ?.replaceAll("&#39;", "'")
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&") ?? null
  );
}

describe("the news box", () => {
  it("is shown if mail or wallets are configured, and is not checked", async () => {
    const { loyalty, card, get } = await openShop();
    const loadPage = async () => (await get(`/join/${card.id}`)).text();
    expect(findLabel(await loadPage())).toBeNull();
    const unlinkWallets = serviceInternals(loyalty)
      .createWalletBackend(0)
      .attachLinker(() => ({ apple: null, google: null }));
    expect(findLabel(await loadPage())).toContain("news and offers");
    unlinkWallets();
    onTestFinished(serviceInternals(loyalty).backends.mail.attachSender({ host: "shop.example" }));
    expect(await loadPage()).toMatch(/<input id="news" name="news" value="on" type="checkbox">/);
  });

  it.each(["en", "de", "fr", "es", "pt"])("stores what it said, word for word: %s", async (language) => {
    const { acme, clock, card, get, join, getCode } = await openShop({ sendsMail: true });
    const headers = { "accept-language": language };
    const text = findLabel(await (await get(`/join/${card.id}`, headers)).text());
    const { userId } = await acme.passes.lookup(getCode(await join({ ...ada, news: "on" }, headers)));
    const at = new Date(clock.read()).toISOString();
    expect(await acme.subscriptions.get(userId)).toMatchObject({
      email: { status: "PENDING", at, source: "join", text },
      wallet: { status: "SUBSCRIBED", at, source: "join", text },
      emailConfirmedAt: null,
      language: null,
    });
    expect(text).not.toBeNull();
  });

  it("stores the words of the page that was shown, whatever language the form is sent in", async () => {
    const { acme, join, getCode } = await openShop({ sendsMail: true });
    const response = await join({ ...ada, news: "on", language: "de" }, { "accept-language": "fr" });
    const { userId } = await acme.passes.lookup(getCode(response));
    expect((await acme.subscriptions.get(userId)).email.text).toMatch(/^Ich möchte Neuigkeiten/);
    expect((await acme.users.get(userId)).metadata.join).toMatchObject({
      language: "de",
      consent: expect.stringMatching(/bist du einverstanden/),
    });
  });

  it("has the host's words, if the host provides some", async () => {
    const readNews = (organizationId: string, language: string) =>
      `${organizationId}'s <news> & more, ${language}`;
    const { acme, card, get, join, getCode } = await openShop({ sendsMail: true, news: readNews });
    expect(findLabel(await (await get(`/join/${card.id}`)).text())).toBe("acme's <news> & more, en");
    const { userId } = await acme.passes.lookup(getCode(await join({ ...ada, news: "on" })));
    expect((await acme.subscriptions.get(userId)).wallet.text).toBe("acme's <news> & more, en");
  });

  it("comes with one sentence on what the details are for, which names news only if there is a box", async () => {
    for (const [sendsMail, sentence] of [
      [true, "only for this card and, if you check the box, for news."],
      [false, "for this card and use them for nothing else."],
    ] as const) {
      const { card, get } = await openShop({ sendsMail });
      expect(await (await get(`/join/${card.id}`)).text()).toContain(sentence);
    }
  });

  it("derives nothing from the consent to the card, or from a box that was not shown", async () => {
    for (const [sendsMail, fields] of [
      [true, {}],
      [false, { news: "on" }],
    ] as const) {
      const { acme, join, getCode } = await openShop({ sendsMail });
      const { userId } = await acme.passes.lookup(getCode(await join({ ...ada, ...fields })));
      const none = { status: "NONE", at: null, source: null, text: null };
      expect(await acme.subscriptions.get(userId)).toMatchObject({ email: none, wallet: none });
    }
  });

  it("counts only for the card if a phone number was given", async () => {
    const { acme, listMails, join, getCode } = await openShop({ sendsMail: true });
    const response = await join({ name: "Bo", phone: "+49 30 123456", news: "on" });
    const { userId } = await acme.passes.lookup(getCode(response));
    expect(await acme.subscriptions.get(userId)).toMatchObject({
      email: { status: "NONE" },
      wallet: { status: "SUBSCRIBED" },
    });
    expect(await listMails()).toEqual([]);
  });

  const mailed = "We’ve emailed you. Tap “Yes, send me news” in that email to get news.";

  it("makes the new card say for an hour that news must be confirmed, whether or not the email is known", async () => {
    const { acme, clock, join, get } = await openShop({ sendsMail: true });
    await acme.users.create({ email: "bob@example.com" });
    for (const email of ["ada@example.com", "bob@example.com"]) {
      const path =
        (await join({ email, news: "on" })).headers.get("location")?.slice("/loyalty".length) ?? "";
      const loadPage = async () => (await get(path)).text();
      expect(await loadPage()).toContain(mailed);
      clock.move(3_600_000);
      expect(await loadPage()).not.toContain(mailed);
    }
  });

  it.each([
    ["who hasn't checked the box", true, { email: "ada@example.com" }],
    ["who gave a phone number", true, { phone: "+49 30 123456", news: "on" }],
    ["if no mail server is configured", false, { email: "ada@example.com", news: "on" }],
  ])("has the new card say nothing about it to a customer %s", async (_, sendsMail, fields) => {
    const { join, get } = await openShop({ sendsMail });
    const path = (await join(fields)).headers.get("location")?.slice("/loyalty".length) ?? "";
    expect(await (await get(path)).text()).not.toContain(mailed);
  });

  it("stays checked in a form with an error", async () => {
    const { join } = await openShop({ sendsMail: true });
    const text = await (await join({ email: "ada@example", news: "on" })).text();
    expect(text).toMatch(/name="news" value="on" type="checkbox" checked>/);
  });

  it("changes nothing for an existing customer, or for someone who typed that customer's email", async () => {
    const { acme, join, getCode } = await openShop({ sendsMail: true });
    const existingUser = await acme.users.create({ email: "ada@example.com" });
    const before = await acme.subscriptions.get(existingUser.id);
    const { userId } = await acme.passes.lookup(getCode(await join({ ...ada, news: "on" })));
    expect(userId).not.toBe(existingUser.id);
    expect(await acme.subscriptions.get(existingUser.id)).toEqual(before);
    expect(await acme.subscriptions.get(userId)).toMatchObject({
      email: { status: "NONE" },
      wallet: { status: "NONE" },
    });
    expect((await acme.events.list({ types: ["subscription.changed"] })).content).toEqual([]);
  });
});

describe("the mail after a sign-up", () => {
  it("links to the card, in the language of the page, once for a form that is sent twice", async () => {
    const { acme, listMails, join, getCode } = await openShop({ sendsMail: true });
    const key = "k".repeat(24);
    const code = getCode(await join({ ...ada, key }, { "accept-language": "de" }));
    await join({ ...ada, key }, { "accept-language": "de" });
    const pass = await acme.passes.lookup(code);
    const jobs = await listMails();
    expect(jobs).toMatchObject([
      {
        to: "ada@example.com",
        language: "de",
        link: expect.stringMatching(new RegExp(`^/c/${code}\\?m=[\\w-]+$`)),
        delivery: { kind: "pass", userId: pass.userId, passId: pass.id },
      },
    ]);
    expect(jobs).toHaveLength(1);
  });

  it("offers to confirm news to a customer who checked the box, until it is confirmed", async () => {
    const { acme, mail, clock, listMails, join, getCode, createToken } = await openShop({ sendsMail: true });
    const { id, userId } = await acme.passes.lookup(getCode(await join({ ...ada, news: "on" })));
    expect(await listMails()).toMatchObject([{ isNewsPending: true }]);
    await mail.confirm(await createToken(userId, "confirm"));
    clock.move(60_000);
    await acme.passes.notify(id);
    expect(await listMails()).toMatchObject([{ isNewsPending: false }]);
    await join({ name: "Bo", email: "bo@example.com" });
    expect(await listMails()).toMatchObject([{ isNewsPending: false }]);
  });

  it("never offers to confirm news that a stranger may have requested", async () => {
    const { clock, listMails, join } = await openShop({ sendsMail: true });
    await join({ ...ada, news: "on" });
    expect(await listMails()).toMatchObject([{ delivery: { kind: "pass" }, isNewsPending: true }]);
    clock.move(3_600_000);
    await join({ name: "Eve", email: "ada@example.com", news: "on" });
    expect(await listMails()).toMatchObject([{ delivery: { kind: "link" }, isNewsPending: false }]);
  });

  it("is sent only if mail is configured, and the page is the same without it", async () => {
    const { acme, mail, join, getCode } = await openShop();
    const response = await join(ada);
    expect(response.status).toBe(303);
    const { id } = await acme.passes.lookup(getCode(response));
    expect((await acme.passes.deliveries(id)).totalElements).toBe(0);
    expect(await mail.queuesWithDueJobs(10)).toEqual([]);
  });

  it("links an existing customer to their own card, and goes to the address that they have", async () => {
    const { acme, card, listMails, join } = await openShop({ sendsMail: true });
    const [first, newest] = [
      await acme.passes.create(card.id, { user: { email: "ada@example.com", name: "The real Ada" } }),
      await acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 5 }),
    ];
    await acme.passes.create(newest.id, { userId: first.userId });
    await join({ name: "Eve", email: "ADA@Example.com" });
    const jobs = await listMails();
    expect(jobs).toMatchObject([
      {
        to: "ada@example.com",
        user: { name: "The real Ada" },
        link: expect.stringContaining(`/c/${first.qrCodeValue.split("/").at(-1)}?m=`),
        delivery: { kind: "link", userId: first.userId, passId: first.id },
      },
    ]);
    expect(jobs).toHaveLength(1);
  });

  it("reaches an existing customer once an hour and three times a day at most, whoever requests it", async () => {
    const { acme, card, clock, listMails, join } = await openShop({ sendsMail: true });
    await acme.passes.create(card.id, { user: { email: "ada@example.com" } });
    const responses = [];
    for (let hour = 0; hour < 25; hour += 1) {
      for (let at = 0; at < 2; at += 1)
        await join({ name: "Eve", email: "ada@example.com" }, { "x-address": `192.0.2.${2 * hour + at}` });
      responses.push((await listMails()).length);
      clock.move(3_600_000);
    }
    expect(responses).toEqual([1, 1, 1, ...Array.from({ length: 21 }, () => 0), 1]);
  });

  it("is the host's if it sends links itself, while new customers get ours", async () => {
    const notifiedCustomers: ExistingCustomer[] = [];
    const { acme, card, listMails, join } = await openShop({
      sendsMail: true,
      sendLink: (customer) => void notifiedCustomers.push(customer),
    });
    const existingPass = await acme.passes.create(card.id, { user: { email: "ada@example.com" } });
    await join({ name: "Bo", email: "bo@example.com" });
    expect(await listMails()).toMatchObject([{ to: "bo@example.com", delivery: { kind: "pass" } }]);
    await join({ name: "Eve", email: "ada@example.com" });
    await expect
      .poll(() => notifiedCustomers)
      .toMatchObject([{ user: { id: existingPass.userId }, links: [existingPass.qrCodeValue] }]);
    expect(await listMails()).toEqual([]);
  });
});
