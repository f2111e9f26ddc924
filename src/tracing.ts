import { isLoyaltyError } from "./errors.js";

/** Span attributes, named after OpenTelemetry's semantic conventions where they exist. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** The start of a span. */
export interface SpanStart {
  readonly name: string;
  /** `server` for handling a request, `client` for sending one, `internal` for everything else. */
  readonly kind: "internal" | "server" | "client";
  readonly attributes: SpanAttributes;
  /** The headers of the handled request, whose trace is continued if no span is active here. */
  readonly headers?: Iterable<readonly [name: string, value: string]>;
  /** True if the span has no parent, even if another span is active. */
  readonly isRoot?: boolean;
}

/** The reason why an operation failed. */
export interface SpanFailure {
  /** A low-cardinality value: a code, a status, or a class name. */
  readonly type: string;
  /** The thrown value, if it is a bug rather than an expected error. */
  readonly cause: unknown;
}

/** An operation in progress. */
export interface Span {
  /** Runs work within the span, including everything that the work starts. */
  run<T>(work: () => T): T;
  set(attributes: SpanAttributes): void;
  /** Returns the headers that propagate this span to another server. */
  headers(): Readonly<Record<string, string>>;
  /** @param failure `null` if the operation succeeded. */
  end(failure: SpanFailure | null): void;
}

/** Runs work within a captured span. */
export type RunInContext = <T>(work: () => T) => T;

/** Receives a service's operations as spans of a trace; `loyalty-kit/observability` provides one. It must not throw. */
export interface Tracer {
  begin(start: SpanStart): Span;
  /** Returns a function that runs work within the span that is current now, whenever it is called. */
  captureContext(): RunInContext;
  /** Adds an event to the current span. */
  note(name: string, attributes: SpanAttributes): void;
}

/** Describes an error. Describes a `LoyaltyError` by its code only, because its message may contain the caller's input. */
export function describeFailure(error: unknown): SpanFailure {
  if (isLoyaltyError(error) && error.status < 500) return { type: error.code, cause: null };
  if (isLoyaltyError(error)) return { type: error.code, cause: error };
  return { type: error instanceof Error ? error.name : "_OTHER", cause: error };
}
