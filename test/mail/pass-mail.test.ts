import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PassMailJob } from "../../adapters/delivery/mail/card-words.js";
import type { MailIdentity } from "../../adapters/delivery/mail/mail-sender.js";
import { buildPassMail } from "../../adapters/delivery/mail/send-attempt.js";
import { buildPng, dataUrl } from "../cards/hostile-pictures.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { runs } from "../properties/runs.js";

const sender: MailIdentity = {
  publicUrl: "https://shop.example",
  from: { name: "Shop", address: "cards@shop.example" },
  replyTo: null,
  bounceDomain: null,
  host: "shop.example",
};

const date = new Date("2026-01-01T10:00:00Z");

const link = "/c/Abc123?m=token";
const url = `${sender.publicUrl}${link}`;

/** Creates the job of a mail about a new card with three stamps. */
async function createJob(template: object = {}, more: Partial<PassMailJob> = {}): Promise<PassMailJob> {
  const { acme } = openAcme();
  const { id: templateId } = await acme.templates.create({
    name: "Coffee card",
    type: "STAMP_CARD",
    maxStamps: 10,
    reward: "A free coffee",
    ...template,
  });
  const { id } = await acme.passes.create(templateId, { user: { email: someEmail(), name: "Ada" } });
  const { qrCodeValue } = await acme.passes.get(id);
  const pass = await acme.passes.lookup(qrCodeValue);
  const stampCard = pass.stampProgress && (await acme.stamps.add(id, { count: 3 }));
  return {
    delivery: { id: "mdl_1", kind: "pass" },
    to: "ada@example.com",
    user: { name: "Ada" },
    isConfirmed: true,
    isNewsPending: false,
    language: null,
    pass,
    stampCard,
    points: null,
    settings: { senderName: null, replyTo: null, footer: null, logo: null, language: null },
    link,
    ...more,
  };
}

const renderMail = (job: PassMailJob, as: Partial<MailIdentity> = {}) =>
  buildPassMail(job, { ...sender, ...as }, date);

/** Returns the text of a page that people read. */
const toVisibleText = (html: string) =>
  html
    .slice(html.indexOf("<body"))
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&amp;", "&");

const findUrls = (text: string) => text.match(/https?:\/\/[^\s"'<>]*/gi) ?? [];

describe("a pass mail", () => {
  it("contains the customer, card, stamps, stamps to go and the reward of a full card, in both parts", async () => {
    const { text, html } = renderMail(await createJob());
    for (const part of [text, toVisibleText(html)]) {
      expect(part).toContain("Hello Ada,");
      expect(part).toContain("Coffee card");
      expect(part).toContain("3 of 10 stamps");
      expect(part).toContain("7 more stamps until your reward");
      expect(part).toContain("Reward for a full card: A free coffee");
      expect(part).not.toContain("waiting");
    }
  });

  it("says that a reward is waiting", async () => {
    const job = await createJob();
    const stampCard = { currentStamps: 0, maxStamps: 10, rewardsAvailable: 2 };
    expect(renderMail({ ...job, stampCard }).text).toContain("2 rewards are waiting for you");
  });

  it("mentions no stamps if the card has none", async () => {
    const template = { type: "LOYALTY_CARD", maxStamps: null, reward: null };
    const { text, html } = renderMail(await createJob(template));
    expect(text).toContain("You’re a member.");
    expect(text + toVisibleText(html)).not.toMatch(/stamp|●|○/);
  });

  it("shows the points, the next expiry and the next upcoming points, in the shop's word for points", async () => {
    const template = { type: "LOYALTY_CARD", maxStamps: null, reward: null, points: {} };
    const points = {
      unit: null,
      ...{ available: 1_250, debt: 0 },
      expiring: { points: 30, day: 20_665 },
      upcoming: { points: 15, day: 20_668 },
    };
    const english = renderMail(await createJob(template, { points }));
    for (const part of [english.text, toVisibleText(english.html)]) {
      expect(part).toContain("1,250 points");
      expect(part).toContain("30 points expire on 31 July 2026");
      expect(part).toContain("15 more from 3 August");
      expect(part).not.toContain("member");
    }
    const german = { points: { ...points, unit: "Bohnen" }, language: "de" };
    const { text } = renderMail(await createJob(template, german));
    expect(text).toContain("1.250 Bohnen\n30 Bohnen verfallen am 31. Juli 2026\n15 mehr ab dem 3. August\n");
    const linked = { points: { ...points, unit: "evil.example" }, isConfirmed: false };
    expect(renderMail(await createJob(template, linked)).text).toContain("1,250 points");
  });

  it("has one link, to the page of the card, and neither wallet links nor a header to unsubscribe", async () => {
    const { text, html, headers } = renderMail(await createJob());
    expect(findUrls(text)).toEqual([url]);
    expect(findUrls(html)).toEqual([url]);
    expect(headers).toMatchObject({ "Auto-Submitted": "auto-generated" });
    expect(Object.keys(headers).join()).not.toMatch(/list-|precedence/i);
  });

  it("asks a customer who ticked the box for news to confirm it behind the same link", async () => {
    const { text, html } = renderMail(await createJob({}, { isNewsPending: true }));
    for (const part of [text, toVisibleText(html)])
      expect(part).toContain(
        "You asked for news by email. To get it, open your card and tap “Yes, send me news”.",
      );
    expect(findUrls(text)).toEqual([url]);
    expect(findUrls(html)).toEqual([url, url]);
    expect(html).toMatch(/<a href="[^"]*"[^>]*>Yes, send me news<\/a>/);
  });

  it("has the same Message-ID at each attempt, and the time of the attempt", async () => {
    const job = await createJob();
    const [first, second] = [
      buildPassMail(job, sender, date),
      buildPassMail(job, sender, new Date(date.getTime() + 1)),
    ];
    expect(first.messageId).toBe("<mdl_1@shop.example>");
    expect(second.messageId).toBe(first.messageId);
    expect(second.date).not.toEqual(first.date);
  });

  it("has a bounce address of its delivery if there is a bounce domain, otherwise the sender's address", async () => {
    const job = await createJob();
    expect(renderMail(job).envelope).toEqual({ from: "cards@shop.example", to: "ada@example.com" });
    const { envelope } = renderMail(job, { bounceDomain: "bounces.example" });
    expect(envelope.from).toBe("bounce+mdl_1@bounces.example");
  });

  it("has the sender name, the reply-to address and the footer of the organization's settings", async () => {
    const settings = {
      senderName: "Café Müller",
      replyTo: "hello@mueller.example",
      footer: "Café Müller GmbH\r\nMain Street 1\n\nhttps://mueller.example/imprint",
      logo: null,
      language: null,
    };
    const { from, replyTo, text, html } = renderMail(await createJob({}, { settings }), {
      replyTo: "a@b.example",
    });
    expect(from).toEqual({ name: "Café Müller", address: "cards@shop.example" });
    expect(replyTo).toBe("hello@mueller.example");
    expect(text).toContain("\nCafé Müller GmbH\nMain Street 1\nmueller.example/imprint\n");
    expect(toVisibleText(html)).toContain("Main Street 1");
    expect(findUrls(text + html)).toEqual([url, url]);
    expect(renderMail(await createJob(), { replyTo: "a@b.example" }).replyTo).toBe("a@b.example");
  });

  it("uses the logo and the language of the shop if nothing else defines them", async () => {
    const logo = "a".repeat(64);
    const ofShop = { senderName: "Café", replyTo: null, footer: null, logo, language: "de-AT" };
    const image = `src="https://shop.example/j/pictures/${logo}"`;
    const plain = await createJob({}, { settings: ofShop });
    expect(renderMail(plain)).toMatchObject({ language: "de", html: expect.stringContaining(image) });
    const design = { logo: dataUrl(buildPng()), texts: [{ language: "fr" }] };
    const own = renderMail(await createJob({ design }, { settings: ofShop }));
    expect(own.language).toBe("fr");
    expect(own.html).toContain("<img");
    expect(own.html).not.toContain(image);
    expect(renderMail({ ...plain, language: "es" }).language).toBe("es");
  });

  it("has the colors, the logo by URL and the texts of the design", async () => {
    const design = {
      backgroundColor: "#7C2D12",
      foregroundColor: "#FFEDD5",
      logo: dataUrl(buildPng()),
      texts: [{ language: "de", title: "Kaffeekarte", toGo: "noch {count} bis zum Kaffee" }],
    };
    const job = await createJob({ design });
    const { text, html, subject } = renderMail(job);
    expect(html).toContain("background:#7C2D12;color:#FFEDD5");
    expect(html).toContain(`<img src="https://shop.example/j/pictures/${job.pass.template.design?.logo}"`);
    expect(html).not.toContain("data:");
    expect(subject).toBe("Deine Karte: Kaffeekarte");
    expect(text).toContain("noch 7 bis zum Kaffee");
  });

  it("leaves unknown placeholders in the shop's texts as they are", async () => {
    const texts = [{ language: "en", toGo: "{count} to go {constructor} {name}" }];
    const { text } = renderMail(await createJob({ design: { texts } }));
    expect(text).toContain("7 to go {constructor} {name}");
  });

  it("explains to a customer who already has a card why it was sent", async () => {
    const { text } = renderMail(await createJob({}, { delivery: { id: "mdl_1", kind: "link" } }));
    expect(text).toContain("You already have one");
  });

  it("has a light and a dark style", async () => {
    const { html } = renderMail(await createJob());
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain("@media (prefers-color-scheme: dark)");
    expect(html.match(/<table/g)).toHaveLength(1);
  });
});

describe("the language of a mail", () => {
  const inDesign = { design: { texts: [{ language: "fr", title: "Carte café" }] } };

  it.each([
    ["de-AT", "de", "Deine Karte: Coffee card"],
    ["pt-BR", "pt", "O seu cartão: Coffee card"],
    ["es", "es", "Tu tarjeta: Coffee card"],
    ["zh-Hant-TW", "fr", "Votre carte : Carte café"],
    [null, "fr", "Votre carte : Carte café"],
  ])("requested as %s is %s", async (language, expected, subject) => {
    const mail = renderMail(await createJob(inDesign, { language }));
    expect(mail).toMatchObject({ language: expected, subject });
    expect(mail.html).toContain(`<html lang="${expected}" dir="ltr">`);
  });

  it("is English if neither the requested language nor the design's is supported", async () => {
    const design = { texts: [{ language: "it", title: "Carta caffè" }] };
    expect(renderMail(await createJob({ design }, { language: "ja" })).language).toBe("en");
  });
});

describe("text from customers and shops", () => {
  it("is escaped", async () => {
    const user = { name: "<script>alert(1)</script>" };
    const { html } = renderMail(await createJob({ name: '"><img src=x>', reward: "<b>&" }, { user }));
    expect(html).not.toContain("<script>");
    expect(html).not.toContain("<img src=x>");
    expect(html).toContain("Reward for a full card: &lt;b&gt;&amp;");
  });

  it("is stripped of line breaks", async () => {
    const user = { name: "Ada\r\nBcc: all@example.com" };
    const settings = { senderName: "A\r\nB", replyTo: null, footer: null, logo: null, language: null };
    const { subject, text, from } = renderMail(
      await createJob({ name: "Coffee\r\nX: y" }, { user: { name: "Ada\nL" }, settings }),
    );
    expect(subject).toBe("Your card: Coffee X: y");
    expect(from.name).toBe("A B");
    expect(text).toContain("Hello Ada L,");
    expect(renderMail(await createJob({}, { user })).text).toContain("Hello,\n");
  });

  it.each([
    "Win at https://evil.example",
    "evil.example",
    "www.evil.com/free",
    "evil。example",
    "evil．example",
    "evil｡example",
    "evil․com",
    "evil﹒com",
    "evil.\u200Bcom",
    "evil.com⁄free",
    "evil: call +1 (900) 55",
    "evil ٠٩٠٠ ١٢",
    "write@evil.com",
    "a".repeat(61),
    "\u202E",
    "",
  ])("isn't used as a greeting if it isn't a name: %s", async (name) => {
    const { text, html } = renderMail(await createJob({}, { user: { name } }));
    expect(text).toMatch(/^Hello,\n/);
    expect(text + html).not.toContain("evil");
  });

  it.each([
    ["Rita <b>Reader</b>", "Rita Reader"],
    ["<i>Rita</i><br/>", "Rita"],
    ["<a href='https://evil.example'>Rita</a>", "Rita"],
    ["Rita <rita@evil.example>", "Rita"],
    ["Rita < 3", "Rita < 3"],
    ["<!-- evil -->Rita", "Rita"],
  ])("is used in the greeting without its markup: %s", async (name, greeted) => {
    const { text, html } = renderMail(await createJob({}, { user: { name } }));
    expect(text).toContain(`Hello ${greeted},`);
    expect(text + html).not.toContain("evil");
  });

  it.each(["ev<b>il.exa</b>mple", "<b></b>", "evil<i>@</i>evil", "＜b＞evil＜/b＞"])(
    "isn't used as a name if its markup hides something else: %s",
    async (name) => {
      const { text, html } = renderMail(await createJob({}, { user: { name } }));
      expect(text).toMatch(/^Hello,\n/);
      expect(text + html).not.toContain("evil");
    },
  );

  it("keeps the order of each writing direction", async () => {
    const { text, subject } = renderMail(await createJob({ name: "בית קפה 24" }, { user: { name: "محمد" } }));
    expect(text).toMatch(/^Hello \u2068محمد\u2069,/);
    expect(subject).toBe("Your card: \u2068בית קפה 24\u2069");
  });

  it("never produces a mail of more than 100 kB, a further link, or a header of two lines", async () => {
    const job = await createJob();
    const texts = fc.string({ unit: "grapheme", maxLength: 150 });
    const hostile = fc.oneof(
      texts,
      fc
        .array(fc.constantFrom("http", "https", "://", "\r\n", "<a href='", ">", "&", '"', "\u202E", "x.y"))
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(
        hostile,
        hostile,
        hostile,
        fc.string({ unit: "grapheme", maxLength: 1_000 }),
        (name, card, reward, footer) => {
          const template = { ...job.pass.template, name: card, reward };
          const settings = {
            senderName: name,
            replyTo: null,
            footer: `${footer}${reward}`,
            logo: null,
            language: null,
          };
          const mail = renderMail({ ...job, user: { name }, pass: { template }, settings });
          expect(Buffer.byteLength(mail.html) + Buffer.byteLength(mail.text)).toBeLessThan(100_000);
          expect(findUrls(mail.text)).toEqual([url]);
          expect(findUrls(mail.html)).toEqual([url]);
          expect(mail.html.match(/<a /g)).toHaveLength(1);
          expect(`${mail.subject}${mail.from.name}`).not.toMatch(/\p{Cc}/u);
        },
      ),
      runs(200),
    );
  });
});
