import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Semaphore } from "../../src/concurrency/semaphore.js";

/** The most requests of one connection that wait for the responses before theirs. */
const MAX_WAITING = 100;

/** The most pipelined requests that run at the same time, on all connections. Clients that pipeline are rare. */
const AT_ONCE = 1;

/** The longest time that a pipelined request keeps others waiting, in milliseconds: an unread response takes no processor time. */
const MOST_MS = 1_000;

/** A pipeline of streams alone listens seven times for the end of an answer, which beside the others would look like a leak. */
const LISTENERS = 20;

interface Line {
  newest: ServerResponse;
  waiting: number;
}

/**
 * Handles the requests of a connection one at a time: the parser reads hundreds of pipelined ones in one step, and all would
 * begin before other clients' requests. Closes a connection on which too many wait.
 */
export function serializePipeline(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  const slots = new Semaphore(AT_ONCE);
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
    const answered = async () => {
      line.waiting -= 1;
      if (socket.destroyed) return;
      listener(request, response);
      await closedSoon(response);
    };
    for (const each of [before, response]) each.setMaxListeners(LISTENERS);
    // Later, because other clients take their turn first.
    before.once("close", () => setImmediate(() => void slots.run(answered)));
  };
}

function closedSoon(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, MOST_MS);
    response.once("close", () => {
      clearTimeout(late);
      resolve();
    });
  });
}
