import { decodeJwt, decodeProtectedHeader } from "jose";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openGoogle, PUBLIC_URL } from "./google-scene.js";

describe("the link of a pass to Google", () => {
  it("creates the card at Google first, and leads to a link that contains only its id", async () => {
    const { newPass, follow, google } = await openGoogle(memoryStorage());
    const { url, objectId } = await newPass();
    expect(url).toMatch(
      /^https:\/\/shop\.example\/loyalty\/wallets\/google\/passes\/wp_[\w-]+\/[0-9A-Za-z]{32}$/,
    );
    const answer = await follow(url);
    const location = answer.headers.get("location") ?? "";
    const token = location.replace("https://pay.google.com/gp/v/save/", "");
    expect(answer.status).toBe(302);
    expect(google.objects.has(objectId)).toBe(true);
    expect(location.length).toBeLessThanOrEqual(1_800);
    expect(decodeProtectedHeader(token)).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" });
    expect(decodeJwt(token)).toEqual({
      iss: "loyalty@fake-project.iam.gserviceaccount.com",
      aud: "google",
      iat: expect.any(Number),
      typ: "savetowallet",
      payload: { loyaltyObjects: [{ id: objectId }] },
    });
  });

  it("creates a card at Google once, and accepts one that exists already", async () => {
    const { newPass, follow, google } = await openGoogle(memoryStorage());
    const { url } = await newPass();
    const listPosts = () => google.calls.filter((call) => call.startsWith("POST /loyaltyObject"));
    await Promise.all([follow(url), follow(url), follow(url)]);
    const first = listPosts();
    expect(first.filter((call) => call.endsWith("200"))).toHaveLength(1);
    expect(google.calls.filter((call) => call.startsWith("POST /loyaltyClass"))).toHaveLength(1);
    expect((await follow(url)).status).toBe(302);
    expect(listPosts()).toEqual(first);
    expect(google.complaints).toEqual([]);
  });

  it("asks to retry while Google is down, and works after that", async () => {
    const { newPass, follow, google, errors } = await openGoogle(memoryStorage());
    const { url } = await newPass();
    google.fail({ status: 503, reason: "backendError" });
    const answer = await follow(url);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(errors.map(String)).toEqual(["Error: Google Wallet didn't accept the card: 503 backendError"]);
    google.fail(null);
    expect((await follow(url)).status).toBe(302);
  });

  it("creates nothing at Google before it is followed", async () => {
    const { newPass, acme, wallets, google } = await openGoogle(memoryStorage());
    const { id } = await newPass();
    await acme.stamps.add(id);
    await wallets.runOnce();
    expect(google.objects.size).toBe(0);
  });

  it("ends when it is revoked, and reveals nothing to someone who guesses", async () => {
    const { newPass, follow, acme, google } = await openGoogle(memoryStorage());
    const { id, url } = await newPass();
    const { google: renewed } = await acme.passes.revokeWalletLinks(id);
    const guessedUrl = `${PUBLIC_URL}/wallets/google/passes/${id}/${"0".repeat(32)}`;
    for (const each of [
      url,
      guessedUrl,
      guessedUrl.replace(id, "wp_unknown"),
      guessedUrl.replace(id, "%00"),
    ]) {
      const answer = await follow(each);
      expect([answer.status, await answer.json()]).toEqual([
        404,
        { code: "resource_not_found", params: null },
      ]);
    }
    expect(google.objects.size).toBe(0);
    expect((await follow(renewed ?? "")).status).toBe(302);
  });

  it("delivers what changed while the card was being created", async () => {
    const { newPass, follow, acme, google, wallets, shown } = await openGoogle(memoryStorage());
    const { id, url, objectId } = await newPass();
    let isChanged = false;
    google.sendBy(async () => {
      if (!isChanged) {
        isChanged = true;
        await acme.stamps.add(id);
        await wallets.runOnce();
      }
      return new Response(null, { status: 200, headers: { "content-type": "image/png" } });
    });
    await follow(url);
    await wallets.runOnce();
    expect(isChanged).toBe(true);
    expect(shown(objectId)).toMatchObject({ loyaltyPoints: { balance: { string: "1/5" } } });
  });

  it.each<[string, string, string, number]>([
    ["an unknown path", "GET", "/google/nothing", 404],
    ["an incomplete link", "GET", "/google/passes/wp_1", 404],
    ["another method", "POST", "/google/passes/wp_1/token", 405],
    ["a logo with an invalid color", "GET", "/google/logos/red.png", 404],
    ["stamps of an unknown template", "GET", "/google/heroes/tpl_1/1-5/mark.png", 404],
    ["a path of Apple Wallet", "GET", "/apple/v1/log", 404],
  ])("answers %s with an error", async (_, method, path, status) => {
    const { api } = await openGoogle(memoryStorage());
    const answer = await api.fetch(new Request(`${PUBLIC_URL}/wallets${path}`, { method }));
    expect([answer.status, await answer.json()]).toMatchObject([status, { params: null }]);
  });
});
