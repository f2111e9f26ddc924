import type { CreatedApp } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import {
  createBasicAuth,
  createParams,
  type Fields,
  parseRedirect,
  readError,
  readTokens,
  redirectUri,
  Scene,
} from "./scene.js";

const claimedDeliveries = "com.example.till:/callback";

/** Creates a public app. Default: with a redirect URI of each kind that it may have. */
function createPublicApp(
  scene: Scene,
  redirectUris = [
    redirectUri,
    claimedDeliveries,
    "http://127.0.0.1/callback",
    "http://[::1]:4711/callback?x=1",
  ],
): Promise<CreatedApp> {
  return scene.loyalty.organization("vendor").apps.create({
    name: "Till of the bakery",
    redirectUris,
    scopes: ["user:read", "user:create"],
    isPublic: true,
  });
}

/** Sends a request as a public app: with its id in the form, and nothing that only the app could know. */
function send(scene: Scene, { app }: CreatedApp, path: string, fields: Fields): Promise<Response> {
  return scene.fetch(path, { method: "POST", body: createParams({ client_id: app.id, ...fields }) });
}

function redeem(scene: Scene, app: CreatedApp, code: string, changes: Fields = {}): Promise<Response> {
  return send(scene, app, "/oauth2/token", { ...scene.createRedemption(code), ...changes });
}

function refresh(scene: Scene, app: CreatedApp, refreshToken: string, changes: Fields = {}) {
  const fields = { grant_type: "refresh_token", refresh_token: refreshToken, ...changes };
  return send(scene, app, "/oauth2/token", fields);
}

describe("a public app", () => {
  it("gets, refreshes and revokes its tokens with only its client_id", async () => {
    const scene = new Scene();
    const app = await createPublicApp(scene);
    expect(app.clientSecret).toBeNull();
    const first = await readTokens(await redeem(scene, app, await scene.createCode(app)));
    expect(await scene.getStatus(first.access_token)).toBe(200);
    const second = await readTokens(await refresh(scene, app, first.refresh_token));
    expect(await scene.getStatus(second.access_token)).toBe(200);
    expect((await send(scene, app, "/oauth2/revoke", { token: second.refresh_token })).status).toBe(200);
    expect(await scene.areTokensValid(first.access_token, second.access_token)).toEqual([false, false]);
  });

  it("can't omit its client_id, and can't authenticate with a secret in any way", async () => {
    const scene = new Scene();
    const app = await createPublicApp(scene);
    const { clientSecret } = await scene.createApp();
    const body = createParams(scene.createRedemption(await scene.createCode(app)));
    const sendForm = (fields: Fields, headers: Record<string, string> = {}) =>
      scene.fetch("/oauth2/token", {
        method: "POST",
        headers,
        body: createParams({ ...Object.fromEntries(body), ...fields }),
      });
    const client_id = app.app.id;
    for (const response of [
      await sendForm({}),
      await sendForm({ client_id: "app_none" }),
      await sendForm({ client_id, client_secret: clientSecret }),
      await sendForm({ client_id, client_secret: "x" }),
      await sendForm({}, { authorization: createBasicAuth(client_id, "") }),
      await sendForm({}, { authorization: createBasicAuth(client_id, clientSecret) }),
    ]) {
      expect(response.headers.get("www-authenticate")).toMatch(/^Basic /);
      expect(await readError(response)).toEqual([401, "invalid_client"]);
    }
    expect((await sendForm({ client_id })).status).toBe(200);
  });

  it("needs the verifier of its code", async () => {
    const scene = new Scene();
    const app = await createPublicApp(scene);
    const code = await scene.createCode(app);
    expect(await readError(await redeem(scene, app, code, { code_verifier: null }))).toEqual([
      400,
      "invalid_request",
    ]);
    const wrong = await redeem(scene, app, code, { code_verifier: "x".repeat(43) });
    expect(await readError(wrong)).toEqual([400, "invalid_grant"]);
    expect(await readError(await redeem(scene, app, code))).toEqual([400, "invalid_grant"]);
  });

  it("needs a code challenge", async () => {
    const scene = new Scene();
    const url = scene.authorizeUrl(await createPublicApp(scene), {
      code_challenge: null,
      code_challenge_method: null,
    });
    expect(parseRedirect(await scene.fetch(url)).get("error")).toBe("invalid_request");
  });

  it("can't use or revoke the code or refresh token of another app", async () => {
    const scene = new Scene();
    const [app, other] = [await createPublicApp(scene), await createPublicApp(scene)];
    const tokens = await readTokens(await redeem(scene, app, await scene.createCode(app)));
    const stolen = await redeem(scene, other, await scene.createCode(app));
    expect(await readError(stolen)).toEqual([400, "invalid_grant"]);
    expect(await readError(await refresh(scene, other, tokens.refresh_token))).toEqual([
      400,
      "invalid_grant",
    ]);
    const token = tokens.refresh_token;
    expect(await readError(await send(scene, other, "/oauth2/revoke", { token }))).toEqual([
      400,
      "invalid_grant",
    ]);
    expect((await refresh(scene, app, tokens.refresh_token)).status).toBe(200);
  });

  it("loses the whole grant when a refresh token that was exchanged is used again", async () => {
    const scene = new Scene();
    const app = await createPublicApp(scene);
    const first = await readTokens(await redeem(scene, app, await scene.createCode(app)));
    const second = await readTokens(await refresh(scene, app, first.refresh_token));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    scene.clock.move(30_000);
    expect(await readError(await refresh(scene, app, first.refresh_token))).toEqual([400, "invalid_grant"]);
    expect(await scene.areTokensValid(second.access_token)).toEqual([false]);
  });

  it("needs consent each time, regardless of what was allowed before", async () => {
    const scene = new Scene();
    const app = await createPublicApp(scene);
    const url = scene.authorizeUrl(app);
    expect(parseRedirect(await scene.decide(url, "allow")).has("code")).toBe(true);
    const again = await scene.fetch(url);
    expect([again.status, again.headers.get("location")]).toEqual([200, null]);
    expect(await again.text()).toContain('name="decision" value="allow"');
  });

  it("is rate limited per address, because anyone can name it", async () => {
    const scene = new Scene({ tokenLimits: { perApp: { requests: 1, seconds: 60 } } });
    const app = await createPublicApp(scene);
    const sendFrom = async (address: string) => {
      scene.address = address;
      return (await refresh(scene, app, "lkr_made-up")).status;
    };
    expect([await sendFrom("192.0.2.1"), await sendFrom("192.0.2.1"), await sendFrom("192.0.2.2")]).toEqual([
      400, 429, 400,
    ]);
  });
});

describe("a confidential app", () => {
  it("gets nothing without its secret, even with the verifier of its code", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const tokens = await scene.createTokens(app);
    for (const response of [
      await redeem(scene, app, await scene.createCode(app)),
      await refresh(scene, app, tokens.refresh_token),
      await send(scene, app, "/oauth2/revoke", { token: tokens.refresh_token }),
    ]) {
      expect(await readError(response)).toEqual([401, "invalid_client"]);
    }
    expect((await scene.refresh(app, tokens.refresh_token)).status).toBe(200);
  });
});

describe("a public app on the machine of the browser", () => {
  it.each(["http://127.0.0.1", "http://127.0.0.1:1", "http://127.0.0.1:65535"])(
    "can be redirected to at any port of 127.0.0.1, such as %s",
    async (origin) => {
      const scene = new Scene();
      const app = await createPublicApp(scene);
      const redirect_uri = `${origin}/callback`;
      const decided = await scene.decide(scene.authorizeUrl(app, { redirect_uri }), "allow");
      const code = parseRedirect(decided, `${redirect_uri}?`).get("code") ?? "";
      expect((await redeem(scene, app, code, { redirect_uri })).status).toBe(200);
    },
  );

  it("can be redirected to at any port of [::1]", async () => {
    const scene = new Scene();
    const app = await createPublicApp(scene);
    for (const port of ["", ":4711", ":50000"]) {
      const redirect_uri = `http://[::1]${port}/callback?x=1`;
      const decided = await scene.decide(scene.authorizeUrl(app, { redirect_uri }), "allow");
      const code = parseRedirect(decided, `${redirect_uri}&`).get("code") ?? "";
      expect((await redeem(scene, app, code, { redirect_uri })).status).toBe(200);
    }
  });

  it("redeems its code with the port that it requested, and no other", async () => {
    const scene = new Scene();
    const app = await createPublicApp(scene);
    const redirect_uri = "http://127.0.0.1:50000/callback";
    const decided = await scene.decide(scene.authorizeUrl(app, { redirect_uri }), "allow");
    const code = parseRedirect(decided, redirect_uri).get("code") ?? "";
    const other = { redirect_uri: "http://127.0.0.1:50001/callback" };
    expect(await readError(await redeem(scene, app, code, other))).toEqual([400, "invalid_grant"]);
  });

  it.each([
    "http://127.0.0.1:/callback",
    "http://127.0.0.1:0/callback",
    "http://127.0.0.1:00080/callback",
    "http://127.0.0.1:65536/callback",
    "http://127.0.0.1:999999/callback",
    "http://127.0.0.1:80@evil.example/callback",
    "http://127.0.0.1:80.evil.example/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://127.0.0.2:80/callback",
    "http://localhost:80/callback",
    "http://[::1]:80/callback",
    "https://127.0.0.1:80/callback",
    "http://127.0.0.1:80/callback/",
    "http://127.0.0.1:80/callback?x=1",
    "http://127.0.0.1:80/callback#x",
    "http://127.0.0.1:80\\callback",
    "http://127.0.0.1:80",
    "https://app.example:8443/callback",
    "com.example.till:/callback2",
    "com.example.till:/callback?x",
    "com.example.till://callback",
    "com.example.evil:/callback",
    "COM.example.till:/callback",
  ])("can't be redirected to at %j", async (redirect_uri) => {
    const scene = new Scene();
    const answer = await scene.fetch(scene.authorizeUrl(await createPublicApp(scene), { redirect_uri }));
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });

  it("can be redirected to only at its own port when it registered localhost", async () => {
    const scene = new Scene();
    const app = await createPublicApp(scene, ["http://localhost:5173/callback"]);
    const authorizeAt = (port: number) =>
      scene.fetch(scene.authorizeUrl(app, { redirect_uri: `http://localhost:${port}/callback` }));
    expect([(await authorizeAt(5_173)).status, (await authorizeAt(5_174)).status]).toEqual([200, 400]);
  });
});

describe("a public app with a claimed scheme", () => {
  it("can be redirected to by that scheme", async () => {
    const scene = new Scene();
    const app = await createPublicApp(scene);
    const decided = await scene.decide(scene.authorizeUrl(app, { redirect_uri: claimedDeliveries }), "allow");
    const code = parseRedirect(decided, `${claimedDeliveries}?`).get("code") ?? "";
    expect((await redeem(scene, app, code, { redirect_uri: claimedDeliveries })).status).toBe(200);
  });

  it("is named on the page, whose form may redirect to it", async () => {
    const scene = new Scene();
    const page = await scene.fetch(
      scene.authorizeUrl(await createPublicApp(scene), { redirect_uri: claimedDeliveries }),
    );
    expect(page.headers.get("content-security-policy")).toContain(
      "form-action 'self' https: com.example.till:;",
    );
    expect(await page.text()).toContain("the app <strong>com.example.till</strong> on this device");
  });
});
