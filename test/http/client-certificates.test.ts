import { once } from "node:events";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { TLSSocket } from "node:tls";
import { LoyaltyService } from "loyalty-kit";
import {
  type AuthenticateRequest,
  authenticateByRequest,
  createHttpApi,
  nodeListener,
} from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { generate } from "selfsigned";
import { describe, expect, it, onTestFinished } from "vitest";

const createCertificate = (name: string) =>
  generate([{ name: "commonName", value: name }], { keyType: "ec" });

const server = await createCertificate("localhost");
const till = await createCertificate("till-7");
/** A certificate with the till's name that no trusted authority has signed. */
const impostor = await createCertificate("till-7");

/** Authenticates by a certificate that the server trusts. */
const authenticateByCertificate: AuthenticateRequest = async ({ source }) => {
  const socket = typeof source === "object" && source !== null && "socket" in source ? source.socket : null;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return null;
  const { CN } = socket.getPeerCertificate().subject;
  return CN === "till-7" ? { organizationId: "acme", scopes: ["user_tag:read"], subject: "till-7" } : null;
};

async function startServer(): Promise<number> {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const api = createHttpApi(loyalty, { authenticate: authenticateByRequest(authenticateByCertificate) });
  const { private: key, cert } = server;
  // Requests a certificate, and leaves it to the API to reject callers without one.
  const tlsServer = createServer(
    { key, cert, ca: [till.cert], requestCert: true, rejectUnauthorized: false },
    nodeListener(api),
  ).listen(0, "127.0.0.1");
  await once(tlsServer, "listening");
  onTestFinished(async () => {
    tlsServer.closeAllConnections();
    tlsServer.close();
    await loyalty.close();
  });
  const { port } = tlsServer.address() as AddressInfo;
  return port;
}

/** Returns the status of a call with a client certificate, or with none. */
async function getStatus(
  port: number,
  clientCertificate: { private: string; cert: string } | null,
): Promise<number> {
  const clientRequest = request({
    port,
    host: "127.0.0.1",
    path: "/v1/user-tags",
    ca: [server.cert],
    checkServerIdentity: () => undefined,
    agent: false,
    ...(clientCertificate !== null && { key: clientCertificate.private, cert: clientCertificate.cert }),
  }).end();
  const [response] = await once(clientRequest, "response");
  response.resume();
  return response.statusCode;
}

describe("a client certificate", () => {
  it("authenticates a client that the server trusts", async () => {
    expect(await getStatus(await startServer(), till)).toBe(200);
  });

  it("with the same name is refused if the server doesn't trust it, and so is a call without a certificate", async () => {
    const port = await startServer();
    expect(await getStatus(port, impostor)).toBe(401);
    expect(await getStatus(port, null)).toBe(401);
  });
});
