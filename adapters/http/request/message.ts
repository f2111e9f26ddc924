import type { ErrorCode } from "../../../src/errors.js";

/** A request as a mount hands it over: plain data, tied to no server. */
export interface HttpRequest {
  /** Upper case, as sent. */
  readonly method: string;
  /** Path and query below the mount, still percent-encoded: `/v1/users/42?x=1`. */
  readonly url: string;
  /** Names in any case. A header that was sent twice is two pairs, or one with its values joined by a comma. */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  readonly body: HttpBody;
  /** The path under which the mount serves the API, without a slash at its end; empty for the root. */
  readonly prefix: string;
  /** The IP address of the client, by which requests without a valid token are limited; `null` when it is not known. */
  readonly address: string | null;
  /** Aborted when the client goes away before it has the answer: then what takes long stops. Read only where it does. */
  readonly signal?: AbortSignal | undefined;
  /** The request of the server or framework itself, for a host that authenticates by what it has put there. */
  readonly source?: unknown;
}

/** Why a host's own parser refused a body. */
export type BodyRefusal = Extract<
  ErrorCode,
  "malformed_request" | "payload_too_large" | "unsupported_media_type"
>;

/**
 * The body of a request. Bytes are read only for a route that takes a body, after token and scope are checked.
 * A request that the host's parser refused gets to no use case, whatever the route.
 */
export type HttpBody =
  | { readonly kind: "none" }
  | { readonly kind: "bytes"; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly kind: "parsed"; readonly value: unknown }
  | { readonly kind: "refused"; readonly code: BodyRefusal };

/** An answer for a mount to send. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. `content-length` is set only where it can't be told from the body. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * `null` for no body. A list that is streamed fails in its middle by throwing; the mount then breaks the
   * connection. A mount that stops early calls the iterator's `return`.
   */
  readonly body: string | Uint8Array<ArrayBuffer> | AsyncIterable<string> | null;
}
