import { LoyaltyService } from "loyalty-kit";
import { createOAuth } from "loyalty-kit/auth";
import { createConsole } from "loyalty-kit/console";
import { authenticateByRequest, createHttpApi, type HttpApiOptions } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createPages } from "loyalty-kit/pages";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOAuthServer } from "../../adapters/apps/cli/server/oauth-server.js";
import { challenge, createParams, findSeal, redirectUri } from "../oauth/scene.js";

type Headers = Readonly<Record<string, string>>;

/** An endpoint that accepts a browser's request by what the browser sends automatically. */
interface Door {
  /** Creates a function that checks whether a request with these headers is accepted. @param url the URL of the API. */
  open(url: string): Promise<(headers: Headers) => Promise<boolean>>;
  /** Whether the endpoint knows the origin at which browsers reach it; otherwise it uses the request's host. */
  readonly knowsItsOrigin?: boolean;
}

function openServer(url: string, options: (loyalty: LoyaltyService) => Partial<HttpApiOptions>) {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  onTestFinished(() => loyalty.close());
  const authenticate = authenticateByRequest(async () => null);
  const basePath = new URL(url).pathname;
  const api = createHttpApi(loyalty, { authenticate, basePath, rateLimits: false, ...options(loyalty) });
  const send = (method: string, path: string, headers: Headers, form?: Readonly<Record<string, string>>) =>
    api.fetch(
      new Request(`${url}${path}`, {
        method,
        headers: { host: new URL(url).host, ...headers },
        ...(form !== undefined && { body: new URLSearchParams(form) }),
      }),
    );
  return { loyalty, acme: loyalty.organization("acme"), send };
}

const session = authenticateByRequest(async () => ({
  organizationId: "acme",
  scopes: ["user_tag:write", "user:update", "user:create"],
}));

function createMethodDoor(method: string, path: string): Door {
  return {
    async open(url) {
      const { send } = openServer(url, () => ({ authenticate: session }));
      return async (headers) => (await send(method, path, headers)).status !== 401;
    },
  };
}

async function createConsentDoor(url: string) {
  const signedIn = () => ({ organizationId: "acme", subject: "ada" });
  const { acme, send } = openServer(url, (loyalty) => ({
    oauth: createOAuth(loyalty, { issuer: url, signedIn }),
  }));
  const { app } = await acme.apps.create({
    name: "Till",
    redirectUris: [redirectUri],
    scopes: ["user:read"],
  });
  const query = createParams({
    response_type: "code",
    client_id: app.id,
    scope: "user:read",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const path = `/oauth2/authorize?${query}`;
  const seal = findSeal(await (await send("GET", path, {})).text());
  return async (headers: Headers) =>
    (await send("POST", path, headers, { seal, decision: "deny" })).status === 303;
}

const doors: Readonly<Record<string, Door>> = {
  "POST with the host's login": createMethodDoor("POST", "/v1/users/usr_nobody/erase"),
  "PUT with the host's login": createMethodDoor("PUT", "/v1/user-tags/nothing"),
  "PATCH with the host's login": createMethodDoor("PATCH", "/v1/users/usr_nobody"),
  "DELETE with the host's login": createMethodDoor("DELETE", "/v1/user-tags/nothing"),
  "the form to join by": {
    async open(url) {
      const { acme, send } = openServer(url, (loyalty) => ({
        extensions: [createPages(loyalty, { joinLimit: { requests: 1_000, seconds: 60 } })],
      }));
      const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
      const form = { name: "Ada", contact: "+49 30 123456" };
      return async (headers) => (await send("POST", `/join/${id}`, headers, form)).status === 303;
    },
  },
  "the console's sign-in": {
    async open(url) {
      const { acme, send } = openServer(url, (loyalty) => ({ extensions: [createConsole(loyalty)] }));
      const { token } = await acme.apiTokens.create({ name: "me", scopes: ["user:read"] });
      return async (headers) => (await send("POST", "/console", headers, { token })).status === 303;
    },
  },
  "the console's sign-out": {
    async open(url) {
      const { send } = openServer(url, (loyalty) => ({ extensions: [createConsole(loyalty)] }));
      return async (headers) => (await send("POST", "/console/sign-out", headers)).headers.has("set-cookie");
    },
  },
  "a call of the console": {
    async open(url) {
      const signedIn = () => ({ organizationId: "acme", subject: "ada" });
      const { send } = openServer(url, (loyalty) => ({ extensions: [createConsole(loyalty, { signedIn })] }));
      const consoleHeaders = { "x-loyalty-console": "1" };
      return async (headers) =>
        (await send("DELETE", "/console/api/v1/user-tags/nothing", { ...consoleHeaders, ...headers }))
          .status !== 401;
    },
  },
  "the sign-in of the command-line server": {
    knowsItsOrigin: true,
    async open(url) {
      const { acme, send } = openServer(url, (loyalty) => ({ oauth: createOAuthServer(loyalty, url) }));
      const { token } = await acme.apiTokens.create({ name: "me", scopes: ["user:read"] });
      return async (headers) =>
        (await send("POST", "/oauth2/sign-in?x=1", headers, { token })).status === 303;
    },
  },
  "the consent page": { knowsItsOrigin: true, open: createConsentDoor },
};

const sites = [null, "same-origin", "none", "same-site", "cross-site", "", "same-origin, same-origin"];

/** Origins of foreign pages, whatever the URL of the API. */
const foreign = [
  "https://evil.example",
  "http://localhost:3999",
  "https://localhost.evil.example",
  "file://",
  "",
  "x",
];

interface RequestOrigin {
  readonly origin: string | null;
  readonly site: string | null;
  readonly headers: Headers;
}

function everyOrigin(origins: readonly (string | null)[]): RequestOrigin[] {
  return origins.flatMap((origin) =>
    sites.map((site) => ({
      origin,
      site,
      headers: {
        ...(origin !== null && { origin }),
        ...(site !== null && { "sec-fetch-site": site }),
      },
    })),
  );
}

const isDeclaredOwn = (site: string | null) => site === null || site === "same-origin" || site === "none";

describe.each(Object.entries(doors))("a change by %s,", (_, { open, knowsItsOrigin }) => {
  describe.each([
    "http://localhost:3000",
    "http://localhost:3000/loyalty",
    "https://localhost",
    "https://localhost:8443/loyalty",
  ])("at %s", (url) => {
    const ownOrigin = new URL(url).origin;
    // An attacker who can change unencrypted HTTP can serve pages of any host there.
    const unsafe = ownOrigin.startsWith("https:") ? [ownOrigin.replace("https:", "http:")] : [];

    it("is refused if a page of another or hidden origin may have sent it", async () => {
      const isIn = await open(url);
      for (const { origin, site, headers } of everyOrigin([null, ownOrigin, "null", ...unsafe, ...foreign])) {
        // What a browser says about its own page remains true behind a proxy that sets another host.
        const isVouchedFor = site === "same-origin" && origin !== "null" && !knowsItsOrigin;
        const isOwn = origin === null || origin === ownOrigin || isVouchedFor;
        expect(await isIn(headers), JSON.stringify(headers)).toBe(isDeclaredOwn(site) && isOwn);
      }
    });

    it("is accepted from a page of the same host if the host names the scheme's default port", async () => {
      const { protocol, hostname, port } = new URL(url);
      const isIn = await open(url);
      const originWithPort = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
      expect(await isIn({ origin: ownOrigin, host: originWithPort })).toBe(true);
      const otherPort = `${hostname}:${Number(port || 443) + 1}`;
      expect(await isIn({ origin: `${protocol}//${otherPort}`, host: originWithPort })).toBe(false);
      const httpOrigin = `http://${hostname}${port === "" ? "" : `:${port}`}`;
      expect(await isIn({ origin: httpOrigin, host: httpOrigin.slice("http://".length) })).toBe(
        protocol === "http:",
      );
    });
  });
});

describe("the trusted origins of a host", () => {
  const authenticate = authenticateByRequest(
    async () => ({ organizationId: "acme", scopes: ["user_tag:write"] }),
    {
      origins: ["https://shop.example"],
    },
  );

  it("may send changes, and no other origins may", async () => {
    const { send } = openServer("http://localhost:3000", () => ({ authenticate }));
    for (const { origin, site, headers } of everyOrigin(["https://shop.example", "null", ...foreign])) {
      if (site === "same-origin" && origin !== "null") continue;
      const { status } = await send("DELETE", "/v1/user-tags/nothing", headers);
      expect(status !== 401, JSON.stringify(headers)).toBe(origin === "https://shop.example");
    }
  });

  it.each(["null", "https://shop.example/", "shop.example", "*", "", "https://shop.example/path"])(
    "must be written as browsers send them, unlike %j",
    (origin) => {
      expect(() => authenticateByRequest(async () => null, { origins: [origin] })).toThrow(TypeError);
    },
  );
});

describe("a page with a form", () => {
  it("sends its origin only to its own host", async () => {
    const { acme, send } = openServer("http://localhost:3000", (loyalty) => ({
      extensions: [createPages(loyalty), createConsole(loyalty)],
      oauth: createOAuthServer(loyalty, "http://localhost:3000"),
    }));
    const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
    for (const path of [`/join/${id}`, "/console", "/oauth2/sign-in"]) {
      const page = await send("GET", path, {});
      expect([page.status, page.headers.get("referrer-policy")], path).toEqual([200, "same-origin"]);
    }
  });
});
