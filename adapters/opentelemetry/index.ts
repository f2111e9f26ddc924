export { openTelemetry } from "./open-telemetry.js";
