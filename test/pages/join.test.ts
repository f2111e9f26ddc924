import { createHash } from "node:crypto";
import type { ExistingCustomer } from "loyalty-kit/pages";
import { describe, expect, it } from "vitest";
import { drawCard } from "../../adapters/delivery/wallets/card-picture.js";
import { createSolidPng } from "../../adapters/delivery/wallets/solid-png.js";
import { encodeJoinCode } from "../../src/base/values/short-link.js";
import { openShop } from "./shop.js";

const ada = { name: "Ada", email: "ada@example.com" };

describe("the sign-up page", () => {
  it("asks for an email or a phone in one field, and says what its button agrees to, in the browser's language", async () => {
    const { card, get } = await openShop();
    const text = await (await get(`/join/${card.id}`, { "accept-language": "de" })).text();
    for (const expectedText of [
      "Hol dir deine Karte: Coffee",
      "E-Mail oder Telefonnummer",
      "einverstanden",
      "<details>\n<summary>Weitere Angaben</summary>",
    ]) {
      expect(text).toContain(expectedText);
    }
    const fields = [...(text.split("<details>")[0]?.matchAll(/<input id="(\w+)"/g) ?? [])];
    expect(fields.map(([, name]) => name)).toEqual(["contact"]);
    expect((await get("/join/tpl_unknown")).status).toBe(404);
  });

  it("leads to the card, and stores what was agreed to and when", async () => {
    const { acme, clock, join, getCode, get } = await openShop();
    const answer = await join(ada, { "accept-language": "fr" });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^\/loyalty\/c\/[0-9A-Za-z]{12}$/),
    ]);
    expect(await (await get(`/c/${getCode(answer)}`)).text()).toContain("Coffee");
    const { content } = await acme.contacts.list();
    const user = await acme.users.get(content[0]?.id ?? "");
    expect(user).toMatchObject({ name: "Ada", email: "ada@example.com" });
    expect(user.metadata.join).toMatchObject({
      consent: expect.stringContaining("vous acceptez"),
      consentedAt: new Date(clock.read()).toISOString(),
      language: "fr",
    });
  });

  it("accepts an email without a name, and then stores no name", async () => {
    const { acme, join } = await openShop();
    expect((await join({ email: " ada@example.com " })).status).toBe(303);
    expect((await acme.contacts.list()).content).toMatchObject([
      { email: "ada@example.com", name: null, phone: null },
    ]);
  });

  it("accepts a phone number instead of an email", async () => {
    const { acme, join } = await openShop();
    expect((await join({ name: "Bo", phone: "+49 30 123456" })).status).toBe(303);
    const { content } = await acme.contacts.list();
    expect(content).toMatchObject([{ phone: "+49 30 123456", email: null }]);
  });

  it.each([
    ["(555) 123-4567", "(555) 123-4567"],
    ["(030) 123456", "(030) 123456"],
    ["030/123456", "030/123456"],
    ["06.12.34.56.78", "06.12.34.56.78"],
    ["+49(0)30 123456", "+49(0)30 123456"],
    ["(+49) 30 123456", "(+49) 30 123456"],
    ["\u202A+49 30\u00A0123456\u202C", "+49 30 123456"],
    ["\u200E0049\u00AD30\u20111234\uFEFF56", "004930-123456"],
    ["٠٣٠ ١٢٣٤٥٦", "030 123456"],
    ["＋８１（０３）１２３４−５６７８", "+81(03)1234-5678"],
    ["۰۲۱-۱۲۳۴۵۶۷۸", "021-12345678"],
    ["+49 (0) 30 / 123 456 - 78", "+493012345678"],
  ])("accepts the phone number %j as people type it", async (typed, phone) => {
    const { acme, join } = await openShop();
    expect((await join({ name: "Bo", phone: typed })).status).toBe(303);
    expect((await acme.contacts.list()).content).toMatchObject([{ phone }]);
  });

  it.each(["1234", "+", "()", "030 123 x4", "1+2345678", "½ 12345678", "1".repeat(18)])(
    "refuses %j, which is not a phone number",
    async (phone) => {
      const { acme, join } = await openShop();
      const answer = await join({ name: "Bo", phone });
      expect(answer.status).toBe(422);
      expect(await answer.text()).toContain("Enter a valid phone number.");
      expect((await acme.contacts.list()).totalElements).toBe(0);
    },
  );

  it("stores no email for a customer without one, and returns and emits none", async () => {
    const { acme, join, getCode } = await openShop();
    const { id } = await acme.users.create(ada);
    const phone = getCode(await join({ name: "Bo", phone: "+49 30 123456" }));
    const existingCode = getCode(await join({ ...ada, name: "Eve" }));
    for (const code of [phone, existingCode]) {
      const { userId } = await acme.passes.lookup(code);
      const user = await acme.users.get(userId);
      expect(user.email).toBe(null);
      expect((await acme.users.dossier(userId)).user).toEqual(user);
      expect((await acme.contacts.list({ ids: [userId] })).content).toMatchObject([{ email: null }]);
      const created = (await acme.events.list()).content.filter(({ type }) => type === "user.created");
      expect(created).toContainEqual(expect.objectContaining({ data: user }));
      await acme.users.erase(userId);
    }
    expect((await acme.users.get(id)).email).toBe(ada.email);
  });

  it("answers a known email like an unknown one, with a card that reveals nothing about the existing customer", async () => {
    const notifiedCustomers: ExistingCustomer[] = [];
    const { acme, card, join, getCode, get } = await openShop({
      sendLink: (customer) => void notifiedCustomers.push(customer),
    });
    const existingPass = await acme.passes.create(card.id, { user: { ...ada, name: "The real Ada" } });
    await acme.stamps.add(existingPass.id, { count: 3 });
    const describeResponse = (answer: Response) => [
      answer.status,
      answer.headers.get("location")?.replace(/\w{12}$/, ""),
      [...answer.headers.keys()],
    ];
    const again = await join({ name: "Eve", email: "ADA@example.com" });
    const fresh = await join({ name: "Eve", email: "eve@example.com" });
    expect(describeResponse(again)).toEqual(describeResponse(fresh));
    const loadPage = (code: string) => get(`/c/${code}`).then((answer) => answer.text());
    expect(await loadPage(getCode(again))).toContain("0 of 5 stamps");
    const pass = await acme.passes.lookup(getCode(again));
    expect(pass.userId).not.toBe(existingPass.userId);
    expect((await acme.users.get(existingPass.userId)).name).toBe("The real Ada");
    await expect.poll(() => notifiedCustomers).toHaveLength(1);
    expect(notifiedCustomers).toMatchObject([
      { user: { id: existingPass.userId }, links: [existingPass.qrCodeValue], language: "en" },
    ]);
  });

  it.each([
    ["ada@münchen.example", "ADA@xn--mnchen-3ya.example"],
    ["ada@xn--mnchen-3ya.example", "ada@MÜNCHEN.example"],
  ])("recognizes %s by %s", async (email, typed) => {
    const notifiedCustomers: ExistingCustomer[] = [];
    const { acme, join } = await openShop({ sendLink: (customer) => void notifiedCustomers.push(customer) });
    const { id } = await acme.users.create({ email });
    expect((await join({ name: "Ada", email: typed })).status).toBe(303);
    await expect.poll(() => notifiedCustomers).toHaveLength(1);
    expect(notifiedCustomers).toMatchObject([{ user: { id, email } }]);
  });

  it("creates one card for a form that is sent twice", async () => {
    const { acme, join, getCode } = await openShop();
    const key = "k".repeat(24);
    const answers = [await join({ ...ada, key }), await join({ ...ada, key })];
    expect(getCode(answers[0] ?? Response.error())).toBe(getCode(answers[1] ?? Response.error()));
    expect((await acme.contacts.list()).totalElements).toBe(1);
    expect((await join({ name: "Bo", email: "bo@example.com", key })).status).toBe(409);
  });

  it.each([
    [{ email: "Ada" }, "Enter an email address or a phone number."],
    [{ name: "Ada", email: "" }, "Enter an email address or a phone number."],
    [{ name: "Ada", email: "ada@example" }, "Enter a valid email address."],
    [{ name: "Ada", email: "a b@example.com" }, "Enter a valid email address."],
    [{ name: "Ada", email: "ä@example.com" }, "Enter a valid email address."],
    [{ name: "Ada", phone: "030 none" }, "Enter a valid phone number."],
    [{ name: "A".repeat(151), email: "ada@example.com" }, "This is too long."],
  ])("shows at the field what is wrong with %j, and keeps the input", async (fields, expectedText) => {
    const { acme, join } = await openShop();
    const answer = await join(fields);
    const text = await answer.text();
    expect(answer.status).toBe(422);
    expect(text).toContain(expectedText);
    for (const value of Object.values(fields))
      if (value !== "yes" && value !== "") expect(text).toContain(`value="${value}"`);
    expect((await acme.contacts.list()).totalElements).toBe(0);
  });

  it("allows a limited number of sign-ups from one address, and doesn't limit others by it", async () => {
    const { join, clock } = await openShop({ joinLimit: { requests: 2, seconds: 60 } });
    const joinFrom = (at: number, address: string) =>
      join({ name: "A", email: `a${at}@example.com` }, { "x-address": address });
    const statuses = [];
    for (let at = 0; at < 3; at += 1) statuses.push((await joinFrom(at, "2001:db8::1")).status);
    expect(statuses).toEqual([303, 303, 429]);
    const response = await joinFrom(3, "2001:db8::2");
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await response.text()).toContain('value="a3@example.com"');
    expect((await joinFrom(4, "192.0.2.9")).status).toBe(303);
    clock.move(60_000);
    expect((await joinFrom(5, "2001:db8::1")).status).toBe(303);
  });

  it("refuses a form from another site", async () => {
    const { acme, join } = await openShop();
    expect((await join(ada, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await acme.contacts.list()).totalElements).toBe(0);
  });
});

describe("the short sign-up link", () => {
  it("shows the form of its template, and accepts it", async () => {
    const { acme, card, get, send } = await openShop();
    const path = `/j/${encodeJoinCode(card.id)}`;
    expect(await (await get(path)).text()).toContain("Get your card: Coffee");
    const body = new URLSearchParams({ contact: ada.email });
    expect((await send(path, { body })).status).toBe(303);
    expect((await acme.contacts.list()).totalElements).toBe(1);
    const limitedShop = await openShop({ joinLimit: { requests: 1, seconds: 60 } });
    const short = `/j/${encodeJoinCode(limitedShop.card.id)}`;
    expect((await limitedShop.join(ada, { "x-address": "" })).status).toBe(303);
    expect((await limitedShop.send(short, { body })).status).toBe(429);
  });

  it("is not found for the code of no template, of a deleted template, or for an invalid code", async () => {
    const { acme, card, get, send } = await openShop();
    await acme.templates.delete(card.id);
    for (const code of [
      encodeJoinCode(card.id),
      "0".repeat(21),
      "z".repeat(21),
      "x".repeat(5_000),
      card.id,
      "pictures",
    ])
      expect([(await get(`/j/${code}`)).status, (await send(`/j/${code}`)).status]).toEqual([404, 404]);
    const strange = await openShop();
    expect((await strange.get(`/j/${encodeJoinCode(card.id)}`)).status).toBe(404);
  });
});

describe("the card picture on the sign-up page", () => {
  it("is the same as in the console and on the card page, with the shop's name", async () => {
    const { acme, card, get } = await openShop();
    await acme.messageSettings.update({ senderName: "Ada & Töchter" });
    const template = await acme.templates.update(card.id, {
      reward: "A cake",
      design: { backgroundColor: "#3B2417" },
    });
    const state = { maxStamps: 5, currentStamps: 0, rewardsAvailable: 0 };
    const none = { logo: null, strip: null, filled: null, empty: null };
    const { svg } = drawCard(template, state, none, "en");
    const text = await (await get(`/join/${card.id}`)).text();
    expect(text).toContain(svg);
    expect(text).toContain("Ada &amp; Töchter");
    const pass = await acme.passes.create(card.id, { user: ada });
    expect(await (await get(`/c/${pass.qrCodeValue.split("/").at(-1)}`)).text()).toContain(svg);
  });

  it("gives the page its colors if they are readable, and the policy forbids every other style", async () => {
    const { acme, card, get } = await openShop();
    const readPage = async (backgroundColor: string, foregroundColor: string) => {
      await acme.templates.update(card.id, { design: { backgroundColor, foregroundColor } });
      const pass = await acme.passes.create(card.id, { user: { email: `${backgroundColor}@example.com` } });
      const pages = [`/join/${card.id}`, `/c/${pass.qrCodeValue.split("/").at(-1)}`].map(async (path) => {
        const page = await get(path);
        const [, style] = /<style>(:root\{--accent[^<]*)<\/style>/.exec(await page.text()) ?? [];
        const hash = createHash("sha256")
          .update(style ?? "")
          .digest("base64");
        const isAllowed = page.headers.get("content-security-policy")?.includes(`'sha256-${hash}'`);
        return [style, isAllowed];
      });
      return Promise.all(pages);
    };
    const dark = [":root{--accent:#3B2417;--accent-ink:#FFF6EA}", true];
    expect(await readPage("#3B2417", "#FFF6EA")).toEqual([dark, dark]);
    const light = [":root{--accent:#7A1141;--accent-ink:#FFE1EC}", true];
    expect(await readPage("#FFE1EC", "#7A1141")).toEqual([light, light]);
    expect(await readPage("#777777", "#888888")).toEqual([
      [undefined, false],
      [undefined, false],
    ]);
  });

  it("is below the shop's name and logo, as on the card page, in the shop's language if the browser's isn't supported", async () => {
    const { acme, card, get } = await openShop();
    const picture = `data:image/png;base64,${Buffer.from(createSolidPng(60, "#AA2200")).toString("base64")}`;
    await acme.messageSettings.update({ senderName: "The sender of mails" });
    const { logo } = await acme.settings.update({ name: "Ada & Töchter", logo: picture, language: "de-AT" });
    const pass = await acme.passes.create(card.id, { user: ada });
    for (const path of [`/join/${card.id}`, `/c/${pass.qrCodeValue.split("/").at(-1)}`]) {
      const text = await (await get(path, { "accept-language": "ja" })).text();
      expect(text).toContain('<html lang="de"');
      expect(text).toContain('<p class="shop"><bdi>Ada &amp; Töchter</bdi></p>');
      expect(text).toContain(`<img class="shop-logo" src="/loyalty/j/pictures/${logo}" alt="">`);
      expect(text).toContain(`<link rel="icon" href="/loyalty/j/pictures/${logo}">`);
      expect(text).not.toContain("The sender of mails");
      expect(await (await get(path, { "accept-language": "fr" })).text()).toContain('<html lang="fr"');
    }
    expect((await get(`/j/pictures/${logo}`)).status).toBe(200);
  });

  it("uses pictures from the pages, which are cached forever and served to anyone who knows their URLs", async () => {
    const { acme, card, get } = await openShop();
    const logo = `data:image/png;base64,${Buffer.from(createSolidPng(60, "#AA2200")).toString("base64")}`;
    const { design } = await acme.templates.update(card.id, { design: { logo } });
    const page = await get(`/join/${card.id}`);
    expect(page.headers.get("content-security-policy")).toContain("img-src data: 'self';");
    const text = await page.text();
    expect(text).toMatch(new RegExp(`<image [^>]*href="/loyalty/j/pictures/${design?.logo}"`));
    expect(text).toContain(`<link rel="icon" href="/loyalty/j/pictures/${design?.logo}">`);
    const picture = await get(`/j/pictures/${design?.logo}`);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(picture.headers.get("cache-control")).toContain("immutable");
    for (const other of ["0".repeat(64), "x", `${design?.logo}/x`, "..%2f", "%00"])
      expect((await get(`/j/pictures/${other}`)).status).toBe(404);
  });
});

describe("a phone that remembers a card", () => {
  /** Returns the value and the attributes of the card cookie in a response. */
  const getCookie = (answer: Response) => {
    const [, value = "", rest = ""] =
      /^loyalty-card=(\w*); (.*)$/.exec(answer.headers.get("set-cookie") ?? "") ?? [];
    return { value, rest };
  };

  it("is one whose owner asked for it, and shows only the link to the card", async () => {
    const { acme, card, get, join, getCode } = await openShop();
    expect((await join(ada)).headers.get("set-cookie")).toBe(null);
    const answer = await join(
      { name: "Quentin", email: "bo@example.com", remember: "on" },
      { origin: "https://shop.example" },
    );
    const { value, rest } = getCookie(answer);
    expect(value).toBe(getCode(answer));
    expect(rest).toBe(`Path=/loyalty/join/${card.id}; Max-Age=31536000; Secure; HttpOnly; SameSite=Lax`);
    const pass = await acme.passes.lookup(value);
    await acme.stamps.add(pass.id, { count: 3 });
    const text = await (await get(`/join/${card.id}`, { cookie: `loyalty-card=${value}` })).text();
    expect(text).toContain(`href="/loyalty/c/${value}"`);
    for (const hidden of ["Quentin", "bo@example.com", "3 of 5", "3 / 5"]) expect(text).not.toContain(hidden);
  });

  it("forgets it on request, but not through a form from another site", async () => {
    const { card, get, join } = await openShop();
    const { value } = getCookie(await join({ ...ada, remember: "on" }));
    const cookie = `loyalty-card=${value}`;
    const strange = await join({ forget: "on" }, { cookie, "sec-fetch-site": "cross-site" });
    expect([strange.status, strange.headers.get("set-cookie")]).toEqual([403, null]);
    const forgotten = await join({ forget: "on" }, { cookie });
    expect([forgotten.status, forgotten.headers.get("location")]).toEqual([303, `/loyalty/join/${card.id}`]);
    expect(getCookie(forgotten).rest).toContain("Max-Age=0");
    expect(await (await get(`/join/${card.id}`)).text()).not.toContain(value);
  });

  it("forgets the card of an erased customer, a revoked card, and any card that isn't of this template", async () => {
    const { acme, card, get, join, loyalty } = await openShop();
    const { value } = getCookie(await join({ ...ada, remember: "on" }));
    await acme.users.erase((await acme.passes.lookup(value)).userId);
    const other = await acme.templates.create({ name: "Tea", type: "LOYALTY_CARD" });
    const elsewhere = loyalty.organization("other");
    const strange = await elsewhere.templates.create({ name: "Coffee", type: "LOYALTY_CARD" });
    const codes = [value, "neverGiven12"];
    for (const [shop, { id }] of [
      [acme, other],
      [elsewhere, strange],
    ] as const)
      codes.push(
        (await shop.passes.create(id, { user: { email: "eve@example.com" } })).qrCodeValue.slice(-12),
      );
    for (const code of codes) {
      const page = await get(`/join/${card.id}`, { cookie: `loyalty-card=${code}` });
      expect(page.status).toBe(200);
      expect(getCookie(page).rest).toContain("Max-Age=0");
      expect(await page.text()).not.toContain(code);
    }
    for (const code of ["", "x".repeat(10_000), "a/../../b123", `${value}; loyalty-card=${value}`])
      expect(await (await get(`/join/${card.id}`, { cookie: `loyalty-card=${code}` })).text()).not.toContain(
        "/c/",
      );
  });
});
