import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Duplex } from "node:stream";
import { failure } from "../../src/errors.js";
import { capConnections } from "./connection-caps.js";
import { errorAnswer } from "./error-answer.js";
import type { HttpApi } from "./http-api.js";
import { type AddressOf, nodeListener, send } from "./node.js";
import { oneByOne } from "./pipelined.js";

/** What the HTTP parser refuses with another status than 400. */
const parserStatus: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

const malformed = errorAnswer(failure("malformed_request"));

export interface NodeServerOptions {
  /** As {@link nodeListener} takes it. Where it is given, one address may have all connections: it may be a proxy's. */
  readonly addressOf?: AddressOf;
  /** How long a request may take to come, in milliseconds; 30,000 unless given. */
  readonly requestTimeoutMs?: number;
  /** How long an answer waits for a reader who takes nothing of it, in milliseconds; 30,000 unless given. */
  readonly writeTimeoutMs?: number;
  /** How long a connection may be idle; 75,000 unless given, which is longer than clients and proxies keep theirs. */
  readonly keepAliveTimeoutMs?: number;
  /** Connections of all clients; 5,000 unless given. */
  readonly maxConnections?: number;
  /** Connections of one address; 500 unless given. */
  readonly maxConnectionsPerAddress?: number;
}

/**
 * A `node:http` server of the API alone, where everything that is refused has the form of the API's errors, and what
 * strangers can hold open is bounded.
 */
export function nodeServer(api: HttpApi, options: NodeServerOptions = {}): Server {
  const { addressOf, requestTimeoutMs = 30_000, keepAliveTimeoutMs = 75_000 } = options;
  const listener = nodeListener(api, addressOf, options.writeTimeoutMs);
  const server = createServer(
    {
      // Node would answer a request without Host by itself.
      requireHostHeader: false,
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.max(Math.min(requestTimeoutMs / 6, 5_000), 100),
      keepAliveTimeout: keepAliveTimeoutMs,
    },
    oneByOne((request, response) => {
      if (request.httpVersion === "1.1" && request.headers.host === undefined) send(malformed, response);
      else listener(request, response);
    }),
  );
  capConnections(server, {
    all: options.maxConnections ?? 5_000,
    perAddress: addressOf === undefined ? (options.maxConnectionsPerAddress ?? 500) : null,
  });
  return answerParserErrors(server);
}

/**
 * Answers what the server's HTTP parser refuses in the form of the API's errors: `malformed_request`, with status
 * 400, or 408 for a request that takes too long, 431 for a head that is too large.
 * @returns the same server.
 */
export function answerParserErrors(server: Server): Server {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) =>
    latest.set(socket, response),
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const isOwed = isOwedAnother(latest.get(socket));
    if (isOwed || !socket.writable || error.code === "ECONNRESET") socket.destroy();
    else socket.end(rawAnswer(parserStatus[error.code ?? ""] ?? malformed.status));
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
