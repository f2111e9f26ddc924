import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createMetrics } from "loyalty-kit/observability";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWebhookWorker } from "loyalty-kit/webhooks";
import { Registry } from "prom-client";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventTypes } from "../../src/base/event-types.js";
import { signals } from "../../src/base/signals.js";
import { everyAdapter } from "../kit/every-adapter.js";

async function openMeasured() {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const metrics = createMetrics(loyalty);
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), onResponse: metrics.onResponse });
  const acme = loyalty.organization("acme");
  const { token } = await acme.apiTokens.create({ name: "till", scopes: ["user:read"] });
  const get = (path: string, method = "GET") =>
    api.fetch(
      new Request(`http://localhost${path}`, { method, headers: { authorization: `Bearer ${token}` } }),
    );
  return { loyalty, acme, metrics, get };
}

describe("metrics", () => {
  it("count requests by method, route and status, whatever the path", async () => {
    const { metrics, get } = await openMeasured();
    await get("/v1/users/ada");
    await get("/v1/users/bob?secret=1");
    await get("/v1/contacts");
    await get("/v1/nothing/at/all");
    await get("/v1/contacts", "BREW");
    const counts = (await metrics.text()).match(/^\w+_count\{.+$/gm);
    expect(counts?.sort()).toEqual([
      'loyalty_http_request_duration_seconds_count{method="GET",route="/v1/contacts",status="200"} 1',
      'loyalty_http_request_duration_seconds_count{method="GET",route="/v1/users/{userId}",status="404"} 2',
      'loyalty_http_request_duration_seconds_count{method="any",route="none",status="404"} 1',
      'loyalty_http_request_duration_seconds_count{method="any",route="none",status="405"} 1',
    ]);
  });

  it("count committed changes by event type, until they are closed", async () => {
    const { acme, metrics } = await openMeasured();
    await acme.users.create({ email: "ada@example.com" });
    await acme.users.create({ email: "ada@example.com" }).catch(() => undefined);
    expect(await metrics.text()).toContain('loyalty_events_total{type="user.created"} 1\n');
    metrics.close();
    await acme.users.create({ email: "bob@example.com" });
    expect(await metrics.text()).toContain('loyalty_events_total{type="user.created"} 1\n');
  });

  it("have every event type from the start, so that its first event is an increase", async () => {
    const { metrics } = await openMeasured();
    const lines = (await metrics.text())
      .split("\n")
      .filter((line) => line.startsWith("loyalty_events_total{"));
    expect(lines).toEqual(eventTypes.map((type) => `loyalty_events_total{type="${type}"} 0`));
  });

  it("count delivery attempts by result, and measure how old events were", async () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage(), webhooks: { allowLoopback: true } });
    const metrics = createMetrics(loyalty);
    const acme = loyalty.organization("acme");
    for (const path of ["good", "gone", "silent"]) {
      await acme.webhooks.create({ url: `http://127.0.0.1:9/${path}`, types: ["user.created"] });
    }
    const worker = createWebhookWorker(loyalty, {
      async send({ url }) {
        if (url.endsWith("silent")) throw new Error("no answer");
        return { status: url.endsWith("good") ? 204 : 410, retryAfter: null, answer: "" };
      },
    });
    await acme.users.create({ email: "ada@example.com" });
    await expect
      .poll(async () => (await metrics.text()).match(/^loyalty_webhook_attempts_total\{.+$/gm)?.sort())
      .toEqual([
        'loyalty_webhook_attempts_total{result="delivered"} 1',
        'loyalty_webhook_attempts_total{result="refused"} 1',
        'loyalty_webhook_attempts_total{result="unanswered"} 1',
      ]);
    expect(await metrics.text()).toContain("loyalty_webhook_lag_seconds_count 1\n");
    await worker.close();
    metrics.close();
    await loyalty.close();
  });

  it("count attempts to send mail by result, and show how late mails are and whether they wait", async () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const metrics = createMetrics(loyalty);
    const listMailLines = async () =>
      (await metrics.text()).match(/^loyalty_mail_(?!lag_seconds_bucket).+$/gm);
    const attempt = { createdAt: 10_000, endedAt: 12_500 };
    signals.mailAttempt.send({ ...attempt, result: "accepted" });
    signals.mailAttempt.send({ ...attempt, result: "refused" });
    signals.mailAttempt.send({ ...attempt, result: "transport" });
    signals.mailWaits.send(true);
    expect(await listMailLines()).toEqual([
      'loyalty_mail_attempts_total{result="accepted"} 1',
      'loyalty_mail_attempts_total{result="refused"} 1',
      'loyalty_mail_attempts_total{result="transport"} 1',
      "loyalty_mail_lag_seconds_sum 2.5",
      "loyalty_mail_lag_seconds_count 1",
      "loyalty_mail_transport_waits 1",
    ]);
    signals.mailWaits.send(false);
    expect(await listMailLines()).toContain("loyalty_mail_transport_waits 0");
    metrics.close();
    await loyalty.close();
  });

  it("show how many changes are queued or running", async () => {
    const storage = memoryStorage();
    const loyalty = new LoyaltyService({ storage });
    const metrics = createMetrics(loyalty);
    const inner = memoryStorage();
    let releaseCall = () => {};
    const gate = new Promise<void>((resolve) => {
      releaseCall = resolve;
    });
    storage.transaction = (organizationId, work, options) =>
      gate.then(() => inner.transaction(organizationId, work, options));
    const underWay = loyalty.organization("acme").users.create({ email: "ada@example.com" });
    expect(await metrics.text()).toContain('loyalty_queued{queue="changes"} 1\n');
    releaseCall();
    await underWay;
    expect((await metrics.text()).match(/^loyalty_queued\{.+$/gm)).toEqual([
      'loyalty_queued{queue="changes"} 0',
      'loyalty_queued{queue="costly_reads"} 0',
      'loyalty_queued{queue="large_changes"} 0',
    ]);
  });

  it("are exactly those that the page on deploying lists, with the same labels", async () => {
    const registry = new Registry();
    createMetrics(new LoyaltyService({ storage: memoryStorage() }), { registry }).close();
    const page = readFileSync(join(import.meta.dirname, "../../docs/deploying.md"), "utf8");
    const documented = [...page.matchAll(/^\| `(loyalty_\w+)` +\| (.*?) +\|/gm)].map(
      ([, name, labels = ""]) => ({
        name,
        labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
      }),
    );
    const registered = registry.getMetricsAsArray().map((metric) => ({
      name: Reflect.get(metric, "name"),
      labels: Reflect.get(metric, "labelNames"),
    }));
    expect(documented).toEqual(registered);
  });
});

describe.each(everyAdapter.filter(({ name }) => name !== "memory"))("metrics on $name", ({ open }) => {
  it("count commits with their transactions, and the hits and misses of the segment cache", async () => {
    const loyalty = new LoyaltyService({ storage: await open() });
    const metrics = createMetrics(loyalty);
    onTestFinished(async () => {
      metrics.close();
      await loyalty.close();
    });
    const acme = loyalty.organization("acme");
    await acme.tags.create({ name: "VIP" });
    const { id } = await acme.users.create({ email: "ada@example.com" });
    await acme.tags.assign(id, "vip");
    const vips = { filter: { operator: "AND", conditions: [{ slug: "vip" }] } } as const;
    await acme.tags.query(vips);
    await acme.tags.query(vips);
    const text = await metrics.text();
    expect(text).toMatch(/^loyalty_commit_transactions_sum 3$/m);
    expect(text).toMatch(/^loyalty_commit_transactions_count 3$/m);
    expect(text).toMatch(/^loyalty_segment_reads_total\{cache="miss"\} [1-9]$/m);
    expect(text).toMatch(/^loyalty_segment_reads_total\{cache="hit"\} [1-9]$/m);
  });

  it("show connections or the log of an open storage, and nothing once it is closed", async () => {
    const readGauges = async () => {
      const matches = (await metrics.text()).matchAll(
        /^loyalty_(postgres_connections|sqlite_log)\S* ([1-9]\d*)$/gm,
      );
      return Array.from(matches, ([line]) => line);
    };
    const loyalty = new LoyaltyService({ storage: await open() });
    const metrics = createMetrics(loyalty);
    await loyalty.organization("acme").tags.create({ name: "VIP" });
    expect(await readGauges()).not.toEqual([]);
    await loyalty.close();
    expect(await readGauges()).toEqual([]);
    metrics.close();
  });
});

it("metrics show no free space for a SQLite file whose folder was deleted, and don't fail", async () => {
  const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-"));
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(join(folder, "loyalty.db")) });
  const metrics = createMetrics(loyalty);
  onTestFinished(async () => {
    metrics.close();
    await loyalty.close();
  });
  const readFreeSpace = async () => /^loyalty_sqlite_disk_free_bytes (.+)$/m.exec(await metrics.text())?.[1];
  expect(Number(await readFreeSpace())).toBeGreaterThan(0);
  rmSync(folder, { recursive: true });
  expect(await readFreeSpace()).toBe("0");
});
