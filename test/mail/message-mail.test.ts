import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MailIdentity } from "../../adapters/delivery/mail/mail-sender.js";
import { buildMessageMail, type MessageMailJob } from "../../adapters/delivery/mail/send-attempt.js";
import { buildPng, dataUrl } from "../cards/hostile-pictures.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { runs } from "../properties/runs.js";

const sender: MailIdentity = {
  publicUrl: "https://shop.example",
  from: { name: "Shop", address: "news@shop.example" },
  replyTo: null,
  bounceDomain: null,
  host: "shop.example",
};

const date = new Date("2026-01-01T10:00:00Z");
const cardUrl = "https://shop.example/c/Abc123?m=token";
const unsubscribeUrl = "https://shop.example/m/u/AbcAbcAbcAbce1-aaaaaaaaaaaaaaaaaaaaaa";

const job: MessageMailJob = {
  organizationId: "acme",
  delivery: { id: "mdl_1" },
  to: "ada@example.com",
  pass: null,
  settings: { senderName: null, replyTo: null, footer: null, logo: null, language: null },
  link: "/c/Abc123?m=token",
  unsubscribe: "/m/u/AbcAbcAbcAbce1-aaaaaaaaaaaaaaaaaaaaaa",
  message: {
    language: "en",
    subject: "Two coffees for one",
    text: "Hello Ada,\n\ncome by this week.",
    link: null,
    isTest: false,
  },
};

/** Creates a customer's card. */
async function createCard(template: object = {}) {
  const { acme } = openAcme();
  const { id } = await acme.templates.create({
    ...{ name: "Coffee card", type: "STAMP_CARD", maxStamps: 10 },
    ...template,
  });
  const { qrCodeValue } = await acme.passes.create(id, { user: { email: someEmail() } });
  return acme.passes.lookup(qrCodeValue);
}

const renderMail = (
  {
    message = {},
    ...more
  }: Partial<Omit<MessageMailJob, "message">> & { message?: Partial<MessageMailJob["message"]> },
  as: Partial<MailIdentity> = {},
) =>
  buildMessageMail({ ...job, ...more, message: { ...job.message, ...message } }, { ...sender, ...as }, date);

/** Returns the text of a page that people read. */
const toVisibleText = (html: string) =>
  html
    .slice(html.indexOf("<body"))
    .replaceAll(/<br>|<\/p>/g, "\n")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

const listHrefs = (html: string) =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));

describe("the mail of a message", () => {
  it("contains the shop's text, the reason why it was sent, and how to unsubscribe, in both parts", async () => {
    const settings = {
      senderName: "Café Müller",
      replyTo: null,
      footer: "Café Müller GmbH\nMain Street 1",
      logo: null,
      language: null,
    };
    const { text, html, subject, from } = renderMail({ pass: await createCard(), settings });
    expect(text).toBe(`Hello Ada,

come by this week.

Open your card
${cardUrl}

Café Müller GmbH
Main Street 1

You’re getting this email because you signed up for news by email.
Unsubscribe: ${unsubscribeUrl}
`);
    for (const line of [
      "Hello Ada,",
      "come by this week.",
      "Main Street 1",
      "signed up for news",
      "Unsubscribe",
    ])
      expect(toVisibleText(html)).toContain(line);
    expect(listHrefs(html)).toEqual([cardUrl, unsubscribeUrl]);
    expect([subject, from.name]).toEqual(["Two coffees for one", "Café Müller"]);
  });

  it("links to the message's link instead of the card", async () => {
    const link = "https://shop.example/menu?week=1&day=2";
    const { text, html } = renderMail({ pass: await createCard(), message: { link } });
    expect(text).toContain(`Learn more\n${link}\n`);
    expect(listHrefs(html)).toEqual([link, unsubscribeUrl]);
  });

  it("has no button if there is neither a link nor a card", () => {
    const { text, html } = renderMail({});
    expect(listHrefs(html)).toEqual([unsubscribeUrl]);
    expect(text).not.toContain("Open your card");
  });

  it("can be unsubscribed from with one click, has the List-Id of its organization, and suppresses auto-replies", () => {
    const { headers } = renderMail({});
    expect(headers).toEqual({
      "List-Unsubscribe": `<${unsubscribeUrl}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "List-Id": expect.stringMatching(/^<[0-9a-f]{24}\.messages\.shop\.example>$/),
      Precedence: "bulk",
      "X-Auto-Response-Suppress": "All",
    });
    const getListId = (organizationId: string) => renderMail({ organizationId }).headers["List-Id"];
    expect(getListId("acme")).toBe(headers["List-Id"]);
    expect(getListId("other")).not.toBe(headers["List-Id"]);
  });

  it("has the same Message-ID at each attempt, and a bounce address of its own delivery", () => {
    const { messageId, envelope } = renderMail({}, { bounceDomain: "bounces.example" });
    expect(messageId).toBe("<mdl_1@shop.example>");
    expect(envelope).toEqual({ from: "bounce+mdl_1@bounces.example", to: "ada@example.com" });
  });

  it("is marked as a test if it is one, with all headers of the message", () => {
    const { subject, text, headers } = renderMail({ message: { isTest: true } });
    expect(subject).toBe("[Test] Two coffees for one");
    expect(text).toContain("This is a test email, sent only to you.");
    expect(text).not.toContain("agreed");
    expect(headers).toEqual(renderMail({}).headers);
  });

  it("has the card design's colors, its logo by URL if the server has pictures, and light and dark styles", async () => {
    const design = { backgroundColor: "#7C2D12", foregroundColor: "#FFEDD5", logo: dataUrl(buildPng()) };
    const pass = await createCard({ design });
    const { html } = renderMail({ pass });
    expect(html.match(/background:#7C2D12;color:#FFEDD5/g)).toHaveLength(2);
    expect(html).toContain(`<img src="https://shop.example/j/pictures/${pass.template.design?.logo}"`);
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain("@media (prefers-color-scheme: dark)");
    expect(html.match(/<table/g)).toHaveLength(1);
  });

  it.each([
    ["de-AT", "de", "weil du dich für Neuigkeiten", "Abmelden"],
    ["fr", "fr", "parce que vous avez accepté", "Se désabonner"],
    ["es-MX", "es", "porque te suscribiste", "Darse de baja"],
    ["pt-BR", "pt", "porque subscreveu", "Cancelar"],
    ["ja", "en", "because you signed up", "Unsubscribe"],
  ])(
    "uses the language of its text if it has words in that language: %s",
    (language, own, why, unsubscribe) => {
      const mail = renderMail({ message: { language } });
      expect(mail.language).toBe(language);
      expect(mail.html).toContain(`<div lang="${language}">`);
      expect(mail.html).toContain(`<html lang="${own}"`);
      for (const part of [mail.text, toVisibleText(mail.html)]) {
        expect(part).toContain(why);
        expect(part).toContain(unsubscribe);
      }
    },
  );

  it("uses the design's first language if it has no words in the language of the text", async () => {
    const pass = await createCard({ design: { texts: [{ language: "de", title: "Kaffeekarte" }] } });
    expect(renderMail({ pass, message: { language: "ja" } }).html).toContain('<html lang="de"');
  });
});

describe("the text of a message", () => {
  const listTextLinks = (text: string) => listHrefs(renderMail({ message: { text } }).html).slice(0, -1);

  it.each([
    ["See https://shop.example/a?b=1&c=2.", ["https://shop.example/a?b=1&c=2"]],
    ["(https://shop.example/a_(b))", ["https://shop.example/a_(b)"]],
    [
      "„https://shop.example“, and HTTP://Shop.example/x!",
      ["https://shop.example/", "http://shop.example/x"],
    ],
    ["https://a.example\nhttps://b.example", ["https://a.example/", "https://b.example/"]],
    ["https://caffè.example/è", ["https://xn--caff-8oa.example/%C3%A8"]],
    ["javascript:alert(1) data:text/html,x ftp://a.example mailto:a@b.example www.a.example", []],
    ["https:// http:/a https://[ https://:80", []],
    ["xhttps://a.example", []],
    ["<https://a.example>", ["https://a.example/"]],
  ])("has links only for its http(s) URLs: %j", (text, links) => {
    expect(listTextLinks(text)).toEqual(links);
  });

  it("retains its paragraphs and lines", () => {
    const { html, text } = renderMail({ message: { text: "One\r\nTwo\n \n\nThree\u2028Four\tFive" } });
    expect(html.match(/<p dir="auto"[^>]*>.*?<\/p>/gs)?.map((each) => each.replace(/^<p[^>]*>/, ""))).toEqual(
      ["One<br>Two</p>", "Three<br>Four Five</p>"],
    );
    expect(text).toMatch(/^One\nTwo\n \n\nThree\nFour Five\n\n/);
  });

  it("is shown as text, whatever markup it contains", () => {
    const { html } = renderMail({
      message: { text: `a < b & "c" <script>alert(1)</script> https://a.example/"onclick='x'` },
    });
    expect(html).not.toContain("<script>");
    expect(toVisibleText(html)).toContain(
      `a < b & "c" <script>alert(1)</script> https://a.example/"onclick='x'`,
    );
    expect(listHrefs(html)[0]).toBe("https://a.example/");
  });

  it("is written from right to left in scripts that require it, beside the mail's own words", () => {
    const { html } = renderMail({ message: { language: "he", subject: "קפה", text: "שלום\n\nHello" } });
    expect(html).toContain('<html lang="en" dir="ltr">');
    expect(html.match(/<p dir="auto"/g)).toHaveLength(2);
    expect(html).toMatch(/<h1 lang="he" dir="auto"[^>]*><span dir="auto">קפה</);
  });

  it("appears below the shop's name as the headline, or below the subject if the shop has no name", () => {
    const findHeadline = (html: string) => /<h1 lang="(.*?)".*?<span dir="auto">(.*?)</.exec(html)?.slice(1);
    const message = { language: "he", subject: "Two for one" };
    const settings = { ...job.settings, senderName: "Maria\u202e’s Café" };
    const { html, subject } = renderMail({ settings, message });
    expect([subject, findHeadline(html)]).toEqual(["Two for one", ["en", "Maria’s Café"]]);
    expect(html.match(/Two for one/g)).toHaveLength(1);
    expect(findHeadline(renderMail({ message }).html)).toEqual(["he", "Two for one"]);
  });

  it("of 8,000 characters that look like the end of a URL is processed without delay", () => {
    for (const end of [")", "(", ").", "]", "https://a)"])
      expect(listTextLinks(`https://a.example/${end.repeat(8_000 / end.length)}`).length).toBeGreaterThan(0);
  });

  it("adds no header, no further link and no markup, for arbitrary input", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc
        .array(
          fc.constantFrom(
            ...[
              "https://",
              "http://a.example",
              "javascript:",
              "\r\nBcc: x@y.example",
              "\r\n\r\n",
              "<a href='",
              ">",
            ],
            ...[
              "<img src=x onerror=1>",
              "&amp;",
              '"',
              "\u202E",
              "\0",
              "\u2028",
              "(",
              ")",
              "}",
              "]]>",
              "<!--",
              "\ud800",
            ],
          ),
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (subject, text, senderName, footer) => {
        const mail = renderMail({
          message: { subject, text },
          settings: { senderName, replyTo: null, footer, logo: null, language: null },
        });
        expect(`${mail.subject}${mail.from.name}`).not.toMatch(/[\p{Cc}\u2028\u2029\u202E]/u);
        expect(mail.headers).toEqual(renderMail({}).headers);
        const hrefs = listHrefs(mail.html);
        expect(hrefs.at(-1)).toBe(unsubscribeUrl);
        for (const href of hrefs) expect(href).toMatch(/^https?:\/\/[!#-;=?-~]+$/);
        const tags = mail.html.slice(mail.html.indexOf("<body")).match(/<[^>]*>/g) ?? [];
        for (const tag of tags)
          expect(tag).toMatch(/^<\/?(?:body|table|tr|td|p|a|h1|span|br|html|div)(?: [a-z]+="[^"<>]*")*>$/);
      }),
      runs(200),
    );
  });
});
