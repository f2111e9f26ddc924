import type { RequestListener } from "node:http";
import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import {
  createWebhookWorker,
  type SendWebhook,
  verifyWebhook,
  type WebhookWorkerOptions,
} from "loyalty-kit/webhooks";
import * as standard from "standardwebhooks";
import * as svix from "svix";
import { afterEach, describe, expect, it } from "vitest";
import { WebhookClient } from "../../adapters/delivery/webhooks/worker/webhook-client.js";
import { isLoopbackAddress } from "../../src/base/values/networks.js";
import { certificate, type ReceivedRequest, startReceiver } from "./receiver.js";

const closings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

/** Opens a service whose worker delivers to receivers on this machine. */
function openDelivering(options: WebhookWorkerOptions = {}) {
  const errors: unknown[] = [];
  const loyalty = new LoyaltyService({
    storage: memoryStorage(),
    webhooks: { allowLoopback: true },
    onError: (error) => errors.push(error),
  });
  const client = new WebhookClient(Date.now, {
    isAllowed: isLoopbackAddress,
    resolveAddresses: async () => [],
    ca: certificate.cert,
  });
  const worker = createWebhookWorker(loyalty, { send: client.send, pollMs: 50, ...options });
  closings.push(async () => {
    await worker.close();
    await client.close();
    await loyalty.close();
    expect(errors).toEqual([]);
  });
  const { users, webhooks } = loyalty.organization("acme");

  /** Delivers one event to a receiver. @returns the delivery after its first attempt. */
  async function deliverTo(answer: RequestListener) {
    const { url } = await startReceiver(answer);
    const { webhookEndpoint } = await webhooks.create({ url });
    await users.create({ email: "ada@example.com" });
    const getNewestDelivery = async () => (await webhooks.deliveries(webhookEndpoint.id)).content[0];
    await expect.poll(getNewestDelivery, { interval: 10 }).toMatchObject({ attempts: [{}] });
    return getNewestDelivery();
  }

  return { users, webhooks, deliverTo };
}

function getFirst(received: readonly ReceivedRequest[]): ReceivedRequest {
  const [request] = received;
  if (request === undefined) throw new Error("nothing has come");
  return request;
}

describe("a delivery over HTTPS", () => {
  it("is signed, so that our own verifier, standardwebhooks and svix accept it", async () => {
    const { users, webhooks } = openDelivering();
    const { url, received } = await startReceiver();
    const { secret } = await webhooks.create({ url });
    const ada = await users.create({ email: "ada@example.com", name: "Ada ☕" });
    await expect.poll(() => received.length).toBe(1);
    const { headers, body } = getFirst(received);
    expect(headers).toMatchObject({ "content-type": "application/json", "user-agent": "loyalty-kit" });
    const event = verifyWebhook(headers, body, secret);
    expect(event).toMatchObject({ id: headers["webhook-id"], type: "user.created", data: ada });
    const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(new standard.Webhook(secret).verify(body, flat)).toEqual(event);
    expect(new svix.Webhook(secret).verify(body, flat)).toEqual(event);
  });

  it("is signed with both secrets after a rotation", async () => {
    const { users, webhooks } = openDelivering();
    const { url, received } = await startReceiver();
    const { secret, webhookEndpoint } = await webhooks.create({ url });
    const rotated = await webhooks.rotateSecret(webhookEndpoint.id);
    await users.create({ email: "ada@example.com" });
    await expect.poll(() => received.length).toBe(1);
    const { headers, body } = getFirst(received);
    for (const each of [secret, rotated.secret]) {
      expect(verifyWebhook(headers, body, each)).toMatchObject({ type: "user.created" });
    }
  });

  it("can be a test, on demand", async () => {
    const { webhooks } = openDelivering();
    const { url, received } = await startReceiver();
    const { secret, webhookEndpoint } = await webhooks.create({ url, types: ["stamp.added"] });
    await webhooks.test(webhookEndpoint.id);
    await expect.poll(() => received.length).toBe(1);
    const { headers, body } = getFirst(received);
    expect(verifyWebhook(headers, body, secret)).toMatchObject({
      type: "webhook.test",
      data: webhookEndpoint,
    });
  });

  it.each([200, 201, 202, 226, 299])("succeeds with %s, and stores the response", async (status) => {
    const { deliverTo } = openDelivering();
    expect(await deliverTo((_, response) => response.writeHead(status).end("thanks"))).toMatchObject({
      status: "delivered",
      attempts: [{ status, answer: "thanks", error: null }],
    });
  });

  it.each<{ what: string; outcome: object; answer: RequestListener }>([
    {
      what: "500",
      outcome: { status: 500, error: null },
      answer: (_, response) => response.writeHead(500).end("no"),
    },
    {
      what: "a redirect",
      outcome: { status: 302, error: null },
      answer: (_, response) => response.writeHead(302, { location: "/" }).end(),
    },
    {
      what: "a reset connection",
      outcome: { status: null, error: expect.stringMatching(/./) },
      answer: ({ socket }) => socket.destroy(),
    },
  ])("fails with $what, and is retried", async ({ outcome, answer }) => {
    const { deliverTo } = openDelivering();
    expect(await deliverTo(answer)).toMatchObject({
      status: "pending",
      attempts: [{ number: 1, ...outcome }],
    });
  });

  it.each<{ what: string; answer: RequestListener }>([
    { what: "silence", answer: () => {} },
    { what: "an endless response", answer: (_, response) => response.writeHead(200).write("and") },
  ])("fails with $what when its time is over, and is retried", async ({ answer }) => {
    const { deliverTo } = openDelivering({ timeoutMs: 100 });
    const error = expect.stringMatching(/no response within 0.1 seconds/);
    expect(await deliverTo(answer)).toMatchObject({
      status: "pending",
      attempts: [{ number: 1, status: null, error }],
    });
  });

  it("succeeds with an endless response, of which the beginning is stored", async () => {
    const { deliverTo } = openDelivering();
    const answerEndlessly: RequestListener = (_, response) => {
      response.on("drain", () => response.write("x".repeat(50_000)));
      response.write("x".repeat(50_000));
    };
    expect(await deliverTo(answerEndlessly)).toMatchObject({
      status: "delivered",
      attempts: [{ status: 200, answer: "x".repeat(1_024) }],
    });
  });

  it("disables its endpoint if the receiver is gone", async () => {
    const { deliverTo, webhooks } = openDelivering();
    expect(await deliverTo((_, response) => response.writeHead(410).end())).toMatchObject({
      status: "failed",
    });
    expect(await webhooks.list()).toMatchObject([{ isDisabled: true, disabledReason: "gone" }]);
  });

  it("waits as long as Retry-After says", async () => {
    const { deliverTo } = openDelivering();
    const delivery = await deliverTo((_, response) =>
      response.writeHead(503, { "retry-after": "3600" }).end(),
    );
    const wait = Date.parse(String(delivery?.nextAttemptAt)) - Date.now();
    expect(wait / 60_000).toBeCloseTo(60, 0);
  });
});

/** Opens a worker whose requests are never answered, with the abort signals of its attempts. */
function openUnanswered() {
  const loyalty = new LoyaltyService({ storage: memoryStorage(), webhooks: { allowLoopback: true } });
  closings.push(() => loyalty.close());
  const signals: AbortSignal[] = [];
  const send: SendWebhook = ({ signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  };
  const { users, webhooks } = loyalty.organization("acme");
  return { users, webhooks, worker: createWebhookWorker(loyalty, { send, pollMs: 50 }), signals };
}

it("a worker that closes with a time limit aborts unanswered attempts, and records none of them", async () => {
  const { users, webhooks, worker, signals } = openUnanswered();
  const { webhookEndpoint } = await webhooks.create({ url: "https://silent.example" });
  await users.create({ email: "ada@example.com" });
  await expect.poll(() => signals).toHaveLength(1);
  await worker.close({ withinMs: 10 });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect((await webhooks.deliveries(webhookEndpoint.id)).content).toMatchObject([
    { status: "pending", attempts: [] },
  ]);
});

it("a worker with attempts at fifteen endpoints in progress causes no warning, and aborts all of them", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  closings.push(async () => process.off("warning", onWarning));
  const { users, webhooks, worker, signals } = openUnanswered();
  for (let at = 0; at < 15; at += 1) await webhooks.create({ url: `https://silent${at}.example` });
  await users.create({ email: "ada@example.com" });
  await expect.poll(() => signals).toHaveLength(15);
  await worker.close({ withinMs: 10 });
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
  expect(warnings).toEqual([]);
});
