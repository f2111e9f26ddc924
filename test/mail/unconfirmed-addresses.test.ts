import fc from "fast-check";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { createMail, type OutgoingMail } from "loyalty-kit/mail";
import { memoryStorage } from "loyalty-kit/memory";
import { createPages } from "loyalty-kit/pages";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { runs } from "../properties/runs.js";

/** Texts that mail programs would turn into a link or a phone number. */
const linked = [
  "YOUR PARCEL WAITS at https://evil.example/pay",
  "YOUR PARCEL WAITS at evil.example/pay",
  "HTTP://EVIL.EXAMPLE",
  "hthttp://tp://evil.example",
  "//evil.example",
  "www.evil.example",
  "evil.example",
  "evil。example",
  "evil．example",
  "evil｡example",
  "evil․example",
  "evil﹒example",
  "evil.\u200Bexample",
  "e\u200Bv\u00ADil\u2060.example",
  "evil\uFEFF.example",
  "evil.\uFEFFexample",
  "evil.e\uFEFFxample",
  "evil。\u2060e\uFEFFxample",
  "evil 9.0.0.5",
  "evil =?utf-8?Q?at_evil=2Eexample?=",
  "=?utf-8?B?ZXZpbC5leGFtcGxl?= evil",
  "=<b>?utf-8?Q?evil=2Eexample?=",
  "\u202Eelpmaxe.live\u202C evil.example",
  "evil.example\r\nBcc: all@example.com",
  "xn--evil-1ya.example evil",
  "ｅｖｉｌ．ｅｘａｍｐｌｅ evil",
  "evil 192.0.2.10",
  "evil@evil.example",
  "mailto:evil@x",
  "evil: tel:1",
  "\\\\evil\\share",
  "evil: call +1 (900) 555 0123",
  "evil 0800 12 34 56",
  "evil ٠٩٠٠١٢",
  "evil ①②③④⑤",
  "evil 9-0-0-5-5",
  "<a href='https://evil.example'>evil.example</a>",
  "ev<b>il.exa</b>mple evil",
  "＜a＞evil．example＜/a＞",
  "[evil](https://evil.example)",
];

/** Texts that are displayed oddly or are long, but lead nowhere. */
const odd = [
  "two\n.example",
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "&lt;b&gt; &amp; '\"",
  "\u202Ereversed\u202C",
  "\u2066isolated",
  "\u200B\u200B",
  "\u0000\u0007\u001B[31mred",
  "two\r\nlines\u2028three",
  "🎉👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "Z̸̙̈a̵̗͝l̴̘̽g̷̱̈o̶̫͝",
  "{name} {card} {shop} {count}",
  "\u3164\u115F\u2800",
  "W".repeat(39),
  "بيت القهوة",
];

const from = { name: "Shop", address: "hi@shop.example" };

/** All texts that an organization can put into mails to an unconfirmed address. */
interface CustomerTexts {
  readonly organization: string;
  readonly card: string;
  readonly title: string;
  readonly reward: string;
  readonly toGo: string;
  readonly sender: string;
  readonly footer: string;
  readonly customer: string;
}

const hostile = fc.constantFrom(...linked, ...odd);
const arbitraryTexts: fc.Arbitrary<CustomerTexts> = fc.record({
  organization: hostile,
  card: hostile,
  title: hostile,
  reward: hostile,
  toGo: hostile,
  sender: hostile,
  footer: hostile,
  customer: hostile,
});

/** Sets a text if the service accepts it. A text that it refuses can't appear in a mail. */
async function set(change: (text: string | null) => Promise<unknown>, text: string): Promise<void> {
  await change(text).catch(() => change(null));
}

/** Signs up on the page of a card, as anyone can with another person's address. */
async function signUp(loyalty: LoyaltyService, templateId: string, email: string, name: string) {
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    extensions: [createPages(loyalty)],
    addressOf: () => "192.0.2.1",
  });
  // The page rejects names with NUL.
  const body = new URLSearchParams({ name: name.replaceAll("\0", ""), contact: email });
  await api.fetch(new Request(`https://shop.example/join/${templateId}`, { method: "POST", body }));
}

/** Signs a person in with the link in a mail, and adds a passkey for this person. */
async function addPasskeyBy(loyalty: LoyaltyService, { text }: OutgoingMail) {
  const { signIns } = serviceInternals(loyalty);
  const [, link = ""] = /\/people\/link\/(\S+)/.exec(text) ?? [];
  const session = await signIns.startSession(link, { device: "Phone", isLong: false });
  const device = { credentialId: "a", publicKey: "b", counter: 0, challenge: "c" };
  await signIns.passkeys.add(session?.token ?? "", { name: "Phone", ...device });
}

/**
 * Makes an organization send every kind of mail to one address: about two cards, a sign-up with the address, an
 * invitation, a passkey, and a link to sign in.
 */
async function collectMails(texts: CustomerTexts): Promise<OutgoingMail[]> {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const mails: OutgoingMail[] = [];
  const mail = createMail(loyalty, {
    publicUrl: "https://shop.example",
    from: `${from.name} <${from.address}>`,
    smtp: { send: async (mail) => void mails.push(mail) },
    deliver: false,
  });
  const acme = loyalty.organization("acme");
  await set((name) => acme.settings.update({ name }), texts.organization);
  await set((senderName) => acme.messageSettings.update({ senderName }), texts.sender);
  await set((footer) => acme.messageSettings.update({ footer }), texts.footer);
  const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  await set((name) => acme.templates.update(id, { name: name ?? "Coffee" }), texts.card);
  await set((reward) => acme.templates.update(id, { reward }), texts.reward);
  const { id: designed } = await acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 5 });
  const createDesign = (title: string | null, toGo: string | null) =>
    acme.templates.update(designed, { design: { texts: [{ language: "en", title, toGo }] } });
  await set((title) => createDesign(title, null), texts.title);
  const { design } = await acme.templates.get(designed);
  await set((toGo) => createDesign(design?.texts[0]?.title ?? null, toGo), `${texts.toGo} {count}`);
  const email = "stranger@example.com";
  const user = await acme.users.create({ email });
  await set((name) => acme.users.update(user.id, { name }), texts.customer);
  for (const template of [id, designed])
    await acme.passes.create(template, { userId: user.id, notify: true });
  await signUp(loyalty, id, email, texts.customer);
  await mail.runOnce();
  await acme.people.invite({ email, role: "till" });
  await expect.poll(() => mails.length).toBe(4);
  for (const invitation of mails.slice(3)) await addPasskeyBy(loyalty, invitation);
  await expect.poll(() => mails.length).toBe(5);
  await serviceInternals(loyalty).signIns.mailLinks(email, "en");
  await expect.poll(() => mails.length).toBe(6);
  await mail.close();
  await loyalty.close();
  return mails;
}

const createTexts = (text: string): CustomerTexts => ({
  ...{ organization: text, card: text, title: text, reward: text },
  ...{ toGo: text, sender: text, footer: text, customer: text },
});

const toPlainText = (html: string) =>
  html
    .slice(html.indexOf("<body"))
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&[a-z]+;|&#\d+;/g, " ");

const own = /https:\/\/shop\.example\/\S+/g;

/** Checks that each mail has only the service's links, single-line headers, and no reversed text. */
function assertHarmless(mails: readonly OutgoingMail[]): void {
  for (const { subject, text, html, from: sender, to, envelope } of mails) {
    expect([to, envelope.to, sender.address]).toEqual([
      "stranger@example.com",
      "stranger@example.com",
      from.address,
    ]);
    const visibleText = `${subject}\n${sender.name}\n${text}\n${toPlainText(html)}`.replaceAll(own, " ");
    expect(visibleText.normalize("NFKC")).not.toMatch(
      /:\/\/|www\.\S|[.。][a-z\u200B-\u200D\uFEFF]{2}|@|bcc:|(\p{Nd}[ ()-]*){5}/iu,
    );
    expect(`${subject}${sender.name}`).not.toMatch(/\p{Cc}/u);
    expect(visibleText).not.toMatch(/[\u202A-\u202E]/u);
    expect(html).not.toMatch(/<script|onerror|<img/i);
    expect(html.replaceAll(/href="https:\/\/shop\.example\//g, "")).not.toMatch(/href/);
    expect(Buffer.byteLength(html + text)).toBeLessThan(100_000);
  }
}

describe("mails to an unconfirmed address", () => {
  it.each(linked)("link nowhere with the text %j", async (text) => {
    const mails = await collectMails(createTexts(text));
    assertHarmless(mails);
    for (const { subject, text, html, from: sender } of mails)
      expect(`${subject}${text}${html}${sender.name}`).not.toMatch(/evil|parcel/i);
  });

  it.each(odd)("stay intact with the text %j", async (text) => {
    assertHarmless(await collectMails(createTexts(text)));
  });

  it("link nowhere with any combination of texts", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTexts, async (texts) => assertHarmless(await collectMails(texts))),
      runs(60),
    );
  });

  it("contain the shop's own texts once the address is confirmed", async () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const mails: OutgoingMail[] = [];
    const mail = createMail(loyalty, {
      publicUrl: "https://shop.example",
      from: `${from.name} <${from.address}>`,
      smtp: { send: async (mail) => void mails.push(mail) },
      deliver: false,
    });
    onTestFinished(async () => {
      await mail.close();
      await loyalty.close();
    });
    const acme = loyalty.organization("acme");
    await acme.messageSettings.update({ senderName: "Café", footer: "Main Street 1\ncafe.example" });
    const reward = "One free: tea or coffee";
    const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5, reward });
    const { userId } = await acme.passes.create(id, { user: { email: "ada@example.com" }, notify: true });
    await mail.runOnce();
    expect(mails[0]?.from.name).toBe("Café");
    expect(mails[0]?.text).toContain("Main Street 1");
    expect(mails[0]?.text).not.toMatch(/cafe\.example|One free/);
    const [, token = ""] = /\?m=(\S+)/.exec(mails[0]?.text ?? "") ?? [];
    expect(await serviceInternals(loyalty).backends.mail.confirm(token)).toBe(true);
    await acme.passes.create(id, { userId, notify: true });
    await mail.runOnce();
    expect(mails[1]?.text).toContain("Main Street 1\ncafe.example");
    expect(mails[1]?.text).toContain(reward);
  });
});
