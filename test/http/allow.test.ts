import { LoyaltyService } from "loyalty-kit";
import { createOAuth } from "loyalty-kit/auth";
import { createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi, type HttpExtension } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createPages } from "loyalty-kit/pages";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHealthExtension, homeRedirect } from "../../adapters/apps/cli/server/extensions.js";
import { FirstLook } from "../../adapters/apps/cli/server/first-look.js";

import { encodeJoinCode } from "../../src/base/values/short-link.js";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "constructor"];
const issuer = "https://shop.example";
const signedIn = () => ({ organizationId: "acme", subject: "ada" });

/** Every way to serve the console, with its paths. */
const consoles = {
  "with its own sign-in": {
    console: (loyalty: LoyaltyService) => createConsole(loyalty, { passkeys: issuer }),
    paths: [
      "/console/people/link",
      "/console/people/link/x.y.z",
      "/console/people/me",
      "/console/people/me/sessions/pse_x",
      "/console/people/me/passkeys",
      "/console/people/me/passkeys/options",
      "/console/people/me/passkeys/pky_x",
      "/console/people/passkey",
      "/console/people/passkey/options",
    ],
  },
  "of the host's": {
    console: (loyalty: LoyaltyService) => createConsole(loyalty, { signedIn }),
    paths: ["/console/api/v1/user-tags"],
  },
};

const consolePaths = [
  "/console",
  "/console/customers",
  "/console/nothing/of/that/name",
  "/console/icon.svg",
  "/console/manifest.webmanifest",
  "/console/till-worker.js",
  "/console/people/names",
  "/console/sign-out",
  "/console/sign-out/everywhere",
  "/reference",
];

async function openServer(extensionsOf: (loyalty: LoyaltyService) => readonly HttpExtension[]) {
  const storage = memoryStorage();
  const loyalty = new LoyaltyService({ storage });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  const { token } = await acme.apiTokens.create({ name: "all", scopes: ["user_tag:read", "user_tag:write"] });
  const card = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    rateLimits: false,
    oauth: createOAuth(loyalty, { issuer, signedIn }),
    extensions: [
      ...extensionsOf(loyalty),
      createPages(loyalty),
      homeRedirect,
      createHealthExtension(storage),
    ],
  });
  const headers = {
    authorization: `Bearer ${token}`,
    accept: "text/html",
    "sec-fetch-site": "same-origin",
    "x-loyalty-console": "1",
  };
  const send = (method: string, path: string) =>
    api.fetch(new Request(`${issuer}${path}`, { method, headers, redirect: "manual" }));
  return { loyalty, token, card, send };
}

/** Tests that a 405 response lists exactly the methods that each path supports. */
async function testAllowHeaders(
  send: (method: string, path: string) => Promise<Response>,
  paths: readonly string[],
) {
  for (const path of paths) {
    const allowedMethods: string[] = [];
    const allowHeaders = new Set<string | null>();
    for (const method of methods) {
      const response = await send(method, path);
      if (response.status !== 405) allowedMethods.push(method);
      else allowHeaders.add(response.headers.get("allow"));
    }
    expect([path, [...allowHeaders]]).toEqual([path, [allowedMethods.join(", ")]]);
    expect([path, allowedMethods.length > 0]).toEqual([path, true]);
  }
}

describe("a 405 lists the methods that the path supports", () => {
  it.each(Object.entries(consoles))("at the console %s", async (_, { console, paths }) => {
    const { send } = await openServer((loyalty) => [console(loyalty)]);
    const page = await (await send("GET", "/console")).text();
    const [asset = ""] = /\/console\/assets\/[^"]+/.exec(page) ?? [];
    await testAllowHeaders(send, [...consolePaths, ...paths, asset]);
    expect((await send("POST", "/console/assets/en/none.js")).status).toBe(404);
  });

  it("at the API, OAuth 2.0 and the pages for customers", async () => {
    const { send, card } = await openServer(() => []);
    await testAllowHeaders(send, [
      "/",
      "/v1/user-tags",
      "/v1/user-tags/query",
      "/v1/openapi.json",
      "/oauth2/authorize",
      "/oauth2/token",
      "/oauth2/revoke",
      "/.well-known/oauth-authorization-server",
      "/c/000000000000",
      `/j/${encodeJoinCode(card.id)}`,
      `/join/${card.id}`,
      "/m/u/x",
      "/m/c/x",
      "/health/live",
      "/health/ready",
    ]);
  });

  it("at the first look of a demo", async () => {
    const firstLook = new FirstLook([]);
    const { send, loyalty, token, card } = await openServer(() => [firstLook.http]);
    const path = firstLook.open({ loyalty, token, templateId: card.id });
    await testAllowHeaders(send, [path, `${path}/empty`]);
  });
});

it("a method that the path doesn't support signs no one in or out", async () => {
  const { send, loyalty } = await openServer((loyalty) => [createConsole(loyalty)]);
  const { token } = await loyalty
    .organization("acme")
    .apiTokens.create({ name: "me", scopes: ["user:read"] });
  for (const path of ["/reference", "/console/icon.svg", "/console/till-worker.js"]) {
    const response = await send("POST", `${path}?token=${token}`);
    expect([path, response.status, response.headers.get("set-cookie")]).toEqual([path, 405, null]);
  }
  for (const method of ["GET", "PUT", "DELETE"])
    expect((await send(method, "/console/sign-out")).headers.get("set-cookie")).toBeNull();
});
