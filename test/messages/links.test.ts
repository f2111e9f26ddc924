import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { buildLinkToken } from "../../src/messages/mail-links.js";
import { mailJobs } from "../../src/storage/mail.js";
import { recordEvents } from "../events/recorded-events.js";
import { getToken, openMailing } from "./mailing.js";

const key = "k".repeat(32);
const text = "News, please.";

/** Opens a shop with a customer who was mailed, and the token of the link in that mail. */
async function openWithLinks(options: Parameters<typeof openMailing>[0] = {}) {
  const storage = options.storage ?? memoryStorage();
  const shop = await openMailing({ ...options, storage });
  const { acme, withPass, claim } = shop;
  const { user, pass } = await withPass();
  await acme.passes.notify(pass.id);
  const [job] = await claim();
  const token = getToken(job ?? { link: "" });
  return { ...shop, storage, user, pass, token };
}

/** Creates the tokens of all kinds of links, with the unsealed key of acme's queue. */
async function createTokens({ storage, user }: Awaited<ReturnType<typeof openWithLinks>>) {
  const queue = await storage.snapshot("acme", (reader) => reader.findQueue(mailJobs));
  const storedUser = await storage.snapshot("acme", (reader) => reader.findUser(user.id));
  if (queue === null || storedUser === null) throw new Error("there is nothing to link to");
  const createToken = (purpose: Parameters<typeof buildLinkToken>[1]) =>
    buildLinkToken(queue, purpose, storedUser);
  return {
    confirm: createToken("confirm"),
    refuse: createToken("refuse"),
    email: createToken("email"),
    wallet: createToken("wallet"),
  };
}

describe("a link in a mail", () => {
  it("belongs to its customer and purpose, and is invalid if any character of it is changed", async () => {
    const shop = await openWithLinks();
    const { mail, user, token } = shop;
    const tokens = await createTokens(shop);
    expect(tokens.confirm).toBe(token);
    for (const [purpose, each] of Object.entries(tokens)) {
      expect(await mail.verifyLink(each)).toEqual({ organizationId: "acme", userId: user.id, purpose });
      expect(each.length).toBeLessThan(60);
      for (let at = 0; at < each.length; at += 1) {
        const forged = `${each.slice(0, at)}${each[at] === "0" ? "1" : "0"}${each.slice(at + 1)}`;
        expect(await mail.verifyLink(forged), forged).toBeNull();
      }
    }
    const odd = [
      "",
      " ",
      "\0",
      "\ud800",
      "x".repeat(100_000),
      `${token} `,
      `${token}0`,
      "c0-",
      token.toUpperCase(),
    ];
    for (const each of odd) expect(await mail.verifyLink(each)).toBeNull();
    for (const each of odd) expect(await mail.unsubscribe(each, "all")).toBe(false);
  });

  it("of another organization opens nothing of this one", async () => {
    const shop = await openWithLinks();
    const { loyalty, mail, storage, user } = shop;
    const globex = loyalty.organization("globex");
    const { id } = await globex.templates.create({ name: "Tea", type: "LOYALTY_CARD" });
    await globex.passes.create(id, { user: { email: "ada@globex.example" }, notify: true });
    const tokens = await createTokens(shop);
    const theirs = await storage.snapshot("globex", (reader) => reader.findQueue(mailJobs));
    for (const token of Object.values(tokens)) {
      expect(await mail.verifyLink(`${theirs?.token}${token.slice(12)}`)).toBeNull();
      expect(await mail.unsubscribe(`${theirs?.token}${token.slice(12)}`, "all")).toBe(false);
    }
    const { email } = await loyalty.organization("acme").subscriptions.get(user.id);
    expect(email.status).toBe("NONE");
  });

  it("unsubscribes from its channel and the requested ones, repeatedly, and works for deleted customers", async () => {
    const shop = await openWithLinks();
    const { acme, loyalty, mail, user, clock } = shop;
    const tokens = await createTokens(shop);
    await acme.subscriptions.put(user.id, { email: { status: "SUBSCRIBED", text } });
    const events = recordEvents(loyalty);
    clock.move(5);
    expect(await mail.unsubscribe(tokens.email, "email")).toBe(true);
    const endedSubscription = await acme.subscriptions.get(user.id);
    expect(endedSubscription).toMatchObject({
      email: { status: "UNSUBSCRIBED", source: "link", at: clock.timestamp, text: null },
      wallet: { status: "NONE" },
    });
    clock.move(5);
    expect(await mail.unsubscribe(tokens.email, "email")).toBe(true);
    expect(await acme.subscriptions.get(user.id)).toEqual(endedSubscription);
    expect(events.map(({ actor, data }) => [actor.kind, data])).toEqual([
      [
        "customer",
        {
          userId: user.id,
          channel: "email",
          status: "UNSUBSCRIBED",
          source: "link",
          at: endedSubscription.email.at,
        },
      ],
    ]);
    expect(await mail.unsubscribe(tokens.email, "all")).toBe(true);
    expect((await acme.subscriptions.get(user.id)).wallet.status).toBe("UNSUBSCRIBED");
    for (const token of [tokens.confirm, tokens.refuse])
      expect(await mail.unsubscribe(token, "all")).toBe(false);
    await acme.users.delete(user.id);
    expect(await mail.verifyLink(tokens.email)).toEqual({
      organizationId: "acme",
      userId: null,
      purpose: "email",
    });
    expect(await mail.unsubscribe(tokens.wallet, "all")).toBe(true);
    expect(await mail.verifyLink(tokens.confirm)).toBeNull();
  });

  it("confirms the address it was sent to, and no other", async () => {
    const shop = await openWithLinks();
    const { acme, mail, user, clock } = shop;
    const tokens = await createTokens(shop);
    for (const token of [tokens.refuse, tokens.email, tokens.wallet])
      expect(await mail.confirm(token)).toBe(false);
    const confirmedAt = clock.timestamp;
    expect(await mail.confirm(tokens.confirm)).toBe(true);
    clock.move(1);
    expect(await mail.confirm(tokens.confirm)).toBe(true);
    expect(await acme.subscriptions.get(user.id)).toMatchObject({ emailConfirmedAt: confirmedAt });
    await acme.users.update(user.id, { email: "other@example.com" });
    expect(await acme.subscriptions.get(user.id)).toMatchObject({ emailConfirmedAt: null });
    expect(await mail.verifyLink(tokens.confirm)).toBeNull();
    expect(await mail.confirm(tokens.confirm)).toBe(false);
    expect(await mail.suppressAddress(tokens.refuse)).toBe(false);
    expect(await mail.verifyLink(tokens.email)).not.toBeNull();
  });

  it("remains valid after a key rotation, and after secrets are resealed", async () => {
    const storage = memoryStorage();
    const { acme, token, user } = await openWithLinks({ storage, secretKeys: [key] });
    const rotated = ["n".repeat(32), key];
    const later = new LoyaltyService({ storage, secretKeys: rotated });
    onTestFinished(() => later.close());
    const mail = serviceInternals(later).backends.mail;
    expect(await mail.verifyLink(token)).toMatchObject({ userId: user.id });
    expect(await later.secrets.reseal()).toMatchObject({ mailQueues: 1 });
    expect(await mail.confirm(token)).toBe(true);
    expect((await acme.subscriptions.get(user.id)).emailConfirmedAt).not.toBeNull();
  });
});
