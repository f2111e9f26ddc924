import { describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import {
  createBasicAuth,
  createParams,
  readError,
  readTokens,
  redirectUri,
  Scene,
  verifier,
} from "./scene.js";

describe.each(everyAdapter)("a code on $name", ({ open }) => {
  it("is exchanged for tokens of the user's organization, with the granted scopes", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const response = await scene.redeem(app, await scene.createCode(app, { scope: "user:create" }));
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("pragma")).toBe("no-cache");
    const tokens = await readTokens(response);
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^lko_[0-9A-Za-z]{38}$/),
      token_type: "Bearer",
      expires_in: 1_800,
      refresh_token: expect.stringMatching(/^lkr_[0-9A-Za-z]{38}$/),
      scope: "user:create",
    });
    const { organizationId } = scene.user;
    const principal = { organizationId, scopes: ["user:create"] };
    expect(await scene.loyalty.verifyToken(tokens.access_token)).toMatchObject(principal);
    expect(await scene.loyalty.verifyApiToken(tokens.access_token)).toBeNull();
  });

  it("that is used twice ends the grant with all its tokens", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const code = await scene.createCode(app);
    const first = await readTokens(await scene.redeem(app, code));
    expect(await scene.areTokensValid(first.access_token)).toEqual([true]);
    expect(await readError(await scene.redeem(app, code))).toEqual([400, "invalid_grant"]);
    expect(await scene.areTokensValid(first.access_token)).toEqual([false]);
    expect(await readError(await scene.refresh(app, first.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  it("that is used many times concurrently returns tokens once, and they end", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const code = await scene.createCode(app);
    const responses = await Promise.all(Array.from({ length: 8 }, () => scene.redeem(app, code)));
    const successes = responses.filter(({ status }) => status === 200);
    expect(successes.length).toBe(1);
    for (const response of successes) {
      const { access_token } = await readTokens(response);
      expect(await scene.areTokensValid(access_token)).toEqual([false]);
    }
  });

  it("is refused from another app, like a made-up code", async () => {
    const scene = new Scene({ storage: await open() });
    const [app, thief] = [await scene.createApp(), await scene.createApp()];
    const code = await scene.createCode(app);
    expect(await readError(await scene.redeem(thief, code))).toEqual([400, "invalid_grant"]);
    expect(await readError(await scene.redeem(app, "lkc_made-up"))).toEqual([400, "invalid_grant"]);
    expect((await scene.redeem(app, code)).status).toBe(200);
  });
});

describe("a code", () => {
  it("expires after 60 seconds", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const [soon, late] = [await scene.createCode(app), await scene.createCode(app)];
    scene.clock.move(59_999);
    expect((await scene.redeem(app, soon)).status).toBe(200);
    scene.clock.move(1);
    expect(await readError(await scene.redeem(app, late))).toEqual([400, "invalid_grant"]);
  });

  it("isn't valid when the clock is set back or forward by a day", async () => {
    for (const day of [86_400_000, -86_400_000]) {
      const scene = new Scene();
      const app = await scene.createApp();
      const code = await scene.createCode(app);
      scene.clock.move(day);
      expect(await readError(await scene.redeem(app, code))).toEqual([400, "invalid_grant"]);
    }
  });

  it("is remembered for a day after use: using it again ends the grant", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const code = await scene.createCode(app);
    const tokens = await readTokens(await scene.redeem(app, code));
    scene.clock.move(86_000_000);
    expect(await readError(await scene.redeem(app, code))).toEqual([400, "invalid_grant"]);
    expect(await readError(await scene.refresh(app, tokens.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  it("needs the redirect URI of its request, and another one uses it up", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    for (const redirect_uri of [`${redirectUri}/`, "https://APP.example/callback", `${redirectUri}?`, null]) {
      const code = await scene.createCode(app);
      const answer = await scene.redeem(app, code, { redirect_uri });
      expect(await readError(answer), String(redirect_uri)).toEqual([400, "invalid_grant"]);
      expect(await readError(await scene.redeem(app, code))).toEqual([400, "invalid_grant"]);
    }
  });

  it("needs no redirect URI if its request omitted it, and is refused with one", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const leftOut = { redirect_uri: null };
    expect((await scene.redeem(app, await scene.createCode(app, leftOut), leftOut)).status).toBe(200);
    const answer = await scene.redeem(app, await scene.createCode(app, leftOut));
    expect(await readError(answer)).toEqual([400, "invalid_grant"]);
  });

  it("can't be used as any other kind of token", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const code = await scene.createCode(app);
    expect(await readError(await scene.refresh(app, code))).toEqual([400, "invalid_grant"]);
    expect(await scene.getStatus(code)).toBe(401);
    const { access_token, refresh_token } = await scene.createTokens(app);
    expect(await scene.getStatus(refresh_token)).toBe(401);
    for (const other of [access_token, refresh_token]) {
      expect(await readError(await scene.redeem(app, other))).toEqual([400, "invalid_grant"]);
    }
    expect(await readError(await scene.refresh(app, access_token))).toEqual([400, "invalid_grant"]);
  });

  it("of a deleted app can't be redeemed", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const code = await scene.createCode(app);
    await scene.loyalty.organization("vendor").apps.delete(app.app.id);
    expect(await readError(await scene.redeem(app, code))).toEqual([401, "invalid_client"]);
  });
});

describe("PKCE", () => {
  it("accepts only the verifier of the challenge, and another one uses up the code", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const code = await scene.createCode(app);
    const other = await scene.redeem(app, code, { code_verifier: `${verifier}x` });
    expect(await readError(other)).toEqual([400, "invalid_grant"]);
    expect(await readError(await scene.redeem(app, code))).toEqual([400, "invalid_grant"]);
  });

  it("doesn't accept the challenge itself as a verifier", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const challenge = new URLSearchParams(scene.authorizeUrl(app).split("?")[1]).get("code_challenge");
    const answer = await scene.redeem(app, await scene.createCode(app), { code_verifier: challenge });
    expect(await readError(answer)).toEqual([400, "invalid_grant"]);
  });

  it("can't be omitted or replaced at the exchange", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const code = await scene.createCode(app);
    for (const code_verifier of [null, "", "x".repeat(42), "x".repeat(129), `${verifier}!`, "ä".repeat(43)]) {
      const answer = await scene.redeem(app, code, { code_verifier, code_challenge_method: "plain" });
      expect(await readError(answer), String(code_verifier)).toEqual([400, "invalid_request"]);
    }
    expect((await scene.redeem(app, code)).status).toBe(200);
  });
});

describe("an app", () => {
  it("sends its secret in HTTP Basic or in the form", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    expect((await scene.redeem(app, await scene.createCode(app))).status).toBe(200);
    const body = createParams({
      grant_type: "authorization_code",
      code: await scene.createCode(app),
      redirect_uri: redirectUri,
      code_verifier: verifier,
      client_id: app.app.id,
      client_secret: app.clientSecret,
    });
    expect((await scene.fetch("/oauth2/token", { method: "POST", body })).status).toBe(200);
  });

  it("may send its client_id in the form in addition to HTTP Basic", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const answer = await scene.redeem(app, await scene.createCode(app), { client_id: app.app.id });
    expect(answer.status).toBe(200);
  });

  it("that authenticates wrongly gets invalid_client and the expected scheme", async () => {
    const scene = new Scene();
    const [app, other] = [await scene.createApp(), await scene.createApp()];
    const code = await scene.createCode(app);
    const { app: own, clientSecret } = app;
    const right = createBasicAuth(own.id, clientSecret);
    const rightToken = Buffer.from(`${own.id}:${clientSecret}`).toString("base64");
    const headerLists: [string, string][][] = [
      [],
      [["authorization", createBasicAuth(own.id, other.clientSecret)]],
      [["authorization", createBasicAuth(other.app.id, clientSecret)]],
      [["authorization", createBasicAuth(own.id, "")]],
      [["authorization", createBasicAuth("", clientSecret)]],
      [["authorization", createBasicAuth(own.id, "lks_made-up")]],
      [["authorization", createBasicAuth("app_unknown", clientSecret)]],
      [["authorization", createBasicAuth("\0", clientSecret)]],
      [["authorization", `Bearer ${rightToken}`]],
      [["authorization", `Basic ${own.id}:${clientSecret}`]],
      [["authorization", "Basic"]],
      [["authorization", `Basic ${Buffer.from("no colon").toString("base64")}`]],
      [["authorization", `Basic ${Buffer.from("%zz:%").toString("base64")}`]],
      [["authorization", `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString("base64")}`]],
      [
        ["authorization", right],
        ["authorization", right],
      ],
      [
        ["authorization", "Basic x"],
        ["authorization", right],
      ],
      [["authorization", `Basic ${"x".repeat(1_000_000)}`]],
    ];
    for (const headers of headerLists) {
      const body = createParams({
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      });
      const answer = await scene.fetch("/oauth2/token", { method: "POST", headers, body });
      expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm="/);
      expect(await readError(answer), JSON.stringify(headers).slice(0, 100)).toEqual([401, "invalid_client"]);
    }
    for (const client of [
      { client_id: own.id, client_secret: other.clientSecret },
      { client_id: own.id },
      { client_secret: clientSecret },
    ]) {
      const body = createParams({ grant_type: "refresh_token", refresh_token: "x", ...client });
      const answer = await scene.fetch("/oauth2/token", { method: "POST", body });
      expect(await readError(answer)).toEqual([401, "invalid_client"]);
    }
    expect((await scene.redeem(app, code)).status).toBe(200);
  });

  it("that authenticates in two ways is refused", async () => {
    const scene = new Scene();
    const [app, other] = [await scene.createApp(), await scene.createApp()];
    const code = await scene.createCode(app);
    for (const contradiction of [
      { client_secret: app.clientSecret },
      { client_id: other.app.id },
      { client_id: app.app.id, client_secret: app.clientSecret },
    ]) {
      expect(await readError(await scene.redeem(app, code, contradiction))).toEqual([400, "invalid_request"]);
    }
    expect((await scene.redeem(app, code)).status).toBe(200);
  });

  it("can't use its previous secret after an immediate rotation", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const tokens = await scene.createTokens(app);
    const rotated = await scene.loyalty
      .organization("vendor")
      .apps.rotateSecret(app.app.id, { immediately: true });
    expect(await readError(await scene.refresh(app, tokens.refresh_token))).toEqual([401, "invalid_client"]);
    expect((await scene.refresh(rotated, tokens.refresh_token)).status).toBe(200);
  });
});

describe("the token endpoint", () => {
  it("distinguishes an unsupported grant type from a missing one", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    for (const grant_type of [
      "password",
      "client_credentials",
      "implicit",
      "AUTHORIZATION_CODE",
      "__proto__",
    ]) {
      const answer = await scene.send(app, "/oauth2/token", { grant_type });
      expect(await readError(answer)).toEqual([400, "unsupported_grant_type"]);
    }
    for (const grant_type of [null, ""]) {
      const answer = await scene.send(app, "/oauth2/token", { grant_type });
      expect(await readError(answer)).toEqual([400, "invalid_request"]);
    }
  });

  it("accepts no parameter twice", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const fields: [string, string][] = [
      ["grant_type", "authorization_code"],
      ["code", await scene.createCode(app)],
      ["redirect_uri", redirectUri],
      ["code_verifier", verifier],
    ];
    const headers = { authorization: createBasicAuth(app.app.id, app.clientSecret) };
    for (const [name, value] of [...fields, ["client_id", app.app.id] as const]) {
      const body = new URLSearchParams([...fields, ["client_id", app.app.id], [name, value]]);
      const answer = await scene.fetch("/oauth2/token", { method: "POST", headers, body });
      expect(await readError(answer), name).toEqual([400, "invalid_request"]);
    }
  });

  it("accepts nothing from the URL", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const code = await scene.createCode(app);
    const fields = {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
    const { id: client_id } = app.app;
    for (const query of [{ client_id, client_secret: app.clientSecret }, { code }, { x: "1" }]) {
      const answer = await scene.send(app, `/oauth2/token?${createParams(query)}`, fields);
      expect(await readError(answer)).toEqual([400, "invalid_request"]);
    }
    const { access_token } = await readTokens(await scene.send(app, "/oauth2/token?", fields));
    const revocation = await scene.send(app, "/oauth2/revoke?x=1", { token: access_token });
    expect(await readError(revocation)).toEqual([400, "invalid_request"]);
    expect(await scene.areTokensValid(access_token)).toEqual([true]);
  });

  it("reads only forms", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const authorization = createBasicAuth(app.app.id, app.clientSecret);
    const form = "application/x-www-form-urlencoded";
    const bodies: [Record<string, string>, string | Uint8Array<ArrayBuffer> | null][] = [
      [{ "content-type": "application/json" }, '{"grant_type":"refresh_token"}'],
      [{ "content-type": "text/plain" }, "grant_type=refresh_token"],
      [{ "content-type": form, "content-encoding": "gzip" }, "grant_type=refresh_token"],
      [{ "content-type": form }, new Uint8Array([0x61, 0xff, 0x3d])],
      [{}, null],
    ];
    for (const [headers, body] of bodies) {
      const requestHeaders = { ...headers, authorization };
      const answer = await scene.fetch("/oauth2/token", { method: "POST", headers: requestHeaders, body });
      expect(await readError(answer), JSON.stringify(headers)).toEqual([400, "invalid_request"]);
    }
    const large = {
      method: "POST",
      headers: { "content-type": form, authorization },
      body: "x".repeat(16_385),
    };
    expect(await readError(await scene.fetch("/oauth2/token", large))).toEqual([413, "invalid_request"]);
  });

  it("refuses malformed or non-UTF-8 percent-encoding in any parameter", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const { refresh_token } = await scene.createTokens(app);
    const headers = {
      authorization: createBasicAuth(app.app.id, app.clientSecret),
      "content-type": "application/x-www-form-urlencoded",
    };
    const right = `grant_type=refresh_token&refresh_token=${refresh_token}`;
    for (const wrong of ["%", "%1", "%zz", "%ff", "%c3%28", "%ed%a0%80", "%u0041"]) {
      for (const body of [
        `${right}${wrong}`,
        `${right}&x=${wrong}`,
        `${right}&${wrong}=x`,
        `${wrong}&${right}`,
      ]) {
        for (const path of ["/oauth2/token", "/oauth2/revoke"]) {
          const answer = await scene.fetch(path, { method: "POST", headers, body: `token=x&${body}` });
          expect(await readError(answer), body).toEqual([400, "invalid_request"]);
        }
      }
    }
    const body = `&&${right.replace("refresh_token", "refresh%5Ftoken")}&x&=&a=b=c&y=+%c3%a4ä`;
    expect((await scene.fetch("/oauth2/token", { method: "POST", headers, body })).status).toBe(200);
  });

  it("refuses a token of 10,000 characters like any other made-up token", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const endless = `lkr_${"x".repeat(10_000)}`;
    expect(await readError(await scene.refresh(app, endless))).toEqual([400, "invalid_grant"]);
    expect(await readError(await scene.redeem(app, endless))).toEqual([400, "invalid_grant"]);
    expect((await scene.revoke(app, endless)).status).toBe(200);
  });

  it("accepts only POST", async () => {
    const scene = new Scene();
    for (const path of ["/oauth2/token", "/oauth2/revoke"]) {
      for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
        const answer = await scene.fetch(path, { method });
        expect(answer.headers.get("allow")).toBe("POST");
        expect(await readError(answer)).toEqual([405, "invalid_request"]);
      }
    }
  });

  it("accepts a limited number of wrong secrets a minute from an address, and correct ones at any time", async () => {
    const scene = new Scene({ rateLimits: { perAddress: { requests: 2, seconds: 60 } } });
    const app = await scene.createApp();
    const wrong = { ...app, clientSecret: (await scene.createApp()).clientSecret };
    for (const limited of [false, false, true, true]) {
      const answer = await scene.refresh(wrong, "x");
      expect([answer.status, answer.headers.get("retry-after")]).toEqual(limited ? [429, "60"] : [401, null]);
      expect(await readError(await scene.refresh(app, "x"))).toEqual([400, "invalid_grant"]);
    }
    scene.clock.move(60_000);
    expect((await scene.refresh(wrong, "x")).status).toBe(401);
  });

  it("responds to a storage failure with 503, and reports it to the host", async () => {
    const errors: unknown[] = [];
    const scene = new Scene({ onError: (error) => errors.push(error) });
    const app = await scene.createApp();
    await scene.loyalty.close();
    const answer = await scene.redeem(app, "x");
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(await readError(answer)).toEqual([503, "temporarily_unavailable"]);
    expect(errors).toHaveLength(1);
  });

  it("leaves similar paths to the API", async () => {
    const scene = new Scene();
    for (const path of ["/oauth2", "/oauth2/", "/oauth2/token/", "/oauth2/Token", "/v1/oauth2/token"]) {
      const answer = await scene.fetch(path, { method: "POST" });
      expect([answer.status, await answer.json()]).toEqual([
        404,
        { code: "resource_not_found", params: null },
      ]);
    }
  });
});
