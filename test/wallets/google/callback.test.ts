import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import type { CallbackFlaws } from "loyalty-kit/testing";
import { createWallets } from "loyalty-kit/wallets";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFailingOnce } from "./failing-once.js";
import { openGoogle, PUBLIC_URL } from "./google-scene.js";

async function openAtGoogle() {
  const scene = await openGoogle(memoryStorage());
  const pass = await scene.newPass();
  await scene.follow(pass.url);
  const eventLines: string[] = [];
  for (const type of ["pass.installed", "pass.uninstalled"] as const) {
    scene.loyalty.on(type, ({ data }) => eventLines.push(`${type} ${data.platform}`));
  }
  return { ...scene, ...pass, told: eventLines };
}

describe("a callback from Google", () => {
  it("emits events with the platform when a card is added and removed", async () => {
    const { google, objectId, status, id, told, clock } = await openAtGoogle();
    expect(await google.callBack(objectId, "save")).toBe(200);
    expect(await status(id)).toBe("INSTALLED");
    clock.move(60_000);
    expect(await google.callBack(objectId, "del")).toBe(200);
    expect(await status(id)).toBe("UNINSTALLED");
    expect(told).toEqual(["pass.installed google", "pass.uninstalled google"]);
  });

  it("takes effect once, even if it is repeated", async () => {
    const { google, objectId, status, id, told, clock } = await openAtGoogle();
    const nonce = "the same";
    for (let time = 0; time < 3; time += 1) {
      expect(await google.callBack(objectId, "save", { nonce })).toBe(200);
    }
    clock.move(60_000);
    await google.callBack(objectId, "del");
    expect(await google.callBack(objectId, "save", { nonce })).toBe(200);
    expect(await status(id)).toBe("UNINSTALLED");
    expect(told).toHaveLength(2);
  });

  it("takes effect once, even if another process gets it again", async () => {
    const { google, wallets, loyalty, googleOptions, objectId, status, id, told, clock } =
      await openAtGoogle();
    const nonce = "the same";
    expect(await google.callBack(objectId, "save", { nonce })).toBe(200);
    clock.move(60_000);
    expect(await google.callBack(objectId, "del")).toBe(200);
    await wallets.close();
    const others = createWallets(loyalty, {
      publicUrl: PUBLIC_URL,
      google: googleOptions,
      deliver: false,
      stampRenderer: null,
    });
    onTestFinished(() => others.close());
    google.sendBy(
      createHttpApi(loyalty, {
        authenticate: apiTokens(loyalty),
        basePath: "/loyalty",
        extensions: [others.http],
      }).fetch,
    );
    expect(await google.callBack(objectId, "save", { nonce })).toBe(200);
    expect(await status(id)).toBe("UNINSTALLED");
    expect(told).toHaveLength(2);
  });

  it.each<[string, CallbackFlaws]>([
    ["is signed under an unknown root key", { isForged: true }],
    ["has expired", { expired: "message" }],
    ["is signed by an intermediate key that has expired", { expired: "intermediate" }],
    ["is signed under a root key that has expired", { expired: "root" }],
    ["is signed under a root key without an expiry", { isRootWithoutEnd: true }],
    ["is for another issuer", { recipient: "3388000000099999999" }],
    ["names its recipient the way payments do", { recipient: "merchant:3388000000012345678" }],
    ["is from another Google service", { sender: "Google" }],
    ["uses another protocol version", { protocolVersion: "ECv2" }],
    ["was changed in transit", { tampered: (text) => text.replace('"save"', '"del"') }],
    ["was reformatted in transit", { tampered: (text) => JSON.stringify(JSON.parse(text), null, 1) }],
  ])("is refused when it %s", async (_, flaws) => {
    const { google, objectId, status, id } = await openAtGoogle();
    expect(await google.callBack(objectId, "save", flaws)).toBe(401);
    expect(await status(id)).toBeNull();
    expect(await google.callBack(objectId, "save")).toBe(200);
  });

  it("is refused with 429 when one card gets too many, and accepted later", async () => {
    const { google, objectId, newPass, clock } = await openAtGoogle();
    for (let time = 0; time < 50; time += 1) {
      expect(await google.callBack(objectId, "save")).toBe(200);
      expect(await google.callBack(objectId, "del")).toBe(200);
    }
    expect(await google.callBack(objectId, "save", { nonce: "later" })).toBe(429);
    const other = await newPass();
    expect(await google.callBack(other.objectId, "save")).toBe(200);
    clock.move(60_000);
    expect(await google.callBack(objectId, "save", { nonce: "later" })).toBe(200);
  });

  it("is verified with lengths in bytes, not in characters", async () => {
    const { google, objectId } = await openAtGoogle();
    expect(await google.callBack(objectId, "Gespeichert: Käse 🧀")).toBe(200);
  });

  it("is accepted and ignored if it is about something else", async () => {
    const { google, objectId, status, id } = await openAtGoogle();
    expect(await google.callBack(objectId, "rename")).toBe(200);
    expect(await google.callBack(`${google.issuerId}.wp_unknown`, "save")).toBe(200);
    expect(await google.callBack(`${google.issuerId}.wp_\u0000`, "save")).toBe(200);
    expect(await google.callBack(`999.${id}`, "save")).toBe(200);
    expect(await status(id)).toBeNull();
  });

  it("fetches the root keys once, even for many forged callbacks", async () => {
    const { google, objectId, clock } = await openAtGoogle();
    for (let time = 0; time < 20; time += 1) await google.callBack(objectId, "save", { isForged: true });
    expect(google.fetched.keys).toBe(1);
    clock.move(3_600_000);
    await google.callBack(objectId, "save");
    expect(google.fetched.keys).toBe(2);
  });

  it("is answered with 503 and a retry time while the root keys can't be fetched", async () => {
    const { google, objectId, api, status, id } = await openAtGoogle();
    const request = await new Promise<Request>((resolve) => {
      google.sendBy(async (each) => {
        resolve(each.clone());
        return new Response();
      });
      void google.callBack(objectId, "save");
    });
    await google.close();
    const answer = await api.fetch(request);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(await status(id)).toBeNull();
  });

  it("may be repeated with the same nonce after the storage failed", async () => {
    const failing = createFailingOnce(memoryStorage());
    const { google, newPass, follow, status } = await openGoogle(failing.storage);
    const { id, url, objectId } = await newPass();
    await follow(url);
    failing.failNext();
    expect(await google.callBack(objectId, "save", { nonce: "again" })).toBe(500);
    expect(await google.callBack(objectId, "save", { nonce: "again" })).toBe(200);
    expect(await status(id)).toBe("INSTALLED");
  });

  it.each<[string, string, string, number]>([
    ["invalid JSON", "POST", "no", 400],
    ["no message", "POST", "{}", 400],
    ["a message without signatures", "POST", '{"protocolVersion":"ECv2SigningOnly","signature":""}', 400],
    ["a body over the size limit", "POST", "x".repeat(1_048_576), 413],
    ["another method", "PUT", "{}", 405],
  ])("with %s is answered with an error", async (_, method, body, status) => {
    const { api } = await openGoogle(memoryStorage());
    const answer = await api.fetch(new Request(`${PUBLIC_URL}/wallets/google/callback`, { method, body }));
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ code: expect.any(String), params: null });
  });
});
