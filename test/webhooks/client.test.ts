import type { RequestListener } from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import {
  type ConnectorOptions,
  WebhookClient,
} from "../../adapters/delivery/webhooks/worker/webhook-client.js";
import { certificate, startReceiver } from "./receiver.js";

const NOW = Date.UTC(2026, 0, 1, 12);

const clients: WebhookClient[] = [];
afterAll(() => Promise.all(clients.map((client) => client.close())));

/** Creates a client that trusts the receivers' certificate. Default: it treats this machine as public. */
function createClient(vetting: Partial<ConnectorOptions> = {}): WebhookClient {
  const client = new WebhookClient(() => NOW, {
    isAllowed: () => true,
    resolveAddresses: async () => ["127.0.0.1"],
    ca: certificate.cert,
    ...vetting,
  });
  clients.push(client);
  return client;
}

function send(url: string, { client = createClient(), signal = AbortSignal.timeout(5_000) } = {}) {
  return client.send({ url, headers: { "webhook-id": "evt_1" }, body: '{"a":"ü"}', signal });
}

async function sendTo(answer: RequestListener) {
  return send((await startReceiver(answer)).url);
}

describe("the webhook client", () => {
  it("posts the exact body with its headers to the path and query of the URL", async () => {
    const { port, received } = await startReceiver();
    expect(await send(`https://127.0.0.1:${port}/a/b?c=d%20e`)).toEqual({
      status: 204,
      retryAfter: null,
      answer: "",
    });
    expect(received).toMatchObject([
      { method: "POST", url: "/a/b?c=d%20e", body: '{"a":"ü"}', headers: { "webhook-id": "evt_1" } },
    ]);
  });

  it.each([200, 400, 410, 500, 503])("returns status %i with the beginning of the body", async (status) => {
    expect(await sendTo((_, response) => response.writeHead(status).end("so it is"))).toEqual({
      status,
      retryAfter: null,
      answer: "so it is",
    });
  });

  it.each([301, 302, 303, 307, 308])("does not follow a redirect: %i", async (status) => {
    const target = await startReceiver();
    const { url } = await startReceiver((_, response) =>
      response.writeHead(status, { location: target.url }).end(),
    );
    expect(await send(url)).toMatchObject({ status });
    expect(target.received).toEqual([]);
  });

  it.each([
    ["120", 120_000],
    ["0", 0],
    ["Thu, 01 Jan 2026 12:00:30 GMT", 30_000],
    ["Thursday, 01-Jan-26 12:00:30 GMT", 30_000],
    ["Thu, 01 Jan 2026 11:59:00 GMT", 0],
    ["-1", null],
    ["1.5", null],
    ["soon", null],
    ["2026-01-01", null],
    ["99999999999999999999", 1e23],
  ])("parses Retry-After: %s", async (value, retryAfter) => {
    const answer = await sendTo((_, response) => response.writeHead(503, { "retry-after": value }).end());
    expect(answer).toMatchObject({ retryAfter });
  });

  it("retains 1,024 characters of a response, without halved or unstorable ones", async () => {
    const { answer } = await sendTo((_, response) =>
      response.end(`\0${"x".repeat(1_022)}😀${"y".repeat(9)}`),
    );
    expect(answer).toBe(`\ufffd${"x".repeat(1_022)}\ufffd`);
  });

  it("hangs up on an endless response, whose status counts", async () => {
    let isHungUp = false;
    const { url } = await startReceiver((_, response) => {
      response.on("close", () => {
        isHungUp = true;
      });
      const createMore = () => {
        while (!response.destroyed && response.write("z".repeat(10_000))) {}
      };
      response.on("drain", createMore);
      createMore();
    });
    expect(await send(url)).toMatchObject({ status: 200, answer: "z".repeat(1_024) });
    await expect.poll(() => isHungUp).toBe(true);
  });

  it.each<{ what: string; answer: RequestListener }>([
    { what: "never responds", answer: () => {} },
    { what: "never ends its response", answer: (_, response) => response.writeHead(200).write("and") },
  ])("gives up on a receiver that $what", async ({ answer }) => {
    const { url } = await startReceiver(answer);
    await expect(send(url, { signal: AbortSignal.timeout(100) })).rejects.toThrow();
  });

  it.each<{ what: string; answer: RequestListener }>([
    { what: "before the response", answer: ({ socket }) => socket.destroy() },
    {
      what: "during the response",
      answer: ({ socket }, response) => {
        response.writeHead(200, { "content-length": 9 }).write("a", () => socket.destroy());
      },
    },
  ])("fails when the connection breaks $what", async ({ answer }) => {
    await expect(sendTo(answer)).rejects.toThrow();
  });

  it("reuses a connection", async () => {
    const client = createClient();
    const { url, countConnections: connections } = await startReceiver();
    for (let at = 0; at < 5; at += 1) await send(url, { client });
    expect(connections()).toBeLessThan(3);
  });

  it("rejects a certificate that no authority vouches for, or that is for another name", async () => {
    const { port, url, received } = await startReceiver();
    const distrusting = new WebhookClient(() => NOW, {
      isAllowed: () => true,
      resolveAddresses: async () => ["127.0.0.1"],
    });
    clients.push(distrusting);
    await expect(send(url, { client: distrusting })).rejects.toThrow("self-signed certificate");
    await expect(send(`https://other.example:${port}`)).rejects.toThrow("other.example");
    expect(received).toEqual([]);
    expect(await send(`https://receiver.example:${port}`)).toMatchObject({ status: 204 });
  });
});
