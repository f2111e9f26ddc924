import { memoryStorage } from "loyalty-kit/memory";
import type { GoogleFault } from "loyalty-kit/testing";
import { describe, expect, it } from "vitest";
import { openGoogle } from "./google-scene.js";

async function openAtGoogle(count = 1) {
  const scene = await openGoogle(memoryStorage());
  const passes = [];
  for (let at = 0; at < count; at += 1) {
    const pass = await scene.newPass();
    await scene.save(pass.url);
    passes.push(pass);
  }
  const [first] = passes;
  const { id, url, objectId } = first ?? { id: "", url: "", objectId: "" };
  const getBalance = (of = objectId) => scene.shown(of).loyaltyPoints;
  /**
   * Runs everything that is due.
   * @returns the calls that were made.
   */
  async function deliver(): Promise<string[]> {
    const before = scene.google.calls.length;
    await scene.wallets.runOnce();
    const calls = scene.google.calls.slice(before);
    return calls.map((call) => call.replace(objectId, "card").replace(scene.template.id, "template"));
  }
  return { ...scene, passes, id, url, objectId, balance: getBalance, deliver };
}

const withBalance = (text: string) => ({ balance: { string: text } });

describe("a change of a card", () => {
  it("takes one call, whatever the number of stamps", async () => {
    const { acme, id, deliver, balance, google } = await openAtGoogle();
    for (let stamp = 0; stamp < 3; stamp += 1) await acme.stamps.add(id);
    expect(await deliver()).toEqual(["PATCH /loyaltyObject/card 200"]);
    expect(balance()).toMatchObject(withBalance("3/5"));
    expect(google.notifications).toEqual(["2 more to go"]);
    expect(await deliver()).toEqual([]);
  });

  it.each<[string, GoogleFault]>([
    ["429", { status: 429, reason: "rateLimitExceeded" }],
    ["403 with rateLimitExceeded", { status: 403, reason: "rateLimitExceeded" }],
    ["500", { status: 500, reason: "backendError" }],
    ["503", { status: 503, reason: "backendError" }],
    ["no response", "drop"],
    ["a lost response", "lost"],
  ])("is retried later after %s", async (_, fault) => {
    const { acme, id, google, clock, deliver, balance, errors } = await openAtGoogle();
    await acme.stamps.add(id);
    google.script(fault);
    await deliver();
    expect(await deliver()).toEqual([]);
    await acme.stamps.add(id);
    clock.move(6_000);
    expect(await deliver()).toEqual(["PATCH /loyaltyObject/card 200"]);
    expect(balance()).toMatchObject(withBalance("2/5"));
    expect(errors).toEqual([]);
  });

  it("waits as long as Google asks", async () => {
    const { acme, id, google, clock, deliver } = await openAtGoogle();
    await acme.stamps.add(id);
    google.script({ status: 429, reason: "rateLimitExceeded", retryAfter: 120 });
    await deliver();
    clock.move(119_000);
    expect(await deliver()).toEqual([]);
    clock.move(2_000);
    expect(await deliver()).toEqual(["PATCH /loyaltyObject/card 200"]);
  });

  it("stops the calls for other cards when Google throttles one", async () => {
    const { acme, google, passes, deliver, clock, shown } = await openAtGoogle(30);
    for (const { id } of passes) await acme.stamps.add(id);
    google.fail({ status: 429, reason: "rateLimitExceeded" });
    expect((await deliver()).length).toBeLessThanOrEqual(10);
    google.fail(null);
    clock.move(6_000);
    expect(await deliver()).toHaveLength(30);
    for (const { objectId } of passes) {
      expect(shown(objectId).loyaltyPoints).toMatchObject(withBalance("1/5"));
    }
  });

  it("is silent when people have been notified as often as Google allows, and notifies again later", async () => {
    const { acme, id, google, clock, deliver, balance } = await openAtGoogle();
    const results = [];
    for (let stamp = 0; stamp < 5; stamp += 1) {
      await acme.stamps.add(id);
      results.push(await deliver());
      clock.move(1_000);
    }
    const once = ["PATCH /loyaltyObject/card 200"];
    expect(results).toEqual([once, once, once, ["PATCH /loyaltyObject/card 403", ...once], once]);
    expect(google.notifications).toHaveLength(3);
    expect(balance()).toMatchObject(withBalance("0/5"));
    clock.move(86_400_000);
    await acme.stamps.add(id);
    await deliver();
    expect(google.notifications.at(-1)).toBe("4 more to go");
  });

  it("creates a card again that is gone at Google, and its class", async () => {
    const { acme, id, google, deliver, template, balance, objectId } = await openAtGoogle();
    const removeKey = (map: ReadonlyMap<string, unknown>, key: string) => Map.prototype.delete.call(map, key);
    await acme.stamps.add(id);
    removeKey(google.objects, objectId);
    expect(await deliver()).toEqual(["PATCH /loyaltyObject/card 404", "POST /loyaltyObject 200"]);
    await acme.stamps.add(id);
    removeKey(google.objects, objectId);
    removeKey(google.classes, `${google.issuerId}.${template.id}`);
    await deliver();
    expect(balance()).toMatchObject(withBalance("2/5"));
  });

  it("gets another access token when Google no longer accepts one", async () => {
    const { acme, id, google, deliver, clock, balance } = await openAtGoogle();
    expect(google.fetched.tokens).toBe(1);
    await acme.stamps.add(id);
    google.script({ status: 401, reason: "authError" });
    expect(await deliver()).toEqual(["PATCH /loyaltyObject/card 401", "PATCH /loyaltyObject/card 200"]);
    clock.move(3_600_000);
    await acme.stamps.add(id);
    await deliver();
    expect(google.fetched.tokens).toBe(3);
    expect(balance()).toMatchObject(withBalance("2/5"));
  });

  it("is never given up, and the error is reported, when Google refuses the account", async () => {
    const { acme, id, google, deliver, clock, balance, errors } = await openAtGoogle();
    await acme.stamps.add(id);
    clock.move(3_600_000);
    google.failTokens(400);
    expect(await deliver()).toEqual([]);
    expect(errors.map(String)).toEqual([
      "Error: Google Wallet rejected a card: 401 Google didn't issue an access token: 400 invalid_grant",
    ]);
    google.failTokens(null);
    clock.move(6_000);
    await deliver();
    expect(balance()).toMatchObject(withBalance("1/5"));
  });

  it("is never given up, and the error is reported, when Google refuses the content", async () => {
    const { acme, id, google, deliver, clock, balance, errors } = await openAtGoogle();
    await acme.stamps.add(id);
    google.script({ status: 400, reason: "invalidImage" });
    await deliver();
    expect(errors.map(String)).toEqual(["Error: Google Wallet rejected a card: 400 invalidImage"]);
    clock.move(6_000);
    await deliver();
    expect(balance()).toMatchObject(withBalance("1/5"));
  });

  it("also updates whether anyone has the card, in case callbacks were lost", async () => {
    const { acme, id, google, deliver, clock, objectId, status, url, follow } = await openAtGoogle();
    await google.remove(objectId, false);
    expect(await status(id)).toBe("INSTALLED");
    clock.move(600_000);
    await acme.stamps.add(id);
    await deliver();
    expect(await status(id)).toBe("UNINSTALLED");

    google.sendBy(async () => new Response());
    await google.save((await follow(url)).headers.get("location") ?? "");
    clock.move(600_000);
    await acme.stamps.add(id);
    await deliver();
    expect(await status(id)).toBe("INSTALLED");
  });

  it("isn't needed to learn who has cards: reconciliation asks about all of them", async () => {
    const { google, clock, passes, wallets, status, errors } = await openAtGoogle(3);
    const [keptPass, removedPass, deletedPass] = passes;
    await google.remove(removedPass?.objectId ?? "", false);
    Map.prototype.delete.call(google.objects, deletedPass?.objectId);
    const listStatuses = () =>
      Promise.all([keptPass, removedPass, deletedPass].map((pass) => status(pass?.id ?? "")));
    await wallets.reconcile();
    expect(await listStatuses()).toEqual(["INSTALLED", "INSTALLED", "INSTALLED"]);
    clock.move(600_000);
    google.script({ status: 503 });
    await wallets.reconcile();
    expect(await listStatuses()).toEqual(["INSTALLED", "INSTALLED", "INSTALLED"]);
    await wallets.reconcile();
    expect(await listStatuses()).toEqual(["INSTALLED", "UNINSTALLED", "UNINSTALLED"]);
    expect(errors).toEqual([]);
  });

  it("doesn't override what a callback has just reported, even if Google shows it late elsewhere", async () => {
    const { acme, id, google, deliver, clock, objectId, status } = await openAtGoogle();
    await google.callBack(objectId, "del");
    clock.move(60_000);
    await acme.stamps.add(id);
    await deliver();
    expect(google.objects.get(objectId)?.hasUsers).toBe(true);
    expect(await status(id)).toBe("UNINSTALLED");
  });
});
