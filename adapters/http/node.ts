import type { IncomingMessage, ServerResponse } from "node:http";
import { Server } from "node:net";
import { type Duplex, pipeline, Readable } from "node:stream";
import { assertSameVersion } from "../../src/base/copies.js";
import type { HttpApi } from "./http-api.js";
import {
  BodyTakenError,
  type HttpBody,
  type HttpRequest,
  type HttpResponse,
  RawHeaders,
  stripOrigin,
  stripPort,
  stripPrefix,
} from "./request/http-message.js";

const WRITE_TIMEOUT_MS = 30_000;

/** Maximum number of bytes of an unread body that are drained to keep the connection. */
const MAX_DRAINED_BYTES = 65_536;

/** Milliseconds that a client has to read the response before its connection is closed. */
const LINGER_MS = 1_000;

/** Returns the IP address of the client that sent a request, or `null` if it is unknown. */
export type GetClientAddress = (request: IncomingMessage) => string | null;

/**
 * Creates a request listener that serves the API with `node:http`, or with a framework that exposes `node:http` requests. The
 * listener handles every path, and strips the API's `basePath` from paths that begin with it. If one of the host's parsers has
 * consumed the body, the listener uses `request.body` instead.
 * @param addressOf a function that returns the client's IP address. Default: the connection's remote address. Behind a proxy, read
 *   the address from the proxy's header, but only if the request comes from that proxy.
 * @param writeTimeoutMs how long a client can go without reading its response before the connection is closed, in milliseconds.
 *   Default: 30,000.
 * @param isProxy a function that returns whether an address belongs to a proxy. A proxy's `X-Forwarded-Proto` header is trusted. By
 *   default, every address counts as a proxy if `addressOf` is set. Otherwise, none does.
 * @example
 * import { createServer } from "node:http";
 * import { nodeListener } from "loyalty-kit/http";
 *
 * createServer(nodeListener(api)).listen(3000);
 */
export function nodeListener(
  api: HttpApi,
  addressOf?: GetClientAddress,
  writeTimeoutMs = WRITE_TIMEOUT_MS,
  isProxy: (address: string) => boolean = () => addressOf !== undefined,
): (request: IncomingMessage, response: ServerResponse) => void {
  assertSameVersion(api, "HttpApi");
  const getClientAddress = addressOf ?? (({ socket }) => socket.remoteAddress ?? null);
  return (request, response) => {
    const url = stripPrefix(stripOrigin(getTarget(request, api.basePath)), api.basePath);
    const unreadBody = toHttpBody(request, request, () => {
      if (!hasLargeUnreadBody(request)) request.resume();
    });
    const body = readHostBody(request, unreadBody);
    const isHttps =
      isEncrypted(request) || (isProxy(request.socket.remoteAddress ?? "") && isForwardedHttps(request));
    const mountedFields = { url, prefix: api.basePath, body, address: getClientAddress(request), isHttps };
    void api
      .handle(toHttpRequest(request, response, mountedFields))
      .then((httpResponse) => sendResponse(httpResponse, response, writeTimeoutMs));
  };
}

/**
 * Returns the request target. Express and Nest strip a mount's path from `url`, but an API with a `basePath` needs the full path.
 */
function getTarget(request: IncomingMessage & { readonly originalUrl?: string }, basePath: string): string {
  return (basePath === "" ? undefined : request.originalUrl) ?? request.url ?? "";
}

export function isEncrypted({ socket }: IncomingMessage): boolean {
  return "encrypted" in socket;
}

/** Returns whether the client connected over HTTPS, according to the first value in `X-Forwarded-Proto`. */
export function isForwardedHttps({ headers }: IncomingMessage): boolean {
  return /^https(?:[ \t]*,|$)/i.test(String(headers["x-forwarded-proto"]));
}

/**
 * The request fields that each server or framework integration sets itself, because a `node:http` request lacks them or has less
 * accurate values.
 */
export type MountedFields = Pick<HttpRequest, "url" | "prefix" | "body" | "address" | "isHttps" | "source">;

/** Converts a `node:http` request to the API's request type. */
export function toHttpRequest(
  request: IncomingMessage,
  response: ServerResponse,
  mountedFields: MountedFields,
): HttpRequest {
  return new NodeRequest(request, response, mountedFields);
}

/**
 * This is a class because it has a getter. Each object literal with a getter would get its own hidden class, which would keep the
 * whole request in memory until a full garbage collection.
 */
class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RawHeaders;
  readonly body: HttpBody;
  readonly prefix: string;
  readonly address: string | null;
  readonly isHttps: boolean;
  readonly source: unknown;
  readonly #response: ServerResponse;
  #signal: AbortSignal | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, mountedFields: MountedFields) {
    this.method = request.method ?? "GET";
    this.url = mountedFields.url;
    this.headers = new RawHeaders(request.rawHeaders);
    this.body = mountedFields.body;
    this.prefix = mountedFields.prefix;
    this.address = mountedFields.address === null ? null : stripPort(mountedFields.address);
    this.isHttps = mountedFields.isHttps ?? isEncrypted(request);
    this.source = mountedFields.source ?? request;
    this.#response = response;
  }

  /** Created on demand, because most responses are finished before it is read. */
  get signal(): AbortSignal {
    this.#signal ??= createSignal(this.#response);
    return this.#signal;
  }
}

/**
 * Returns a request's body. The body can turn out to be empty if its length wasn't declared.
 * @param stream the stream to read instead of the request, if the host wraps the request.
 * @param discard a callback that runs when reading ends. By default, the rest of the body is drained to keep the connection open,
 *   so that the client can read the response.
 */
export function toHttpBody(
  request: IncomingMessage,
  stream: Readable = request,
  discard = () => void stream.resume(),
): HttpBody {
  if (request.headers["content-length"] === "0") return noBody;
  return { kind: "bytes", chunks: new BodyChunks(stream, discard, new SmallChunkDetector(request)) };
}

/**
 * Returns the body as the host's parsers left it: unread, as raw bytes, or as a parsed value.
 * @param unreadBody the body to return if no parser has consumed it.
 */
export function readHostBody(
  request: IncomingMessage & { readonly body?: unknown },
  unreadBody: HttpBody = toHttpBody(request),
): HttpBody {
  const { body: value } = request;
  if (value === undefined && request.readableDidRead && unreadBody.kind === "bytes") return consumedBody;
  if (unreadBody.kind === "none" || value === undefined || isUnread(request, value)) return unreadBody;
  return value instanceof Uint8Array
    ? { kind: "bytes", chunks: yieldOnly(value) }
    : { kind: "parsed", value };
}

/** A body that fails as soon as a route reads it. */
const consumedBody: HttpBody = {
  kind: "bytes",
  chunks: {
    [Symbol.asyncIterator]: () => {
      throw new BodyTakenError(
        "the host has read the body of the request: mount loyalty-kit before the body parser, or leave the body in request.body",
      );
    },
  },
};

/** Returns whether no parser has consumed the body. The parsers of Express 4 set an empty object even then. */
function isUnread(request: IncomingMessage, value: unknown): boolean {
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return isEmpty && !request.readableDidRead;
}

async function* yieldOnly(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * A body's chunks. Reading starts on demand, because most requests have no body. This is a class for the same reason as
 * {@link NodeRequest}.
 */
class BodyChunks implements AsyncIterable<Uint8Array> {
  constructor(
    private readonly stream: Readable,
    private readonly discard: () => void,
    private readonly smallChunks: SmallChunkDetector,
  ) {}

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return readChunks(this.stream, this.discard, this.smallChunks);
  }
}

/**
 * Number of a body's chunks that may have any length. If there are more chunks, their average length in bytes must be at least the
 * second constant.
 */
const MAX_SHORT_CHUNKS = 2_000;
const MIN_AVERAGE_CHUNK_BYTES = 128;

/**
 * Detects bodies that arrive in chunks of a few bytes, which cost Node thousands of times as much as a single chunk. It does this
 * before the body is read, and drops further chunks if there are too many.
 */
class SmallChunkDetector {
  private chunks = 0;
  private bytes = 0;
  hasTooMany = false;

  constructor(request: IncomingMessage) {
    if (request.headers["transfer-encoding"] === undefined) return;
    const push = request.push.bind(request);
    request.push = (chunk: Uint8Array | null, encoding) => {
      if (chunk === null) return push(chunk, encoding);
      if (this.hasTooMany) return false;
      this.chunks += 1;
      this.bytes += chunk.byteLength;
      this.hasTooMany = this.chunks - MAX_SHORT_CHUNKS > this.bytes / MIN_AVERAGE_CHUNK_BYTES;
      // The body's reader still gets the last chunk. Node finishes the data it has received and then stops reading.
      return push(chunk, encoding) && !this.hasTooMany;
    };
  }
}

/**
 * Sends a response. A streamed body is sent only as fast as the client reads it, and the connection is dropped if the stream fails.
 * If a large part of the request hasn't arrived yet, the connection is closed after the response.
 * @param writeTimeoutMs see {@link closeIfUnread}.
 */
export function sendResponse(
  { status, headers, body }: HttpResponse,
  response: ServerResponse,
  writeTimeoutMs = WRITE_TIMEOUT_MS,
): void {
  if (hasLargeUnreadBody(response.req)) closeAfterResponse(response.req, response);
  else if (isServerClosed(response.req)) response.setHeader("Connection", "close");
  if (body === null) {
    response.writeHead(status, headers).end();
  } else if (typeof body === "string" || body instanceof Uint8Array) {
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
    if (response.writableLength > 0) closeIfUnread(response, writeTimeoutMs);
  } else {
    response.writeHead(status, headers);
    closeIfUnread(response, writeTimeoutMs);
    // The stream's creator has already received its error, and a client that disconnects is not an error.
    pipeline(toReadable(body), response, () => {});
  }
}

/**
 * Returns whether the host has closed its server. Closing finishes only when no connection is left, and busy clients would keep
 * theirs forever.
 */
function isServerClosed({ socket }: IncomingMessage): boolean {
  const server: unknown = Reflect.get(socket, "server");
  return server instanceof Server && !server.listening;
}

/** Closes the connection if the client reads nothing for `writeTimeoutMs` milliseconds. */
export function closeIfUnread(response: ServerResponse, writeTimeoutMs = WRITE_TIMEOUT_MS): void {
  response.setTimeout(writeTimeoutMs, () => response.destroy());
}

/** Converts the chunks of a list or file to a readable stream that buffers one chunk at a time. */
export function toReadable(chunks: AsyncIterable<string | Uint8Array>): Readable {
  return Readable.from(chunks, { highWaterMark: 1 });
}

const noBody: HttpBody = { kind: "none" };

/**
 * Yields the body's chunks. Stopping early leaves the connection open.
 * @throws if the body arrives in too many small chunks.
 */
async function* readChunks(
  stream: Readable,
  discard: () => void,
  smallChunks: SmallChunkDetector,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      if (smallChunks.hasTooMany) throw new Error("the body has too many chunks");
      yield chunk;
    }
  } finally {
    discard();
  }
}

/** Returns a signal that aborts if the client disconnects before it has the whole response. */
function createSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abortIfUnfinished = () => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.destroyed) abortIfUnfinished();
  else response.once("close", abortIfUnfinished);
  return controller.signal;
}

/** Returns whether the unread part of the request might be too large for the server to drain. */
export function hasLargeUnreadBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const length = headers["content-length"];
  return length === undefined
    ? headers["transfer-encoding"] !== undefined
    : Number(length) > MAX_DRAINED_BYTES;
}

/**
 * Stops reading the request and closes the connection after the response. If the connection were closed immediately, the response
 * could be lost, because the server would answer further data from the client with a reset (RFC 9112, section 9.6).
 */
export function closeAfterResponse(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  response.setHeader("Connection", "close");
  // Node drains a request once its response is sent, unless reading has begun.
  request.pause();
  request.read();
  // Node calls this method to close connections that it doesn't keep.
  socket.destroySoon = () => linger(socket);
}

/**
 * Ends the server's side of a connection. If the client doesn't close its side within one second, destroys the connection.
 * @param finalData the data to send before ending, or an empty string for none.
 */
export function linger(socket: Duplex, finalData = ""): void {
  socket.end(finalData);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}
