/** What a host sees of the work of a service: metrics and traces. */
export { createMetrics, type Metrics, type MetricsOptions, type MetricsRegistry } from "./metrics.js";
export { openTelemetry } from "./open-telemetry.js";
