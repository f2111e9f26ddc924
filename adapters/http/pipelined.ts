import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How many requests of one connection may wait for the answers to those before them. */
const MAX_WAITING = 100;

interface Line {
  newest: ServerResponse;
  waiting: number;
}

/**
 * Takes the requests of a connection one after the other, as they are answered, however many come at once: the parser has
 * hundreds of them in one go, and all would be under way before anybody else's. A connection on which too many wait is closed.
 */
export function oneByOne(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line === undefined) {
      lines.set(socket, { newest: response, waiting: 0 });
      listener(request, response);
      return;
    }
    const before = line.newest;
    if (before.writableEnded && line.waiting === 0) {
      line.newest = response;
      listener(request, response);
      return;
    }
    if (line.waiting >= MAX_WAITING || socket.destroyed) {
      socket.destroy();
      return;
    }
    line.newest = response;
    line.waiting += 1;
    const begin = () => {
      line.waiting -= 1;
      if (!socket.destroyed) listener(request, response);
    };
    // Not at once: others have their turn first.
    before.once("close", () => setImmediate(begin));
  };
}
