import type { IncomingMessage, ServerResponse } from "node:http";
import { Server } from "node:net";
import { type Duplex, pipeline, Readable } from "node:stream";
import { refuseOtherVersion } from "../../src/copies.js";
import type { HttpApi } from "./http-api.js";
import {
  addressWithoutPort,
  BodyTakenError,
  belowPrefix,
  type HttpBody,
  type HttpRequest,
  type HttpResponse,
  RawHeaders,
  withoutOrigin,
} from "./request/http-message.js";

const WRITE_TIMEOUT_MS = 30_000;

/** The most bytes of an unread body that are drained so that the connection can be kept. */
const MOST_DRAINED = 65_536;

/** A client has this many milliseconds to read the answer before its connection is closed. */
const LINGER_MS = 1_000;

/** Tells the IP address of the client of a request; `null` if unknown. */
export type GetClientAddress = (request: IncomingMessage) => string | null;

/**
 * Serves the API with `node:http`, and under frameworks that hand on its requests. It answers every path, below `basePath` if
 * the API has one. A body that a parser of the host has read is taken from `request.body`.
 * @param addressOf returns the client's IP address. Default: the peer of the connection. Behind a proxy, read the proxy's
 *   header, and trust it only from that proxy.
 * @param writeTimeoutMs closes the connection when the client reads nothing for this long. Default: 30 s.
 * @param isProxy returns whether an address belongs to a proxy, whose `X-Forwarded-Proto` is trusted. Default: every address
 *   does when `addressOf` is set, and none otherwise.
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
  refuseOtherVersion(api, "HttpApi");
  const clientOf = addressOf ?? (({ socket }) => socket.remoteAddress ?? null);
  return (request, response) => {
    const url = belowPrefix(withoutOrigin(getTarget(request, api.basePath)), api.basePath);
    const unread = toHttpBody(request, request, () => {
      if (!isLongUnread(request)) request.resume();
    });
    const body = readHostBody(request, unread);
    const isHttps =
      isEncrypted(request) || (isProxy(request.socket.remoteAddress ?? "") && isHttpsBefore(request));
    const placed = { url, prefix: api.basePath, body, address: clientOf(request), isHttps };
    void api
      .handle(toHttpRequest(request, response, placed))
      .then((answer) => sendResponse(answer, response, writeTimeoutMs));
  };
}

/** Express and Nest take a mount's path off `url`. An API with a `basePath` needs the whole. */
function getTarget(request: IncomingMessage & { readonly originalUrl?: string }, basePath: string): string {
  return (basePath === "" ? undefined : request.originalUrl) ?? request.url ?? "";
}

export function isEncrypted({ socket }: IncomingMessage): boolean {
  return "encrypted" in socket;
}

/** Returns whether the client's connection used HTTPS, according to the first proxy in `X-Forwarded-Proto`. */
export function isHttpsBefore({ headers }: IncomingMessage): boolean {
  return /^https(?:[ \t]*,|$)/i.test(String(headers["x-forwarded-proto"]));
}

/** The fields that a mount knows better than the request of `node:http`. */
export type MountedFields = Pick<HttpRequest, "url" | "prefix" | "body" | "address" | "isHttps" | "source">;

/** The request as the API takes it. */
export function toHttpRequest(
  request: IncomingMessage,
  response: ServerResponse,
  placed: MountedFields,
): HttpRequest {
  return new NodeRequest(request, response, placed);
}

/**
 * A class for its getter: one in a literal has a shape of its own for each object, which keeps the whole request in memory
 * until a full collection.
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

  constructor(request: IncomingMessage, response: ServerResponse, placed: MountedFields) {
    this.method = request.method ?? "GET";
    this.url = placed.url;
    this.headers = new RawHeaders(request.rawHeaders);
    this.body = placed.body;
    this.prefix = placed.prefix;
    this.address = placed.address === null ? null : addressWithoutPort(placed.address);
    this.isHttps = placed.isHttps ?? isEncrypted(request);
    this.source = placed.source ?? request;
    this.#response = response;
  }

  /** Most responses are finished before this is read. */
  get signal(): AbortSignal {
    this.#signal ??= createSignal(this.#response);
    return this.#signal;
  }
}

/**
 * Returns the body of a request. Without a length it may turn out to be empty.
 * @param stream replaces the request's stream, if something was put before it.
 * @param leave is called when the reader has read enough. Default: drains the rest, which keeps the connection so that the client
 *   can read the response.
 */
export function toHttpBody(
  request: IncomingMessage,
  stream: Readable = request,
  leave = () => void stream.resume(),
): HttpBody {
  if (request.headers["content-length"] === "0") return noBody;
  return { kind: "bytes", chunks: new Chunks(stream, leave, new Crumbs(request)) };
}

/**
 * Returns the body as the host's parsers have left it: unread, as raw bytes, or as parsed JSON.
 * @param unread the body if no parser has read it.
 */
export function readHostBody(
  request: IncomingMessage & { readonly body?: unknown },
  unread: HttpBody = toHttpBody(request),
): HttpBody {
  const { body: value } = request;
  if (value === undefined && request.readableDidRead && unread.kind === "bytes") return taken;
  if (unread.kind === "none" || value === undefined || isUnread(request, value)) return unread;
  return value instanceof Uint8Array ? { kind: "bytes", chunks: only(value) } : { kind: "parsed", value };
}

/** Fails once a route reads it. */
const taken: HttpBody = {
  kind: "bytes",
  chunks: {
    [Symbol.asyncIterator]: () => {
      throw new BodyTakenError(
        "the host has read the body of the request: mount loyalty-kit before the body parser, or leave the body in request.body",
      );
    },
  },
};

/** The parsers of Express 4 leave an empty object where they read nothing. */
function isUnread(request: IncomingMessage, value: unknown): boolean {
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return isEmpty && !request.readableDidRead;
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Most requests have no body, and it is not read. A class for the same reason as {@link NodeRequest}. */
class Chunks implements AsyncIterable<Uint8Array> {
  constructor(
    private readonly stream: Readable,
    private readonly leave: () => void,
    private readonly crumbs: Crumbs,
  ) {}

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return readChunks(this.stream, this.leave, this.crumbs);
  }
}

/** A body may have this many chunks of any length; further ones need this average length. */
const SHORT_CHUNKS = 2_000;
const LEAST_CHUNK = 128;

/**
 * Detects bodies in chunks of a few bytes, which take Node thousands of times as long as one chunk, before they are read. Drops
 * them when there are too many.
 */
class Crumbs {
  private chunks = 0;
  private bytes = 0;
  areTooMany = false;

  constructor(request: IncomingMessage) {
    if (request.headers["transfer-encoding"] === undefined) return;
    const push = request.push.bind(request);
    request.push = (chunk: Uint8Array | null, encoding) => {
      if (chunk === null) return push(chunk, encoding);
      if (this.areTooMany) return false;
      this.chunks += 1;
      this.bytes += chunk.byteLength;
      this.areTooMany = this.chunks - SHORT_CHUNKS > this.bytes / LEAST_CHUNK;
      // The reader of the body gets the last chunk. Node finishes the received data, and then stops reading.
      return push(chunk, encoding) && !this.areTooMany;
    };
  }
}

/**
 * Sends an answer. A list goes as fast as its reader takes it, and breaks the connection when it fails. Where much of the
 * request is still to come, the connection is closed after the answer.
 * @param writeTimeoutMs as {@link closeIfUnread} takes it.
 */
export function sendResponse(
  { status, headers, body }: HttpResponse,
  response: ServerResponse,
  writeTimeoutMs = WRITE_TIMEOUT_MS,
): void {
  if (isLongUnread(response.req)) closeUnread(response.req, response);
  else if (isServerClosed(response.req)) response.setHeader("Connection", "close");
  if (body === null) {
    response.writeHead(status, headers).end();
  } else if (typeof body === "string" || body instanceof Uint8Array) {
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
    if (response.writableLength > 0) closeIfUnread(response, writeTimeoutMs);
  } else {
    response.writeHead(status, headers);
    closeIfUnread(response, writeTimeoutMs);
    // The code that created the list has received its error; a reader that goes away is no error.
    pipeline(toReadable(body), response, () => {});
  }
}

/** True once the host has closed its server, which ends when no connection is left: busy clients would keep theirs for ever. */
function isServerClosed({ socket }: IncomingMessage): boolean {
  const server: unknown = Reflect.get(socket, "server");
  return server instanceof Server && !server.listening;
}

/** Closes the connection if the client reads nothing of a response for this long. */
export function closeIfUnread(response: ServerResponse, writeTimeoutMs = WRITE_TIMEOUT_MS): void {
  response.setTimeout(writeTimeoutMs, () => response.destroy());
}

/** A list or file as a stream that holds one chunk at a time. */
export function toReadable(chunks: AsyncIterable<string | Uint8Array>): Readable {
  return Readable.from(chunks, { highWaterMark: 1 });
}

const noBody: HttpBody = { kind: "none" };

/** Stopping early leaves the connection open. @throws if the body comes in crumbs. */
async function* readChunks(stream: Readable, leave: () => void, crumbs: Crumbs): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      if (crumbs.areTooMany) throw new Error("the body comes in too many chunks");
      yield chunk;
    }
  } finally {
    leave();
  }
}

/** Returns a signal that aborts when the client goes away before it has the whole response. */
function createSignal(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  const gone = () => {
    if (!response.writableFinished) leaving.abort();
  };
  if (response.destroyed) gone();
  else response.once("close", gone);
  return leaving.signal;
}

/** True while more of the request may come than is taken to keep its connection. */
export function isLongUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const length = headers["content-length"];
  return length === undefined ? headers["transfer-encoding"] !== undefined : Number(length) > MOST_DRAINED;
}

/**
 * Closes the connection after the response, and stops reading the request. If it closed immediately, further data from the client
 * would be answered with a reset, and the response could be lost (RFC 9112, section 9.6).
 */
export function closeUnread(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  response.setHeader("Connection", "close");
  // Node drains a request once its response is sent, unless a reader has begun.
  request.pause();
  request.read();
  // Node closes by this what it does not keep.
  socket.destroySoon = () => linger(socket);
}

/** Ends our side, after a last text if there is one, and the connection when the client has ended its own or the time is over. */
export function linger(socket: Duplex, last = ""): void {
  socket.end(last);
  const late = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(late));
}
