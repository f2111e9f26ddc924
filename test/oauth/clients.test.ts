import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { bearerTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { createOAuth } from "loyalty-kit/oauth";
import { describe, expect, it, onTestFinished } from "vitest";
import { everyAdapter } from "../kit/adapters.js";
import { ManualClock } from "../kit/manual-clock.js";
import { clients } from "./clients.js";
import { sealIn } from "./scene.js";
import { pageOf, siteOf, Visitor } from "./visitor.js";

const redirectUri = "https://app.example/callback";

/** A server on a port of its own, with an app of a vendor; both go when the test ends. */
async function serverOn(storage: StorageAdapter) {
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
    await new Promise((closed) => server.close(closed));
    await loyalty.close();
  });
  const { app, clientSecret } = await loyalty
    .organization("vendor")
    .apps.create({ name: "Till", redirectUris: [redirectUri], scopes: ["user:read"] });
  return {
    clock,
    registration: { issuer, id: app.id, secret: clientSecret, redirectUri, scope: "user:read" },
  };
}

describe.each(everyAdapter)("on $name", ({ open }) => {
  it.each(clients)(
    "$name authorizes, calls, is refused at expiry, refreshes and revokes",
    async ({ connect }) => {
      const { clock, registration } = await serverOn(await open());
      const client = await connect(registration);
      const visitor = new Visitor();
      const page = pageOf(await visitor.open(client.authorizationUrl));
      const callback = siteOf(await visitor.send(page, { seal: sealIn(page.text), decision: "allow" }));
      const call = async (token: string) => {
        const headers = { authorization: `Bearer ${token}` };
        const { status } = await fetch(`${registration.issuer}/v1/contacts`, { headers });
        return status;
      };
      const first = await client.redeem(callback);
      expect(await call(first)).toBe(200);
      clock.move(30 * 60_000);
      expect(await call(first)).toBe(401);
      const second = await client.refresh();
      expect(await call(second)).toBe(200);
      await client.revoke();
      expect(await call(second)).toBe(401);
      await expect(client.refresh()).rejects.toThrow();
    },
  );
});
