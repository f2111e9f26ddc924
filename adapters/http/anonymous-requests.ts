import { putAndEvict } from "../../src/bounded-map.js";
import { createLoyaltyError } from "../../src/errors.js";
import { errorResponse } from "./error-response.js";
import { AnonymousQueue, type AnonymousSlot, linkQueueLimits } from "./rate-limits/anonymous-queue.js";
import { toClientGroup } from "./rate-limits/client-network.js";
import { ClientWindows } from "./rate-limits/client-windows.js";
import { secondsLeft, type TimeQuota } from "./rate-limits/store.js";
import type { HttpBody, HttpRequest, HttpResponse } from "./request/http-message.js";

/** Each request costs this many milliseconds besides its measured time, for parsing it and for sending each byte. */
export const LEAST_MS = 0.2;
const MS_OF_BYTE = 2 / 1_048_576;

/** The milliseconds that sending an answer takes, about; 0 for one that is made while it is sent. */
export function msOfSending({ body }: HttpResponse): number {
  return typeof body === "string" || body instanceof Uint8Array ? body.length * MS_OF_BYTE : 0;
}

/**
 * How long a client that is refused again waits for the response, in milliseconds, so that retrying immediately doesn't help; and
 * the most clients that wait.
 */
const REFUSED_AFTER_MS = 1_000;
const MAX_REFUSED = 10_000;

/** The most parties that are remembered because a token of theirs was found. */
const MAX_KNOWN_PARTIES = 10_000;

/** A stranger asks for a page that is open to everybody, or for a token to be verified. */
type AnonymousRequestKind = "page" | "token";

/** Handles requests of anonymous clients, and limits the processor time that an address may use. */
export class AnonymousRequests {
  private readonly turns = new AnonymousQueue();
  /** Tokens have their own queue: in the queue of pages, a valid one would wait until each client group had a page. */
  private readonly turnsOfTokens = new AnonymousQueue();
  /** The tokens of parties that had one which holds don't wait until all parties had one that does not. */
  private readonly turnsOfKnown = new AnonymousQueue();
  private readonly known = new Map<string, true>();
  private readonly turnsOfLinks = new AnonymousQueue(linkQueueLimits);
  /** By real time, whatever the service's clock says. */
  private readonly spent: ClientWindows | null;
  private refused = 0;

  /** @param quota `null` for no limit. Clients with unknown addresses have no limit, because all of them would share it. */
  constructor(quota: TimeQuota | null) {
    const { milliseconds, seconds } = quota ?? { milliseconds: 1, seconds: 1 };
    this.spent =
      quota === null ? null : new ClientWindows(() => performance.now(), { requests: milliseconds, seconds });
  }

  /**
   * Answers a stranger's request; 429 when too much was spent on its address.
   * @param waits whether the work waits for others, and is to keep no place.
   * @throws what `work` throws.
   */
  async answer(
    request: HttpRequest,
    work: (request: HttpRequest) => Promise<HttpResponse>,
    waits = false,
  ): Promise<HttpResponse> {
    const { address } = request;
    const full = address === null ? null : this.spent?.findExhausted(address);
    if (full) {
      await this.delayRefusal();
      return errorResponse(createLoyaltyError("rate_limit_exceeded"), {
        "retry-after": String(secondsLeft(full)),
      });
    }
    const answer = await this.runQueued(address, "page", (turn) => {
      if (!waits) return work(new AnonymousRequest(request, turn));
      turn.pause();
      return work(request);
    });
    this.count(address, msOfSending(answer));
    return answer;
  }

  /**
   * Handles a request that may have a signed link. A refused one counts toward the address's time; one with a valid link takes no
   * time from other clients.
   * @throws what `work` throws.
   */
  async answerSigned(
    request: HttpRequest,
    work: (request: HttpRequest) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const { address } = request;
    const turn = await this.turnsOfLinks.begin(address);
    try {
      const answer = await work(new AnonymousRequest(request, turn));
      if (answer.status >= 400) this.count(address, turn.ms + LEAST_MS);
      return answer;
    } finally {
      turn.pause();
    }
  }

  /** Does something for a stranger when it is their turn. @throws what `work` throws. */
  async runQueued<T>(
    address: string | null,
    asked: AnonymousRequestKind,
    work: (turn: AnonymousSlot) => Promise<T>,
  ): Promise<T> {
    const turn = await this.queueFor(address, asked).begin(address);
    try {
      return await work(turn);
    } finally {
      turn.pause();
      this.count(address, turn.ms + LEAST_MS);
    }
  }

  /** Notes that a token from the address was found which was not known before. */
  noteKnownToken(address: string | null): void {
    const party = address === null ? null : toClientGroup(address);
    if (party !== null) putAndEvict(this.known, party, true, MAX_KNOWN_PARTIES);
  }

  private queueFor(address: string | null, asked: AnonymousRequestKind): AnonymousQueue {
    if (asked === "page") return this.turns;
    const party = address === null ? null : toClientGroup(address);
    return party !== null && this.known.has(party) ? this.turnsOfKnown : this.turnsOfTokens;
  }

  private count(address: string | null, ms: number): void {
    if (address !== null) this.spent?.count(address, ms);
  }

  /** To be waited for before an answer that refuses who has been refused before. */
  async delayRefusal(): Promise<void> {
    if (this.refused >= MAX_REFUSED) return;
    this.refused += 1;
    await new Promise((resolve) => setTimeout(resolve, REFUSED_AFTER_MS));
    this.refused -= 1;
  }
}

/** A request whose body is read without holding a slot. A class, as the request of `node:http` is one. */
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

  constructor(request: HttpRequest, turn: AnonymousSlot) {
    const { body } = request;
    this.method = request.method;
    this.url = request.url;
    this.headers = request.headers;
    this.body = body.kind === "bytes" ? { kind: "bytes", chunks: turn.reading(body.chunks) } : body;
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
