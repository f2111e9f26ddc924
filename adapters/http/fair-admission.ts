import type { IncomingMessage, RequestListener } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers";

/**
 * Number of consecutive iterations with a new connection after which more connections are probably waiting to be accepted. Each
 * iteration accepts at most one connection.
 */
const QUEUE = 4;

/** Number of iterations that a request waits, so that Node notices if its connection has ended along with it. */
const TURNS = 3;

/** Maximum time that requests wait for pending connections, in milliseconds. */
const HELD_UP = 100;

/** Number of waiting requests that begin in an iteration without a new connection. */
const AT_ONCE = 4;

/**
 * Number of iterations between waiting requests that begin while connections keep coming. A request takes about as long as that
 * many iterations that only accept a connection.
 */
const TURNS_APART = 8;

/**
 * Wraps a listener so that waiting connections are accepted before more requests start. Requests are held back until all waiting
 * connections are accepted or 100 ms have passed. Otherwise, a new client would wait for every earlier request, because the event
 * loop accepts only one connection per iteration. Callers, identified by token or address, take turns, no matter how many requests
 * each has sent. A request isn't started if its client has already disconnected. Otherwise, clients that give up early and retry
 * would leave more requests than the process can handle.
 */
export function admitFairly(listener: RequestListener): RequestListener {
  const usedSockets = new WeakSet<Socket>();
  const waiting = new RequestQueue();
  return (request, response) => {
    const isLater = usedSockets.has(request.socket);
    if (!isLater) usedSockets.add(request.socket);
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
  /** The event loop iteration in which the request arrived. */
  readonly turn: number;
  begin(): void;
}

/**
 * Queues requests that wait for connections to be accepted. Each caller has one line for the first requests on connections and one
 * for later requests.
 */
class RequestQueue {
  readonly #lines = new Map<string, QueuedRequest[]>();
  #iteration = 0;
  /** Number of consecutive iterations in which connections arrived. */
  #row = 0;
  #hasNewConnection = false;
  #heldUpSince = 0;
  #isLooking = false;

  /** Returns whether a connection's first request must wait. Call it once per connection. */
  holdsUpFirst(): boolean {
    if (!this.#hasNewConnection) this.#row += 1;
    this.#hasNewConnection = true;
    this.#scheduleCheck();
    return this.#row >= QUEUE;
  }

  /**
   * Returns whether a request that isn't its connection's first must wait. Once the maximum waiting time has passed, it needn't
   * wait, even if connections keep coming.
   */
  holdsUpLater(): boolean {
    return this.#lines.size > 0 && this.#isHeldUp();
  }

  /**
   * Adds a request to the caller's line.
   * @param caller the key of the line.
   */
  add(isLater: boolean, caller: string, begin: () => void): void {
    if (this.#lines.size === 0) this.#heldUpSince = performance.now();
    const line = this.#lines.get(caller);
    const request = { isLater, turn: this.#iteration, begin };
    if (line === undefined) this.#lines.set(caller, [request]);
    else line.push(request);
  }

  #isHeldUp(): boolean {
    return performance.now() - this.#heldUpSince < HELD_UP;
  }

  #scheduleCheck(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    setImmediate(() => {
      this.#isLooking = false;
      this.#endIteration();
    });
  }

  #endIteration(): void {
    const hasNewConnection = this.#hasNewConnection;
    this.#hasNewConnection = false;
    this.#iteration += 1;
    if (!hasNewConnection) this.#row = 0;
    if (this.#lines.size > 0 && !(hasNewConnection && this.#isHeldUp())) {
      const mayBeFirst = !hasNewConnection || this.#row % TURNS_APART === 0;
      // Each request finishes its synchronous work and microtasks before the next one begins, like requests that don't wait.
      for (let at = 0; at < (hasNewConnection ? 1 : AT_ONCE); at += 1)
        setImmediate(() => this.#beginNext(mayBeFirst));
    }
    if (hasNewConnection || this.#lines.size > 0) this.#scheduleCheck();
  }

  #beginNext(mayBeFirst: boolean): void {
    for (const [caller, line] of this.#lines) {
      const [next] = line;
      if (next === undefined || this.#iteration - next.turn < TURNS) continue;
      if (!next.isLater && !mayBeFirst) continue;
      line.shift();
      // A map keeps insertion order, so the caller moves to the end.
      this.#lines.delete(caller);
      if (line.length > 0) this.#lines.set(caller, line);
      next.begin();
      return;
    }
  }
}
