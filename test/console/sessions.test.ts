import { LoyaltyService, type Scope, scopes } from "loyalty-kit";
import { type ConsoleOptions, createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../kit/manual-clock.js";

const own = { "sec-fetch-site": "same-origin" };
const call = { ...own, "x-loyalty-console": "1" };

/** A console in this process, and a way to ask it as browsers do. */
async function open(options: ConsoleOptions = {}, storage = memoryStorage()) {
  const clock = new ManualClock();
  const loyalty = new LoyaltyService({ storage, clock: clock.read });
  onTestFinished(() => loyalty.close());
  const extensions = [createConsole(loyalty, options)];
  const api = createHttpApi(loyalty, { authenticate: bearerTokens(loyalty), extensions });
  const acme = loyalty.organization("acme");
  const tokenWith = (...granted: Scope[]) => acme.apiTokens.create({ name: "me", scopes: granted });
  const { token, apiToken } = await tokenWith(...scopes);
  const fetch = (path: string, init: RequestInit = {}) =>
    api.fetch(new Request(new URL(path, "https://shop.example"), init));
  const signIn = (token: string, path = "/console", headers: Record<string, string> = own) =>
    fetch(path, { method: "POST", headers, body: new URLSearchParams({ token }) });
  const cookieOf = (answer: Response) => answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  const session = async (of = token) => cookieOf(await signIn(of));
  const as = (cookie: string, path: string, init: RequestInit = {}) =>
    fetch(`/console/api${path}`, { ...init, headers: { ...call, cookie, ...init.headers } });
  return { loyalty, clock, acme, token, apiToken, tokenWith, fetch, signIn, cookieOf, session, as };
}

describe("a session of the console", () => {
  it("begins with a valid token at the page that was asked for, and its cookie holds none to read", async () => {
    const { token, signIn } = await open();
    const answer = await signIn(` ${token}\n`, "/console/customers?search=ada");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/console/customers?search=ada"]);
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(
      /^__Host-loyalty-kit-console=[\w.-]+; Path=\/; Secure; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie).not.toContain(token);
  });

  it("is sent by https alone, and no other host of the site can set it, once it begins by https or that is promised", async () => {
    const secure = /^__Host-loyalty-kit-console=.*; Path=\/; Secure; .*SameSite=Strict$/;
    const plain = /^loyalty-kit-console=.*; Path=\/console; Max-Age=43200; HttpOnly; SameSite=Strict$/;
    for (const [options, url, form] of [
      [{ isHttps: true }, "http://shop.example/console", secure],
      [{}, "https://shop.example/console", secure],
      [{}, "http://shop.example/console", plain],
    ] as const) {
      const { token, fetch, signIn } = await open(options);
      const cookie = (await signIn(token, url)).headers.get("set-cookie") ?? "";
      expect(cookie).toMatch(form);
      const [session = ""] = cookie.split(";");
      const calls = async (at: string) =>
        (await fetch(new URL("/console/api/v1/contacts", at).href, { headers: { ...call, cookie: session } }))
          .status;
      expect(await calls(url)).toBe(200);
      // A page of another host of the site, or of who listens, may have set the cookie of http.
      if (form === plain) expect(await calls("https://shop.example")).toBe(401);
    }
  });

  it("is noted in the audit trail when it begins", async () => {
    const { acme, token, apiToken, signIn } = await open();
    await signIn(token);
    await signIn("x");
    expect((await acme.audit.list()).content.slice(1)).toMatchObject([
      {
        ...{ action: "session.started", target: apiToken.id, details: { by: "api_token" } },
        actor: { kind: "console", id: apiToken.id },
      },
    ]);
  });

  it("does not begin with what is no valid token", async () => {
    const { token, signIn } = await open();
    for (const wrong of ["", "x", token.slice(1), "x".repeat(10_000)]) {
      const answer = await signIn(wrong);
      expect([answer.status, answer.headers.get("set-cookie")]).toEqual([401, null]);
      expect(await answer.text()).toContain("This API token isn’t valid.");
    }
  });

  it("is nothing at addresses from which its token may not be used", async () => {
    const { loyalty, acme, cookieOf } = await open();
    let address = "192.0.2.7";
    const api = createHttpApi(loyalty, {
      authenticate: bearerTokens(loyalty),
      extensions: [createConsole(loyalty)],
      addressOf: () => address,
    });
    const fetch = (path: string, init: RequestInit) =>
      api.fetch(new Request(`https://shop.example${path}`, init));
    const { token } = await acme.apiTokens.create({
      name: "office",
      scopes: ["user:read"],
      allowedAddresses: ["192.0.2.0/24"],
    });
    const signIn = () =>
      fetch("/console", { method: "POST", headers: own, body: new URLSearchParams({ token }) });
    const cookie = cookieOf(await signIn());
    const calls = async () =>
      (await fetch("/console/api/v1/contacts", { headers: { ...call, cookie } })).status;
    expect(await calls()).toBe(200);
    address = "198.51.100.1";
    expect([await calls(), (await signIn()).status]).toEqual([401, 401]);
  });

  it("does not begin with a form that is too large", async () => {
    const { signIn } = await open();
    const answer = await signIn("x".repeat(100_000));
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([400, null]);
  });

  it("does not begin from another site", async () => {
    const { token, signIn } = await open();
    for (const site of ["cross-site", "same-site"]) {
      const answer = await signIn(token, "/console", { "sec-fetch-site": site });
      expect([answer.status, answer.headers.get("set-cookie")]).toEqual([401, null]);
    }
  });

  it("does not begin from a page of another origin, in browsers that tell nothing but that", async () => {
    const { token, signIn } = await open();
    const host = "shop.example";
    for (const origin of ["https://evil.example", "https://shop.example:8443", "null"]) {
      const answer = await signIn(token, "/console", { origin, host });
      expect([answer.status, answer.headers.get("set-cookie")], origin).toEqual([401, null]);
      const text = await answer.text();
      expect([
        text.includes("forwards the Host header"),
        text.includes("This API token isn’t valid"),
      ]).toEqual([true, false]);
    }
    const ours = { origin: "https://shop.example", host };
    expect((await signIn(token, "/console", ours)).status).toBe(303);
    // A proxy changed the host.
    const proxied = { ...own, origin: "https://shop.example", host: "10.0.0.1:3000" };
    expect((await signIn(token, "/console", proxied)).status).toBe(303);
  });

  it("is another one at each sign-in, whatever cookie the browser had before", async () => {
    const { token, session, signIn, cookieOf } = await open();
    const planted = await session();
    const begun = cookieOf(await signIn(token, "/console", { ...own, cookie: planted }));
    expect(begun).not.toBe(planted);
    expect(
      cookieOf(await signIn(token, "/console", { ...own, cookie: "loyalty-kit-console=mine" })),
    ).not.toContain("mine");
  });

  it("ends after twelve hours, and with its token", async () => {
    const { acme, clock, apiToken, session, as } = await open();
    const cookie = await session();
    clock.move(12 * 3_600_000 - 1_000);
    expect((await as(cookie, "/v1/contacts")).status).toBe(200);
    clock.move(1_000);
    expect((await as(cookie, "/v1/contacts")).status).toBe(401);
    const another = await session();
    await acme.apiTokens.delete(apiToken.id);
    expect((await as(another, "/v1/contacts")).status).toBe(401);
  });

  it("ends when its user signs out, also for a copy of its cookie", async () => {
    const { session, fetch, as } = await open();
    const cookie = await session();
    const stranger = await fetch("/console/sign-out", {
      method: "POST",
      headers: { cookie, "sec-fetch-site": "cross-site" },
    });
    expect(stranger.headers.get("set-cookie")).toBe(null);
    expect((await as(cookie, "/v1/contacts")).status).toBe(200);
    const out = await fetch("/console/sign-out", { method: "POST", headers: { cookie, ...own } });
    expect(out.headers.get("set-cookie")).toMatch(/^__Host-loyalty-kit-console=; .*Max-Age=0/);
    expect((await as(cookie, "/v1/contacts")).status).toBe(401);
  });

  it("ends on every device at a press, in every process, with those of its own token alone", async () => {
    const storage = memoryStorage();
    const key = "a secret of thirty-two characters";
    const { session, fetch, as, tokenWith, clock } = await open({ key }, storage);
    const elsewhere = await open({ key }, storage);
    const [here, lost, other] = [
      await session(),
      await session(),
      await session((await tokenWith("user:read")).token),
    ];
    const everywhere = (headers: Record<string, string>) =>
      fetch("/console/sign-out/everywhere", { method: "POST", headers: { cookie: here, ...headers } });
    expect((await everywhere({ "sec-fetch-site": "cross-site" })).headers.get("set-cookie")).toBeNull();
    expect((await as(here, "/v1/contacts")).status).toBe(200);
    const out = await everywhere(own);
    expect(out.headers.get("set-cookie")).toMatch(/^__Host-loyalty-kit-console=; .*Max-Age=0/);
    const answers = async (cookies: readonly string[], at: typeof as) =>
      Promise.all(cookies.map(async (cookie) => (await at(cookie, "/v1/contacts")).status));
    expect(await answers([here, lost, other], as)).toEqual([401, 401, 200]);
    expect(await answers([here, lost, other], elsewhere.as)).toEqual([401, 401, 200]);
    clock.move(1);
    const again = await session();
    expect(await answers([again, lost], as)).toEqual([200, 401]);
    clock.move(5_000);
    await fetch("/console/sign-out/everywhere", { method: "POST", headers: { cookie: again, ...own } });
    expect(await answers([again], as)).toEqual([401]);
  });

  it("begins a hundred times an hour by one token, whatever others begin, and so leaves no more behind", async () => {
    const { clock, token, tokenWith, signIn, cookieOf, fetch } = await open();
    const another = (await tokenWith("user:read")).token;
    const begin = async () => {
      const answer = await signIn(token);
      if (answer.status === 303) {
        const headers = { cookie: cookieOf(answer), ...own };
        expect((await fetch("/console/sign-out", { method: "POST", headers })).status).toBe(303);
      }
      return answer;
    };
    for (let at = 0; at < 100; at += 1) expect((await begin()).status).toBe(303);
    const refused = await begin();
    expect([refused.status, refused.headers.get("set-cookie"), refused.headers.get("retry-after")]).toEqual([
      429,
      null,
      "3600",
    ]);
    expect(await refused.text()).toContain("Too many sign-ins");
    expect((await signIn(another)).status).toBe(303);
    clock.move(3_600_000);
    expect((await begin()).status).toBe(303);
  });

  it("counts in every process with the same key, and in no other", async () => {
    const storage = memoryStorage();
    const key = "a secret of thirty-two characters";
    const one = await open({ key }, storage);
    const two = await open({ key }, storage);
    const cookie = await one.session();
    expect((await two.as(cookie, "/v1/contacts")).status).toBe(200);
    for (const stranger of [await open({ key: key.toUpperCase() }, storage), await open({}, storage)]) {
      expect((await stranger.as(cookie, "/v1/contacts")).status).toBe(401);
    }
    const { loyalty } = one;
    expect(() => createConsole(loyalty, { key: "short" })).toThrow(TypeError);
  });

  it("can be the host's own", async () => {
    const { fetch } = await open({
      signedIn: ({ headers }) =>
        [...headers].some(([name, value]) => name === "x-user" && value === "ada")
          ? { organizationId: "globex", subject: "ada", scopes: ["user:read"] }
          : { redirect: "/login" },
    });
    const away = await fetch("/console/customers");
    expect([away.status, away.headers.get("location")]).toEqual([303, "/login"]);
    const page = await fetch("/console", { headers: { "x-user": "ada" } });
    expect(await page.text()).toContain("globex");
    const read = (path: string) => fetch(`/console/api${path}`, { headers: { ...call, "x-user": "ada" } });
    expect((await read("/v1/contacts")).status).toBe(200);
    expect((await read("/v1/user-tags")).status).toBe(403);
    expect((await fetch("/console/api/v1/contacts", { headers: call })).status).toBe(401);
  });
});

describe("a call of the console", () => {
  it("does what the token may do, and no more", async () => {
    const { tokenWith, session, as } = await open();
    const cookie = await session((await tokenWith("user:read")).token);
    expect((await as(cookie, "/v1/contacts")).status).toBe(200);
    const answer = await as(cookie, "/v1/user-tags");
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { code: "access_denied", message: expect.stringContaining("user_tag:read") },
    ]);
  });

  it("is refused without the header that no other site can send, and from another site", async () => {
    const { acme, session, as, fetch } = await open();
    const cookie = await session();
    const body = JSON.stringify({ email: "eve@example.com" });
    const json = { "content-type": "application/json" };
    const forged = [
      await fetch("/console/api/v1/users", { method: "POST", body, headers: { ...json, ...own, cookie } }),
      await as(cookie, "/v1/users", {
        method: "POST",
        body,
        headers: { ...json, "sec-fetch-site": "cross-site" },
      }),
      await as(cookie, "/v1/users", {
        method: "POST",
        body,
        headers: { ...json, "sec-fetch-site": "same-site" },
      }),
    ];
    expect(forged.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect((await acme.contacts.list()).totalElements).toBe(0);
    expect((await as(cookie, "/v1/users", { method: "POST", body, headers: json })).status).toBe(201);
  });

  it("is refused with a token in its own header alone: the session counts", async () => {
    const { token, fetch } = await open();
    const headers = { ...call, authorization: `Bearer ${token}` };
    expect((await fetch("/console/api/v1/contacts", { headers })).status).toBe(401);
  });

  it("can't make up who is signed in", async () => {
    const { loyalty, session, as, acme } = await open();
    await loyalty.organization("globex").users.create({ email: "gil@example.com" });
    await acme.users.create({ email: "ada@example.com" });
    const made = Buffer.from(JSON.stringify(["globex", [...scopes], "x"])).toString("base64url");
    const answer = await as(await session(), "/v1/contacts", {
      headers: { authorization: `Bearer ${made}` },
    });
    expect(await answer.json()).toMatchObject({ totalElements: 1, content: [{ email: "ada@example.com" }] });
  });

  it("is kept by no cache", async () => {
    const { session, as } = await open();
    expect((await as(await session(), "/v1/contacts")).headers.get("cache-control")).toBe("no-store");
  });
});

describe("a page of the console", () => {
  it("is in no frame, runs nothing inline, and loads nothing from elsewhere", async () => {
    const { fetch, session } = await open();
    for (const headers of [{}, { cookie: await session() }]) {
      for (const path of ["/console", "/console/customers", "/reference"]) {
        const page = await fetch(path, { headers });
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

  it("asks for a token where nobody is signed in, and tells nothing of any organization", async () => {
    const { fetch } = await open();
    const page = await fetch("/console/customers/usr_1");
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).toContain('name="token"');
    expect(text).not.toContain("acme");
  });

  it("is not found where there is no screen", async () => {
    const { fetch, session } = await open();
    const headers = { cookie: await session() };
    expect((await fetch("/console/nowhere", { headers })).status).toBe(404);
    expect((await fetch("/console/assets/nowhere.js")).status).toBe(404);
    expect((await fetch("/console/assets/..%2fcli.js")).status).toBe(404);
  });

  it("sends its files compressed to who takes that, and plain to who does not", async () => {
    const { fetch } = await open();
    const [, path = ""] = /href="([^"]+\.css)"/.exec(await (await fetch("/console")).text()) ?? [];
    const encodingFor = async (accepted: string) =>
      (await fetch(path, { headers: { "accept-encoding": accepted } })).headers.get("content-encoding");
    for (const accepted of ["gzip", "br, gzip;q=0.5", "GZIP ; q=0.001, br"])
      expect(await encodingFor(accepted), accepted).toBe("gzip");
    for (const accepted of ["", "br", "gzip;q=0", "br, gzip; q=0.000, identity"])
      expect(await encodingFor(accepted), accepted).toBeNull();
  });

  it("shows names that are HTML as the texts that they are", async () => {
    const storage = memoryStorage();
    const { loyalty, signIn, cookieOf, fetch } = await open({}, storage);
    const hostile = `"><script>alert(1)</script>`;
    const { token } = await loyalty
      .organization(hostile)
      .apiTokens.create({ name: "x", scopes: ["user:read"] });
    const page = await fetch("/console", { headers: { cookie: cookieOf(await signIn(token)) } });
    expect(await page.text()).not.toContain("<script>alert");
  });
});

describe("the page of the console", () => {
  it("has the links that the host gives, for its navigation, and none that are for others", async () => {
    const links = [
      { text: "Opening <hours>", url: "/hours" },
      { text: "Takings", url: "/takings", isShownTo: () => false },
    ];
    const { session, fetch } = await open({ links });
    const page = await (await fetch("/console", { headers: { cookie: await session() } })).text();
    expect(page).toContain(
      "&quot;links&quot;:[{&quot;text&quot;:&quot;Opening &lt;hours&gt;&quot;,&quot;url&quot;:&quot;/hours&quot;}]",
    );
  });
});

describe("a screen", () => {
  it("answers when it is loaded by its address, and an address of none is 404", async () => {
    const { fetch, session } = await open();
    const cookie = await session();
    const statusAt = async (path: string) => (await fetch(`/console${path}`, { headers: { cookie } })).status;
    const screens = ["", "/", "/tags", "/segments-new?filter=%7B%7D", "/segments/new-york/edit", "/settings"];
    for (const path of screens) expect([path, await statusAt(path)]).toEqual([path, 200]);
    for (const path of ["/nowhere", "/tags/vip", "/segments-newer", "/customers/usr_1/cards"]) {
      expect([path, await statusAt(path)]).toEqual([path, 404]);
    }
  });
});
