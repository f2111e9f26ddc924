import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { deferLowPriorityWork } from "../../src/base/concurrency/event-loop.js";
import { Semaphore } from "../../src/base/concurrency/fair-semaphore.js";
import { UsageCounter } from "../../src/base/concurrency/usage-counter.js";
import { createLoyaltyError } from "../../src/base/errors.js";
import { errorResponse } from "./error-response.js";
import { admitFairly } from "./fair-admission.js";
import type { HttpApi } from "./http-api.js";
import { type GetClientAddress, linger, nodeListener, sendResponse } from "./node.js";
import { toNetwork } from "./rate-limits/client-network.js";

/** Maximum number of a connection's requests that wait for earlier responses. */
const MAX_WAITING = 100;

/** Maximum number of pipelined requests that run concurrently, on all connections. Clients that pipeline are rare. */
const MAX_CONCURRENT_PIPELINED = 1;

/**
 * Maximum time that a pipelined request holds its slot, in milliseconds. A response that waits to be read takes no processor time.
 */
const MAX_SLOT_MS = 1_000;

/**
 * Maximum number of listeners per response before Node warns of a leak. Streaming a response alone adds seven listeners for its
 * end.
 */
const MAX_LISTENERS = 20;

/** Status codes for parser errors that don't get a 400. */
const statusByParserError: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

const malformedResponse = errorResponse(createLoyaltyError("malformed_request"));

export interface NodeServerOptions {
  /** Returns the client's IP address. See {@link nodeListener}. */
  readonly addressOf?: GetClientAddress;
  /**
   * Returns whether an address belongs to a proxy. A proxy can open any number of connections, and its `X-Forwarded-Proto` header
   * is trusted. By default, every address counts as a proxy if `addressOf` is set. Otherwise, none does.
   */
  readonly isProxy?: (address: string) => boolean;
  /** Maximum time to receive a complete request, in milliseconds. Must be at least 1. Default: 30,000. */
  readonly requestTimeoutMs?: number;
  /**
   * Maximum time in milliseconds that a client can go without reading its response. After that, the connection is closed. Default:
   * 30,000.
   */
  readonly writeTimeoutMs?: number;
  /**
   * Maximum time that a connection can be idle, in milliseconds. The default is 75,000, which is longer than clients and proxies
   * usually keep idle connections.
   */
  readonly keepAliveTimeoutMs?: number;
  /** Maximum number of connections across all clients. Default: 5,000. */
  readonly maxConnections?: number;
  /** Maximum number of connections per IPv4 address or IPv6 /64 network. Default: 500. */
  readonly maxConnectionsPerAddress?: number;
  /** Called when a connection is closed because a connection limit has been reached. */
  readonly onRefusedConnection?: CapListener;
}

/** Maximum interval between checks for requests that take too long, in milliseconds. */
const MAX_CHECK_INTERVAL_MS = 1_000;

/**
 * Creates a `node:http` server that serves only the API. All errors use the API's error format, and connections are limited both in
 * total and per address. While connections are waiting to be accepted, requests are held back for up to 100 ms. After that, clients
 * take turns, and a request is not started if its client has disconnected. When Node's backlog of 511 connections is full, the
 * operating system drops further connections, and their clients retry a second later.
 * @example
 * import { nodeServer } from "loyalty-kit/http";
 *
 * nodeServer(api, { maxConnections: 1_000 }).listen({ port: 3000, backlog: 4_096 });
 */
export function nodeServer(api: HttpApi, options: NodeServerOptions = {}): Server {
  const { addressOf, keepAliveTimeoutMs = 75_000, onRefusedConnection } = options;
  // Node accepts only integers.
  const requestTimeoutMs = Math.ceil(options.requestTimeoutMs ?? 30_000);
  const isProxy = options.isProxy ?? (() => addressOf !== undefined);
  const listener = nodeListener(api, addressOf, options.writeTimeoutMs, isProxy);
  const server = createServer(
    {
      // Otherwise Node would respond to a request without Host itself.
      requireHostHeader: false,
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.ceil(
        Math.max(Math.min(requestTimeoutMs / 6, MAX_CHECK_INTERVAL_MS), 100),
      ),
      keepAliveTimeout: keepAliveTimeoutMs,
    },
    serializePipeline(
      admitFairly((request, response) => {
        if (request.httpVersion === "1.1" && request.headers.host === undefined)
          sendResponse(malformedResponse, response);
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
 * Makes a server respond in the API's error format when its HTTP parser rejects a request. The error code is always
 * `malformed_request`. The status is 408 if the request takes too long, 413 if its chunk extensions are too large, 431 if its
 * headers are too large, and 400 otherwise.
 * @returns the same server.
 * @example
 * import { createServer } from "node:http";
 * import { handleParserErrors, nodeListener } from "loyalty-kit/http";
 *
 * handleParserErrors(createServer(nodeListener(api))).listen(3000);
 */
export function handleParserErrors(server: Server): Server {
  const latestResponses = new WeakMap<Duplex, ServerResponse>();
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) =>
    latestResponses.set(socket, response),
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const hasPendingResponse = isResponsePending(latestResponses.get(socket));
    if (hasPendingResponse || !socket.writable || error.code === "ECONNRESET") socket.destroy();
    else linger(socket, formatRawResponse(statusByParserError[error.code ?? ""] ?? malformedResponse.status));
  });
  return server;
}

/**
 * Returns whether a response to an earlier, complete request is pending or in progress. The client would mistake the parser error
 * for it.
 */
function isResponsePending(response: ServerResponse | undefined): boolean {
  if (response === undefined || response.writableFinished) return false;
  return response.headersSent || response.req.complete;
}

function formatRawResponse(status: number): string {
  const head = Object.entries({
    ...malformedResponse.headers,
    "content-length": Buffer.byteLength(String(malformedResponse.body)),
    connection: "close",
  });
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${malformedResponse.body}`;
}

interface Pipeline {
  latest: ServerResponse;
  waiting: number;
}

/**
 * Wraps a listener so that each connection's requests are handled one at a time. Node's parser can read hundreds of pipelined
 * requests in one step. Without this wrapper, all of them would start before other clients' requests. If too many requests are
 * waiting on a connection, the connection is closed.
 */
export function serializePipeline(listener: RequestListener): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  const slots = new Semaphore(MAX_CONCURRENT_PIPELINED);
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket);
    if (pipeline === undefined) {
      pipelines.set(socket, { latest: response, waiting: 0 });
      listener(request, response);
      return;
    }
    const previous = pipeline.latest;
    if (previous.writableEnded && pipeline.waiting === 0) {
      pipeline.latest = response;
      listener(request, response);
      return;
    }
    if (pipeline.waiting >= MAX_WAITING || socket.destroyed) {
      socket.destroy();
      return;
    }
    pipeline.latest = response;
    pipeline.waiting += 1;
    const handleNext = async () => {
      pipeline.waiting -= 1;
      if (socket.destroyed) return;
      listener(request, response);
      await waitForClose(response);
    };
    for (const each of [previous, response]) each.setMaxListeners(MAX_LISTENERS);
    // Deferred, so that other clients' requests run first.
    previous.once("close", () => setImmediate(() => void slots.run(handleNext)));
  };
}

function waitForClose(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_SLOT_MS);
    response.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Called when a new connection is closed because a limit has been reached.
 * @param network the IPv4 address or IPv6 /64 network that has too many connections, or `null` if there are too many overall.
 */
export type CapListener = (network: string | null) => void;

interface ConnectionLimits {
  /** Maximum number of connections across all clients. */
  readonly all: number;
  /**
   * Maximum number of connections per IPv4 address or IPv6 /64 network. A /64 counts as one address because it typically belongs to
   * a single owner.
   */
  readonly perAddress: number;
  /**
   * Returns whether an address belongs to a proxy. `perAddress` doesn't apply to proxies because their connections come from many
   * clients.
   */
  readonly isProxy: (address: string) => boolean;
  readonly onRefused?: CapListener;
}

/** Closes connections that exceed a limit as soon as they are accepted. The per-address limit doesn't apply to proxies. */
function limitConnections(
  server: Server,
  { all, perAddress, isProxy, onRefused = () => {} }: ConnectionLimits,
): void {
  server.maxConnections = all;
  server.on("drop", () => onRefused(null));
  const connectionCounts = new UsageCounter();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    if (isProxy(remoteAddress)) return;
    const network = toNetwork(remoteAddress) ?? remoteAddress;
    if (connectionCounts.get(network) >= perAddress) {
      socket.destroy();
      onRefused(network);
      return;
    }
    connectionCounts.add(network);
    socket.once("close", () => connectionCounts.add(network, -1));
  });
}
