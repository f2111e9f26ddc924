import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import { signalOf } from "./gone.js";
import type { HttpApi } from "./http-api.js";
import { RawHeaders } from "./request/headers.js";
import type { HttpBody, HttpRequest, HttpResponse } from "./request/message.js";
import { withoutOrigin } from "./request/path.js";

/** For how long an answer waits for a reader who takes nothing of it, unless told otherwise: half a minute. */
const WRITE_TIMEOUT_MS = 30_000;

/** Tells the IP address of the client of a request; `null` when it is not known. */
export type AddressOf = (request: IncomingMessage) => string | null;

/**
 * Serves the API with `node:http`, at the root. It answers every path.
 * @param addressOf that of the connection unless given. Behind a proxy it has to ask what the proxy told, and to believe
 *   nobody else.
 * @param writeTimeoutMs for how long an answer waits for a reader who takes nothing of it; half a minute unless given.
 */
export function nodeListener(
  api: HttpApi,
  addressOf: AddressOf = ({ socket }) => socket.remoteAddress ?? null,
  writeTimeoutMs = WRITE_TIMEOUT_MS,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const url = withoutOrigin(request.url ?? "");
    const placed = { url, prefix: "", body: bodyOf(request), address: addressOf(request) };
    void api
      .handle(requestOf(request, response, placed))
      .then((answer) => send(answer, response, writeTimeoutMs));
  };
}

/** What a mount knows better than the request of `node:http`. */
export type Placed = Pick<HttpRequest, "url" | "prefix" | "body" | "address" | "source">;

/** The request as the API takes it. */
export function requestOf(
  request: IncomingMessage,
  response: ServerResponse,
  { url, prefix, body, address, source = request }: Placed,
): HttpRequest {
  const { method = "GET", rawHeaders } = request;
  const headers = new RawHeaders(rawHeaders);
  // Most requests are answered before anybody asks.
  let signal: AbortSignal | undefined;
  return {
    ...{ method, url, headers, body, prefix, address, source },
    get signal() {
      signal ??= signalOf(response);
      return signal;
    },
  };
}

/**
 * The body that waits in a request. Without a length it may still turn out to be empty.
 * @param stream what stands for it, when something was put before it.
 */
export function bodyOf(request: IncomingMessage, stream: Readable = request): HttpBody {
  if (request.headers["content-length"] === "0") return noBody;
  // Most requests have no body, and nobody asks them for one.
  return { kind: "bytes", chunks: { [Symbol.asyncIterator]: () => chunksOf(stream) } };
}

/**
 * Sends an answer. A list goes as fast as its reader takes it, and breaks the connection when it fails.
 * @param writeTimeoutMs as {@link cutUnread} takes it.
 */
export function send(
  { status, headers, body }: HttpResponse,
  response: ServerResponse,
  writeTimeoutMs = WRITE_TIMEOUT_MS,
): void {
  if (body === null) {
    response.writeHead(status, headers).end();
  } else if (typeof body === "string" || body instanceof Uint8Array) {
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
    if (response.writableLength > 0) cutUnread(response, writeTimeoutMs);
  } else {
    response.writeHead(status, headers);
    cutUnread(response, writeTimeoutMs);
    // Whoever made the list was told why it failed; that a reader went away is no error.
    pipeline(readableOf(body), response, () => {});
  }
}

/** Closes the connection when its reader takes nothing of an answer for so long. */
export function cutUnread(response: ServerResponse, writeTimeoutMs = WRITE_TIMEOUT_MS): void {
  response.setTimeout(writeTimeoutMs, () => response.destroy());
}

/** A list as a stream that holds one chunk at a time. */
export function readableOf(chunks: AsyncIterable<string>): Readable {
  return Readable.from(chunks, { highWaterMark: 1 });
}

const noBody: HttpBody = { kind: "none" };

/** Stopping early leaves the connection open and drains what still comes: the client has an answer to read. */
async function* chunksOf(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream.iterator({ destroyOnReturn: false });
  } finally {
    stream.resume();
  }
}
