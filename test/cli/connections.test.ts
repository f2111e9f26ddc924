import { once } from "node:events";
import {
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { HttpConnections } from "../../adapters/apps/cli/server/connections.js";

/** Far more than the system buffers for a connection. */
const LARGE = "x".repeat(50_000_000);

async function startServer(handler: RequestListener) {
  const http = createServer(handler);
  const connections = new HttpConnections(http);
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { http, connections, url: `http://127.0.0.1:${address.port}` };
}

async function getResponse(url: string): Promise<IncomingMessage> {
  const [response]: IncomingMessage[] = await once(get(url), "response");
  if (response === undefined) throw new Error("no answer");
  return response;
}

describe("draining a server", () => {
  it("sends complete responses to slow readers, even if their end was already written", async () => {
    const { connections, url } = await startServer((_request, response) => response.end(LARGE));
    const response = await getResponse(url);
    const drainPromise = connections.drain();
    expect(await text(response)).toHaveLength(LARGE.length);
    await drainPromise;
  });

  it("answers every request that the server has received, even two on one connection", async () => {
    const openResponses: ServerResponse[] = [];
    const { connections, url } = await startServer((_request, response) => openResponses.push(response));
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.write("GET /first HTTP/1.1\r\nHost: cafe\r\n\r\nGET /second HTTP/1.1\r\nHost: cafe\r\n\r\n");
    await expect.poll(() => openResponses.length).toBe(2);

    const drainPromise = connections.drain();
    for (const response of openResponses) response.end(`answer to ${response.req.url}`);
    const received = await text(socket);
    expect(received).toMatch(/answer to \/first.*answer to \/second$/s);
    await drainPromise;
  });

  it("tells the client to close the connection", async () => {
    const openResponses: ServerResponse[] = [];
    const { connections, url } = await startServer((_request, response) => openResponses.push(response));
    const response = getResponse(url);
    await expect.poll(() => openResponses.length).toBe(1);
    const drainPromise = connections.drain();
    openResponses[0]?.end();
    expect((await response).headers.connection).toBe("close");
    (await response).resume();
    await drainPromise;
  });

  it("closes a connection after its response even if the headers were sent before draining", async () => {
    const openResponses: ServerResponse[] = [];
    const { connections, url, http } = await startServer((_request, response) => {
      response.write("first");
      openResponses.push(response);
    });
    // Without this timeout, nothing else closes the connection.
    http.keepAliveTimeout = 0;
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.write("GET / HTTP/1.1\r\nHost: cafe\r\n\r\n");
    await expect.poll(() => openResponses.length).toBe(1);
    const drainPromise = connections.drain();
    openResponses[0]?.end("last");
    expect(await text(socket)).toContain("last");
    await drainPromise;
  });

  it("finishes immediately if the server never listened", async () => {
    await new HttpConnections(createServer()).drain();
  });
});
