import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { createWebhookWorker, type SendWebhook } from "loyalty-kit/webhooks";
import { expect, it, onTestFinished } from "vitest";
import { awaitInStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { createPlace } from "./place.js";

const EVENTS = 300;

it("workers of several processes share the deliveries, and send each one once", async () => {
  const place = await createPlace();
  onTestFinished(() => place.remove());
  const counts = new Map<string, number>();
  const send: SendWebhook = async ({ headers }) => {
    const id = headers["webhook-id"] ?? "";
    counts.set(id, (counts.get(id) ?? 0) + 1);
    return { status: 200, retryAfter: null, answer: "" };
  };
  const services: LoyaltyService[] = [];
  for (let at = 0; at < 3; at += 1) {
    services.push(new LoyaltyService({ storage: await postgresStorage(place.url) }));
  }
  const [acme] = services.map((loyalty) => loyalty.organization("acme"));
  await acme?.webhooks.create({ url: "https://receiver.example" });
  const workers = services.map((loyalty) => createWebhookWorker(loyalty, { send, pollMs: 10 }));
  for (let at = 0; at < EVENTS / 3; at += 1) {
    await Promise.all(
      services.map((loyalty, of) =>
        loyalty.organization("acme").users.create({ email: `customer-${at}-${of}@example.com` }),
      ),
    );
  }
  await expect.poll(() => counts.size).toBe(EVENTS);
  await Promise.all(workers.map((worker) => worker.close()));
  expect(Math.max(...counts.values())).toBe(1);
  await Promise.all(services.map((loyalty) => loyalty.close()));
});

it("tests and replays don't wait for changes of the organization", async () => {
  const place = await createPlace();
  const host = await postgresStorage(place.url);
  const loyalty = new LoyaltyService({ storage: await postgresStorage(place.url) });
  onTestFinished(async () => {
    await loyalty.close();
    await host.close();
    await place.remove();
  });
  const acme = loyalty.organization("acme");
  const { id } = (await acme.webhooks.create({ url: "https://receiver.example" })).webhookEndpoint;
  await acme.users.create({ email: "ada@example.com" });
  const always = { since: "2000-01-01T00:00:00Z", until: "2999-01-01T00:00:00Z" };
  await host.transaction("acme", function* (tx) {
    yield* tx.nextUser();
    expect(yield* awaitInStep(acme.webhooks.replay(id, always))).toEqual({ deliveries: 1 });
    expect(yield* awaitInStep(acme.webhooks.test(id))).toMatchObject({ status: "pending" });
  });
});

it("a worker doesn't wait for a transaction that has an endpoint locked, and continues later", async () => {
  const place = await createPlace();
  const host = await postgresStorage(place.url);
  const loyalty = new LoyaltyService({ storage: await postgresStorage(place.url) });
  onTestFinished(async () => {
    await loyalty.close();
    await host.close();
    await place.remove();
  });
  const { webhookQueue } = serviceInternals(loyalty);
  const acme = loyalty.organization("acme");
  const { webhookEndpoint } = await acme.webhooks.create({ url: "https://receiver.example" });
  const at = { organizationId: "acme", endpointId: webhookEndpoint.id };
  await acme.users.create({ email: "ada@example.com" });
  await webhookQueue.claimNext(at, 0);
  const [job] = (await webhookQueue.claimNext(at, 1)).jobs;
  const result = {
    startedAt: Date.now(),
    duration: 1,
    status: 200,
    retryAfter: null,
    response: "",
    error: null,
  };
  const results = job === undefined ? [] : [{ job, result }];
  await acme.users.create({ email: "bert@example.com" });
  await host.transaction("acme", function* (tx) {
    yield* tx.lockWebhookEndpoint(webhookEndpoint.id, true);
    expect(yield* awaitInStep(webhookQueue.claimNext(at, 0))).toMatchObject({ hasMore: false });
    expect(yield* awaitInStep(webhookQueue.recordResults(at, results))).toBe(false);
  });
  expect(await webhookQueue.endpointsWithDueWork(10)).toMatchObject([at]);
  expect(await webhookQueue.recordResults(at, results)).toBe(true);
  await webhookQueue.claimNext(at, 0);
  expect((await acme.webhooks.deliveries(webhookEndpoint.id)).content).toMatchObject([
    { status: "pending" },
    { status: "delivered" },
  ]);
});
