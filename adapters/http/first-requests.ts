import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers";
import { setImmediate as turned } from "node:timers/promises";

/** So many turns of the event loop after a request, Node knows of an end of its connection that came with it. */
const TURNS = 3;

/** Connections wait to be accepted, as it seems, when so many turns in a row had one: a turn accepts one at most. */
const QUEUE = 4;

/**
 * Where connections wait to be accepted, begins the first request of each some turns of the event loop later, and not at all
 * when its client is gone by then. Clients that give up early and come back on new connections leave more requests behind
 * than could be begun in time: whoever connects would wait for all of those.
 */
export function unlessAbandoned(listener: RequestListener): RequestListener {
  const known = new WeakSet<Socket>();
  const firsts = new TurnsInARow();
  return (request, response) => {
    if (known.has(request.socket)) {
      listener(request, response);
      return;
    }
    known.add(request.socket);
    if (firsts.note() < QUEUE) listener(request, response);
    else void beginLater(listener, request, response);
  };
}

async function beginLater(
  listener: RequestListener,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await turned();
  if (!request.destroyed) listener(request, response);
}

/** Counts the turns of the event loop in a row in which something came. */
class TurnsInARow {
  #count = 0;
  #hasCome = false;

  /** @returns how many there are with this one. */
  note(): number {
    if (!this.#hasCome) {
      this.#hasCome = true;
      this.#count += 1;
      if (this.#count === 1) this.#lookLater();
    }
    return this.#count;
  }

  #lookLater(): void {
    setImmediate(() => {
      if (this.#hasCome) this.#lookLater();
      else this.#count = 0;
      this.#hasCome = false;
    });
  }
}
