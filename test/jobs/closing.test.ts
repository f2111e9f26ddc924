import { setTimeout as wait } from "node:timers/promises";
import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { createMail } from "loyalty-kit/mail";
import { memoryStorage } from "loyalty-kit/memory";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWallets } from "loyalty-kit/wallets";
import {
  createAutomationWorker,
  createSegmentWorker,
  createWebhookWorker,
  type WebhookResponse,
} from "loyalty-kit/webhooks";
import { describe, expect, it } from "vitest";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

const publicUrl = "https://cafe.example";

function openService(storage: StorageAdapter = memoryStorage()) {
  const errors: unknown[] = [];
  const loyalty = new LoyaltyService({ storage, onError: (error) => errors.push(error) });
  return { loyalty, cafe: loyalty.organization("cafe"), errors };
}

describe("closing a service", () => {
  it("closes every open worker, and nothing fails afterward", async () => {
    const { loyalty, cafe, errors } = openService();
    const mail = createMail(loyalty, {
      publicUrl,
      from: "Cafe <hello@cafe.example>",
      smtp: { send: async () => {} },
      pollMs: 1,
    });
    const workers = [
      createWebhookWorker(loyalty, { pollMs: 1 }),
      createAutomationWorker(loyalty, { pollMs: 1 }),
      createSegmentWorker(loyalty, { pollMs: 1 }),
      createWallets(loyalty, { publicUrl, pollMs: 1 }),
      mail,
    ];
    await cafe.users.create({ email: "ada@example.com" });
    await loyalty.close();
    await wait(50);
    await Promise.all(workers.map((worker) => worker.close()));
    expect(errors).toEqual([]);
  });

  it("doesn't refuse the email of a call in progress", async () => {
    const { loyalty, cafe, errors } = openService();
    createMail(loyalty, { publicUrl, from: "Cafe <hello@cafe.example>", smtp: { send: async () => {} } });
    const { id } = await cafe.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
    const issued = cafe.passes.create(id, { user: { email: "ada@example.com" }, notify: true });
    await loyalty.close();
    expect(await issued).toMatchObject({ templateId: id });
    expect(errors).toEqual([]);
  });

  it("waits for a webhook in flight, and records its result", async () => {
    const file = createTemporaryFile();
    const { loyalty, cafe, errors } = openService(await sqliteStorage(file));
    const { webhookEndpoint } = await cafe.webhooks.create({ url: "https://host.example/hook" });
    let answer: (response: WebhookResponse) => void = () => {};
    const isSent = new Promise<void>((resolve) => {
      createWebhookWorker(loyalty, {
        pollMs: 1,
        send() {
          resolve();
          return new Promise((respond) => {
            answer = respond;
          });
        },
      });
    });
    await cafe.users.create({ email: "ada@example.com" });
    await isSent;
    let isClosed = false;
    const closing = loyalty.close().then(() => {
      isClosed = true;
    });
    await wait(20);
    expect(isClosed).toBe(false);
    answer({ status: 200, retryAfter: null, answer: "" });
    await closing;
    expect(errors).toEqual([]);
    const reopened = openService(await sqliteStorage(file));
    const { content } = await reopened.cafe.webhooks.deliveries(webhookEndpoint.id);
    expect(content).toMatchObject([{ status: "delivered", attempts: [{ status: 200 }] }]);
    await reopened.loyalty.close();
  });
});
