import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Duplex } from "node:stream";
import { failure } from "../../src/errors.js";
import { errorAnswer } from "./error-answer.js";
import type { HttpApi } from "./http-api.js";
import { type AddressOf, nodeListener, send } from "./node.js";

/** What the HTTP parser refuses with another status than 400. */
const parserStatus: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

const malformed = errorAnswer(failure("malformed_request"));

/**
 * A `node:http` server of the API alone, where everything that is refused has the form of the API's errors.
 * @param addressOf as {@link nodeListener} takes it.
 */
export function nodeServer(api: HttpApi, addressOf?: AddressOf): Server {
  const listener = nodeListener(api, addressOf);
  // Node would answer a request without Host by itself.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    if (request.httpVersion === "1.1" && request.headers.host === undefined) send(malformed, response);
    else listener(request, response);
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
