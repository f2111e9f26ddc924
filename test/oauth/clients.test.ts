import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { createOAuth } from "loyalty-kit/auth";
import { bearerTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { ManualClock } from "../kit/manual-clock.js";
import { clients, connectOauth4webapi } from "./clients.js";
import { findSeal } from "./scene.js";
import { requirePage, requireSite, Visitor } from "./visitor.js";

const redirectUri = "https://app.example/callback";
const claimedScheme = "com.example.till:/callback";

/** Starts a command-line program that waits for the browser on a free port. */
async function startWaitingProgram() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const callback = once(server, "request").then(([request, response]) => {
    response.setHeader("connection", "close").end("You can close this window.");
    return new URL(request.url, `http://127.0.0.1:${port}`);
  });
  onTestFinished(() => void server.close());
  return { redirectUri: `http://127.0.0.1:${port}/callback`, callback };
}

/** Starts a server with two apps of a vendor. It is closed when the test ends. */
async function startServer(storage: StorageAdapter) {
  const clock = new ManualClock(Date.now());
  const loyalty = new LoyaltyService({ storage, clock: clock.read });
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const signedIn = () => ({ organizationId: "acme", subject: "ada" });
  const oauth = createOAuth(loyalty, { issuer, signedIn });
  server.on("request", nodeListener(createHttpApi(loyalty, { authenticate: bearerTokens(loyalty), oauth })));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await loyalty.close();
  });
  const { apps } = loyalty.organization("vendor");
  const input = { name: "Till", scopes: ["user:read" as const] };
  const { app, clientSecret } = await apps.create({ ...input, redirectUris: [redirectUri] });
  const { app: publicApp } = await apps.create({
    ...input,
    redirectUris: ["http://127.0.0.1/callback", claimedScheme],
    isPublic: true,
  });
  return {
    clock,
    publicRegistration: { issuer, id: publicApp.id, secret: null, scope: "user:read" },
    registration: { issuer, id: app.id, secret: clientSecret, redirectUri, scope: "user:read" },
  };
}

async function getStatus(issuer: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${issuer}/v1/contacts`, { headers })).status;
}

describe.each(everyAdapter)("on $name", ({ open }) => {
  it("a command-line program without a secret signs in with oauth4webapi, refreshes and revokes", async () => {
    const { publicRegistration } = await startServer(await open());
    const { redirectUri, callback } = await startWaitingProgram();
    const client = await connectOauth4webapi({ ...publicRegistration, redirectUri });
    const visitor = new Visitor();
    const page = requirePage(await visitor.open(client.authorizationUrl));
    await fetch(requireSite(await visitor.send(page, { seal: findSeal(page.text), decision: "allow" })));
    const first = await client.redeem(await callback);
    expect(await getStatus(publicRegistration.issuer, first)).toBe(200);
    const second = await client.refresh();
    expect(await getStatus(publicRegistration.issuer, second)).toBe(200);
    await client.revoke();
    expect(await getStatus(publicRegistration.issuer, second)).toBe(401);
    await expect(client.refresh()).rejects.toThrow();
  });

  it("a phone app signs in with oauth4webapi through the scheme that it has claimed", async () => {
    const { publicRegistration } = await startServer(await open());
    const client = await connectOauth4webapi({ ...publicRegistration, redirectUri: claimedScheme });
    const visitor = new Visitor();
    const page = requirePage(await visitor.open(client.authorizationUrl));
    const callback = requireSite(await visitor.send(page, { seal: findSeal(page.text), decision: "allow" }));
    expect(callback.protocol).toBe("com.example.till:");
    expect(await getStatus(publicRegistration.issuer, await client.redeem(callback))).toBe(200);
  });

  it.each(clients)(
    "$name authorizes, calls, is refused at expiry, refreshes and revokes",
    async ({ connect }) => {
      const { clock, registration } = await startServer(await open());
      const client = await connect(registration);
      const visitor = new Visitor();
      const page = requirePage(await visitor.open(client.authorizationUrl));
      const callback = requireSite(
        await visitor.send(page, { seal: findSeal(page.text), decision: "allow" }),
      );
      const getTokenStatus = (token: string) => getStatus(registration.issuer, token);
      const first = await client.redeem(callback);
      expect(await getTokenStatus(first)).toBe(200);
      clock.move(30 * 60_000);
      expect(await getTokenStatus(first)).toBe(401);
      const second = await client.refresh();
      expect(await getTokenStatus(second)).toBe(200);
      await client.revoke();
      expect(await getTokenStatus(second)).toBe(401);
      await expect(client.refresh()).rejects.toThrow();
    },
  );
});
