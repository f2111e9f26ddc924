import type { IncomingMessage, RequestListener } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers";

/**
 * After this many iterations in a row with a new connection, others are probably waiting to be accepted, because an iteration
 * accepts at most one.
 */
const QUEUE = 4;

/** The number of iterations after a request until Node knows of an end of its connection that came with it. */
const TURNS = 3;

/** The longest time that requests wait for the connections behind them, in milliseconds. */
const HELD_UP = 100;

/** Waiting requests that begin in an iteration without a new connection. */
const AT_ONCE = 4;

/**
 * While connections keep coming, a waiting request begins every this many iterations, because it takes as long as that many
 * iterations that only accept.
 */
const TURNS_APART = 8;

/**
 * While connections wait to be accepted, begins no request until all are accepted or 100 ms have passed: an iteration of the event
 * loop accepts one connection, so a new client would wait for all earlier requests. After that callers take turns, however many
 * requests each has sent. A request whose client has gone by then is not begun, because clients that give up early and come back
 * leave more requests than could be handled.
 */
export function admitFairly(listener: RequestListener): RequestListener {
  const known = new WeakSet<Socket>();
  const waiting = new RequestQueue();
  return (request, response) => {
    const isLater = known.has(request.socket);
    if (!isLater) known.add(request.socket);
    if (isLater ? !waiting.holdsUpLater() : !waiting.holdsUpFirst()) {
      listener(request, response);
      return;
    }
    waiting.add(isLater, `${isLater} ${findCaller(request)}`, () => {
      if (!request.destroyed) listener(request, response);
    });
  };
}

/** Identifies the caller without verifying the token, which would take time. */
function findCaller({ headers, socket }: IncomingMessage): string {
  return headers.authorization ?? socket.remoteAddress ?? "";
}

interface QueuedRequest {
  readonly isLater: boolean;
  /** The turn of the event loop in which it came. */
  readonly turn: number;
  begin(): void;
}

/** The first requests of connections, and later ones, that wait for connections to be accepted, in a line for each caller. */
class RequestQueue {
  readonly #lines = new Map<string, QueuedRequest[]>();
  #turn = 0;
  /** The number of turns in a row in which connections came. */
  #row = 0;
  #hasCome = false;
  #heldUpSince = 0;
  #isLooking = false;

  /** To be asked once for each connection. */
  holdsUpFirst(): boolean {
    if (!this.#hasCome) this.#row += 1;
    this.#hasCome = true;
    this.#look();
    return this.#row >= QUEUE;
  }

  /** After that time no request waits for connections, however long they keep coming. */
  holdsUpLater(): boolean {
    return this.#lines.size > 0 && this.#isHeldUp();
  }

  /** @param caller has lines of its own for first and for later requests. */
  add(isLater: boolean, caller: string, begin: () => void): void {
    if (this.#lines.size === 0) this.#heldUpSince = performance.now();
    const line = this.#lines.get(caller);
    const request = { isLater, turn: this.#turn, begin };
    if (line === undefined) this.#lines.set(caller, [request]);
    else line.push(request);
  }

  #isHeldUp(): boolean {
    return performance.now() - this.#heldUpSince < HELD_UP;
  }

  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    setImmediate(() => {
      this.#isLooking = false;
      this.#turned();
    });
  }

  #turned(): void {
    const hasCome = this.#hasCome;
    this.#hasCome = false;
    this.#turn += 1;
    if (!hasCome) this.#row = 0;
    if (this.#lines.size > 0 && !(hasCome && this.#isHeldUp())) {
      const mayBeFirst = !hasCome || this.#row % TURNS_APART === 0;
      // Each of them ends with what it has to do before the next one begins, as requests do that come by themselves.
      for (let at = 0; at < (hasCome ? 1 : AT_ONCE); at += 1) setImmediate(() => this.#beginNext(mayBeFirst));
    }
    if (hasCome || this.#lines.size > 0) this.#look();
  }

  #beginNext(mayBeFirst: boolean): void {
    for (const [caller, line] of this.#lines) {
      const [next] = line;
      if (next === undefined || this.#turn - next.turn < TURNS) continue;
      if (!next.isLater && !mayBeFirst) continue;
      line.shift();
      // A map keeps the order of insertion: the caller is the last one now.
      this.#lines.delete(caller);
      if (line.length > 0) this.#lines.set(caller, line);
      next.begin();
      return;
    }
  }
}
