import {
  type Context,
  context,
  type Exception,
  type Span as OpenTelemetrySpan,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { Span, SpanAttributes, SpanFailure, SpanStart, Tracer } from "../../src/tracing.js";

const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/**
 * Traces the work of a service with OpenTelemetry: `new LoyaltyService({ storage, tracer: openTelemetry() })`. The spans go
 * to the SDK that the host has registered, whenever it does; without one they go nowhere.
 */
export function openTelemetry(): Tracer {
  const tracer = trace.getTracer("loyalty-kit");
  return {
    begin(start) {
      const parent = parentOf(start);
      // A host that traces its server itself has a span of the request.
      const isPart = start.kind === "server" && trace.getSpan(context.active()) !== undefined;
      const { name, attributes } = start;
      const kind = kinds[isPart ? "internal" : start.kind];
      const span = tracer.startSpan(name, { kind, attributes }, parent);
      return new Traced(span, trace.setSpan(parent, span));
    },
    captured() {
      const here = context.active();
      return (work) => context.with(here, work);
    },
    note(name, attributes) {
      const span = trace.getActiveSpan();
      if (span?.isRecording()) span.addEvent(name, attributes);
    },
  };
}

function parentOf({ isRoot = false, headers }: SpanStart): Context {
  if (isRoot) return ROOT_CONTEXT;
  const active = context.active();
  if (headers === undefined || trace.getSpan(active) !== undefined) return active;
  const sent = [...headers].map(([name, value]) => [name.toLowerCase(), value] as const);
  return propagation.extract(active, new Map(sent), {
    get: (carrier, key) => carrier.get(key.toLowerCase()),
    keys: (carrier) => [...carrier.keys()],
  });
}

class Traced implements Span {
  constructor(
    private readonly span: OpenTelemetrySpan,
    private readonly within: Context,
  ) {}

  run<T>(work: () => T): T {
    return context.with(this.within, work);
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    propagation.inject(this.within, headers);
    return headers;
  }

  end(failure: SpanFailure | null): void {
    if (failure !== null) {
      const { type, cause } = failure;
      this.span.setAttribute("error.type", type);
      this.span.setStatus({ code: SpanStatusCode.ERROR });
      if (cause !== null) this.span.recordException(exceptionOf(cause));
    }
    this.span.end();
  }
}

function exceptionOf(cause: unknown): Exception {
  return cause instanceof Error ? cause : String(cause);
}
