import type { IncomingMessage, RequestListener } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers";
import { FairQueue } from "../../src/base/concurrency/fair-queue.js";

/**
 * Number of consecutive iterations with a new connection after which more connections are probably waiting to be accepted. Each
 * iteration accepts at most one connection.
 */
const MIN_BUSY_ITERATIONS = 4;

/** Number of iterations that a request waits, so that Node notices if its connection has ended along with it. */
const MIN_WAIT_ITERATIONS = 3;

/** Maximum time that requests wait for pending connections, in milliseconds. */
const MAX_WAIT_MS = 100;

/** Number of waiting requests that begin in an iteration without a new connection. */
const MAX_STARTS_PER_ITERATION = 4;

/**
 * Number of iterations between waiting requests that begin while connections keep coming. A request takes about as long as that
 * many iterations that only accept a connection.
 */
const START_INTERVAL_ITERATIONS = 8;

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
    if (isLater ? !waiting.mustHoldLater() : !waiting.mustHoldFirst()) {
      listener(request, response);
      return;
    }
    waiting.add(findCaller(request), isLater, () => {
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
  readonly iteration: number;
  begin(): void;
}

/**
 * Queues requests that wait for connections to be accepted. Each caller has one queue for the first requests on connections and one
 * for later requests.
 */
class RequestQueue {
  readonly #requests = new FairQueue<QueuedRequest>();
  #iteration = 0;
  /** Number of consecutive iterations in which connections arrived. */
  #busyIterations = 0;
  #hasNewConnection = false;
  #waitingSince = 0;
  #isCheckScheduled = false;

  /** Returns whether a connection's first request must wait. Call it once per connection. */
  mustHoldFirst(): boolean {
    if (!this.#hasNewConnection) this.#busyIterations += 1;
    this.#hasNewConnection = true;
    this.#scheduleCheck();
    return this.#busyIterations >= MIN_BUSY_ITERATIONS;
  }

  /**
   * Returns whether a request that isn't its connection's first must wait. Once the maximum waiting time has passed, it needn't
   * wait, even if connections keep coming.
   */
  mustHoldLater(): boolean {
    return !this.#requests.isEmpty && this.#isWithinMaxWait();
  }

  /** Adds a request to one of the caller's two queues. */
  add(caller: string, isLater: boolean, begin: () => void): void {
    if (this.#requests.isEmpty) this.#waitingSince = performance.now();
    this.#requests.add(`${isLater} ${caller}`, { isLater, iteration: this.#iteration, begin });
  }

  #isWithinMaxWait(): boolean {
    return performance.now() - this.#waitingSince < MAX_WAIT_MS;
  }

  #scheduleCheck(): void {
    if (this.#isCheckScheduled) return;
    this.#isCheckScheduled = true;
    setImmediate(() => {
      this.#isCheckScheduled = false;
      this.#endIteration();
    });
  }

  #endIteration(): void {
    const hasNewConnection = this.#hasNewConnection;
    this.#hasNewConnection = false;
    this.#iteration += 1;
    if (!hasNewConnection) this.#busyIterations = 0;
    if (!this.#requests.isEmpty && !(hasNewConnection && this.#isWithinMaxWait())) {
      const mayStartFirst = !hasNewConnection || this.#busyIterations % START_INTERVAL_ITERATIONS === 0;
      // Each request finishes its synchronous work and microtasks before the next one begins, like requests that don't wait.
      for (let i = 0; i < (hasNewConnection ? 1 : MAX_STARTS_PER_ITERATION); i += 1)
        setImmediate(() => this.#beginNext(mayStartFirst));
    }
    if (hasNewConnection || !this.#requests.isEmpty) this.#scheduleCheck();
  }

  #beginNext(mayStartFirst: boolean): void {
    const next = this.#requests.take(
      ({ isLater, iteration }) =>
        this.#iteration - iteration >= MIN_WAIT_ITERATIONS && (isLater || mayStartFirst),
    );
    next?.begin();
  }
}
