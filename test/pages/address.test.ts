import { describe, expect, it } from "vitest";
import { openShop } from "./shop.js";

/** Opens a shop with a customer who signed up and checked the news box, and returns the link in their mail. */
async function openMailed(options: Parameters<typeof openShop>[0] = {}) {
  const shop = await openShop({ sendsMail: true, ...options });
  const { acme, join, getCode, listMails } = shop;
  const code = getCode(await join({ name: "Ada", email: "ada@example.com", news: "on" }));
  const { id: passId, userId } = await acme.passes.lookup(code);
  const [job] = await listMails();
  const link = job?.link ?? "";
  const token = link.slice(link.indexOf("?m=") + 3);
  return {
    ...shop,
    code,
    passId,
    userId,
    link,
    token,
    getSubscription: () => acme.subscriptions.get(userId),
  };
}

const isMine = "Confirm my email address";
const sendNews = "Yes, send me news";
const noMore = "Don’t email me again";
const createAnswer = (answer: string) => ({ body: new URLSearchParams({ answer }) });

describe("the card page that a mail links to", () => {
  it("asks about the address, unlike the page without the mail's token", async () => {
    const { code, link, token, get } = await openMailed();
    expect(link).toBe(`/c/${code}?m=${token}`);
    const text = await (await get(link)).text();
    expect(text).toContain("0 of 5 stamps");
    for (const expectedText of [sendNews, noMore, `action="/loyalty/m/c/${token}"`])
      expect(text).toContain(expectedText);
    expect(text.match(/(?<=name="answer" value=")\w+/g)).toEqual(["confirm", "refuse"]);
    const bare = await (await get(`/c/${code}`)).text();
    for (const hidden of [sendNews, isMine, noMore, "<form", "received this link"])
      expect(bare).not.toContain(hidden);
  });

  it("asks above the card to confirm requested news, or else below it to confirm the address", async () => {
    const { link, join, listMails, get } = await openMailed();
    const text = await (await get(link)).text();
    expect(text).not.toContain(isMine);
    expect(text.indexOf(sendNews)).toBeLessThan(text.indexOf("0 of 5 stamps"));
    // The mail has the same button, so the page says why it is pressed again.
    expect(text.slice(0, text.indexOf(sendNews))).toContain("some mail programs open links by themselves");
    await join({ name: "Bo", email: "bo@example.com" });
    const [job] = await listMails();
    const withoutNews = await (await get(job?.link ?? "")).text();
    expect(withoutNews).not.toContain(sendNews);
    expect(withoutNews.indexOf(isMine)).toBeGreaterThan(withoutNews.indexOf("0 of 5 stamps"));
  });

  it("doesn't ask with an invalid token, or with a token of another customer or another link", async () => {
    const { acme, card, code, userId, token, createToken, get } = await openMailed();
    const bob = await acme.passes.create(card.id, { user: { email: "bob@example.com" } });
    const bare = await (await get(`/c/${code}`)).text();
    const others = [
      ...[
        await createToken(bob.userId, "confirm"),
        await createToken(userId, "email"),
        await createToken(userId, "wallet"),
      ],
      ...["", "x", "%00", "é", "a".repeat(5_000), `${token}A`, token.slice(0, -1)],
    ];
    for (const other of others) expect(await (await get(`/c/${code}?m=${other}`)).text(), other).toBe(bare);
  });

  it("asks only what is still unanswered", async () => {
    const { link, token, get, send } = await openMailed();
    await send(`/m/c/${token}`, createAnswer("confirm"));
    const confirmed = await (await get(link)).text();
    expect([confirmed.includes(sendNews), confirmed.includes(isMine), confirmed.includes(noMore)]).toEqual([
      false,
      false,
      true,
    ]);
    await send(`/m/c/${token}`, createAnswer("refuse"));
    expect(await (await get(link)).text()).not.toContain("<form");
  });

  it("doesn't ask to confirm an address that someone else has typed", async () => {
    const {
      acme,
      clock,
      userId,
      join,
      listMails,
      get,
      send,
      getSubscription: subscription,
    } = await openMailed();
    clock.move(3_600_000);
    await join({ name: "Eve", email: "ADA@example.com", news: "on" });
    const [job] = await listMails();
    expect(job).toMatchObject({ to: "ada@example.com", delivery: { kind: "link", userId } });
    const text = await (await get(job?.link ?? "")).text();
    for (const hidden of [isMine, sendNews]) expect(text).not.toContain(hidden);
    expect(text).toContain(noMore);
    const token = job?.link.split("?m=")[1] ?? "";
    expect((await send(`/m/c/${token}`, createAnswer("confirm"))).status).toBe(404);
    expect((await subscription()).emailConfirmedAt).toBeNull();
    expect((await send(`/m/c/${token}`, createAnswer("refuse"))).status).toBe(200);
    expect((await acme.subscriptions.get(userId)).suppressed).toMatchObject({ reason: "complained" });
  });
});

describe("a customer who follows the link in a mail", () => {
  it("confirms the address, and any requested news with it", async () => {
    const { clock, code, token, send, getSubscription: subscription } = await openMailed();
    expect(await subscription()).toMatchObject({ email: { status: "PENDING" }, emailConfirmedAt: null });
    const response = await send(`/m/c/${token}`, { body: new URLSearchParams({ answer: "confirm", code }) });
    const text = await response.text();
    expect([
      response.status,
      response.headers.get("cache-control"),
      response.headers.has("set-cookie"),
    ]).toEqual([200, "no-store", false]);
    expect(text).toContain("Thank you");
    expect(text).toContain(`href="/loyalty/c/${code}?m=${token}"`);
    expect(await subscription()).toMatchObject({
      email: { status: "SUBSCRIBED", source: "join" },
      emailConfirmedAt: new Date(clock.read()).toISOString(),
    });
  });

  it("reads on a page in the shop's design that news will come, once it is confirmed", async () => {
    const { acme, card, code, token, send } = await openMailed();
    await acme.settings.update({ name: "Café Ada" });
    await acme.templates.update(card.id, {
      design: { backgroundColor: "#3B2417", foregroundColor: "#FFF6EA" },
    });
    const text = await (await send(`/m/c/${token}`, createAnswer("confirm"))).text();
    expect(text).toContain('<p class="shop"><bdi>Café Ada</bdi></p>');
    expect(text).toContain("--accent:#3B2417");
    expect(text.replaceAll(/[\u2068\u2069]/g, "")).toContain("You’ll now get news by email from Café Ada.");
    const refused = await send(`/m/c/${token}`, {
      body: new URLSearchParams({ answer: "refuse", code }),
    });
    expect(await refused.text()).not.toContain("You’ll now get news");
  });

  it("stops mails to the address", async () => {
    const { token, send, getSubscription: subscription } = await openMailed();
    const response = await send(`/m/c/${token}`, createAnswer("refuse"));
    expect([response.status, (await response.text()).includes("We won’t email you again")]).toEqual([
      200,
      true,
    ]);
    expect((await subscription()).suppressed).toMatchObject({ reason: "complained" });
  });

  it("does either from any site that the form is sent from, and again without a change", async () => {
    const { clock, token, send, getSubscription: subscription } = await openMailed();
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await send(`/m/c/${token}`, { ...createAnswer("confirm"), headers })).status).toBe(200);
    const before = await subscription();
    clock.move(60_000);
    expect((await send(`/m/c/${token}`, createAnswer("confirm"))).status).toBe(200);
    expect(await subscription()).toEqual(before);
  });

  it.each<[string, RequestInit]>([
    ["nothing", {}],
    ["a one-click unsubscribe", { body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) }],
    ["another answer", createAnswer("CONFIRM")],
    ["an empty answer", createAnswer("")],
    [
      "a body that isn't a form",
      { body: '{"answer":"confirm"}', headers: { "content-type": "application/json" } },
    ],
    ["multipart data without a boundary", { body: "x", headers: { "content-type": "multipart/form-data" } }],
    ["bytes that aren't text", { body: Uint8Array.of(0xff, 0, 0xfe) }],
    [
      "a body over the size limit",
      { body: new URLSearchParams({ x: "x".repeat(100_000), answer: "confirm" }) },
    ],
  ])("changes nothing with a form that says neither, and sees the forms again: %s", async (_, init) => {
    const { token, send, getSubscription: subscription } = await openMailed();
    const before = await subscription();
    const response = await send(`/m/c/${token}`, init);
    const text = await response.text();
    expect([response.status, text.includes(isMine), text.includes(noMore)]).toEqual([200, true, true]);
    expect(await subscription()).toEqual(before);
  });

  it("can return to the card after a form that said neither", async () => {
    const { token, code, send } = await openMailed();
    const response = await send(`/m/c/${token}`, { body: new URLSearchParams({ code }) });
    expect(await response.text()).toContain(`name="code" value="${code}"`);
  });

  it.each(["客1", "AB.12", "it's;a=b", '"><script>'])(
    "can return to a card with the code %s of another program",
    async (code) => {
      const { token, send } = await openMailed();
      const response = await send(`/m/c/${token}`, {
        body: new URLSearchParams({ answer: "confirm", code }),
      });
      const [, path = ""] = /href="\/loyalty\/c\/([^"]*)\?m=/.exec(await response.text()) ?? [];
      expect(decodeURIComponent(path.replaceAll("&#39;", "'"))).toBe(code);
    },
  );

  it.each([".", "..", "a/b", "//evil.example", "\\evil", "a b", "a%2f", "a?b"])(
    "gets no link to a card for the code %j",
    async (code) => {
      const { token, send } = await openMailed();
      const response = await send(`/m/c/${token}`, {
        body: new URLSearchParams({ answer: "confirm", code }),
      });
      expect(await response.text()).not.toContain("/loyalty/c/");
    },
  );

  it("finds the same forms at the URL of the form, without the card", async () => {
    const { token, get, send } = await openMailed();
    const text = await (await get(`/m/c/${token}`)).text();
    for (const expectedText of [isMine, noMore]) expect(text).toContain(expectedText);
    const response = await send(`/m/c/${token}`, { method: "PUT" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });

  it("gets nothing with a link that is invalid, for another address, or for unsubscribing", async () => {
    const { acme, userId, token, createToken, get, send, getSubscription: subscription } = await openMailed();
    const before = await subscription();
    for (const other of [`${token}A`, token.slice(1), "x", await createToken(userId, "email")]) {
      for (const response of [
        await send(`/m/c/${other}`, createAnswer("refuse")),
        await get(`/m/c/${other}`),
      ])
        expect([response.status, (await response.text()).includes("This link doesn’t work")]).toEqual([
          404,
          true,
        ]);
    }
    expect(await subscription()).toEqual(before);
    await acme.users.update(userId, { email: "countess@example.com" });
    expect((await send(`/m/c/${token}`, createAnswer("refuse"))).status).toBe(404);
  });
});
