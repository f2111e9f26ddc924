export { createMetrics, type Metrics, type MetricsOptions, type MetricsRegistry } from "./metrics.js";
