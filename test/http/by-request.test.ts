import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import Fastify from "fastify";
import { LoyaltyService } from "loyalty-kit";
import {
  type AuthenticateRequest,
  authenticateByRequest,
  type ByRequestOptions,
  createHttpApi,
  type HttpApi,
  type HttpApiOptions,
  loyaltyPlugin,
  loyaltyRouter,
  nodeListener,
} from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";

const all = ["user:read", "user:create", "pass:read", "user_tag:write", "user_tag:read"] as const;

/** Authenticates by a session in a cookie, as a host might. */
const authenticateBySession: AuthenticateRequest = async ({ cookie }) => {
  const session = cookie("session");
  return session === null ? null : { organizationId: "acme", scopes: all, subject: session };
};

function openApi(
  authenticate: AuthenticateRequest = authenticateBySession,
  options: ByRequestOptions = {},
  restOptions: Partial<HttpApiOptions> = {},
) {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  onTestFinished(() => loyalty.close());
  const api = createHttpApi(loyalty, {
    authenticate: authenticateByRequest(authenticate, options),
    ...restOptions,
  });
  const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) => {
    const url = `http://api.example${path}`;
    const requestHeaders = { ...(body !== undefined && { "content-type": "application/json" }), ...headers };
    return api.fetch(
      new Request(url, {
        method,
        headers: requestHeaders,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  };
  return { loyalty, api, send };
}

describe("authenticating by the request", () => {
  it("accepts the session's cookie, and refuses requests without it, with another cookie or with two", async () => {
    const { send } = openApi();
    const getStatus = async (headers: Record<string, string>) =>
      (await send("GET", "/v1/user-tags", headers)).status;
    expect(await getStatus({ cookie: "theme=dark; session=s1" })).toBe(200);
    expect(await getStatus({})).toBe(401);
    expect(await getStatus({ cookie: "xsession=s1" })).toBe(401);
    expect(await getStatus({ cookie: "session=s1; session=s2" })).toBe(401);
    expect(await getStatus({ authorization: "Bearer s1" })).toBe(401);
  });

  it("enforces the scopes, and shows a user only their own data", async () => {
    const user = "shop-ada";
    const { loyalty, send } = openApi(async () => ({ organizationId: "acme", scopes: ["user:read"], user }));
    const acme = loyalty.organization("acme");
    const ada = await acme.users.create({ email: "ada@example.com", externalId: user });
    const bob = await acme.users.create({ email: "bob@example.com" });
    expect(await (await send("GET", `/v1/users/${ada.id}`)).json()).toEqual(ada);
    expect((await send("GET", `/v1/users/${bob.id}`)).status).toBe(404);
    expect((await send("GET", "/v1/contacts")).status).toBe(403);
    expect((await send("GET", "/v1/users")).status).toBe(403);
    expect((await send("GET", `/v1/users/${ada.id}/passes`)).status).toBe(403);
  });

  it("responds with 500 if the host returns null as the user", async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const authenticateLost: AuthenticateRequest = async () => ({
      organizationId: "acme",
      scopes: all,
      ...JSON.parse('{"user":null}'),
    });
    const { send } = openApi(authenticateLost, {}, { onError });
    expect((await send("GET", "/v1/user-tags")).status).toBe(500);
    expect(errors).toHaveLength(1);
  });

  it("counts the requests of each subject", async () => {
    const rateLimits = { perToken: { requests: 2, seconds: 60 } };
    const { send } = openApi(authenticateBySession, {}, { rateLimits });
    const getStatusAs = async (session: string) =>
      (await send("GET", "/v1/user-tags", { cookie: `session=${session}` })).status;
    expect([
      await getStatusAs("s1"),
      await getStatusAs("s1"),
      await getStatusAs("s1"),
      await getStatusAs("s2"),
    ]).toEqual([200, 200, 429, 200]);
  });

  describe("from a browser", () => {
    const cookie = "session=s1";
    const createTagWith = async (headers: Record<string, string>, options: ByRequestOptions = {}) => {
      const { send } = openApi(authenticateBySession, options);
      return (
        await send("POST", "/v1/user-tags", { cookie, host: "api.example", ...headers }, { name: "VIP" })
      ).status;
    };

    it("refuses changes from a page of another site", async () => {
      expect(await createTagWith({ "sec-fetch-site": "cross-site" })).toBe(401);
      expect(await createTagWith({ "sec-fetch-site": "same-site" })).toBe(401);
      expect(await createTagWith({ origin: "https://evil.example" })).toBe(401);
      expect(await createTagWith({ origin: "null" })).toBe(401);
    });

    it("allows changes from pages of its own origin, from a trusted origin, and from programs", async () => {
      expect(await createTagWith({ "sec-fetch-site": "same-origin", origin: "http://api.example" })).toBe(
        201,
      );
      expect(await createTagWith({ "sec-fetch-site": "none" })).toBe(201);
      expect(await createTagWith({ origin: "http://api.example" })).toBe(201);
      expect(await createTagWith({})).toBe(201);
      const options = { origins: ["https://shop.example"] };
      expect(
        await createTagWith({ "sec-fetch-site": "cross-site", origin: "https://shop.example" }, options),
      ).toBe(201);
      expect(
        await createTagWith({ "sec-fetch-site": "cross-site", origin: "https://evil.example" }, options),
      ).toBe(401);
    });

    it("allows reads from any page, because the page can't see the response", async () => {
      const { send } = openApi();
      const headers = { cookie, "sec-fetch-site": "cross-site", origin: "https://evil.example" };
      const response = await send("GET", "/v1/user-tags", headers);
      expect(response.status).toBe(200);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    });
  });
});

/** Authenticates by a property that the host has put on its request. */
const authenticateByHost: AuthenticateRequest = async ({ source }) =>
  typeof source === "object" && source !== null && "member" in source && source.member === "Ada"
    ? { organizationId: "acme", scopes: all }
    : null;

const servers: Readonly<Record<string, (api: HttpApi) => Promise<string>>> = {
  async "node:http"(api) {
    const handler = nodeListener(api);
    const server = createServer((request, response) =>
      handler(Object.assign(request, { member: "Ada" }), response),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    return urlOf(server.address() as AddressInfo);
  },
  async Express(api) {
    const app = express();
    app.use((request, _, next) => {
      Object.assign(request, { member: "Ada" });
      next();
    });
    app.use(loyaltyRouter(api));
    const server = app.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    return urlOf(server.address() as AddressInfo);
  },
  async Fastify(api) {
    const fastify = Fastify();
    fastify.decorateRequest("member", "Ada");
    fastify.register(loyaltyPlugin, { api });
    onTestFinished(() => fastify.close());
    return fastify.listen({ port: 0, host: "127.0.0.1" });
  },
};

describe.each(Object.entries(servers))("authenticating by the request of %s", (_, serve) => {
  it("sees what the host has put on it", async () => {
    const url = await serve(openApi(authenticateByHost).api);
    expect((await fetch(`${url}/v1/user-tags`)).status).toBe(200);
    const anonymousServer = await serve(openApi(async () => null).api);
    expect((await fetch(`${anonymousServer}/v1/user-tags`)).status).toBe(401);
  });
});

describe("a token with characters that no token can have", () => {
  it("is reported to the host, once a minute", async () => {
    const errors: Error[] = [];
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    onTestFinished(() => loyalty.close());
    const api = createHttpApi(loyalty, {
      authenticate: async () => expect.unreachable(),
      onError: (error) => errors.push(error as Error),
    });
    for (let times = 0; times < 3; times += 1) {
      const headers = { authorization: "Bearer user:secret" };
      const response = await api.fetch(new Request("http://api.example/v1/user-tags", { headers }));
      expect(response.status).toBe(401);
    }
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("RFC 6750")]);
    expect(errors[0]?.message).not.toContain("secret");
  });
});

function urlOf({ port }: AddressInfo): string {
  return `http://127.0.0.1:${port}`;
}
