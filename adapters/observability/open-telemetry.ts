import type { Tracer } from "../../src/base/tracing.js";
import { throwMissing } from "../setup/load-peer.js";
import { createTracer } from "./tracer.js";

/**
 * Creates a tracer that sends a service's spans to OpenTelemetry. The spans go to the SDK that the host has registered, even if the
 * host registers it later. Without an SDK, the spans are dropped.
 * @throws if `@opentelemetry/api` is not installed. The message contains the command to install it.
 * @example
 * import { LoyaltyService } from "loyalty-kit";
 * import { memoryStorage } from "loyalty-kit/memory";
 * import { openTelemetry } from "loyalty-kit/observability";
 *
 * const loyalty = new LoyaltyService({ storage: memoryStorage(), tracer: await openTelemetry() });
 */
export async function openTelemetry(): Promise<Tracer> {
  return createTracer(
    await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ "@opentelemetry/api").catch(
      throwMissing("@opentelemetry/api"),
    ),
  );
}
