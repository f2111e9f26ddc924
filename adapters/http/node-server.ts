import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Duplex } from "node:stream";
import { deferLowPriorityWork } from "../../src/concurrency/event-loop.js";
import { createLoyaltyError } from "../../src/errors.js";
import { type CapListener, limitConnections } from "./connection-caps.js";
import { errorResponse } from "./error-response.js";
import { admitFairly } from "./fair-admission.js";
import type { HttpApi } from "./http-api.js";
import { type GetClientAddress, linger, nodeListener, sendResponse } from "./node.js";
import { serializePipeline } from "./serialize-pipeline.js";

/** The status for each parser error that is not answered with 400. */
const parserStatus: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

const malformed = errorResponse(createLoyaltyError("malformed_request"));

export interface NodeServerOptions {
  /** See {@link nodeListener}. */
  readonly addressOf?: GetClientAddress;
  /**
   * Returns whether an address belongs to a proxy. A proxy may open all connections, and its `X-Forwarded-Proto` is trusted. Default:
   * every address does when `addressOf` is set, and none otherwise.
   */
  readonly isProxy?: (address: string) => boolean;
  /** The most time that a request may take to arrive, in milliseconds, at least 1. Default: 30,000. */
  readonly requestTimeoutMs?: number;
  /** The most time that a response waits for a client that reads nothing of it, in milliseconds. Default: 30,000. */
  readonly writeTimeoutMs?: number;
  /**
   * The longest time that a connection may be idle, in milliseconds. Default: 75,000, which is longer than clients and proxies keep
   * theirs.
   */
  readonly keepAliveTimeoutMs?: number;
  /** Connections of all clients. Default: 5,000. */
  readonly maxConnections?: number;
  /** Connections of one IPv4 address, or of one /64 network of IPv6. Default: 500. */
  readonly maxConnectionsPerAddress?: number;
  /** Called for every connection that is closed because there are too many. */
  readonly onRefusedConnection?: CapListener;
}

/** Requests that take too long are looked for at least this often. */
const CHECKED_EVERY_MS = 1_000;

/**
 * Creates a `node:http` server for the API alone. Every refusal has the form of the API's errors, and the connections of anonymous
 * clients are limited. While connections wait to be accepted, requests wait for them for up to 100 ms, callers take turns, and a
 * request whose client has gone is not begun. At Node's backlog of 511 the system drops further connections, which retry a second
 * later.
 *
 * @example
 * import { nodeServer } from "loyalty-kit/http";
 *
 * nodeServer(api, { maxConnections: 1_000 }).listen({ port: 3000, backlog: 4_096 });
 */
export function nodeServer(api: HttpApi, options: NodeServerOptions = {}): Server {
  const { addressOf, keepAliveTimeoutMs = 75_000, onRefusedConnection } = options;
  // Node takes whole numbers alone.
  const requestTimeoutMs = Math.ceil(options.requestTimeoutMs ?? 30_000);
  const isProxy = options.isProxy ?? (() => addressOf !== undefined);
  const listener = nodeListener(api, addressOf, options.writeTimeoutMs, isProxy);
  const server = createServer(
    {
      // Node would answer a request without Host by itself.
      requireHostHeader: false,
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.ceil(Math.max(Math.min(requestTimeoutMs / 6, CHECKED_EVERY_MS), 100)),
      keepAliveTimeout: keepAliveTimeoutMs,
    },
    serializePipeline(
      admitFairly((request, response) => {
        if (request.httpVersion === "1.1" && request.headers.host === undefined)
          sendResponse(malformed, response);
        else listener(request, response);
      }),
    ),
  );
  server.on("connection", deferLowPriorityWork);
  limitConnections(server, {
    all: options.maxConnections ?? 5_000,
    perAddress: options.maxConnectionsPerAddress ?? 500,
    isProxy,
    ...(onRefusedConnection !== undefined && { onRefused: onRefusedConnection }),
  });
  return handleParserErrors(server);
}

/**
 * Answers what the server's HTTP parser refuses in the form of the API's errors: `malformed_request`, with status
 * 400, or 408 for a request that takes too long, 431 for a head that is too large.
 * @returns the same server.
 * @example
 * import { createServer } from "node:http";
 * import { handleParserErrors, nodeListener } from "loyalty-kit/http";
 *
 * handleParserErrors(createServer(nodeListener(api))).listen(3000);
 */
export function handleParserErrors(server: Server): Server {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) =>
    latest.set(socket, response),
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const isOwed = isOwedAnother(latest.get(socket));
    if (isOwed || !socket.writable || error.code === "ECONNRESET") socket.destroy();
    else linger(socket, rawAnswer(parserStatus[error.code ?? ""] ?? malformed.status));
  });
  return server;
}

/** True while the client waits for, or gets, the answer to a request that was whole: it must not get this one for it. */
function isOwedAnother(response: ServerResponse | undefined): boolean {
  if (response === undefined || response.writableFinished) return false;
  return response.headersSent || response.req.complete;
}

function rawAnswer(status: number): string {
  const head = Object.entries({
    ...malformed.headers,
    "content-length": Buffer.byteLength(String(malformed.body)),
    connection: "close",
  });
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${malformed.body}`;
}
