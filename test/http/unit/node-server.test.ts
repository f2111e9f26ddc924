import { once } from "node:events";
import type { Server } from "node:http";
import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, type NodeServerOptions, nodeServer } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { runs } from "../../properties/runs.js";

/** Starts a server with many large users and a token that may read them. */
async function startServer(options: NodeServerOptions, users = 2_000) {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const acme = loyalty.organization("acme");
  const { token } = await acme.apiTokens.create({ name: "Test", scopes: ["user:read", "user:create"] });
  const metadata = { text: "x".repeat(16_000) };
  await acme.users.import(
    Array.from({ length: users }, (_, at) => ({ email: `${at}@example.com`, metadata })),
  );
  const server = nodeServer(createHttpApi(loyalty, { authenticate: apiTokens(loyalty) }), options);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("it has no port");
  const { port } = address;
  return { server, token, open: () => openSocket(port) };
}

/** Opens a connection of a client that never closes its side, like an attacker. */
async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, "connect");
  return socket;
}

const whenClosed = (socket: Socket) =>
  socket.closed || socket.readableEnded
    ? Promise.resolve()
    : Promise.race([once(socket, "close"), once(socket, "end")]);

/** Reads everything until the server ends the connection. */
async function all(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await whenClosed(socket);
  return text;
}

const countConnections = (server: Server): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

describe("a server that serves only the API", () => {
  it("disconnects a client that reads none of a response", async () => {
    const { server, token, open } = await startServer({ writeTimeoutMs: 200 });
    const socket = await open();
    const [acceptedRequest] = await Promise.all([
      once(server, "request"),
      socket.write(`GET /v1/users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`),
    ]);
    const [, response] = acceptedRequest;
    socket.pause();
    await once(response, "close");
    expect(response.writableFinished).toBe(false);
  });

  it("gives up on a request that doesn't arrive, whether its client disconnects or not", async () => {
    const { server, open } = await startServer({ requestTimeoutMs: 300 }, 0);
    const partialRequests = [
      "",
      "GET / HTTP/1.1\r\nHost: x\r\n",
      "POST /v1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{",
      "POST /v1/users HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{",
      "POST /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
      "GET /x HTTP/1.1\r\nHost: x\r\n\r\nGET /x HTTP/1.1\r\n",
      "no HTTP\r\n\r\n",
    ];
    const responses = partialRequests.map(async (text) => {
      const socket = await open();
      socket.write(text);
      return all(socket);
    });
    for (const response of await Promise.all(responses)) expect(response).toMatch(/^HTTP\/1\.1 [14]/);
    await expect.poll(() => countConnections(server)).toBe(0);
  });

  it.each([
    { why: "a body that is too long", path: "/v1/users", length: 2_000_000, status: 413 },
    { why: "an unknown token", path: "/v1/users", length: 1_000_000, status: 401 },
    { why: "an unknown path", path: "/nowhere", length: 1_000_000, status: 404 },
  ])(
    "responds to $why without reading the body, and closes the connection",
    async ({ path, length, status }) => {
      const { server, token, open } = await startServer({}, 0);
      const readCounters: (() => number)[] = [];
      server.on("connection", (socket: Socket) => readCounters.push(() => socket.bytesRead));
      const socket = await open();
      const shownToken = status === 401 ? "nobody" : token;
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shownToken}\r\nContent-Type: application/json\r\n`;
      socket.write(`${head}Content-Length: ${length}\r\n\r\n${"x".repeat(length)}`);
      const response = await all(socket);
      expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(response).toMatch(/\r\nConnection: close\r\n/i);
      expect(response.endsWith("}")).toBe(true);
      await expect.poll(() => countConnections(server), { timeout: 5_000 }).toBe(0);
      expect(readCounters[0]?.()).toBeLessThan(400_000);
    },
  );

  it("keeps the connection of a refused request open if little of it is unread", async () => {
    const { token, open } = await startServer({}, 0);
    const socket = await open();
    const buildRequest = (shownToken: string) =>
      `POST /v1/users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shownToken}\r\nContent-Length: 60000\r\n\r\n${"x".repeat(60_000)}`;
    socket.write(buildRequest("nobody") + buildRequest("nobody") + buildRequest(token));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    await expect
      .poll(() => text.match(/HTTP\/1\.1 \d+/g))
      .toEqual([401, 401, 415].map((at) => `HTTP/1.1 ${at}`));
  });

  it("accepts any time as the request timeout", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 1, max: 9e15, noNaN: true }), async (requestTimeoutMs) => {
        const loyalty = new LoyaltyService({ storage: memoryStorage() });
        nodeServer(createHttpApi(loyalty, { authenticate: apiTokens(loyalty) }), {
          requestTimeoutMs,
        }).close();
      }),
      runs(50),
    );
  });

  it("limits its connections, in total and per address", async () => {
    for (const caps of [{ maxConnections: 3 }, { maxConnectionsPerAddress: 3 }]) {
      const { open } = await startServer(caps, 0);
      const keptSockets = [await open(), await open(), await open()];
      await whenClosed(await open());
      expect(keptSockets.map(({ closed }) => closed)).toEqual([false, false, false]);
      const [first] = keptSockets;
      first?.destroy();
      await expect
        .poll(async () => {
          const socket = await open();
          await new Promise((resolve) => setTimeout(resolve, 20));
          return socket.closed || socket.readableEnded;
        })
        .toBe(false);
    }
  });

  it("reports connections over the limit, with their address if they exceed the limit per address", async () => {
    const networks: (string | null)[] = [];
    const recordNetwork = (network: string | null) => void networks.push(network);
    for (const caps of [{ maxConnections: 1 }, { maxConnectionsPerAddress: 1 }]) {
      const { open } = await startServer({ ...caps, onRefusedConnection: recordNetwork }, 0);
      await open();
      await whenClosed(await open());
    }
    expect(networks).toEqual([null, "127.0.0.1"]);
  });

  it("lets only a proxy exceed the limit of connections per address", async () => {
    for (const isProxy of [true, false]) {
      const { open } = await startServer(
        { maxConnectionsPerAddress: 1, addressOf: () => "192.0.2.1", isProxy: () => isProxy },
        0,
      );
      await open();
      const second = await open();
      second.write("GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      expect((await all(second)) !== "").toBe(isProxy);
    }
  });

  it("handles the requests of a connection one by one, and those of others in between", async () => {
    const { server, token, open } = await startServer({});
    const request = `GET /v1/contacts?size=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const [busySocket, other] = [await open(), await open()];
    let responseCount = 0;
    let countBefore = 0;
    const whenDone = new Promise<void>((resolve) => {
      busySocket.on("data", (data) => {
        responseCount += data.toString().split("HTTP/1.1 200").length - 1;
        if (responseCount === 100) resolve();
      });
    });
    const firstRequest = once(server, "request");
    busySocket.write(request.repeat(100));
    await firstRequest;
    other.write(request);
    await once(other, "data");
    countBefore = responseCount;
    await whenDone;
    expect(countBefore).toBeLessThan(50);
  });

  it("stops reading a body of thousands of tiny chunks, and accepts a long one in chunks of 200 bytes", async () => {
    const { server, token, open } = await startServer({}, 1);
    const encodeChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const head = `POST /v1/users HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const sockets: Socket[] = [];
    server.on("connection", (socket) => sockets.push(socket));
    const crumbs = await open();
    crumbs.write(head + encodeChunk(" ").repeat(500_000));
    expect(await all(crumbs)).toMatch(/^HTTP\/1.1 400 .*malformed_request/s);
    expect(sockets[0]?.bytesRead).toBeLessThan(500_000);
    const fair = await open();
    const body = `{"email":"ada@example.com","note":"${"x".repeat(500_000)}"}`;
    fair.write(`${head}${(body.match(/.{1,200}/gs) ?? []).map(encodeChunk).join("")}0\r\n\r\n`);
    expect(await all(fair)).toMatch(/^HTTP\/1.1 201 /);
    const short = await open();
    short.write(`${head}${[...'{"email":"bob@example.com"}'].map(encodeChunk).join("")}0\r\n\r\n`);
    expect(await all(short)).toMatch(/^HTTP\/1.1 201 /);
  });

  it("closes a connection on which more than 100 requests wait", async () => {
    const { open } = await startServer({});
    const socket = await open();
    socket.write("GET /v1/users HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200));
    await whenClosed(socket);
    expect(await (await open()).closed).toBe(false);
  });

  it("keeps an idle connection open longer than clients do", async () => {
    const { server } = await startServer({});
    expect(server.keepAliveTimeout).toBeGreaterThan(60_000);
  });
});
