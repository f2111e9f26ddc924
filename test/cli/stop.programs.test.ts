import { once } from "node:events";
import { type ClientRequest, createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWebhookWorker, type WebhookRequest } from "loyalty-kit/webhooks";
import { describe, expect, it } from "vitest";
import { addCleanup } from "../kit/cleanup.js";
import { createEmptyFolder, program, start, startServer } from "./command.js";
import { runCommand } from "./run-command.js";

const user = JSON.stringify({ email: "ada@example.com" });

async function startDemoServer(environment: Readonly<Record<string, string>> = {}) {
  const database = join(createEmptyFolder(), "loyalty.db");
  const server = await startServer(["--demo", "--database", database], environment);
  const [, token = ""] = await server.waitForOutput(/Bearer (\w+)'/);
  return { ...server, database, token };
}

/** Begins a request to create a user, and sends the first byte of the body; `user.slice(1)` is missing. */
async function beginRequest({ url, token }: { url: string; token: string }): Promise<ClientRequest> {
  const request = httpRequest(`${url}/v1/users`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(user),
      // The server's 100 Continue shows that it has the request.
      expect: "100-continue",
    },
  });
  addCleanup(() => request.destroy());
  request.on("error", () => undefined);
  request.flushHeaders();
  await once(request, "continue");
  request.write(user.slice(0, 1));
  return request;
}

/** Environment of a server whose timers run this many times as fast. */
const speedUpTimers = (times: number) => {
  const faster = `const { setTimeout: wait } = globalThis; globalThis.setTimeout = (done, ms, ...values) => wait(done, ms / ${times}, ...values);`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(faster)}` };
};

/** Starts a server on this machine that accepts requests and never responds. */
async function startSilentReceiver(): Promise<{ readonly url: string; readonly request: Promise<unknown> }> {
  const receiver = createServer();
  const request = once(receiver, "request");
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  addCleanup(() => {
    receiver.close();
    receiver.closeAllConnections();
  });
  const address = receiver.address();
  if (address === null || typeof address === "string") throw new Error("the receiver has no port");
  return { url: `http://127.0.0.1:${address.port}/`, request };
}

/** Resolves when the server no longer accepts connections. */
async function whenClosed(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (let isOpen = true; isOpen; ) {
    const socket = connect(Number(port), hostname);
    isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
  }
}

describe.concurrent("a server that is asked to stop", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "by %s answers the requests in progress, and exits with 0",
    async (signal) => {
      const server = await startDemoServer();
      const request = await beginRequest(server);
      server.process.kill(signal);
      await whenClosed(server.url);

      request.end(user.slice(1));
      const [response]: IncomingMessage[] = await once(request, "response");
      expect(response?.statusCode).toBe(201);
      expect(response?.headers.connection).toBe("close");
      response?.resume();
      expect(await server.exit).toMatchObject({ code: 0 });
    },
  );

  it("has stored what it has confirmed", async () => {
    const server = await startDemoServer();
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    await fetch(`${server.url}/v1/users`, { method: "POST", headers, body: user });
    server.process.kill("SIGTERM");
    await server.exit;
    const secondServer = await startServer(["--database", server.database]);
    const contacts = await fetch(`${secondServer.url}/v1/contacts?search=ada@example.com`, { headers });
    expect(await contacts.json()).toMatchObject({ totalElements: 1 });
  });

  it("doesn't wait for idle connections", async () => {
    const server = await startDemoServer();
    const { hostname, port } = new URL(server.url);
    const silent = connect(Number(port), hostname);
    const idleConnection = connect(Number(port), hostname);
    addCleanup(() => {
      silent.destroy();
      idleConnection.destroy();
    });
    idleConnection.write("GET /v1/contacts HTTP/1.1\r\nHost: cafe\r\n\r\n");
    await Promise.all([once(silent, "connect"), once(idleConnection, "data")]);

    server.process.kill("SIGTERM");
    expect(await server.exit).toMatchObject({ code: 0 });
  });

  it("exits immediately when it is asked again", async () => {
    const server = await startDemoServer();
    await beginRequest(server);
    server.process.kill("SIGTERM");
    await whenClosed(server.url);
    // One signal may arrive twice within a moment, so a second one counts only after that.
    const interval = setInterval(() => server.process.kill("SIGTERM"), 50);
    addCleanup(() => clearInterval(interval));
    const { code, stderr } = await server.exit;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("received a second stop signal"),
    });
  });

  it("exits by itself after 10 s if a request never finishes", async () => {
    const server = await startDemoServer(speedUpTimers(20));
    await beginRequest(server);
    server.process.kill("SIGTERM");
    const { code, stderr } = await server.exit;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("didn't finish within 10 s"),
    });
    const tokens = await runCommand([
      "token",
      "list",
      "--database",
      server.database,
      "--organization",
      "demo",
    ]);
    expect(tokens).toMatchObject({ code: 0, stdout: expect.stringContaining("demo") });
  });

  it("cancels a webhook whose receiver doesn't respond, exits with 0, and the next process sends it again", async () => {
    const { url, request } = await startSilentReceiver();
    const database = join(createEmptyFolder(), "loyalty.db");
    const requests: WebhookRequest[] = [];
    let now = Date.now();
    const loyalty = new LoyaltyService({
      storage: await sqliteStorage(database),
      clock: () => now,
      webhooks: { allowLoopback: true },
    });
    addCleanup(() => loyalty.close());
    const acme = loyalty.organization("acme");
    const { webhookEndpoint } = await acme.webhooks.create({ url });
    await acme.users.create({ email: "ada@example.com" });
    const server = await startServer(["--database", database, "--webhooks-allow-loopback"], speedUpTimers(4));
    await request;
    server.process.kill("SIGTERM");
    expect(await server.exit).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^loyalty-kit: shutting down once requests and jobs in progress have finished\n$/m,
      ),
    });
    const listDeliveries = async () => (await acme.webhooks.deliveries(webhookEndpoint.id)).content;
    expect(await listDeliveries()).toMatchObject([{ status: "pending", attempts: [] }]);

    now = Date.now() + 61_000;
    const worker = createWebhookWorker(loyalty, {
      deliver: false,
      send: async (request) => {
        requests.push(request);
        return { status: 204, retryAfter: null, answer: "" };
      },
    });
    await worker.runOnce();
    expect(requests.map((request) => JSON.parse(request.body).type)).toEqual(["user.created"]);
    expect(await listDeliveries()).toMatchObject([{ status: "delivered", attempts: [{ status: 204 }] }]);
    await worker.close();
  });

  it("also stops if npm started it and has exited, because npm forwards no signals", async () => {
    const args = [program, "serve", "--port", "0", "--database", join(createEmptyFolder(), "loyalty.db")];
    const npmScript = `require("node:child_process").spawn(process.execPath, ${JSON.stringify(args)}, { stdio: "inherit" })`;
    const npm = start(["--eval", npmScript], { npm_lifecycle_event: "start" });
    const [, url = ""] = await npm.waitForOutput(/is listening on (\S+)\n/);
    npm.process.kill("SIGTERM");
    await whenClosed(url);
    // The server writes to the same pipes, which close only when it has exited.
    expect((await npm.exit).stderr).toContain("shutting down once");
  });
});
