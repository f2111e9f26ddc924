import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { assertSameVersion } from "../../src/base/copies.js";
import { eventTypes } from "../../src/base/event-types.js";
import { gauges, missingThreads, signals } from "../../src/base/signals.js";
import { serviceInternals } from "../../src/internals.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import { isSuccess } from "../../src/webhooks/delivery-schedule.js";
import type { ResponseListener } from "../http/index.js";

/**
 * The subset of a `prom-client` registry (version 14 or 15) that the metrics use. The host's version can differ from this
 * package's.
 */
export interface MetricsRegistry {
  /** The content type of the text that {@link metrics} returns. */
  readonly contentType: string;
  /** Adds a metric to the registry. `prom-client` throws if the registry already contains a different metric with the same name. */
  registerMetric(metric: object): void;
  /** Resolves to all metrics in the registry, in the format given by {@link contentType}. */
  metrics(): Promise<string>;
}

export interface MetricsOptions {
  /** The registry to add the metrics to, such as the host's own. Default: a new registry. */
  readonly registry?: MetricsRegistry;
  /**
   * Whether to add prom-client's default metrics for the process, such as CPU time, memory, event loop lag, and garbage collection.
   * Leave this off if your registry already has them. Default: `false`.
   */
  readonly process?: boolean;
}

/** A service's Prometheus metrics. They cover only the work done in this process. */
export interface Metrics {
  /** Updates the request metrics. Pass it to `createHttpApi` as `onResponse`. */
  readonly onResponse: ResponseListener;
  /** The `Content-Type` to send with {@link text}. */
  readonly contentType: string;
  /** Resolves to the current values of all metrics, in the Prometheus text format. */
  text(): Promise<string>;
  /** Stops updating all metrics except the request metrics. */
  close(): void;
}

/** Histogram buckets for durations, in seconds: from an in-memory lookup to the longest wait. */
const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Histogram buckets for lags, in seconds: from an immediate response to a day of attempts. */
const LAG_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3_600, 86_400];

const eventTimePattern = /^\{"id":"[^"]*","type":"[^"]*","timestamp":"([^"]+)"/;

/**
 * Creates a service's metrics, which are listed on the documentation page about deployment. The counts of commits, segment reads,
 * deliveries, and emails include all services in this process.
 *
 * Labels never contain client input. Route labels are the path patterns in the route table, or `none` for any other path.
 * @example
 * import { apiTokens, createHttpApi } from "loyalty-kit/http";
 * import { createMetrics } from "loyalty-kit/observability";
 *
 * const { onResponse, text } = createMetrics(loyalty);
 * const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), onResponse });
 * console.log(await text());
 */
export function createMetrics(loyalty: LoyaltyService, options: MetricsOptions = {}): Metrics {
  assertSameVersion(loyalty, "LoyaltyService");
  const registry: MetricsRegistry = options.registry ?? new Registry();
  // The registry may belong to a different copy of prom-client, so metrics aren't registered on creation but explicitly below.
  const registers: Registry[] = [];
  const duration = new Histogram({
    name: "loyalty_http_request_duration_seconds",
    help: "Time from a request to its response.",
    labelNames: ["method", "route", "status"],
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const events = new Counter({
    name: "loyalty_events_total",
    help: "Events of committed changes.",
    labelNames: ["type"],
    registers,
  });
  // Starts each series at 0. If a series began with its first event, it would show no increase, and an alert would miss that event.
  for (const type of eventTypes) events.inc({ type }, 0);
  const commits = new Histogram({
    name: "loyalty_commit_transactions",
    help: "Number of transactions per commit.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers,
  });
  const segmentReads = new Counter({
    name: "loyalty_segment_reads_total",
    help: "Reads of user sets, by cache result.",
    labelNames: ["cache"],
    registers,
  });
  const attempts = new Counter({
    name: "loyalty_webhook_attempts_total",
    help: "Attempts to deliver webhooks.",
    labelNames: ["result"],
    registers,
  });
  const lag = new Histogram({
    name: "loyalty_webhook_lag_seconds",
    help: "Time from an event to its delivery.",
    buckets: LAG_BUCKETS_SECONDS,
    registers,
  });
  const mailAttempts = new Counter({
    name: "loyalty_mail_attempts_total",
    help: "Attempts to send emails.",
    labelNames: ["result"],
    registers,
  });
  const mailLag = new Histogram({
    name: "loyalty_mail_lag_seconds",
    help: "Time from queuing an email to its acceptance.",
    buckets: LAG_BUCKETS_SECONDS,
    registers,
  });
  const mailWaits = new Gauge({
    name: "loyalty_mail_transport_waits",
    help: "1 while the mail server accepts no emails.",
    registers,
  });
  const queued = new Gauge({
    name: "loyalty_queued",
    help: "Work in progress or queued.",
    labelNames: ["queue"],
    registers,
    collect() {
      const { changesUnderWay, costlyReadsQueued, largeChangesQueued } = loyalty.load;
      this.set({ queue: "changes" }, changesUnderWay);
      this.set({ queue: "costly_reads" }, costlyReadsQueued);
      this.set({ queue: "large_changes" }, largeChangesQueued);
    },
  });
  const rejectedGauge = new Gauge({
    name: "loyalty_segment_clock_refused",
    help: "1 while segments ignore the clock because it jumped ahead.",
    registers,
    collect() {
      this.set(serviceInternals(loyalty).isClockRejected ? 1 : 0);
    },
  });
  const connections = new Gauge({
    name: "loyalty_postgres_connections",
    help: "Connections in Postgres pools, and calls waiting for one.",
    labelNames: ["state"],
    registers,
    collect() {
      const pools = gauges.pools.readAll();
      for (const state of ["busy", "idle", "waiting"] as const) {
        this.set(
          { state },
          pools.reduce((sum, pool) => sum + pool[state], 0),
        );
      }
    },
  });
  const logs = new Gauge({
    name: "loyalty_sqlite_log_bytes",
    help: "The size of the write-ahead logs of SQLite files.",
    registers,
    collect() {
      this.set(gauges.sqliteFiles.readAll().reduce((sum, { log }) => sum + log, 0));
    },
  });
  const disks = new Gauge({
    name: "loyalty_sqlite_disk_free_bytes",
    help: "Free space on the fullest disk that has a SQLite file; +Inf without such a file.",
    registers,
    collect() {
      this.set(Math.min(...gauges.sqliteFiles.readAll().map(({ free }) => free)));
    },
  });
  const threads = new Gauge({
    name: "loyalty_threads_missing",
    help: "1 for work whose thread can't start.",
    labelNames: ["work", "cause"],
    registers,
    collect() {
      for (const { work, causeCode } of missingThreads.readAll()) this.set({ work, cause: causeCode }, 1);
    },
  });
  const metrics = [
    ...[duration, events, commits, segmentReads, attempts, lag],
    ...[mailAttempts, mailLag, mailWaits, queued, rejectedGauge, connections, logs, disks, threads],
  ];
  for (const metric of metrics) registry.registerMetric(metric);
  if (options.process === true) registerProcessMetrics(registry);
  const subscriptions = [
    ...eventTypes.map((type) => loyalty.on(type, () => events.inc({ type }))),
    signals.commit.on((transactions) => commits.observe(transactions)),
    signals.segmentRead.on((isCached) => segmentReads.inc({ cache: isCached ? "hit" : "miss" })),
    signals.mailAttempt.on(({ result, createdAt, endedAt }) => {
      mailAttempts.inc({ result });
      if (result === "accepted") mailLag.observe(Math.max(0, endedAt - createdAt) / 1_000);
    }),
    signals.mailWaits.on((isWaiting) => mailWaits.set(isWaiting ? 1 : 0)),
    signals.webhookAttempt.on(({ status, body, endedAt }) => {
      const result = classifyStatus(status);
      attempts.inc({ result });
      const [, time] = eventTimePattern.exec(body) ?? [];
      if (result === "delivered" && time !== undefined) {
        lag.observe(Math.max(0, endedAt - Date.parse(time)) / 1_000);
      }
    }),
  ];
  return {
    onResponse({ method, route, status, duration: milliseconds }) {
      const labels = { method: route === null ? "any" : method, route: route ?? "none", status };
      duration.observe(labels, milliseconds / 1_000);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
    close() {
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
}

/** Registers the process metrics, which prom-client can only create in a registry of its own. */
function registerProcessMetrics(registry: MetricsRegistry): void {
  const processRegistry = new Registry();
  collectDefaultMetrics({ register: processRegistry });
  for (const metric of processRegistry.getMetricsAsArray()) registry.registerMetric(metric);
}

function classifyStatus(status: number | null): "delivered" | "refused" | "unanswered" {
  if (status === null) return "unanswered";
  return isSuccess({ status }) ? "delivered" : "refused";
}
