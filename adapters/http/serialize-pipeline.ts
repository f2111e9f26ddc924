import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Semaphore } from "../../src/base/concurrency/semaphore.js";

/** Maximum number of a connection's requests that wait for earlier responses. */
const MAX_WAITING = 100;

/** Maximum number of pipelined requests that run concurrently, on all connections. Clients that pipeline are rare. */
const AT_ONCE = 1;

/**
 * Maximum time that a pipelined request holds its slot, in milliseconds. A response that waits to be read takes no processor time.
 */
const MOST_MS = 1_000;

/**
 * Maximum number of listeners per response before Node warns of a leak. Streaming a response alone adds seven listeners for its
 * end.
 */
const LISTENERS = 20;

interface Line {
  newest: ServerResponse;
  waiting: number;
}

/**
 * Wraps a listener so that each connection's requests are handled one at a time. Node's parser can read hundreds of pipelined
 * requests in one step. Otherwise, all of them would start before other clients' requests. If too many requests are waiting on a
 * connection, the connection is closed.
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
    // Deferred, so that other clients' requests run first.
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
