import type * as OpenTelemetry from "@opentelemetry/api";
import type { Span, SpanAttributes, SpanFailure, SpanStart, Tracer } from "../../src/base/tracing.js";
import { throwMissing } from "../setup/peers.js";

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

type OpenTelemetryApi = typeof OpenTelemetry;

/** Creates a tracer that sends its spans to the SDK that is registered with `@opentelemetry/api`. */
function createTracer(api: OpenTelemetryApi): Tracer {
  const { context, trace, SpanKind } = api;
  const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;
  const tracer = trace.getTracer("loyalty-kit");
  return {
    begin(start) {
      const parent = findParentContext(start, api);
      // A host that traces its own server already has a server span for the request.
      const isNested = start.kind === "server" && trace.getSpan(context.active()) !== undefined;
      const { name, attributes } = start;
      const kind = kinds[isNested ? "internal" : start.kind];
      const span = tracer.startSpan(name, { kind, attributes }, parent);
      return new OpenTelemetrySpan(span, trace.setSpan(parent, span), api);
    },
    captureContext() {
      const activeContext = context.active();
      return (work) => context.with(activeContext, work);
    },
    note(name, attributes) {
      const span = trace.getActiveSpan();
      if (span?.isRecording()) span.addEvent(name, attributes);
    },
  };
}

function findParentContext(
  { isRoot = false, headers }: SpanStart,
  { context, trace, propagation, ROOT_CONTEXT }: OpenTelemetryApi,
): OpenTelemetry.Context {
  if (isRoot) return ROOT_CONTEXT;
  const active = context.active();
  if (headers === undefined || trace.getSpan(active) !== undefined) return active;
  const headerPairs = [...headers].map(([name, value]) => [name.toLowerCase(), value] as const);
  return propagation.extract(active, new Map(headerPairs), {
    get: (carrier, key) => carrier.get(key.toLowerCase()),
    keys: (carrier) => [...carrier.keys()],
  });
}

class OpenTelemetrySpan implements Span {
  constructor(
    private readonly span: OpenTelemetry.Span,
    private readonly activeContext: OpenTelemetry.Context,
    private readonly api: OpenTelemetryApi,
  ) {}

  run<T>(work: () => T): T {
    return this.api.context.with(this.activeContext, work);
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    this.api.propagation.inject(this.activeContext, headers);
    return headers;
  }

  end(failure: SpanFailure | null): void {
    if (failure !== null) {
      const { type, cause } = failure;
      this.span.setAttribute("error.type", type);
      this.span.setStatus({ code: this.api.SpanStatusCode.ERROR });
      if (cause !== null) this.span.recordException(toException(cause));
    }
    this.span.end();
  }
}

function toException(cause: unknown): OpenTelemetry.Exception {
  return cause instanceof Error ? cause : String(cause);
}
