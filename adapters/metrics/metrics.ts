import { Counter, Histogram, Registry } from "prom-client";
import { eventTypes } from "../../src/event-types.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { AnswerListener } from "../http/index.js";

/** Where metrics are kept. */
export interface MetricsOptions {
  /** Where the metrics are kept, such as the host's own registry; a new one unless given. */
  readonly registry?: Registry;
}

/** What a service has done in this process, as Prometheus reads it. */
export interface Metrics {
  /** Counts requests: for `onAnswer` of `createHttpApi`. */
  readonly onAnswer: AnswerListener;
  /** The media type of {@link text}. */
  readonly contentType: string;
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>;
  /** Counts no further events. */
  close(): void;
}

/** From a look-up in memory to the longest that anybody waits, in seconds. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/**
 * Counts what a service does:
 * - `loyalty_http_request_duration_seconds`, a histogram by `method`, `route` and `status`;
 * - `loyalty_events_total` by `type`: the changes that this process has committed.
 *
 * No label holds what a client has sent: a route is one of the route table, and the others count as `none`.
 */
export function createMetrics(loyalty: LoyaltyService, options: MetricsOptions = {}): Metrics {
  const registry = options.registry ?? new Registry();
  const duration = new Histogram({
    name: "loyalty_http_request_duration_seconds",
    help: "Time from a request to its answer.",
    labelNames: ["method", "route", "status"],
    buckets: SECONDS,
    registers: [registry],
  });
  const events = new Counter({
    name: "loyalty_events_total",
    help: "Events of committed changes.",
    labelNames: ["type"],
    registers: [registry],
  });
  const subscriptions = eventTypes.map((type) => loyalty.on(type, () => events.inc({ type })));
  return {
    onAnswer({ method, route, status, duration: milliseconds }) {
      const labels = { method: route === null ? "any" : method, route: route ?? "none", status };
      duration.observe(labels, milliseconds / 1_000);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
    close() {
      for (const end of subscriptions) end();
    },
  };
}
