import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openShop } from "./shop.js";

const consent = { status: "SUBSCRIBED", text: "News, please." } as const;

/** Opens a shop with a customer who gets messages on both channels, and the tokens of their unsubscribe links. */
async function openSubscribed(options: Parameters<typeof openShop>[0] = {}) {
  const shop = await openShop({ sendsMail: true, ...options });
  const { acme, card, createToken } = shop;
  const { userId } = await acme.passes.create(card.id, { user: { email: "ada@example.com" }, notify: true });
  await acme.subscriptions.put(userId, { email: consent, wallet: consent });
  const listStatuses = async () => {
    const { email, wallet } = await acme.subscriptions.get(userId);
    return [email.status, wallet.status];
  };
  const listEvents = async () =>
    (await acme.events.list({ types: ["subscription.changed"] })).content.map(({ data }) => data);
  const [email, wallet] = [await createToken(userId, "email"), await createToken(userId, "wallet")];
  return { ...shop, userId, email, wallet, listStatuses, events: listEvents };
}

const createForm = (fields: Record<string, string>) => ({ body: new URLSearchParams(fields) });
const oneClick = createForm({ "List-Unsubscribe": "One-Click" });

describe("the unsubscribe page", () => {
  it("has buttons for its own channel, for the other one and for all, and no script", async () => {
    const { acme, email, wallet, get } = await openSubscribed();
    await acme.messageSettings.update({ senderName: "Café <Blau>" });
    const page = await get(`/m/u/${email}`);
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).toContain("Which messages from Café &lt;Blau&gt; would you like to stop receiving?");
    expect(text.match(/name="channel" value="(\w+)"/g)).toEqual(
      ["email", "wallet", "all"].map((channel) => `name="channel" value="${channel}"`),
    );
    expect(text).not.toContain("<script");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.has("set-cookie")).toBe(false);
    expect(await (await get(`/m/u/${wallet}`)).text()).toMatch(/value="wallet">Stop messages on my card</);
  });

  it("is in the language of the browser", async () => {
    const { email, get } = await openSubscribed();
    const buttonTexts: Record<string, string> = {
      de: "Abmelden",
      fr: "Se désabonner",
      es: "Darse de baja",
      pt: "Cancelar",
    };
    for (const [language, words] of Object.entries(buttonTexts)) {
      expect(await (await get(`/m/u/${email}`, { "accept-language": language })).text()).toContain(words);
    }
  });

  it.each(["delete", "erase"] as const)(
    "is the same after users.%s, and so are its responses to forms",
    async (end) => {
      const { acme, userId, email, get, send } = await openSubscribed();
      const read = async () => {
        const answers = [
          await get(`/m/u/${email}`),
          await send(`/m/u/${email}`),
          await send(`/m/u/${email}`, oneClick),
        ];
        return Promise.all(
          answers.map(async (answer) => [answer.status, await answer.text(), [...answer.headers]]),
        );
      };
      const before = await read();
      await acme.users[end](userId);
      expect(await read()).toEqual(before);
      expect(before.map(([status]) => status)).toEqual([200, 200, 200]);
    },
  );

  it("unsubscribes from what its button says, and at least from its own channel", async () => {
    for (const [own, channel, left] of [
      ["email", "email", ["UNSUBSCRIBED", "SUBSCRIBED"]],
      ["email", "wallet", ["UNSUBSCRIBED", "UNSUBSCRIBED"]],
      ["email", "all", ["UNSUBSCRIBED", "UNSUBSCRIBED"]],
      ["wallet", "wallet", ["SUBSCRIBED", "UNSUBSCRIBED"]],
      ["wallet", "email", ["UNSUBSCRIBED", "UNSUBSCRIBED"]],
    ] as const) {
      const { [own]: token, listStatuses, send } = await openSubscribed();
      const answer = await send(`/m/u/${token}`, createForm({ channel }));
      expect([own, channel, answer.status, await listStatuses()]).toEqual([own, channel, 200, left]);
      expect(await answer.text()).toContain("You’ve been unsubscribed");
    }
  });
});

describe("unsubscribing", () => {
  const multipart = new FormData();
  multipart.set("List-Unsubscribe", "One-Click");

  it.each([
    ["as a form", oneClick],
    ["as multipart data", { body: multipart }],
  ])("with one click, %s, takes effect immediately, with an empty response", async (_, init) => {
    const { acme, userId, clock, email, listStatuses, send, events } = await openSubscribed();
    const answer = await send(`/m/u/${email}`, init);
    expect([answer.status, await answer.text(), answer.redirected]).toEqual([200, "", false]);
    expect(Object.fromEntries(answer.headers)).toEqual({ "cache-control": "no-store" });
    expect(await listStatuses()).toEqual(["UNSUBSCRIBED", "SUBSCRIBED"]);
    const subscription = await acme.subscriptions.get(userId);
    expect(subscription.email).toMatchObject({ source: "link", at: new Date(clock.read()).toISOString() });
    expect((await events()).at(-1)).toMatchObject({
      userId,
      channel: "email",
      status: "UNSUBSCRIBED",
      source: "link",
    });
  });

  it("again gets the same response, and changes nothing", async () => {
    const { acme, userId, clock, email, send, events } = await openSubscribed();
    await send(`/m/u/${email}`, oneClick);
    const [before, eventsBefore] = [await acme.subscriptions.get(userId), await events()];
    clock.move(60_000);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(`/m/u/${email}`, oneClick)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await acme.subscriptions.get(userId)).toEqual(before);
    expect(await events()).toEqual(eventsBefore);
  });

  it.each<[string, RequestInit]>([
    ["nothing", {}],
    ["a body that isn't a form", { body: "{", headers: { "content-type": "application/json" } }],
    ["an unknown channel", createForm({ channel: "post" })],
    ["two channels", { body: new URLSearchParams("channel=email&channel=email") }],
    ["bytes that aren't text", { body: Uint8Array.of(0xff, 0, 0xfe) }],
    ["a body over the size limit", { body: new URLSearchParams({ channel: "x".repeat(100_000) }) }],
    [
      "a body that claims to be compressed",
      { ...createForm({ x: "1" }), headers: { "content-encoding": "gzip" } },
    ],
    ["multipart data without a boundary", { body: "x", headers: { "content-type": "multipart/form-data" } }],
    [
      "a form from another site",
      { ...createForm({}), headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" } },
    ],
    ["a form from a hidden origin", { ...createForm({}), headers: { origin: "null" } }],
  ])("works whatever is sent: %s", async (_, init) => {
    const { email, listStatuses, send } = await openSubscribed();
    expect((await send(`/m/u/${email}`, init)).status).toBe(200);
    expect(await listStatuses()).toEqual(["UNSUBSCRIBED", "SUBSCRIBED"]);
  });

  it("accepts no link that wasn't signed, and no signed link with any change", async () => {
    const { acme, userId, card, email, wallet, createToken, listStatuses, get, send } = await openSubscribed({
      rateLimits: false,
    });
    const none = await send("/m/u/x");
    const rejection = [none.status, await none.text(), [...none.headers]];
    expect(rejection[0]).toBe(404);
    const flipped = [...email].map((letter, at) => {
      const other = letter === "A" ? "B" : "A";
      return email.slice(0, at) + other + email.slice(at + 1);
    });
    const confirming = await createToken(userId, "confirm");
    const { userId: bob } = await acme.passes.create(card.id, { user: { email: "bob@example.com" } });
    const bobs = await createToken(bob, "email");
    const others = [
      ...flipped,
      confirming,
      // The signature of one link on the signed part of another.
      email.replace(/-.*/, bobs.slice(bobs.indexOf("-"))),
      email.replace(/-.*/, wallet.slice(wallet.indexOf("-"))),
      ...[email.slice(0, -1), `${email}A`, `${email}%00`, `${email}%20`, `%20${email}`, email.toUpperCase()],
      ...["a".repeat(100), "a".repeat(5_000), "%", "%ff", "-", "é", `${email}/x`, `x/${email}`, "__proto__"],
    ].filter((token) => token !== email);
    for (const token of others) {
      for (const answer of [await send(`/m/u/${token}`, oneClick), await get(`/m/u/${token}`)]) {
        expect([answer.status, await answer.text(), [...answer.headers]], token).toEqual(rejection);
      }
    }
    expect(await listStatuses()).toEqual(["SUBSCRIBED", "SUBSCRIBED"]);
  });

  it("is never refused for too many requests from one address, except without a valid link", async () => {
    const { email, get, send } = await openSubscribed({
      rateLimits: {
        timePerAddress: { milliseconds: 1, seconds: 60 },
        perAddress: { requests: 2, seconds: 60 },
      },
    });
    const headers = { "x-address": "192.0.2.1" };
    const forged = [await get("/m/u/x", headers), await get("/m/u/x", headers), await get("/m/u/x", headers)];
    expect(forged.map(({ status }) => status)).toEqual([404, 404, 429]);
    const responses = Array.from({ length: 500 }, () => send(`/m/u/${email}`, { ...oneClick, headers }));
    expect(new Set((await Promise.all(responses)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it("accepts links that were signed before the secret keys were changed and the first ones removed", async () => {
    const storage = memoryStorage();
    const [first, second] = ["1".repeat(32), "2".repeat(32)];
    const { email, wallet } = await openSubscribed({ storage, secretKeys: [first] });
    const between = await openShop({ storage, secretKeys: [second, first] });
    expect((await between.send(`/m/u/${email}`, oneClick)).status).toBe(200);
    expect(await between.loyalty.secrets.reseal()).toMatchObject({ mailQueues: 1 });
    const after = await openShop({ storage, secretKeys: [second] });
    expect((await after.send(`/m/u/${wallet}`, oneClick)).status).toBe(200);
    const [{ id = "" } = {}] = (await after.acme.contacts.list({ search: "ada@" })).content;
    const { email: mail, wallet: card } = await after.acme.subscriptions.get(id);
    expect([mail.status, card.status]).toEqual(["UNSUBSCRIBED", "UNSUBSCRIBED"]);
  });

  it("accepts only GET, HEAD and POST", async () => {
    const { email, listStatuses, send } = await openSubscribed();
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const answer = await send(`/m/u/${email}`, { method });
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "GET, HEAD, POST"]);
    }
    expect(await listStatuses()).toEqual(["SUBSCRIBED", "SUBSCRIBED"]);
  });
});
