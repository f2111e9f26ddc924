import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { createWebhookWorker, type Send } from "loyalty-kit/webhook-worker";
import { expect, it, onTestFinished } from "vitest";
import { newPlace } from "./place.js";

const EVENTS = 300;

it("workers of several processes share the deliveries, and send each one once", async () => {
  const place = await newPlace();
  onTestFinished(() => place.remove());
  const counts = new Map<string, number>();
  const send: Send = async ({ headers }) => {
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
  await expect.poll(() => counts.size, { timeout: 20_000 }).toBe(EVENTS);
  await Promise.all(workers.map((worker) => worker.close()));
  expect(Math.max(...counts.values())).toBe(1);
  await Promise.all(services.map((loyalty) => loyalty.close()));
});
