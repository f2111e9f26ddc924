import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { createWebhookWorker, type WebhookResponse } from "loyalty-kit/webhooks";
import { describe, expect, it } from "vitest";
import { RETRY_DELAYS_MS } from "../../src/webhooks/delivery-schedule.js";
import { VirtualTime } from "./simulation/virtual-time.js";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

async function waitUntilQuiet(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Delivers one event to a receiver. @returns when each request arrived, relative to the first one. */
async function listRequestTimes(answer: WebhookResponse, pollMs: number, until: number): Promise<number[]> {
  const time = new VirtualTime(Date.UTC(2026, 0, 1));
  const loyalty = new LoyaltyService({ storage: memoryStorage(), clock: time.clock });
  const times: number[] = [];
  const send = async () => {
    times.push(time.now);
    return answer;
  };
  const worker = createWebhookWorker(loyalty, { send, after: time.after, pollMs });
  const { webhooks, users } = loyalty.organization("acme");
  await webhooks.create({ url: "https://receiver.example" });
  await users.create({ email: "ada@example.com" });
  await time.leapTo(time.now + until, waitUntilQuiet);
  const closing = worker.close();
  await time.leapTo(time.now + HOUR, waitUntilQuiet);
  await closing;
  await loyalty.close();
  return times.map((at) => at - (times[0] ?? 0));
}

describe("a delivery that fails", () => {
  it("is retried after the documented delays, plus or minus a tenth, and attempted ten times in total", async () => {
    const pollMs = 60 * SECOND;
    const times = await listRequestTimes({ status: 500, retryAfter: null, answer: "" }, pollMs, 120 * HOUR);
    expect(times).toHaveLength(RETRY_DELAYS_MS.length + 1);
    for (const [at, delay] of RETRY_DELAYS_MS.entries()) {
      const gap = (times[at + 1] ?? 0) - (times[at] ?? 0);
      expect(gap).toBeGreaterThanOrEqual(delay * 0.9);
      expect(gap).toBeLessThanOrEqual(delay * 1.1 + pollMs + SECOND);
    }
  });

  it("is not retried before the time that its receiver requests, and then soon", async () => {
    const answer = { status: 503, retryAfter: HOUR, answer: "" };
    const [, second = 0] = await listRequestTimes(answer, SECOND, 1.1 * HOUR);
    expect(second).toBeGreaterThanOrEqual(HOUR);
    expect(second).toBeLessThanOrEqual(HOUR + 2 * SECOND);
  });

  it("is not retried if it has succeeded, or if its receiver is gone", async () => {
    for (const status of [200, 410]) {
      expect(await listRequestTimes({ status, retryAfter: null, answer: "" }, 60 * SECOND, 8 * HOUR)).toEqual(
        [0],
      );
    }
  });
});
