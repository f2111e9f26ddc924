import { LoyaltyService } from "loyalty-kit";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOAuthServer } from "../../adapters/apps/cli/server/oauth-server.js";
import { ManualClock } from "../kit/manual-clock.js";
import { challenge, createParams, findSeal, redirectUri } from "../oauth/scene.js";

/** Opens a server as the command line does, in this process, and returns functions that call it like one browser. */
async function openServer(issuer = "http://localhost:3000", storage = memoryStorage(), key?: string) {
  const clock = new ManualClock();
  const loyalty = new LoyaltyService({ storage, clock: clock.read });
  onTestFinished(() => loyalty.close());
  const oauth = createOAuthServer(loyalty, issuer, key === undefined ? {} : { key });
  const basePath = new URL(issuer).pathname;
  const api = createHttpApi(loyalty, { authenticate: bearerTokens(loyalty), oauth, basePath });
  const acme = loyalty.organization("acme");
  const { token, apiToken } = await acme.apiTokens.create({ name: "me", scopes: ["user:read"] });
  const { app } = await loyalty.organization("vendor").apps.create({
    name: "Till",
    redirectUris: [redirectUri],
    scopes: ["user:read", "user:create"],
  });
  const query = createParams({
    response_type: "code",
    client_id: app.id,
    scope: "user:read user:create",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const sendRequest = (path: string, init: RequestInit = {}) =>
    api.fetch(new Request(`${issuer}${path}`, init));
  const signIn = (token: string, headers: Record<string, string> = {}) =>
    sendRequest(`/oauth2/sign-in?${query}`, { method: "POST", headers, body: createParams({ token }) });
  const authorize = (cookie: string | null) =>
    sendRequest(`/oauth2/authorize?${query}`, { headers: cookie === null ? {} : { cookie } });
  const allow = (url: string, cookie: string, seal: string) =>
    sendRequest(url, {
      method: "POST",
      headers: { cookie },
      body: createParams({ seal, decision: "allow" }),
    });
  const getCookie = async () => (await signIn(token)).headers.get("set-cookie")?.split(";")[0] ?? "";
  return { acme, clock, token, apiToken, query, sendRequest, signIn, authorize, allow, getCookie };
}

const signInRedirect = (query: URLSearchParams) => [303, `sign-in?${query}`];
const summarize = ({ status, headers }: Response) => [status, headers.get("location")];

describe("a sign-in with an API token", () => {
  it("comes before the consent page, and returns to it with the request", async () => {
    const { token, query, authorize, signIn, sendRequest, getCookie } = await openServer();
    expect(summarize(await authorize(null))).toEqual(signInRedirect(query));
    const page = await sendRequest(`/oauth2/sign-in?${query}`);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(await page.text()).toContain('<label for="token">');
    expect(summarize(await signIn(` ${token}\n`))).toEqual([303, `authorize?${query}`]);
    const consent = await authorize(await getCookie());
    expect([consent.status, findSeal(await consent.text())]).toEqual([200, expect.any(String)]);
  });

  it("is refused for a token that is allowed only from other addresses", async () => {
    const { acme, signIn } = await openServer();
    const tokenInput = { name: "office", scopes: ["user:read"] as const, allowedAddresses: ["192.0.2.0/24"] };
    const { token } = await acme.apiTokens.create({ ...tokenInput, scopes: [...tokenInput.scopes] });
    expect((await signIn(token)).status).toBe(401);
  });

  it("grants no more than the token's scopes", async () => {
    const { authorize, getCookie } = await openServer();
    const page = await (await authorize(await getCookie())).text();
    expect(page).toContain("View customers");
    expect(page).not.toContain("Add customers");
  });

  it("is refused for an invalid API token", async () => {
    const { token, signIn } = await openServer();
    for (const wrong of ["", "x", `${token}x`, token.slice(1), "lks_", "x".repeat(10_000)]) {
      const response = await signIn(wrong);
      expect([response.status, response.headers.get("set-cookie")]).toEqual([401, null]);
      expect(await response.text()).toContain("This API token isn’t valid");
    }
  });

  it("is refused for a form that is too large", async () => {
    const { signIn } = await openServer();
    const response = await signIn("x".repeat(100_000));
    expect([response.status, response.headers.get("set-cookie")]).toEqual([413, null]);
  });

  it("ends after ten minutes, or when its token is deleted", async () => {
    const { acme, clock, apiToken, query, authorize, getCookie } = await openServer();
    const session = await getCookie();
    clock.move(599_000);
    expect((await authorize(session)).status).toBe(200);
    clock.move(1_000);
    expect(summarize(await authorize(session))).toEqual(signInRedirect(query));
    const otherCookie = await getCookie();
    expect((await authorize(otherCookie)).status).toBe(200);
    await acme.apiTokens.delete(apiToken.id);
    expect(summarize(await authorize(otherCookie))).toEqual(signInRedirect(query));
  });

  it("leads to a grant that belongs to its token and ends with it", async () => {
    const { acme, token, apiToken, clock, query, authorize, allow, getCookie } = await openServer();
    const session = await getCookie();
    const seal = findSeal(await (await authorize(session)).text());
    const response = await allow(`/oauth2/authorize?${query}`, session, seal);
    expect(response.headers.get("location")).toContain(`${redirectUri}?code=lkc_`);
    clock.move(1);
    const [grant] = await acme.grants.list();
    expect(grant).toMatchObject({ tokenId: apiToken.id, subject: token.slice(0, grant?.subject.length) });
    await acme.apiTokens.delete(apiToken.id);
    expect(await acme.grants.list()).toEqual([]);
  });

  it("is valid in every process with the same key, and so is the consent page", async () => {
    const issuer = "http://localhost:3000";
    const storage = memoryStorage();
    const key = "a secret of thirty-two characters";
    const server = await openServer(issuer, storage, key);
    const sameKeyServer = await openServer(issuer, storage, key);
    const otherServers = [
      await openServer(issuer, storage, key.toUpperCase()),
      await openServer(issuer, storage),
    ];
    const session = await server.getCookie();
    const page = await sameKeyServer.authorize(session);
    expect(page.status).toBe(200);
    // Each server has its own app, and the page came from the second one.
    const url = `/oauth2/authorize?${sameKeyServer.query}`;
    const response = await server.allow(url, session, findSeal(await page.text()));
    expect(response.headers.get("location")).toContain(`${redirectUri}?code=lkc_`);
    for (const { authorize, query } of otherServers) {
      expect(summarize(await authorize(session))).toEqual(signInRedirect(query));
    }
  });

  it("is valid in only one process if there is no key, and can't be forged", async () => {
    const { query, authorize } = await openServer();
    const { getCookie } = await openServer();
    for (const session of [await getCookie(), "loyalty-kit-sign-in=x", "loyalty-kit-sign-in=", "x=y"]) {
      expect(summarize(await authorize(session))).toEqual(signInRedirect(query));
    }
  });

  it("is accepted only from its own page", async () => {
    const { token, query, signIn } = await openServer();
    for (const site of ["cross-site", "same-site"]) {
      const { status, headers } = await signIn(token, { "sec-fetch-site": site });
      expect([status, headers.get("set-cookie")], site).toEqual([401, null]);
    }
    for (const origin of [
      "https://evil.example",
      "http://localhost:3001",
      "https://localhost:3000",
      "null",
    ]) {
      const response = await signIn(token, { origin });
      expect([response.status, response.headers.get("set-cookie")], origin).toEqual([401, null]);
      const text = await response.text();
      expect([text.includes("forwards the Host header"), text.includes("isn’t valid")]).toEqual([
        true,
        false,
      ]);
    }
    for (const ownHeader of [
      {},
      { "sec-fetch-site": "same-origin" },
      { origin: "http://localhost:3000" },
      { "sec-fetch-site": "none" },
    ]) {
      expect(summarize(await signIn(token, ownHeader))).toEqual([303, `authorize?${query}`]);
    }
  });

  it.each([
    ["http://localhost:3000", "", "; Path=/oauth2; Max-Age=600; HttpOnly; SameSite=Lax"],
    ["http://localhost:3000/loyalty", "", "; Path=/loyalty/oauth2; Max-Age=600; HttpOnly; SameSite=Lax"],
    ["https://a.example", "__Host-", "; Path=/; Secure; Max-Age=600; HttpOnly; SameSite=Lax"],
    ["https://a.example/loyalty", "__Host-", "; Path=/; Secure; Max-Age=600; HttpOnly; SameSite=Lax"],
  ])("at %s protects its cookie from scripts, other sites and other hosts", async (issuer, begin, end) => {
    const { token, signIn } = await openServer(issuer);
    const cookie = (await signIn(token)).headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(new RegExp(`^${begin}loyalty-kit-sign-in=[\\w.-]+;`));
    expect(cookie).not.toContain(token);
    expect(cookie.slice(cookie.indexOf(";"))).toBe(end);
  });
});
