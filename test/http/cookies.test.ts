import * as fc from "fast-check";
import { LoyaltyService, scopes } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { authenticateByRequest, bearerTokens, createHttpApi, type HttpApiOptions } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOAuthServer } from "../../adapters/apps/cli/server/oauth-server.js";
import { challenge, createParams, redirectUri } from "../oauth/scene.js";
import { runs } from "../properties/runs.js";

const sameOriginHeaders = { "sec-fetch-site": "same-origin" };

/** A way to sign in by a cookie. */
interface Door {
  /** The cookie of a signed-in person, such as `session=s1`. */
  readonly cookie: string;
  /** Returns whether a request with these `Cookie` headers is signed in. */
  isSignedIn(...headers: string[]): Promise<boolean>;
}

function openServer(options: (loyalty: LoyaltyService) => Partial<HttpApiOptions>) {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  onTestFinished(() => loyalty.close());
  const authenticate = bearerTokens(loyalty);
  const api = createHttpApi(loyalty, { authenticate, rateLimits: false, ...options(loyalty) });
  const send = (path: string, cookies: readonly string[], init: { form?: Record<string, string> } = {}) =>
    api.handle({
      method: init.form === undefined ? "GET" : "POST",
      url: path,
      headers: [
        ["host", "shop.example"],
        ["content-type", "application/x-www-form-urlencoded"],
        ["x-loyalty-console", "1"],
        ...Object.entries(sameOriginHeaders),
        ...cookies.map((cookie) => ["cookie", cookie] as const),
      ],
      body: init.form === undefined ? { kind: "none" } : { kind: "parsed", value: init.form },
      prefix: "",
      address: null,
    });
  const cookieOf = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
    headers["set-cookie"]?.split(";")[0] ?? "";
  return { loyalty, acme: loyalty.organization("acme"), send, cookieOf };
}

const doors: Readonly<Record<string, () => Promise<Door>>> = {
  async "the host's own cookie"() {
    const { send } = openServer(() => ({
      authenticate: authenticateByRequest(async ({ cookie }) =>
        cookie("__Host-session") === "s1" ? { organizationId: "acme", scopes } : null,
      ),
    }));
    return {
      cookie: "__Host-session=s1",
      isSignedIn: async (...headers) => (await send("/v1/user-tags", headers)).status === 200,
    };
  },

  async "the console's session of a token"() {
    const { acme, send, cookieOf } = openServer((loyalty) => ({
      extensions: [createConsole(loyalty, { isHttps: true })],
    }));
    const { token } = await acme.apiTokens.create({ name: "till", scopes: [...scopes] });
    const cookie = cookieOf(await send("/console", [], { form: { token } }));
    return {
      cookie,
      isSignedIn: async (...headers) => (await send("/console/api/v1/user-tags", headers)).status === 200,
    };
  },

  async "the console's session of a person"() {
    const { acme, send, cookieOf } = openServer((loyalty) => ({
      extensions: [createConsole(loyalty, { isHttps: true })],
    }));
    const { link } = await acme.people.add({ email: "ada@shop.example", role: "owner" });
    const cookie = cookieOf(await send(link.path, [], { form: {} }));
    return {
      cookie,
      isSignedIn: async (...headers) => (await send("/console/api/v1/user-tags", headers)).status === 200,
    };
  },

  async "the sign-in before an app is allowed in"() {
    const { acme, send, cookieOf } = openServer((loyalty) => ({
      extensions: [createOAuthServer(loyalty, "https://shop.example")],
    }));
    const { token } = await acme.apiTokens.create({ name: "till", scopes: [...scopes] });
    const { app } = await acme.apps.create({
      name: "Till",
      redirectUris: [redirectUri],
      scopes: ["user:read"],
    });
    const authorizeQuery = { response_type: "code", client_id: app.id, scope: "user:read" };
    const query = createParams({
      ...authorizeQuery,
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
    const cookie = cookieOf(await send("/oauth2/sign-in", [], { form: { token } }));
    return {
      cookie,
      isSignedIn: async (...headers) => (await send(`/oauth2/authorize?${query}`, headers)).status === 200,
    };
  },
};

/** Characters that may look like the end of a cookie, and that browsers send inside one. */
const border = fc.constantFrom(
  ...[",", ", ", "=", '"', "\\", "\u00a0", "\ufeff", "\u0085", "\u2003", "\u000b", "\u000c", "$Version=1,"],
);

describe.each(Object.entries(doors))("%s", (_, openDoor) => {
  it("is found among other cookies, and in a header of its own", async () => {
    const { cookie, isSignedIn } = await openDoor();
    expect(cookie).toMatch(/^__Host-[\w-]+=./);
    expect(await isSignedIn(cookie)).toBe(true);
    expect(await isSignedIn(`theme=dark; ${cookie};lang="de, en"`)).toBe(true);
    expect(await isSignedIn(`theme=dark;\t${cookie} ; x`)).toBe(true);
    expect(await isSignedIn("theme=dark", cookie)).toBe(true);
  });

  it("is refused if its name appears twice, in any order and header", async () => {
    const { cookie, isSignedIn } = await openDoor();
    const [name = ""] = cookie.split("=");
    for (const other of [`${name}=mine`, `${name}=`, cookie]) {
      expect(await isSignedIn(`${cookie}; ${other}`), other).toBe(false);
      expect(await isSignedIn(`${other}; ${cookie}`), other).toBe(false);
      expect(await isSignedIn(other, cookie), other).toBe(false);
    }
  });

  it("can't be smuggled into the name or value of another cookie, which any host of the site may set", async () => {
    const { cookie, isSignedIn } = await openDoor();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("", "x=", "x=1"),
        fc.array(border, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("", ",x=1", ", x"),
        async (start, borders, end) => {
          expect(await isSignedIn(`${start}${borders.join("")}${cookie}${end}`)).toBe(false);
        },
      ),
      runs(60),
    );
  });

  it("is matched by its exact name", async () => {
    const { cookie, isSignedIn } = await openDoor();
    const [name = ""] = cookie.split("=");
    const value = cookie.slice(name.length);
    for (const wrong of [name.toLowerCase(), name.toUpperCase(), name.replace("__Host-", ""), `x${name}`])
      expect(await isSignedIn(`${wrong}${value}`), wrong).toBe(false);
  });
});
