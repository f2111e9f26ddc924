import { putAndEvict } from "../../src/base/bounded-map.js";
import { createLoyaltyError } from "../../src/base/errors.js";
import { errorResponse } from "./error-response.js";
import { AnonymousQueue, type AnonymousSlot, linkQueueLimits } from "./rate-limits/anonymous-queue.js";
import { toClientGroup } from "./rate-limits/client-network.js";
import { ClientWindows } from "./rate-limits/client-windows.js";
import { getSecondsLeft, type TimeQuota } from "./rate-limits/store.js";
import type { HttpBody, HttpRequest, HttpResponse } from "./request/http-message.js";

/**
 * Processor time charged for each request to account for parsing, in milliseconds. It is added to the measured time. The time to
 * send the response is charged separately, per byte.
 */
export const MIN_CHARGE_MS = 0.2;
const MS_PER_BYTE = 2 / 1_048_576;

/** Estimates the time to send a response based on its size, in milliseconds. Returns 0 for a streamed response. */
export function estimateSendingMs({ body }: HttpResponse): number {
  return typeof body === "string" || body instanceof Uint8Array ? body.length * MS_PER_BYTE : 0;
}

/**
 * How long a refused client waits for its response, in milliseconds, so that retrying immediately doesn't help. The second constant
 * is the maximum number of clients that wait at the same time.
 */
const REFUSAL_DELAY_MS = 1_000;
const MAX_DELAYED_REFUSALS = 10_000;

/** Maximum number of remembered client groups that have presented a valid token. */
const MAX_KNOWN_CLIENT_GROUPS = 10_000;

/** The kind of work that an anonymous request needs: serving a public page or verifying the request's token. */
type AnonymousRequestKind = "page" | "token";

/** Handles requests from anonymous clients and limits the processor time that each address can use. */
export class AnonymousRequests {
  private readonly queue = new AnonymousQueue();
  /** Tokens have their own queue. In the page queue, a valid token would wait until every client group had been served a page. */
  private readonly tokenQueue = new AnonymousQueue();
  /**
   * Queue for client groups that have presented a valid token, so that their tokens don't wait behind groups that have presented
   * only invalid tokens.
   */
  private readonly knownGroupQueue = new AnonymousQueue();
  private readonly knownClientGroups = new Map<string, true>();
  private readonly linkQueue = new AnonymousQueue(linkQueueLimits);
  /** Time spent per client, measured by the process's own clock rather than the service's. */
  private readonly clientWindows: ClientWindows | null;
  private delayedRefusalCount = 0;

  /**
   * @param quota the processor time that each address is allowed to use, or `null` for no limit. Clients with an unknown address
   *   are never limited, because they would all share one limit.
   */
  constructor(quota: TimeQuota | null) {
    const { milliseconds, seconds } = quota ?? { milliseconds: 1, seconds: 1 };
    this.clientWindows =
      quota === null ? null : new ClientWindows(() => performance.now(), { requests: milliseconds, seconds });
  }

  /**
   * Handles an anonymous request.
   * @param waitsForServers whether the work waits for other servers. If it does, the queue lets other requests run in the meantime.
   * @returns the response from `work`, or a 429 if the address has used up its quota.
   * @throws any error from `work`.
   */
  async respond(
    request: HttpRequest,
    work: (request: HttpRequest) => Promise<HttpResponse>,
    waitsForServers = false,
  ): Promise<HttpResponse> {
    const { address } = request;
    const exhausted = address === null ? null : this.clientWindows?.findExhausted(address);
    if (exhausted) {
      await this.delayRefusal();
      return errorResponse(createLoyaltyError("rate_limit_exceeded"), {
        "retry-after": String(getSecondsLeft(exhausted)),
      });
    }
    const response = await this.runQueued(address, "page", (slot) => {
      if (!waitsForServers) return work(new AnonymousRequest(request, slot));
      slot.pause();
      return work(request);
    });
    this.count(address, estimateSendingMs(response));
    return response;
  }

  /**
   * Handles a request for a path that ends in a signed token. The request's processor time is charged to its address only if the
   * response is an error, which means that the token was rejected.
   * @throws any error from `work`.
   */
  async respondToSigned(
    request: HttpRequest,
    work: (request: HttpRequest) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const { address } = request;
    const slot = await this.linkQueue.begin(address);
    try {
      const response = await work(new AnonymousRequest(request, slot));
      if (response.status >= 400) this.count(address, slot.heldMs + MIN_CHARGE_MS);
      return response;
    } finally {
      slot.pause();
    }
  }

  /** Queues work for an anonymous client and runs it when its turn comes in the queue for the client's address. */
  async runQueued<T>(
    address: string | null,
    kind: AnonymousRequestKind,
    work: (slot: AnonymousSlot) => Promise<T>,
  ): Promise<T> {
    const slot = await this.selectQueue(address, kind).begin(address);
    try {
      return await work(slot);
    } finally {
      slot.pause();
      this.count(address, slot.heldMs + MIN_CHARGE_MS);
    }
  }

  /**
   * Records that a client at this address has presented a valid token. From then on, tokens from that client's group are checked in
   * a separate queue.
   */
  recordKnownToken(address: string | null): void {
    const clientGroup = address === null ? null : toClientGroup(address);
    if (clientGroup !== null) putAndEvict(this.knownClientGroups, clientGroup, true, MAX_KNOWN_CLIENT_GROUPS);
  }

  private selectQueue(address: string | null, kind: AnonymousRequestKind): AnonymousQueue {
    if (kind === "page") return this.queue;
    const clientGroup = address === null ? null : toClientGroup(address);
    return clientGroup !== null && this.knownClientGroups.has(clientGroup)
      ? this.knownGroupQueue
      : this.tokenQueue;
  }

  private count(address: string | null, ms: number): void {
    if (address !== null) this.clientWindows?.count(address, ms);
  }

  /** Delays a refusal so that the client gains nothing by retrying immediately. */
  async delayRefusal(): Promise<void> {
    if (this.delayedRefusalCount >= MAX_DELAYED_REFUSALS) return;
    this.delayedRefusalCount += 1;
    await new Promise((resolve) => setTimeout(resolve, REFUSAL_DELAY_MS));
    this.delayedRefusalCount -= 1;
  }
}

/** A request whose body is read without holding a slot. It is a class, like the request from `node:http`. */
class AnonymousRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HttpRequest["headers"];
  readonly body: HttpBody;
  readonly prefix: string;
  readonly address: string | null;
  readonly isHttps: boolean;
  readonly source: unknown;
  readonly #request: HttpRequest;

  constructor(request: HttpRequest, slot: AnonymousSlot) {
    const { body } = request;
    this.method = request.method;
    this.url = request.url;
    this.headers = request.headers;
    this.body =
      body.kind === "bytes" ? { kind: "bytes", chunks: slot.releaseWhileReading(body.chunks) } : body;
    this.prefix = request.prefix;
    this.address = request.address;
    this.isHttps = request.isHttps ?? false;
    this.source = request.source;
    this.#request = request;
  }

  get signal(): AbortSignal | undefined {
    return this.#request.signal;
  }
}
