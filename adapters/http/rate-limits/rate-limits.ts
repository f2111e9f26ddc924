import { setImmediate } from "node:timers";
import { hashOfToken, readToken } from "../../../src/secrets/token-format.js";
import type { Clock } from "../../../src/values/clock.js";
import { ClientWindows } from "./client-windows.js";
import { FixedWindows } from "./fixed-windows.js";
import {
  assertQuota,
  MAX_REQUESTS,
  type RateLimitStore,
  type RateQuota,
  type RateWindow,
  secondsLeft,
  type TimeQuota,
} from "./store.js";

export interface RateLimitOptions {
  /** The quota of each token. Default: 1,000 requests in 60 seconds. */
  readonly perToken?: RateQuota;
  /**
   * The quota of all tokens of an organization together, so that more tokens don't give more requests; `false` for none. Default:
   * ten times the quota of one token.
   */
  readonly perOrganization?: RateQuota | false;
  /**
   * Returns the quota of each token of this organization; `null` leaves it at `perToken`. It is called at every request, so
   * it must not wait for anything. Its errors go to `onError`, and `perToken` applies.
   */
  readonly quotaOf?: (organizationId: string) => RateQuota | null | undefined;
  /**
   * The quota of a client without a valid token. Default: 100 requests in 60 seconds. Every process counts them for
   * itself in memory, so that strangers can neither fill a store nor keep it busy. A client is an IPv4 address or a /64
   * network of IPv6; all clients of unknown address are one. A /48 may make ten times as many requests, a /32 a thousand
   * times.
   */
  readonly perAddress?: RateQuota;
  /**
   * Limits the processor time that a client without a token may use for pages, pictures, passes and forms. Default: 10,000
   * milliseconds in 60 seconds. It counts like `perAddress`, except that clients of unknown address take turns with others and have
   * no such limit.
   */
  readonly timePerAddress?: TimeQuota;
  /**
   * Limits the processor time of an organization's calls while other organizations also make calls. Default: 30,000 milliseconds in
   * 60 seconds. `false` for no limit. Every process counts separately.
   */
  readonly timePerOrganization?: TimeQuota | false;
  /** Counts the requests of tokens. Without a store, every process counts for itself in memory. */
  readonly store?: RateLimitStore;
}

/** The limiter's decision on one request. */
export interface RateLimit {
  readonly isExceeded: boolean;
  /** The response tells the client its limits by these headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts requests by their tokens and addresses. */
export interface RateLimits {
  /** Counts a request with a valid token; synchronously if possible. */
  countToken(token: string, organizationId: string): RateLimit | Promise<RateLimit>;
  /** Counts a request without one. @param address the client's; `null` if unknown. */
  countAnonymous(address: string | null): RateLimit;
  /** True when the next request without a token from this address would be refused. */
  isAnonymousExhausted(address: string | null): boolean;
}

/** The most tokens, and the most organizations, that are counted apart in memory. */
const MAX_WINDOWS = 100_000;

const allowed: RateLimit = { isExceeded: false, headers: {} };

/** Allows everything, for a host that turned limits off. */
export const unlimited: RateLimits = {
  countToken: () => allowed,
  countAnonymous: () => allowed,
  isAnonymousExhausted: () => false,
};

/** The default of `timePerAddress`: a sixth of the process's time. */
export const TIME_PER_ADDRESS: TimeQuota = { milliseconds: 10_000, seconds: 60 };

/** The default of `timePerOrganization`: half of the process's time. */
export const TIME_PER_ORGANIZATION: TimeQuota = { milliseconds: 30_000, seconds: 60 };

/** All tokens of an organization may make this many times the requests of one, unless `perOrganization` is given. */
const TOKENS_WORTH = 10;

/**
 * One fixed window for each token, each organization, and each client without a valid token.
 *
 * If there are more than fit in memory, new windows replace those with the fewest requests: no client is refused because of the
 * number of others, and a client with many tokens or addresses can't evict its window by opening others.
 */
export class WindowedRateLimits implements RateLimits {
  private readonly perToken: RateQuota;
  private readonly perOrganization: RateQuota | false | undefined;
  private readonly quotaOf: (organizationId: string) => RateQuota | null | undefined;
  /** `null` if all are counted in memory. */
  private readonly store: RateLimitStore | null;
  private readonly tokens: FixedWindows;
  /** Separate from tokens, because an organization could have enough tokens to evict others. */
  private readonly organizations: FixedWindows;
  private readonly anonymous: ClientWindows;

  /**
   * @param onError is called if the store or `quotaOf` fails.
   * @throws {RangeError} for an invalid quota.
   */
  constructor(
    options: RateLimitOptions,
    private readonly clock: Clock,
    private readonly onError: (error: unknown) => void,
    capacity = MAX_WINDOWS,
  ) {
    this.perToken = options.perToken ?? { requests: 1_000, seconds: 60 };
    this.perOrganization = options.perOrganization;
    const perAddress = options.perAddress ?? { requests: 100, seconds: 60 };
    assertQuota(this.perToken);
    if (this.perOrganization) assertQuota(this.perOrganization);
    assertQuota(perAddress);
    this.quotaOf = options.quotaOf ?? (() => null);
    this.store = options.store ?? null;
    this.tokens = new FixedWindows(clock, capacity);
    this.organizations = new FixedWindows(clock, capacity);
    this.anonymous = new ClientWindows(clock, perAddress, capacity);
  }

  countToken(token: string, organizationId: string): RateLimit | Promise<RateLimit> {
    const quota = this.quotaOfOrganization(organizationId);
    const key = readToken(token)?.hash ?? hashOfToken(token);
    const ofAll = this.perOrganization ?? timesAsMuch(quota);
    // A request that is refused to one token is not counted against all.
    if (this.store !== null) return this.inStore(this.store, key, quota, organizationId, ofAll);
    const now = this.clock();
    const mine = this.tokens.count(key, quota.seconds, 1, now);
    if (ofAll === false || isExceeded(quota, mine)) return buildLimit("default", quota, mine);
    const all = this.organizations.count(organizationId, ofAll.seconds, 1, now);
    return pickStricter(quota, mine, ofAll, all);
  }

  /** A failing store allows the request: an outage of the counter must not be one of the API. */
  private async inStore(
    store: RateLimitStore,
    key: string,
    quota: RateQuota,
    organizationId: string,
    ofAll: RateQuota | false,
  ): Promise<RateLimit> {
    try {
      const mine = await store.count(key, quota.seconds);
      if (ofAll === false || isExceeded(quota, mine)) return buildLimit("default", quota, mine);
      // Distinct from every token, because no token contains a space.
      const all = await store.count(hashOfToken(`organization ${organizationId}`), ofAll.seconds);
      return pickStricter(quota, mine, ofAll, all);
    } catch (error) {
      this.onError(error);
      return allowed;
    }
  }

  countAnonymous(address: string | null): RateLimit {
    const full = this.anonymous.count(address);
    if (full === null) return allowed;
    return { isExceeded: true, headers: { "retry-after": String(secondsLeft(full)) } };
  }

  isAnonymousExhausted(address: string | null): boolean {
    return this.anonymous.findExhausted(address) !== null;
  }

  private quotaOfOrganization(organizationId: string): RateQuota {
    try {
      const quota = this.quotaOf(organizationId);
      if (quota === null || quota === undefined) return this.perToken;
      assertQuota(quota);
      return quota;
    } catch (error) {
      this.onError(error);
      return this.perToken;
    }
  }
}

function timesAsMuch({ requests, seconds }: RateQuota): RateQuota {
  return { requests: Math.min(requests * TOKENS_WORTH, MAX_REQUESTS), seconds };
}

function isExceeded({ requests }: RateQuota, window: RateWindow): boolean {
  return window.requests > requests;
}

/** Returns the limit that leaves fewer requests. */
function pickStricter(quota: RateQuota, mine: RateWindow, ofAll: RateQuota, all: RateWindow): RateLimit {
  return ofAll.requests - all.requests < quota.requests - mine.requests
    ? buildLimit("organization", ofAll, all)
    : buildLimit("default", quota, mine);
}

/** With the fields of draft-ietf-httpapi-ratelimit-headers-10, and `Retry-After` (RFC 9110) where nothing is left. */
function buildLimit(
  name: "default" | "organization",
  { requests, seconds }: RateQuota,
  window: RateWindow,
): RateLimit {
  const left = requests - window.requests;
  const reset = String(secondsLeft(window));
  const policy = `"${name}";q=${requests};w=${seconds}`;
  return left < 0
    ? {
        isExceeded: true,
        headers: {
          "ratelimit-policy": policy,
          ratelimit: `"${name}";r=0;t=${reset}`,
          "retry-after": reset,
        },
      }
    : {
        isExceeded: false,
        headers: { "ratelimit-policy": policy, ratelimit: `"${name}";r=${left};t=${reset}` },
      };
}

/** Requests are begun for this many milliseconds in one turn of the event loop. */
const SLICE_MS = 2;

/** This many of those that wait are begun in one turn at most. */
const AT_ONCE = 16;

/**
 * Begins requests of organizations in turn. A request that arrives after others have run for some milliseconds waits for the next
 * iteration of the event loop, and for at most one request of each other organization, however many one sends.
 */
class OrganizationTurns {
  /** By organization; the one whose turn is next comes first. */
  private readonly waiting = new Map<string, (() => void)[]>();
  /** When the first request of this turn was begun; `null` while there was none. */
  private begun: number | null = null;

  /** @returns `null` for a request that may go on; else a promise that resolves when it is its turn. */
  begin(organizationId: string): Promise<void> | null {
    if (this.waiting.size === 0 && !this.isSliceOver()) return null;
    return new Promise((go) => {
      const line = this.waiting.get(organizationId);
      if (line === undefined) this.waiting.set(organizationId, [go]);
      else line.push(go);
    });
  }

  private isSliceOver(): boolean {
    if (this.begun !== null) return performance.now() - this.begun >= SLICE_MS;
    this.begun = performance.now();
    setImmediate(() => this.turned());
    return false;
  }

  private turned(): void {
    this.begun = null;
    if (this.waiting.size === 0) return;
    // Each of them ends with what it has to do before the next one begins.
    for (let at = 0; at < AT_ONCE; at += 1) setImmediate(() => this.beginNext());
  }

  private beginNext(): void {
    for (const [organizationId, line] of this.waiting) {
      if (this.isSliceOver()) return;
      const go = line.shift();
      // Behind the other organizations.
      this.waiting.delete(organizationId);
      if (line.length > 0) this.waiting.set(organizationId, line);
      go?.();
      return;
    }
  }
}

/** There is one event loop, so one of these. */
export const organizationTurns = new OrganizationTurns();
