import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** The rest of a body that nobody reads is taken off its connection up to this length, so that the connection can be kept. */
const MOST_DRAINED = 65_536;

/** A client has this many milliseconds to read the answer before its connection is closed. */
const LINGER_MS = 1_000;

/** True while more of the request may come than is taken to keep its connection. */
export function isLongUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const length = headers["content-length"];
  return length === undefined ? headers["transfer-encoding"] !== undefined : Number(length) > MOST_DRAINED;
}

/**
 * Has the connection closed after the answer, and no more of the request read than is buffered. Closed at once, what the
 * client still sends would be answered with a reset, and the answer could be lost (RFC 9112, section 9.6).
 */
export function closeUnread(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  response.setHeader("Connection", "close");
  // Node takes a request off the connection once its answer is sent, unless somebody has begun to read it.
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
