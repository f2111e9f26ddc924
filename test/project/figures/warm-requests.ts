import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createWebhookWorker } from "../../../adapters/delivery/webhooks/index.js";
import { apiTokens, createHttpApi, nodeListener } from "../../../adapters/http/index.js";
import { sqliteStorage } from "../../../adapters/storage/sqlite/index.js";
import { LoyaltyService, type Organization, scopes } from "../../../src/index.js";
import { type RunMeasurement, runThrough } from "./run-through.js";

/** Milliseconds that are enough to record an attempt after its response. */
const RECORDED_MS = 500;

/** A service on SQLite with a server on this machine. */
interface Scene extends AsyncDisposable {
  readonly loyalty: LoyaltyService;
  readonly acme: Organization;
  post(path: string, body?: object): Promise<void>;
}

/** Measures a warm `POST /v1/users/{userId}/tags/{tagSlug}` from the server to the response, without rate limits. */
export async function measureAssignment(): Promise<RunMeasurement> {
  await using scene = await open();
  const { acme } = scene;
  const { id } = await acme.users.create({ email: "ada@example.com" });
  const assign = async (name: string) => {
    const { slug } = await acme.tags.create({ name });
    return () => scene.post(`/v1/users/${id}/tags/${slug}`);
  };
  for (const name of ["first", "second", "third"]) await (await assign(name))();
  return await runThrough([await assign("fourth"), await assign("fifth"), await assign("sixth")]);
}

/** Measures a warm `POST /v1/walletpasses/{walletPassId}/stamps/add` until its webhook is delivered. */
export async function measureStampToWebhook(): Promise<RunMeasurement> {
  let resolveDelivery = (): void => {};
  await using receiver = await startListening((_, response) => {
    response.writeHead(204).end();
    resolveDelivery();
  });
  await using scene = await open();
  const { acme, loyalty } = scene;
  await acme.webhooks.create({ url: `${receiver.url}/hook`, types: ["stamp.added"] });
  const { id: userId } = await acme.users.create({ email: "ada@example.com" });
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const pass = await acme.passes.create(template.id, { userId });
  const worker = createWebhookWorker(loyalty, { pollMs: 600_000 });
  const addStamp = async () => {
    const end = new Promise<void>((resolve) => {
      resolveDelivery = resolve;
    });
    await scene.post(`/v1/walletpasses/${pass.id}/stamps/add`, { count: 1 });
    await end;
    await sleep(RECORDED_MS);
  };
  for (let time = 0; time < 3; time += 1) await addStamp();
  const through = await runThrough([addStamp, addStamp, addStamp]);
  await worker.close();
  return through;
}

async function open(): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), "loyalty-kit-"));
  const storage = await sqliteStorage(join(folder, "loyalty.db"));
  const loyalty = new LoyaltyService({ storage, webhooks: { allowLoopback: true } });
  const acme = loyalty.organization("acme");
  const { token } = await acme.apiTokens.create({ name: "figures", scopes: [...scopes] });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), rateLimits: false });
  const server = await startListening(nodeListener(api));
  return {
    loyalty,
    acme,
    async post(path, body = {}) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const answer = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
      const text = await answer.text();
      assert.ok(answer.ok, `${path}: ${text}`);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await loyalty.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function startListening(
  listener: RequestListener,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address !== "string");
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
