import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, type NodeServerOptions, nodeServer } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";

/** A server with many large users, and a token that may read it. */
async function served(options: NodeServerOptions) {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const acme = loyalty.organization("acme");
  const { token } = await acme.apiTokens.create({ name: "Test", scopes: ["user:read"] });
  const metadata = { text: "x".repeat(16_000) };
  await acme.users.import(
    Array.from({ length: 2_000 }, (_, at) => ({ email: `${at}@example.com`, metadata })),
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
  return { server, token, open: () => opened(port) };
}

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, "connect");
  return socket;
}

const closed = (socket: Socket) => (socket.closed ? Promise.resolve() : once(socket, "close"));

describe("a server of the API alone", () => {
  it("cuts off a reader who takes nothing of an answer", async () => {
    const { server, token, open } = await served({ writeTimeoutMs: 200 });
    const socket = await open();
    const [accepted] = await Promise.all([
      once(server, "request"),
      socket.write(`GET /v1/users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`),
    ]);
    const [, response] = accepted;
    socket.pause();
    await once(response, "close");
    expect(response.writableFinished).toBe(false);
  });

  it("gives a request that does not come up", async () => {
    const { open } = await served({ requestTimeoutMs: 300 });
    const socket = await open();
    socket.write("POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    await closed(socket);
    expect(text).toMatch(/^HTTP\/1\.1 4/);
  });

  it("has so many connections at most, of all and of one address", async () => {
    for (const caps of [{ maxConnections: 3 }, { maxConnectionsPerAddress: 3 }]) {
      const { open } = await served(caps);
      const kept = [await open(), await open(), await open()];
      await closed(await open());
      expect(kept.map(({ closed }) => closed)).toEqual([false, false, false]);
      const [first] = kept;
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

  it("takes the requests of a connection one by one, and others have their turn between them", async () => {
    const { server, token, open } = await served({});
    const one = `GET /v1/contacts?size=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const [many, other] = [await open(), await open()];
    let answers = 0;
    let answersBefore = 0;
    const done = new Promise<void>((resolve) => {
      many.on("data", (data) => {
        answers += data.toString().split("HTTP/1.1 200").length - 1;
        if (answers === 100) resolve();
      });
    });
    const begun = once(server, "request");
    many.write(one.repeat(100));
    await begun;
    other.write(one);
    await once(other, "data");
    answersBefore = answers;
    await done;
    expect(answersBefore).toBeLessThan(50);
  });

  it("closes a connection on which more than 100 requests wait", async () => {
    const { open } = await served({});
    const socket = await open();
    socket.write("GET /v1/users HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200));
    await closed(socket);
    expect(await (await open()).closed).toBe(false);
  });

  it("keeps an idle connection longer than clients do", async () => {
    const { server } = await served({});
    expect(server.keepAliveTimeout).toBeGreaterThan(60_000);
  });
});
