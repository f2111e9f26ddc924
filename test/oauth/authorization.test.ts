import { createOAuth } from "loyalty-kit/auth";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { recordCalls } from "../kit/intercept-calls.js";
import { untyped } from "../kit/refusal.js";
import {
  challenge,
  createChallenge,
  createParams,
  type Fields,
  findSeal,
  issuer,
  parseRedirect,
  readError,
  readTokens,
  redirectUri,
  Scene,
} from "./scene.js";

/** Returns the status and the error code of a page that is shown instead of the consent page. */
async function readErrorPage(response: Response): Promise<[status: number, code: string | undefined]> {
  expect(response.headers.get("location")).toBeNull();
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  return [response.status, /Error code: <code>([a-z_]+)<\/code>/.exec(await response.text())?.[1]];
}

describe("the response to an app", () => {
  it("that is allowed contains a code, its state and the issuer, and nothing else", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const state = "x=1&y=2 %41 \"<>'+~";
    const answer = parseRedirect(await scene.decide(scene.authorizeUrl(app, { state }), "allow"));
    expect(Object.fromEntries(answer)).toEqual({
      code: expect.stringMatching(/^lkc_[0-9A-Za-z]{38}$/),
      state,
      iss: issuer,
    });
  });

  it("that is denied contains access_denied", async () => {
    const scene = new Scene();
    const answer = parseRedirect(await scene.decide(scene.authorizeUrl(await scene.createApp()), "deny"));
    expect(Object.fromEntries(answer)).toEqual({
      error: "access_denied",
      error_description: expect.any(String),
      state: "a state",
      iss: issuer,
    });
  });

  it("contains no state if none was sent", async () => {
    const scene = new Scene();
    const url = scene.authorizeUrl(await scene.createApp(), { state: null });
    for (const decision of ["allow", "deny"] as const) {
      expect(parseRedirect(await scene.decide(url, decision)).has("state")).toBe(false);
    }
  });

  it("preserves the query of the redirect URI", async () => {
    const scene = new Scene();
    const uri = `${redirectUri}?tenant=a%20b&x=`;
    const app = await scene.createApp([uri]);
    const url = scene.authorizeUrl(app, { redirect_uri: uri });
    const response = await scene.decide(url, "allow");
    expect(response.headers.get("location")).toMatch(
      /^https:\/\/app\.example\/callback\?tenant=a%20b&x=&code=lkc_/,
    );
  });

  it.each<[string, Fields, string]>([
    ["no response type", { response_type: null }, "invalid_request"],
    ["another response type", { response_type: "token" }, "unsupported_response_type"],
    ["several response types", { response_type: "code token" }, "unsupported_response_type"],
    ["no scope", { scope: null }, "invalid_scope"],
    ["a scope that the app may not request", { scope: "user:read pass:read" }, "invalid_scope"],
    ["an unknown scope", { scope: "user:fly" }, "invalid_scope"],
    ["only the beginning of a scope", { scope: "user:rea" }, "invalid_scope"],
    ["only the category of a scope", { scope: "user" }, "invalid_scope"],
    ["a scope with an extra letter", { scope: "user:reads" }, "invalid_scope"],
    ["a scope in upper case", { scope: "USER:READ" }, "invalid_scope"],
    ["a wildcard", { scope: "user:*" }, "invalid_scope"],
    ["scopes separated by commas", { scope: "user:read,user:create" }, "invalid_scope"],
    ["scopes separated by two spaces", { scope: "user:read  user:create" }, "invalid_scope"],
    ["no code challenge", { code_challenge: null }, "invalid_request"],
    ["no challenge and no method", { code_challenge: null, code_challenge_method: null }, "invalid_request"],
    ["no challenge method, which means plain", { code_challenge_method: null }, "invalid_request"],
    ["the plain method", { code_challenge_method: "plain" }, "invalid_request"],
    ["a method in lower case", { code_challenge_method: "s256" }, "invalid_request"],
    ["a challenge that is too short", { code_challenge: challenge.slice(1) }, "invalid_request"],
    ["a challenge with padding", { code_challenge: `${challenge}=` }, "invalid_request"],
    ["a challenge with invalid characters", { code_challenge: "+".repeat(43) }, "invalid_request"],
  ])("to a request with %s contains the error", async (_name, changes, error) => {
    const scene = new Scene();
    const answer = parseRedirect(await scene.fetch(scene.authorizeUrl(await scene.createApp(), changes)));
    expect([answer.get("error"), answer.get("state"), answer.get("iss")]).toEqual([error, "a state", issuer]);
    expect(answer.get("error_description")).not.toBe("");
  });

  it("to a request that repeats a parameter is invalid_request", async () => {
    const scene = new Scene();
    const url = scene.authorizeUrl(await scene.createApp());
    for (const name of ["response_type", "scope", "code_challenge", "code_challenge_method"]) {
      const value = new URL(url, issuer).searchParams.get(name) ?? "";
      const answer = parseRedirect(await scene.fetch(`${url}&${createParams({ [name]: value })}`));
      expect(answer.get("error"), name).toBe("invalid_request");
    }
  });

  it("is an error page if the request has its parameters only in the form", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const query = scene.authorizeUrl(app).split("?")[1];
    const page = await (await scene.fetch(scene.authorizeUrl(app))).text();
    const body = new URLSearchParams(`${query}&seal=${findSeal(page)}&decision=allow`);
    expect(await readErrorPage(await scene.fetch("/oauth2/authorize", { method: "POST", body }))).toEqual([
      400,
      "invalid_request",
    ]);
  });
});

describe("there is no redirect", () => {
  it.each<[string, Fields]>([
    ["without a client_id", { client_id: null }],
    ["for an app that doesn't exist", { client_id: "app_00000000-0000-7000-8000-000000000000" }],
    ["for an invalid client_id", { client_id: "\0" }],
    ["for a client_id that is too long", { client_id: "app_".repeat(1_000) }],
    ["with line breaks in the state", { state: "x\r\nlocation: https://evil.example" }],
    ["with a state that isn't ASCII", { state: "ä" }],
  ])("%s", async (_name, changes) => {
    const scene = new Scene();
    const [status] = await readErrorPage(
      await scene.fetch(scene.authorizeUrl(await scene.createApp(), changes)),
    );
    expect(status).toBe(400);
  });

  it("for a request that repeats its client_id, redirect_uri or state", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    for (const more of [
      { client_id: app.app.id },
      { redirect_uri: redirectUri },
      { redirect_uri: "https://evil.example/" },
      { state: "another" },
    ]) {
      const url = `${scene.authorizeUrl(app)}&${createParams(more)}`;
      expect(await readErrorPage(await scene.fetch(url))).toEqual([400, "invalid_request"]);
    }
  });

  it("for a request with malformed percent-encoding", async () => {
    const scene = new Scene();
    const url = scene.authorizeUrl(await scene.createApp());
    for (const more of ["x=%", "%zz=1", "x=%ff"])
      expect(await readErrorPage(await scene.fetch(`${url}&${more}`))).toEqual([400, "invalid_request"]);
  });

  it.each([
    "https://app.example/callback/",
    "https://app.example/Callback",
    "https://APP.example/callback",
    "HTTPS://app.example/callback",
    "http://app.example/callback",
    "https://app.example/callback?",
    "https://app.example/callback?x=1",
    "https://app.example/callback#",
    "https://app.example/callback#x",
    "https://app.example:443/callback",
    "https://app.example:8443/callback",
    "https://app.example./callback",
    "https://user@app.example/callback",
    "https://app.example@evil.example/callback",
    "https://app.example\\@evil.example/callback",
    "https:\\\\app.example\\callback",
    "https://app.example/%63allback",
    "https://app.example/callback%2f",
    "https://app.example/x/../callback",
    "https://app.example//callback",
    "//app.example/callback",
    "/callback",
    "https://app.example/callback ",
    " https://app.example/callback",
    "https://app.example/callback\u0000",
    "https://app.example/callback\u200b",
    "https://app.example/callbac",
    "https://app.example.evil.example/callback",
    "javascript:alert(1)",
    "https://",
  ])("to %j, which isn't exactly the app's redirect URI", async (redirect_uri) => {
    const scene = new Scene();
    const url = scene.authorizeUrl(await scene.createApp(), { redirect_uri });
    expect(await readErrorPage(await scene.fetch(url))).toEqual([400, "invalid_request"]);
  });

  it("to another port of localhost", async () => {
    const scene = new Scene();
    const app = await scene.createApp(["http://127.0.0.1:5000/callback"]);
    const authorizeUrlAt = (port: number) =>
      scene.authorizeUrl(app, { redirect_uri: `http://127.0.0.1:${port}/callback` });
    expect((await scene.fetch(authorizeUrlAt(5_000))).status).toBe(200);
    expect(await readErrorPage(await scene.fetch(authorizeUrlAt(5_001)))).toEqual([400, "invalid_request"]);
  });

  it("without a redirect URI, unless the app has only one", async () => {
    const scene = new Scene();
    const one = scene.authorizeUrl(await scene.createApp(), { redirect_uri: null });
    expect(parseRedirect(await scene.decide(one, "allow")).get("code")).not.toBeNull();
    const two = scene.authorizeUrl(await scene.createApp([redirectUri, `${redirectUri}/2`]), {
      redirect_uri: null,
    });
    expect(await readErrorPage(await scene.fetch(two))).toEqual([400, "invalid_request"]);
  });

  it("to the app before the user is signed in, not even with an error", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    scene.signInAt = "https://host.example/login";
    for (const changes of [{}, { scope: "user:fly" }, { response_type: "token" }]) {
      const url = scene.authorizeUrl(app, changes);
      for (const method of ["GET", "POST"]) {
        const response = await scene.fetch(url, { method });
        expect([response.status, response.headers.get("location")]).toEqual([303, scene.signInAt]);
      }
    }
    const url = scene.authorizeUrl(app, { redirect_uri: "https://evil.example/" });
    expect(await readErrorPage(await scene.fetch(url))).toEqual([400, "invalid_request"]);
  });
});

describe("a user", () => {
  it("can't grant a scope that they lack", async () => {
    const scene = new Scene();
    scene.user = { ...scene.user, scopes: ["user:read", "pass:read"] };
    const app = await scene.createApp();
    expect((await scene.createTokens(app)).scope).toBe("user:read");
    scene.user = { ...scene.user, scopes: ["pass:read"] };
    const answer = parseRedirect(await scene.fetch(scene.authorizeUrl(app)));
    expect(answer.get("error")).toBe("access_denied");
  });

  it("who lost a scope between page and decision is asked again, without it", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const url = scene.authorizeUrl(app);
    const seal = findSeal(await (await scene.fetch(url)).text());
    scene.user = { ...scene.user, scopes: ["user:create"] };
    const body = createParams({ seal, decision: "allow" });
    expect((await scene.fetch(url, { method: "POST", body })).status).toBe(403);
    const code = parseRedirect(await scene.decide(url, "allow")).get("code") ?? "";
    expect((await readTokens(await scene.redeem(app, code))).scope).toBe("user:create");
  });
});

describe("the result of signedIn", () => {
  it.each<[string, unknown]>([
    ["null", null],
    ["undefined", undefined],
    ["false", false],
    ["a string", "ada"],
    ["neither a user nor a redirect", {}],
    ["a redirect that isn't a string", { redirect: null }],
    ["a user with an undefined redirect", { redirect: undefined, organizationId: "acme", subject: "ada" }],
    ["no organization", { subject: "ada" }],
    ["a blank organization", { organizationId: " ", subject: "ada" }],
    ["an organization with a NUL character", { organizationId: "a\0", subject: "ada" }],
    ["an organization of more than 100 characters", { organizationId: "x".repeat(101), subject: "ada" }],
    ["an organization that isn't a string", { organizationId: 7, subject: "ada" }],
    ["no subject", { organizationId: "acme" }],
    ["a blank subject", { organizationId: "acme", subject: " " }],
    ["a subject that isn't a string", { organizationId: "acme", subject: 7 }],
    ["a subject of more than 255 characters", { organizationId: "acme", subject: "x".repeat(256) }],
    ["scopes that aren't a list", { organizationId: "acme", subject: "ada", scopes: "user:read" }],
    ["null for scopes", { organizationId: "acme", subject: "ada", scopes: null }],
  ])("is reported to the host when it is invalid, and the response is 500: %s", async (_name, answer) => {
    const errors: unknown[] = [];
    const scene = new Scene({ onError: (error) => void errors.push(error) });
    const url = scene.authorizeUrl(await scene.createApp());
    scene.user = untyped(answer);
    for (const method of ["GET", "POST"]) {
      expect(await readErrorPage(await scene.fetch(url, { method }))).toEqual([500, "server_error"]);
    }
    expect(errors).toEqual([expect.any(TypeError), expect.any(TypeError)]);
    for (const error of errors) expect(String(error)).toMatch(/^TypeError: signedIn must return /);
  });

  it("may be an instance of a class", async () => {
    class User {
      get organizationId() {
        return "acme";
      }
      get subject() {
        return "ada";
      }
    }
    const scene = new Scene();
    scene.user = new User();
    expect((await scene.fetch(scene.authorizeUrl(await scene.createApp()))).status).toBe(200);
  });
});

describe("a decision", () => {
  const decide = async (scene: Scene, url: string, seal: string | null) =>
    scene.fetch(url, { method: "POST", body: createParams({ seal, decision: "allow" }) });

  it("is valid only from the page of the same user and organization, for the same request", async () => {
    const scene = new Scene();
    const [app, other] = [await scene.createApp(), await scene.createApp()];
    const url = scene.authorizeUrl(app);
    const seal = findSeal(await (await scene.fetch(url)).text());
    const { user } = scene;
    for (const wrong of [null, "", "x", `${seal}x`, seal.slice(0, -1)]) {
      expect((await readErrorPage(await decide(scene, url, wrong)))[0]).toBe(403);
    }
    for (const forged of [
      scene.authorizeUrl(other),
      scene.authorizeUrl(app, { scope: "user:read" }),
      scene.authorizeUrl(app, { state: "another" }),
      scene.authorizeUrl(app, { code_challenge: createChallenge("of the thief") }),
    ]) {
      expect((await readErrorPage(await decide(scene, forged, seal)))[0]).toBe(403);
    }
    scene.user = { ...user, subject: "mallory" };
    expect((await readErrorPage(await decide(scene, url, seal)))[0]).toBe(403);
    scene.user = { ...user, organizationId: "globex" };
    expect((await readErrorPage(await decide(scene, url, seal)))[0]).toBe(403);
    scene.user = { ...user, scopes: ["user:read"] };
    expect((await readErrorPage(await decide(scene, url, seal)))[0]).toBe(403);
    scene.user = user;
    expect(parseRedirect(await decide(scene, url, seal)).get("code")).not.toBeNull();
  });

  it("isn't valid from a page of another origin", async () => {
    const scene = new Scene();
    const url = scene.authorizeUrl(await scene.createApp());
    const seal = findSeal(await (await scene.fetch(url)).text());
    const body = createParams({ seal, decision: "allow" });
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      const answer = await scene.fetch(url, { method: "POST", headers, body });
      expect((await readErrorPage(answer))[0]).toBe(403);
    }
    const headers = { origin: issuer, "sec-fetch-site": "same-origin" };
    expect(
      parseRedirect(await scene.fetch(url, { method: "POST", headers, body })).get("code"),
    ).not.toBeNull();
  });

  it("is valid only for the scopes that its page showed", async () => {
    const scene = new Scene();
    const url = scene.authorizeUrl(await scene.createApp());
    const { user } = scene;
    scene.user = { ...user, scopes: ["user:read"] };
    const seal = findSeal(await (await scene.fetch(url)).text());
    // In the meantime the user may grant more.
    scene.user = user;
    expect((await readErrorPage(await decide(scene, url, seal)))[0]).toBe(403);
  });

  it("is valid within 10 minutes of its page", async () => {
    const scene = new Scene();
    const url = scene.authorizeUrl(await scene.createApp());
    const seals = [];
    for (const _ of [1, 2, 3]) seals.push(findSeal(await (await scene.fetch(url)).text()));
    const [soon = "", late = "", early = ""] = seals;
    scene.clock.move(599_999);
    expect(parseRedirect(await decide(scene, url, soon)).get("code")).not.toBeNull();
    scene.clock.move(1);
    expect((await readErrorPage(await decide(scene, url, late)))[0]).toBe(403);
    scene.clock.move(-1_200_000);
    expect((await readErrorPage(await decide(scene, url, early)))[0]).toBe(403);
  });

  it("is valid once, even for decisions at the same time and in other processes", async () => {
    const options = { storage: memoryStorage(), key: "a secret of thirty-two characters" };
    const [one, two] = [new Scene(options), new Scene(options)];
    const url = one.authorizeUrl(await one.createApp());
    const seal = findSeal(await (await one.fetch(url)).text());
    two.user = one.user;
    const answers = await Promise.all([one, two, one, two].map((scene) => decide(scene, url, seal)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403, 403, 403]);
    one.clock.move(60_000);
    expect((await readErrorPage(await decide(one, url, seal)))[0]).toBe(403);
    const organization = one.loyalty.organization(one.user.organizationId);
    expect(await organization.grants.list()).toHaveLength(1);
  });

  it("that is missing or unknown is a denial", async () => {
    const scene = new Scene();
    const url = scene.authorizeUrl(await scene.createApp());
    const seal = findSeal(await (await scene.fetch(url)).text());
    for (const decision of [null, "", "ALLOW", "yes"]) {
      const body = createParams({ seal, decision });
      const answer = parseRedirect(await scene.fetch(url, { method: "POST", body }));
      expect(answer.get("error")).toBe("access_denied");
    }
  });

  it("may be sent to another process that shares the key", async () => {
    const storage = memoryStorage();
    const key = "a secret of thirty-two characters";
    const [one, two, stranger] = [
      new Scene({ storage, key }),
      new Scene({ storage, key }),
      new Scene({ storage }),
    ];
    const url = one.authorizeUrl(await one.createApp());
    const seal = findSeal(await (await one.fetch(url)).text());
    two.user = one.user;
    stranger.user = one.user;
    expect((await readErrorPage(await decide(stranger, url, seal)))[0]).toBe(403);
    expect(parseRedirect(await decide(two, url, seal)).get("code")).not.toBeNull();
  });
});

describe("the consent page", () => {
  it("shows the app, the organization, the host of the redirect and the scopes in words", async () => {
    const scene = new Scene();
    scene.user = { ...scene.user, organizationId: "Acme & <Sons>" };
    const text = await (await scene.fetch(scene.authorizeUrl(await scene.createApp()))).text();
    for (const part of [
      "Till of the bakery",
      "registered by <strong><bdi>vendor</bdi></strong>",
      "Acme &amp; &lt;Sons&gt;",
      "<strong>app.example</strong>",
      "<li>View customers, with their names, addresses and other data</li>",
      "<li>Add customers, and find out whether an email or external ID is in use</li>",
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain("<Sons>");
  });

  it("distinguishes apps of the same name by the organizations that registered them", async () => {
    const scene = new Scene();
    const { app } = await scene.createApp();
    const { name, redirectUris, scopes } = app;
    const input = { name, redirectUris, scopes };
    const copy = await scene.loyalty.organization("mallory & <Sons>").apps.create(input);
    const text = await (await scene.fetch(scene.authorizeUrl(copy))).text();
    expect(text).toContain("registered by <strong><bdi>mallory &amp; &lt;Sons&gt;</bdi></strong>");
    expect(text).not.toContain("vendor");
  });

  it.each([
    ["Till\u202E \u2069\r\n\u0007of", "Till of"],
    ["\u2069\u202E\u200B\u3164", null],
  ])("keeps its own words in their order next to an app named %j", async (name, shownAs) => {
    const scene = new Scene();
    const { redirectUris, scopes } = (await scene.createApp()).app;
    const input = { redirectUris, scopes };
    const app = await scene.loyalty.organization("ven\u2069\u202Edor").apps.create({ ...input, name });
    const text = await (await scene.fetch(scene.authorizeUrl(app))).text();
    expect(text).toContain(`<h1>Allow <bdi>${shownAs ?? app.app.id}</bdi> to access`);
    expect(text).toContain("<bdi>vendor</bdi>");
    expect(text).not.toMatch(/\p{Bidi_Control}/u);
  });

  it("warns that what an app creates with some scopes remains", async () => {
    const scene = new Scene();
    const scopes = ["api_token:manage", "webhook:manage"] as const;
    const app = await scene.createApp([redirectUri], [...scopes]);
    const url = scene.authorizeUrl(app, { scope: scopes.join(" ") });
    const text = await (await scene.fetch(url)).text();
    expect(text).toContain("Anything it creates remains after its own access ends</li>");
    expect(text).toContain("even after its own access ends</li>");
  });

  it("runs no script, loads nothing, and can't be framed or cached", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    for (const url of [scene.authorizeUrl(app), scene.authorizeUrl(app, { client_id: null })]) {
      const { headers } = await scene.fetch(url);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; form-action /);
      expect(policy).toContain("; frame-ancestors 'none'; base-uri 'none'");
      expect(policy).not.toContain("unsafe");
      expect(Object.fromEntries(headers)).toMatchObject({
        "cache-control": "no-store",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      });
    }
  });

  it("is shown for GET and HEAD; methods other than these and POST are refused", async () => {
    const scene = new Scene();
    const url = scene.authorizeUrl(await scene.createApp());
    const head = await scene.fetch(url, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const answer = await scene.fetch(url, { method: "DELETE" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });

  it("makes no lookup for a request without parameters, nor for the metadata", async () => {
    const calls: string[] = [];
    const scene = new Scene({ storage: recordCalls(memoryStorage(), calls) });
    await scene.fetch("/oauth2/authorize");
    await scene.fetch("/.well-known/oauth-authorization-server");
    expect(calls).toEqual([]);
  });
});

describe("the authorization server", () => {
  it("describes in its metadata what it supports", async () => {
    const scene = new Scene();
    const response = await scene.fetch("/.well-known/oauth-authorization-server");
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.json()).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth2/authorize`,
      token_endpoint: `${issuer}/oauth2/token`,
      revocation_endpoint: `${issuer}/oauth2/revoke`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    });
    const wrong = await scene.fetch("/.well-known/oauth-authorization-server", { method: "POST" });
    expect(await readError(wrong)).toEqual([405, "invalid_request"]);
  });

  it.each([
    ...["https://a.example", "https://a.example:8443/loyalty", "http://localhost:3000", "http://[::1]:1/x"],
  ])("accepts an issuer such as %s", (url) => {
    const { loyalty } = openAcme();
    const signedIn = () => ({ redirect: "/login" });
    expect(createOAuth(loyalty, { issuer: url, signedIn }).metadata.issuer).toBe(url);
  });

  it.each([
    ...[
      "",
      "a.example",
      "http://a.example",
      "https://a.example/",
      "https://a.example/x/",
      "https://a.example?x",
    ],
    ...[
      "https://a.example#x",
      "https://A.example",
      "https://a.example:443",
      "https://u@a.example",
      "ftp://a.example",
    ],
    ...["http://127.0.0.1.evil.example", "https://a.example/x/../y"],
  ])("refuses an issuer such as %j", (url) => {
    const { loyalty } = openAcme();
    const signedIn = () => ({ redirect: "/login" });
    expect(() => createOAuth(loyalty, { issuer: url, signedIn })).toThrow(TypeError);
  });

  it("refuses a key that can be guessed", () => {
    const { loyalty } = openAcme();
    const signedIn = () => ({ redirect: "/login" });
    expect(() => createOAuth(loyalty, { issuer, signedIn, key: "secret" })).toThrow(TypeError);
  });
});
