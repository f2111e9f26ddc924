import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type RequestHandler } from "express";
import { LoyaltyService } from "loyalty-kit";
import { createOAuth, type SignedInUser } from "loyalty-kit/auth";
import { bearerTokens, createHttpApi, loyaltyRouter } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { testOnEveryMount } from "../http/every-mount.js";
import { buildHead, exchangeBytes, parseResponse } from "../http/raw-socket.js";
import {
  challenge,
  createBasicAuth,
  createParams,
  findSeal,
  parseRedirect,
  readError,
  readTokens,
  redirectUri,
  verifier,
} from "./scene.js";

type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

const issuer = "https://loyalty.example";
const user: SignedInUser = { organizationId: "acme", subject: "ada" };
const createTestOAuth = (loyalty: LoyaltyService) => createOAuth(loyalty, { issuer, signedIn: () => user });

/**
 * Runs the whole flow of an app, from its user to its data. Returns the statuses of a call, the revocation and
 * another call.
 */
async function runAuthorizationFlow(loyalty: LoyaltyService, fetch: Fetch): Promise<number[]> {
  const { app, clientSecret } = await loyalty
    .organization("vendor")
    .apps.create({ name: "Till", redirectUris: [redirectUri], scopes: ["user:read"] });
  const query = createParams({
    response_type: "code",
    client_id: app.id,
    scope: "user:read",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const url = `/oauth2/authorize?${query}`;
  const seal = findSeal(await (await fetch(url)).text());
  const decision = { method: "POST", body: createParams({ seal, decision: "allow" }) };
  const code = parseRedirect(await fetch(url, decision)).get("code");
  const headers = { authorization: createBasicAuth(app.id, clientSecret) };
  const send = (path: string, fields: Record<string, string | null>) =>
    fetch(path, { method: "POST", headers, body: createParams(fields) });
  const { access_token } = await readTokens(
    await send("/oauth2/token", { grant_type: "authorization_code", code, code_verifier: verifier }),
  );
  const requestToken = async () =>
    (await fetch("/v1/contacts", { headers: { authorization: `Bearer ${access_token}` } })).status;
  return [
    await requestToken(),
    (await send("/oauth2/revoke", { token: access_token })).status,
    await requestToken(),
  ];
}

testOnEveryMount(
  (http) => {
    const fetch: Fetch = (path, init) =>
      http.served.fetch(http.served.baseUrl + path, { redirect: "manual", ...init });

    test("an app gets its tokens, calls, and revokes them", async () => {
      expect(await runAuthorizationFlow(http.loyalty, fetch)).toEqual([200, 200, 401]);
    });

    test("the metadata is served, and errors are in the format of OAuth", async () => {
      const metadata = await fetch("/.well-known/oauth-authorization-server");
      expect(await metadata.json()).toMatchObject({ issuer });
      expect(await readError(await fetch("/oauth2/token", { method: "POST" }))).toEqual([
        401,
        "invalid_client",
      ]);
      expect(await readError(await fetch("/oauth2/token"))).toEqual([405, "invalid_request"]);
    });

    if (!http.mount.hasSocket) return;

    test("more than one Authorization header is refused, even if both belong to one app", async () => {
      const { app, clientSecret } = await http.loyalty
        .organization("vendor")
        .apps.create({ name: "Till", redirectUris: [redirectUri], scopes: ["user:read"] });
      const right = `Authorization: ${createBasicAuth(app.id, clientSecret)}`;
      const send = async (...authorization: string[]) => {
        const path = `${http.mount.prefix}/oauth2/token`;
        const headers = ["Content-Length: 0", ...authorization];
        const { status, body } = parseResponse(
          await exchangeBytes(http.port, buildHead({ method: "POST", path, headers })),
        );
        return [status, body];
      };
      const rejection = [401, expect.objectContaining({ error: "invalid_client" })];
      for (const other of [right, "Authorization: Basic x", "authorization: Bearer x", "Authorization: "]) {
        expect(await send(right, other), other).toEqual(rejection);
        expect(await send(other, right), other).toEqual(rejection);
      }
      expect(await send(right)).toEqual([400, expect.objectContaining({ error: "invalid_request" })]);
    });
  },
  { oauth: createTestOAuth },
);

testOnEveryMount(
  (http) => {
    test("an API without OAuth doesn't have its paths", async () => {
      const { status } = await http.served.fetch(`${http.served.baseUrl}/oauth2/token`, { method: "POST" });
      expect(status).toBe(404);
    });
  },
  { only: ({ hasSocket }) => !hasSocket },
);

describe("Express", () => {
  const open = async (...parsers: RequestHandler[]) => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const api = createHttpApi(loyalty, {
      authenticate: bearerTokens(loyalty),
      oauth: createTestOAuth(loyalty),
    });
    const host = express().use(...parsers, loyaltyRouter(api));
    return { loyalty, fetch: await startListening(host, () => loyalty.close()) };
  };

  it.each<[string, RequestHandler[]]>([
    ["express.json()", [express.json()]],
    ["express.urlencoded()", [express.urlencoded()]],
    ["express.urlencoded({ extended: true })", [express.urlencoded({ extended: true })]],
    ["express.text()", [express.text({ type: "text/*" })]],
    ["express.raw()", [express.raw({ type: "*/*" })]],
  ])("works behind %s", async (_name, parsers) => {
    const { loyalty, fetch } = await open(...parsers);
    expect(await runAuthorizationFlow(loyalty, fetch)).toEqual([200, 200, 401]);
  });

  it("with a form parser refuses repeated and nested parameters", async () => {
    const { fetch } = await open(express.urlencoded({ extended: true }));
    for (const text of ["client_id=x&client_id=x", "client_id[a]=x", "x=1&token[a][b]=1"]) {
      const body = new URLSearchParams(text);
      const answer = await fetch("/oauth2/token", { method: "POST", body });
      expect(await readError(answer), text).toEqual([400, "invalid_request"]);
    }
  });

  it("with a form that its parser can't read responds in the format of OAuth", async () => {
    const { fetch } = await open(express.urlencoded({ limit: 10 }));
    const body = new URLSearchParams({ client_id: "x".repeat(100) });
    expect(await readError(await fetch("/oauth2/token", { method: "POST", body }))).toEqual([
      400,
      "invalid_request",
    ]);
  });
});

/** Starts a server, and closes it when the test ends. */
async function startListening(listener: RequestListener, close: () => Promise<void>): Promise<Fetch> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await close();
  });
  const { port } = server.address() as AddressInfo;
  return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", ...init });
}
