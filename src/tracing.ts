import { isLoyaltyError } from "./errors.js";

/** Describes a span, with the names of OpenTelemetry's semantic conventions where they exist. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A piece of work that begins. */
export interface SpanStart {
  readonly name: string;
  /** `server` and `client` are the two ends of a request. */
  readonly kind: "internal" | "server" | "client";
  readonly attributes: SpanAttributes;
  /** The headers of the handled request, which may name a trace to continue if no span is active here. */
  readonly headers?: Iterable<readonly [name: string, value: string]>;
  /** True when it belongs to nothing that is under way here. */
  readonly isRoot?: boolean;
}

/** Why a piece of work has failed. */
export interface SpanFailure {
  /** One of few: a code, a status, or the name of a class. */
  readonly type: string;
  /** The thrown value, if it is a fault and not an expected error. */
  readonly cause: unknown;
}

/** A piece of work under way. */
export interface Span {
  /** Runs work within the span, including everything that it starts. */
  run<T>(work: () => T): T;
  set(attributes: SpanAttributes): void;
  /** Returns the headers that name it to another server. */
  headers(): Readonly<Record<string, string>>;
  /** @param failure `null` if there was none. */
  end(failure: SpanFailure | null): void;
}

/** Does work as a part of other work. */
export type RunInContext = <T>(work: () => T) => T;

/** Gets the work of a service as spans of a trace; `loyalty-kit/observability` has one. It must not throw. */
export interface Tracer {
  begin(start: SpanStart): Span;
  /** Returns a function that runs work within the current span, whenever it is called. */
  captureContext(): RunInContext;
  /** Notes something that happened with the work that is under way. */
  note(name: string, attributes: SpanAttributes): void;
}

/** Describes an error. A `LoyaltyError` is described by its code only, because its message may contain the caller's input. */
export function describeFailure(error: unknown): SpanFailure {
  if (isLoyaltyError(error) && error.status < 500) return { type: error.code, cause: null };
  if (isLoyaltyError(error)) return { type: error.code, cause: error };
  return { type: error instanceof Error ? error.name : "_OTHER", cause: error };
}
