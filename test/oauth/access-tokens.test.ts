import type { Organization } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { recordCalls } from "../kit/intercept-calls.js";
import { readError, Scene } from "./scene.js";

const DAY = 86_400_000;

describe.each(everyAdapter)("an access token on $name", ({ open }) => {
  it("expires after 30 minutes", async () => {
    const scene = new Scene({ storage: await open() });
    const { access_token } = await scene.createTokens(await scene.createApp());
    scene.clock.move(1_799_999);
    expect(await scene.getStatus(access_token)).toBe(200);
    scene.clock.move(1);
    expect(await scene.getStatus(access_token)).toBe(401);
  });

  it("allows what was granted, only in the user's organization", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const acme = scene.loyalty.organization(scene.user.organizationId);
    await acme.users.create({ email: "ada@example.com" });
    await openVendor(scene).users.create({ email: "vendor@example.com" });
    const { access_token } = await scene.createTokens(app, { scope: "user:read" });
    const headers = { authorization: `Bearer ${access_token}` };
    const contacts = await (await scene.fetch("/v1/contacts", { headers })).json();
    expect(contacts).toMatchObject({ totalElements: 1, content: [{ email: "ada@example.com" }] });
    const denied = await scene.fetch("/v1/users", { method: "POST", headers, body: "{}" });
    expect([denied.status, await denied.json()]).toEqual([
      403,
      { code: "access_denied", message: "The scope user:create is required." },
    ]);
  });

  it("ends when it is revoked, and its refresh token stays valid", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const { access_token, refresh_token } = await scene.createTokens(app);
    for (const token_type_hint of ["access_token", "refresh_token"]) {
      expect((await scene.revoke(app, access_token, { token_type_hint })).status).toBe(200);
      expect(await scene.areTokensValid(access_token)).toEqual([false]);
    }
    expect((await scene.refresh(app, refresh_token)).status).toBe(200);
  });

  it("ends when its refresh token is revoked, whether that was used or not", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const [used, unused] = [await scene.createTokens(app), await scene.createTokens(app)];
    await scene.refresh(app, used.refresh_token);
    for (const { access_token, refresh_token } of [used, unused]) {
      const answer = await scene.revoke(app, refresh_token);
      expect([answer.status, await answer.text()]).toEqual([200, "{}"]);
      expect(await scene.areTokensValid(access_token)).toEqual([false]);
      expect(await readError(await scene.refresh(app, refresh_token))).toEqual([400, "invalid_grant"]);
    }
  });

  it("ends when its app is deleted, not when another app is", async () => {
    const scene = new Scene({ storage: await open() });
    const [app, other] = [await scene.createApp(), await scene.createApp()];
    const [endedTokens, remainingTokens] = [await scene.createTokens(app), await scene.createTokens(other)];
    await openVendor(scene).apps.delete(app.app.id);
    expect(await scene.areTokensValid(endedTokens.access_token, remainingTokens.access_token)).toEqual([
      false,
      true,
    ]);
  });

  it("is stored only as its hash", async () => {
    const storage = await open();
    const scene = new Scene({ storage });
    const tokens = await scene.createTokens(await scene.createApp());
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const hash = await hashToken(token);
      const found = await runStep(storage.all.findGrantTokenByHash(hash));
      expect(found?.token.hash).toBe(hash);
      expect(JSON.stringify(found)).not.toContain(token.slice(4, 20));
    }
  });
});

describe("an access token", () => {
  it("is refused while the clock is set back by a day, and doesn't expire later because of that", async () => {
    const scene = new Scene();
    const { access_token } = await scene.createTokens(await scene.createApp());
    scene.clock.move(-DAY);
    expect(await scene.getStatus(access_token)).toBe(401);
    scene.clock.move(DAY);
    expect(await scene.getStatus(access_token)).toBe(200);
    scene.clock.move(DAY);
    expect(await scene.getStatus(access_token)).toBe(401);
  });

  it("is refused before any lookup when it is mistyped, truncated or made up", async () => {
    const calls: string[] = [];
    const scene = new Scene({ storage: recordCalls(memoryStorage(), calls) });
    const { access_token, refresh_token } = await scene.createTokens(await scene.createApp());
    calls.length = 0;
    const swapped = access_token.replace(/^lko/, "lkr");
    const alteredToken = access_token.slice(0, -1) + (access_token.endsWith("0") ? "1" : "0");
    for (const token of [
      ...[access_token.slice(0, -1), `${access_token}0`, alteredToken, swapped, access_token.toUpperCase()],
      ...[refresh_token, "lko_", `lko_${"x".repeat(1_000_000)}`],
    ]) {
      expect(await scene.areTokensValid(token), token.slice(0, 50)).toEqual([false]);
    }
    expect(calls).toEqual([]);
  });

  it("has only scopes that still exist", async () => {
    const storage = memoryStorage();
    const scene = new Scene({ storage });
    const { access_token } = await scene.createTokens(await scene.createApp());
    const found = await runStep(storage.all.findGrantTokenByHash(await hashToken(access_token)));
    const { organizationId, token } = found ?? expect.fail("the token is not stored");
    await storage.transaction(organizationId, function* (tx) {
      yield* tx.deleteGrantToken(token.id);
      yield* tx.insertGrantToken({ ...token, scopes: ["user:fly", "user:read", "toString"] });
    });
    expect((await scene.loyalty.verifyToken(access_token))?.scopes).toEqual(["user:read"]);
  });

  it("is accepted by the same verifier as an API token", async () => {
    const scene = new Scene();
    const { token } = await scene.loyalty
      .organization("acme")
      .apiTokens.create({ name: "Till", scopes: ["user:read"] });
    expect(await scene.getStatus(token)).toBe(200);
    const { access_token } = await scene.createTokens(await scene.createApp());
    expect(await scene.getStatus(access_token)).toBe(200);
  });

  it("isn't accepted in the query", async () => {
    const scene = new Scene();
    const { access_token } = await scene.createTokens(await scene.createApp());
    const answer = await scene.fetch(`/v1/contacts?access_token=${access_token}`);
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  it("is refused when there is more than one Authorization header", async () => {
    const scene = new Scene();
    const { access_token } = await scene.createTokens(await scene.createApp());
    const bearer = `Bearer ${access_token}`;
    for (const other of [bearer, "Bearer x", "Basic x", ""]) {
      const headers: [string, string][] = [
        ["authorization", bearer],
        ["authorization", other],
      ];
      expect((await scene.fetch("/v1/contacts", { headers })).status, other).toBe(401);
    }
  });
});

describe("a revocation", () => {
  it("of a text that isn't a token, or no longer one, succeeds", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const { access_token } = await scene.createTokens(app);
    await scene.revoke(app, access_token);
    for (const token of [access_token, "x", "lko_x", app.clientSecret, await scene.createCode(app)]) {
      expect((await scene.revoke(app, token)).status).toBe(200);
    }
  });

  it("of another app's token is refused", async () => {
    const scene = new Scene();
    const [app, other] = [await scene.createApp(), await scene.createApp()];
    const { access_token, refresh_token } = await scene.createTokens(app);
    for (const token of [access_token, refresh_token]) {
      expect(await readError(await scene.revoke(other, token))).toEqual([400, "invalid_grant"]);
    }
    expect(await scene.areTokensValid(access_token)).toEqual([true]);
    expect((await scene.refresh(app, refresh_token)).status).toBe(200);
  });

  it("needs the app's secret and a token", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const stranger = await scene.fetch("/oauth2/revoke", { method: "POST", body: new URLSearchParams() });
    expect(await readError(stranger)).toEqual([401, "invalid_client"]);
    expect(await readError(await scene.revoke(app, ""))).toEqual([400, "invalid_request"]);
  });
});

describe("expired tokens", () => {
  it("are removed a day after their expiry, when new ones are created", async () => {
    const storage = memoryStorage();
    const scene = new Scene({ storage });
    const app = await scene.createApp();
    const old = await scene.createTokens(app);
    const isTokenStored = async () =>
      (await runStep(storage.all.findGrantTokenByHash(await hashToken(old.access_token)))) !== null;
    scene.clock.move(DAY + 1_800_000);
    await scene.createTokens(app);
    expect(await isTokenStored()).toBe(true);
    scene.clock.move(1);
    await scene.createTokens(app);
    expect(await isTokenStored()).toBe(false);
    expect((await scene.refresh(app, old.refresh_token)).status).toBe(200);
  });
});

function openVendor({ loyalty }: Scene): Organization {
  return loyalty.organization("vendor");
}

async function hashToken(token: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(token))).toString("hex");
}
