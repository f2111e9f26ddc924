/** Prometheus metrics and OpenTelemetry traces for a service's work. */
export { createMetrics, type Metrics, type MetricsOptions, type MetricsRegistry } from "./metrics.js";
export { openTelemetry } from "./open-telemetry.js";
