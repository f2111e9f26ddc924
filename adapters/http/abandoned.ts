import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";

/** So many turns of the event loop after a request, Node knows of an end of its connection that came with it. */
const TURNS = 3;

/**
 * Begins the first request of each connection some turns of the event loop later, and not at all when its client is gone by
 * then. Clients that give up early and come back on new connections leave more requests behind than could be begun in time:
 * whoever connects would wait for all of those.
 */
export function unlessAbandoned(listener: RequestListener): RequestListener {
  const known = new WeakSet<Socket>();
  return (request, response) => {
    if (known.has(request.socket)) {
      listener(request, response);
      return;
    }
    known.add(request.socket);
    void beginLater(listener, request, response);
  };
}

async function beginLater(
  listener: RequestListener,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
  if (!request.destroyed) listener(request, response);
}
