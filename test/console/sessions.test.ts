import { LoyaltyService, type Scope, scopes } from "loyalty-kit";
import { type ConsoleOptions, createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../kit/manual-clock.js";

const sameOriginHeaders = { "sec-fetch-site": "same-origin" };
const call = { ...sameOriginHeaders, "x-loyalty-console": "1" };

/** Opens a console in this process, with functions that call it like browsers. */
async function openConsole(options: ConsoleOptions = {}, storage = memoryStorage()) {
  const clock = new ManualClock();
  const loyalty = new LoyaltyService({ storage, clock: clock.read });
  onTestFinished(() => loyalty.close());
  const extensions = [createConsole(loyalty, options)];
  const api = createHttpApi(loyalty, { authenticate: bearerTokens(loyalty), extensions });
  const acme = loyalty.organization("acme");
  const createToken = (...grantedScopes: Scope[]) =>
    acme.apiTokens.create({ name: "me", scopes: grantedScopes });
  const { token, apiToken } = await createToken(...scopes);
  const fetchPath = (path: string, init: RequestInit = {}) =>
    api.fetch(new Request(new URL(path, "https://shop.example"), init));
  const signIn = (token: string, path = "/console", headers: Record<string, string> = sameOriginHeaders) =>
    fetchPath(path, { method: "POST", headers, body: new URLSearchParams({ token }) });
  const cookieOf = (response: Response) => response.headers.get("set-cookie")?.split(";")[0] ?? "";
  const openSession = async (sessionToken = token) => cookieOf(await signIn(sessionToken));
  const callAs = (cookie: string, path: string, init: RequestInit = {}) =>
    fetchPath(`/console/api${path}`, { ...init, headers: { ...call, cookie, ...init.headers } });
  return {
    loyalty,
    clock,
    acme,
    token,
    apiToken,
    createToken,
    fetchPath,
    signIn,
    cookieOf,
    openSession,
    callAs,
  };
}

describe("a console session", () => {
  it("starts with a valid token, on the requested page, and its cookie doesn't contain the token", async () => {
    const { token, signIn } = await openConsole();
    const response = await signIn(` ${token}\n`, "/console/customers?search=ada");
    expect([response.status, response.headers.get("location")]).toEqual([
      303,
      "/console/customers?search=ada",
    ]);
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(
      /^__Host-loyalty-kit-console=[\w.-]+; Path=\/; Secure; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie).not.toContain(token);
  });

  it("has a secure cookie that no other host of the site can set, if https is used at its start or configured", async () => {
    const secure = /^__Host-loyalty-kit-console=.*; Path=\/; Secure; .*SameSite=Strict$/;
    const plain = /^loyalty-kit-console=.*; Path=\/console; Max-Age=43200; HttpOnly; SameSite=Strict$/;
    for (const [options, url, form] of [
      [{ isHttps: true }, "http://shop.example/console", secure],
      [{}, "https://shop.example/console", secure],
      [{}, "http://shop.example/console", plain],
    ] as const) {
      const { token, fetchPath, signIn } = await openConsole(options);
      const cookie = (await signIn(token, url)).headers.get("set-cookie") ?? "";
      expect(cookie).toMatch(form);
      const [session = ""] = cookie.split(";");
      const getStatusAt = async (at: string) =>
        (
          await fetchPath(new URL("/console/api/v1/contacts", at).href, {
            headers: { ...call, cookie: session },
          })
        ).status;
      expect(await getStatusAt(url)).toBe(200);
      // Another host of the site, or an eavesdropper, may have set the http cookie.
      if (form === plain) expect(await getStatusAt("https://shop.example")).toBe(401);
    }
  });

  it("is recorded in the audit trail when it starts", async () => {
    const { acme, token, apiToken, signIn } = await openConsole();
    await signIn(token);
    await signIn("x");
    expect((await acme.audit.list()).content.slice(1)).toMatchObject([
      {
        ...{ action: "session.started", target: apiToken.id, details: { by: "api_token" } },
        actor: { kind: "console", id: apiToken.id },
      },
    ]);
  });

  it("doesn't start without a valid token", async () => {
    const { token, signIn } = await openConsole();
    for (const wrong of ["", "x", token.slice(1), "x".repeat(10_000)]) {
      const response = await signIn(wrong);
      expect([response.status, response.headers.get("set-cookie")]).toEqual([401, null]);
      expect(await response.text()).toContain("This API token isn’t valid.");
    }
  });

  it("is refused at addresses from which its token may not be used", async () => {
    const { loyalty, acme, cookieOf } = await openConsole();
    let address = "192.0.2.7";
    const api = createHttpApi(loyalty, {
      authenticate: bearerTokens(loyalty),
      extensions: [createConsole(loyalty)],
      addressOf: () => address,
    });
    const fetchPath = (path: string, init: RequestInit) =>
      api.fetch(new Request(`https://shop.example${path}`, init));
    const { token } = await acme.apiTokens.create({
      name: "office",
      scopes: ["user:read"],
      allowedAddresses: ["192.0.2.0/24"],
    });
    const signIn = () =>
      fetchPath("/console", {
        method: "POST",
        headers: sameOriginHeaders,
        body: new URLSearchParams({ token }),
      });
    const cookie = cookieOf(await signIn());
    const getStatus = async () =>
      (await fetchPath("/console/api/v1/contacts", { headers: { ...call, cookie } })).status;
    expect(await getStatus()).toBe(200);
    address = "198.51.100.1";
    expect([await getStatus(), (await signIn()).status]).toEqual([401, 401]);
  });

  it("doesn't start with a form that is too large", async () => {
    const { signIn } = await openConsole();
    const response = await signIn("x".repeat(100_000));
    expect([response.status, response.headers.get("set-cookie")]).toEqual([400, null]);
  });

  it("doesn't start from another site", async () => {
    const { token, signIn } = await openConsole();
    for (const site of ["cross-site", "same-site"]) {
      const response = await signIn(token, "/console", { "sec-fetch-site": site });
      expect([response.status, response.headers.get("set-cookie")]).toEqual([401, null]);
    }
  });

  it("doesn't start from a page of another origin, in browsers that send only the Origin header", async () => {
    const { token, signIn } = await openConsole();
    const host = "shop.example";
    for (const origin of ["https://evil.example", "https://shop.example:8443", "null"]) {
      const response = await signIn(token, "/console", { origin, host });
      expect([response.status, response.headers.get("set-cookie")], origin).toEqual([401, null]);
      const text = await response.text();
      expect([
        text.includes("forwards the Host header"),
        text.includes("This API token isn’t valid"),
      ]).toEqual([true, false]);
    }
    const sameOrigin = { origin: "https://shop.example", host };
    expect((await signIn(token, "/console", sameOrigin)).status).toBe(303);
    // A proxy changed the host.
    const proxiedHeaders = { ...sameOriginHeaders, origin: "https://shop.example", host: "10.0.0.1:3000" };
    expect((await signIn(token, "/console", proxiedHeaders)).status).toBe(303);
  });

  it("is a new one at each sign-in, whatever cookie the browser had before", async () => {
    const { token, openSession, signIn, cookieOf } = await openConsole();
    const plantedCookie = await openSession();
    const cookieAfterSignIn = cookieOf(
      await signIn(token, "/console", { ...sameOriginHeaders, cookie: plantedCookie }),
    );
    expect(cookieAfterSignIn).not.toBe(plantedCookie);
    expect(
      cookieOf(await signIn(token, "/console", { ...sameOriginHeaders, cookie: "loyalty-kit-console=mine" })),
    ).not.toContain("mine");
  });

  it("ends after twelve hours, or when its token is revoked", async () => {
    const { acme, clock, apiToken, openSession, callAs } = await openConsole();
    const cookie = await openSession();
    clock.move(12 * 3_600_000 - 1_000);
    expect((await callAs(cookie, "/v1/contacts")).status).toBe(200);
    clock.move(1_000);
    expect((await callAs(cookie, "/v1/contacts")).status).toBe(401);
    const otherCookie = await openSession();
    await acme.apiTokens.delete(apiToken.id);
    expect((await callAs(otherCookie, "/v1/contacts")).status).toBe(401);
  });

  it("ends when its user signs out, for copies of its cookie too", async () => {
    const { openSession, fetchPath, callAs } = await openConsole();
    const cookie = await openSession();
    const foreignResponse = await fetchPath("/console/sign-out", {
      method: "POST",
      headers: { cookie, "sec-fetch-site": "cross-site" },
    });
    expect(foreignResponse.headers.get("set-cookie")).toBe(null);
    expect((await callAs(cookie, "/v1/contacts")).status).toBe(200);
    const signOutResponse = await fetchPath("/console/sign-out", {
      method: "POST",
      headers: { cookie, ...sameOriginHeaders },
    });
    expect(signOutResponse.headers.get("set-cookie")).toMatch(/^__Host-loyalty-kit-console=; .*Max-Age=0/);
    expect((await callAs(cookie, "/v1/contacts")).status).toBe(401);
  });

  it("ends on every device and in every process on demand, together with only the sessions of the same token", async () => {
    const storage = memoryStorage();
    const key = "a secret of thirty-two characters";
    const { openSession, fetchPath, callAs, createToken, clock } = await openConsole({ key }, storage);
    const elsewhere = await openConsole({ key }, storage);
    const [cookie, lostCookie, other] = [
      await openSession(),
      await openSession(),
      await openSession((await createToken("user:read")).token),
    ];
    const signOutEverywhere = (headers: Record<string, string>) =>
      fetchPath("/console/sign-out/everywhere", { method: "POST", headers: { cookie: cookie, ...headers } });
    expect(
      (await signOutEverywhere({ "sec-fetch-site": "cross-site" })).headers.get("set-cookie"),
    ).toBeNull();
    expect((await callAs(cookie, "/v1/contacts")).status).toBe(200);
    const signOutResponse = await signOutEverywhere(sameOriginHeaders);
    expect(signOutResponse.headers.get("set-cookie")).toMatch(/^__Host-loyalty-kit-console=; .*Max-Age=0/);
    const listStatuses = async (cookies: readonly string[], at: typeof callAs) =>
      Promise.all(cookies.map(async (cookie) => (await at(cookie, "/v1/contacts")).status));
    expect(await listStatuses([cookie, lostCookie, other], callAs)).toEqual([401, 401, 200]);
    expect(await listStatuses([cookie, lostCookie, other], elsewhere.callAs)).toEqual([401, 401, 200]);
    clock.move(1);
    const newCookie = await openSession();
    expect(await listStatuses([newCookie, lostCookie], callAs)).toEqual([200, 401]);
    clock.move(5_000);
    await fetchPath("/console/sign-out/everywhere", {
      method: "POST",
      headers: { cookie: newCookie, ...sameOriginHeaders },
    });
    expect(await listStatuses([newCookie], callAs)).toEqual([401]);
  });

  it("starts at most a hundred times an hour per token, even after sign-outs, and other tokens aren't counted", async () => {
    const { clock, token, createToken, signIn, cookieOf, fetchPath } = await openConsole();
    const otherToken = (await createToken("user:read")).token;
    const tryToSignIn = async () => {
      const response = await signIn(token);
      if (response.status === 303) {
        const headers = { cookie: cookieOf(response), ...sameOriginHeaders };
        expect((await fetchPath("/console/sign-out", { method: "POST", headers })).status).toBe(303);
      }
      return response;
    };
    for (let at = 0; at < 100; at += 1) expect((await tryToSignIn()).status).toBe(303);
    const errorResponse = await tryToSignIn();
    expect([
      errorResponse.status,
      errorResponse.headers.get("set-cookie"),
      errorResponse.headers.get("retry-after"),
    ]).toEqual([429, null, "3600"]);
    expect(await errorResponse.text()).toContain("Too many sign-ins");
    expect((await signIn(otherToken)).status).toBe(303);
    clock.move(3_600_000);
    expect((await tryToSignIn()).status).toBe(303);
  });

  it("is valid in every process with the same key, and in no other", async () => {
    const storage = memoryStorage();
    const key = "a secret of thirty-two characters";
    const firstConsole = await openConsole({ key }, storage);
    const secondConsole = await openConsole({ key }, storage);
    const cookie = await firstConsole.openSession();
    expect((await secondConsole.callAs(cookie, "/v1/contacts")).status).toBe(200);
    for (const otherConsole of [
      await openConsole({ key: key.toUpperCase() }, storage),
      await openConsole({}, storage),
    ]) {
      expect((await otherConsole.callAs(cookie, "/v1/contacts")).status).toBe(401);
    }
    const { loyalty } = firstConsole;
    expect(() => createConsole(loyalty, { key: "short" })).toThrow(TypeError);
  });

  it("can come from the host's own sign-in", async () => {
    const { fetchPath } = await openConsole({
      signedIn: ({ headers }) =>
        [...headers].some(([name, value]) => name === "x-user" && value === "ada")
          ? { organizationId: "globex", subject: "ada", scopes: ["user:read"] }
          : { redirect: "/login" },
    });
    const awayResponse = await fetchPath("/console/customers");
    expect([awayResponse.status, awayResponse.headers.get("location")]).toEqual([303, "/login"]);
    const page = await fetchPath("/console", { headers: { "x-user": "ada" } });
    expect(await page.text()).toContain("globex");
    const readPath = (path: string) =>
      fetchPath(`/console/api${path}`, { headers: { ...call, "x-user": "ada" } });
    expect((await readPath("/v1/contacts")).status).toBe(200);
    expect((await readPath("/v1/user-tags")).status).toBe(403);
    expect((await fetchPath("/console/api/v1/contacts", { headers: call })).status).toBe(401);
  });
});

describe("a call from the console", () => {
  it("may do only what its token permits", async () => {
    const { createToken, openSession, callAs } = await openConsole();
    const cookie = await openSession((await createToken("user:read")).token);
    expect((await callAs(cookie, "/v1/contacts")).status).toBe(200);
    const response = await callAs(cookie, "/v1/user-tags");
    expect([response.status, await response.json()]).toEqual([
      403,
      { code: "access_denied", message: expect.stringContaining("user_tag:read") },
    ]);
  });

  it("is refused from another site, or without the header that other sites can't send", async () => {
    const { acme, openSession, callAs, fetchPath } = await openConsole();
    const cookie = await openSession();
    const body = JSON.stringify({ email: "eve@example.com" });
    const json = { "content-type": "application/json" };
    const forgedResponses = [
      await fetchPath("/console/api/v1/users", {
        method: "POST",
        body,
        headers: { ...json, ...sameOriginHeaders, cookie },
      }),
      await callAs(cookie, "/v1/users", {
        method: "POST",
        body,
        headers: { ...json, "sec-fetch-site": "cross-site" },
      }),
      await callAs(cookie, "/v1/users", {
        method: "POST",
        body,
        headers: { ...json, "sec-fetch-site": "same-site" },
      }),
    ];
    expect(forgedResponses.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect((await acme.contacts.list()).totalElements).toBe(0);
    expect((await callAs(cookie, "/v1/users", { method: "POST", body, headers: json })).status).toBe(201);
  });

  it("is refused with only a token in its own header, because the session counts", async () => {
    const { token, fetchPath } = await openConsole();
    const headers = { ...call, authorization: `Bearer ${token}` };
    expect((await fetchPath("/console/api/v1/contacts", { headers })).status).toBe(401);
  });

  it("can't forge who is signed in", async () => {
    const { loyalty, openSession, callAs, acme } = await openConsole();
    await loyalty.organization("globex").users.create({ email: "gil@example.com" });
    await acme.users.create({ email: "ada@example.com" });
    const forgedToken = Buffer.from(JSON.stringify(["globex", [...scopes], "x"])).toString("base64url");
    const response = await callAs(await openSession(), "/v1/contacts", {
      headers: { authorization: `Bearer ${forgedToken}` },
    });
    expect(await response.json()).toMatchObject({
      totalElements: 1,
      content: [{ email: "ada@example.com" }],
    });
  });

  it("is never cached", async () => {
    const { openSession, callAs } = await openConsole();
    expect((await callAs(await openSession(), "/v1/contacts")).headers.get("cache-control")).toBe("no-store");
  });
});

describe("a console page", () => {
  it("can't be framed, runs nothing inline, and loads nothing from other hosts", async () => {
    const { fetchPath, openSession } = await openConsole();
    for (const headers of [{}, { cookie: await openSession() }]) {
      for (const path of ["/console", "/console/customers", "/reference"]) {
        const page = await fetchPath(path, { headers });
        const policy = page.headers.get("content-security-policy") ?? "";
        expect(policy).toContain("frame-ancestors 'none'");
        expect(policy).toContain("default-src 'none'");
        expect(policy).not.toContain("unsafe");
        expect(page.headers.get("x-content-type-options")).toBe("nosniff");
        expect(page.headers.get("cache-control")).toBe("no-store");
        const text = await page.text();
        expect(text).not.toMatch(/https?:\/\//);
        expect(text).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
      }
    }
  });

  it("asks for a token if no one is signed in, and reveals nothing about organizations", async () => {
    const { fetchPath } = await openConsole();
    const page = await fetchPath("/console/customers/usr_1");
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).toContain('name="token"');
    expect(text).not.toContain("acme");
  });

  it("is not found if there is no such screen or file", async () => {
    const { fetchPath, openSession } = await openConsole();
    const headers = { cookie: await openSession() };
    expect((await fetchPath("/console/nowhere", { headers })).status).toBe(404);
    expect((await fetchPath("/console/assets/nowhere.js")).status).toBe(404);
    expect((await fetchPath("/console/assets/..%2fcli.js")).status).toBe(404);
  });

  it("sends its files compressed to clients that accept gzip, and plain to others", async () => {
    const { fetchPath } = await openConsole();
    const [, path = ""] = /href="([^"]+\.css)"/.exec(await (await fetchPath("/console")).text()) ?? [];
    const readEncoding = async (acceptedEncoding: string) =>
      (await fetchPath(path, { headers: { "accept-encoding": acceptedEncoding } })).headers.get(
        "content-encoding",
      );
    for (const acceptedEncoding of ["gzip", "br, gzip;q=0.5", "GZIP ; q=0.001, br"])
      expect(await readEncoding(acceptedEncoding), acceptedEncoding).toBe("gzip");
    for (const acceptedEncoding of ["", "br", "gzip;q=0", "br, gzip; q=0.000, identity"])
      expect(await readEncoding(acceptedEncoding), acceptedEncoding).toBeNull();
  });

  it("shows names that contain HTML as text", async () => {
    const storage = memoryStorage();
    const { loyalty, signIn, cookieOf, fetchPath } = await openConsole({}, storage);
    const hostile = `"><script>alert(1)</script>`;
    const { token } = await loyalty
      .organization(hostile)
      .apiTokens.create({ name: "x", scopes: ["user:read"] });
    const page = await fetchPath("/console", { headers: { cookie: cookieOf(await signIn(token)) } });
    expect(await page.text()).not.toContain("<script>alert");
  });
});

describe("the navigation of the console", () => {
  it("has the links that the host configures, except those that the person may not see", async () => {
    const links = [
      { text: "Opening <hours>", url: "/hours" },
      { text: "Takings", url: "/takings", isShownTo: () => false },
    ];
    const { openSession, fetchPath } = await openConsole({ links });
    const page = await (await fetchPath("/console", { headers: { cookie: await openSession() } })).text();
    expect(page).toContain(
      "&quot;links&quot;:[{&quot;text&quot;:&quot;Opening &lt;hours&gt;&quot;,&quot;url&quot;:&quot;/hours&quot;}]",
    );
  });
});

describe("a screen", () => {
  it("loads from its URL, and a URL without a screen gives 404", async () => {
    const { fetchPath, openSession } = await openConsole();
    const cookie = await openSession();
    const getStatusAt = async (path: string) =>
      (await fetchPath(`/console${path}`, { headers: { cookie } })).status;
    const screens = ["", "/", "/tags", "/segments-new?filter=%7B%7D", "/segments/new-york/edit", "/settings"];
    for (const path of screens) expect([path, await getStatusAt(path)]).toEqual([path, 200]);
    for (const path of ["/nowhere", "/tags/vip", "/segments-newer", "/customers/usr_1/cards"]) {
      expect([path, await getStatusAt(path)]).toEqual([path, 404]);
    }
  });
});
