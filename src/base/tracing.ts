import { isLoyaltyError } from "./errors.js";

/** Attributes of a span. Their names follow OpenTelemetry's semantic conventions wherever the conventions define a name. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** The initial properties of a new span. */
export interface SpanStart {
  readonly name: string;
  /** `server` for handling a request, `client` for sending one, `internal` for everything else. */
  readonly kind: "internal" | "server" | "client";
  readonly attributes: SpanAttributes;
  /**
   * The headers of the incoming request. The span continues the trace identified in them, unless another span is already active in
   * this process.
   */
  readonly headers?: Iterable<readonly [name: string, value: string]>;
  /** Whether the span is a root span, which has no parent even if another span is active. */
  readonly isRoot?: boolean;
}

/** Why an operation failed. */
export interface SpanFailure {
  /** A value with low cardinality, such as a code, a status, or a class name. */
  readonly type: string;
  /** The thrown value, or `null` if it is an expected error rather than a bug. */
  readonly cause: unknown;
}

/** A traced operation that is in progress. */
export interface Span {
  /** Runs work within the span. The span is also active for any asynchronous work started by `work`. */
  run<T>(work: () => T): T;
  /** Sets attributes on the span, replacing any previous values of the same attributes. */
  set(attributes: SpanAttributes): void;
  /** Returns the headers that propagate this span to another server. */
  headers(): Readonly<Record<string, string>>;
  /**
   * Ends the span.
   * @param failure the reason for the failure, or `null` if the operation succeeded.
   */
  end(failure: SpanFailure | null): void;
}

/** Runs work within a previously captured span, and returns the work's result. */
export type RunInContext = <T>(work: () => T) => T;

/**
 * Receives a service's operations as trace spans. `loyalty-kit/observability` provides an implementation. A tracer's methods must
 * not throw.
 */
export interface Tracer {
  /** Begins a span. Its parent is the active span, if there is one and `isRoot` isn't set. */
  begin(start: SpanStart): Span;
  /** Captures the current span, and returns a function that runs work within that span later. */
  captureContext(): RunInContext;
  /** Adds an event to the current span, if there is one. */
  note(name: string, attributes: SpanAttributes): void;
}

/**
 * Describes an error for a span. For a `LoyaltyError` with a status below 500, reports only the code, because the message can
 * contain the caller's input.
 */
export function describeFailure(error: unknown): SpanFailure {
  if (isLoyaltyError(error) && error.status < 500) return { type: error.code, cause: null };
  if (isLoyaltyError(error)) return { type: error.code, cause: error };
  return { type: error instanceof Error ? error.name : "_OTHER", cause: error };
}
