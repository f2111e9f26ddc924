import nodeModule from "node:module";
import { join } from "node:path";
import type { Tracer } from "../../src/tracing.js";
import { peerAtOnce } from "../setup/peer.js";
import { type OpenTelemetryApi, tracerOn } from "./tracer.js";

/**
 * Traces the work of a service with OpenTelemetry: `new LoyaltyService({ storage, tracer: openTelemetry() })`. The spans go
 * to the SDK that the host has registered, whenever it does; without one they go nowhere.
 * @throws when `@opentelemetry/api` is not installed; the message names the command that installs it.
 * @example
 * import { LoyaltyService } from "loyalty-kit";
 * import { memoryStorage } from "loyalty-kit/memory";
 * import { openTelemetry } from "loyalty-kit/opentelemetry";
 *
 * const loyalty = new LoyaltyService({ storage: memoryStorage(), tracer: openTelemetry() });
 */
export function openTelemetry(): Tracer {
  return tracerOn(peerAtOnce<OpenTelemetryApi>("@opentelemetry/api", required));
}

function required(): OpenTelemetryApi {
  // A file that was bundled as CommonJS has no URL.
  return nodeModule.createRequire(import.meta.url ?? join(process.cwd(), "host.js"))("@opentelemetry/api");
}
