import { setImmediate } from "node:timers";
import { FairQueue } from "../../../src/base/concurrency/fair-queue.js";
import { hashOfToken, readToken } from "../../../src/base/secrets/token-format.js";
import type { Clock } from "../../../src/base/values/clock.js";
import { ClientWindows } from "./client-windows.js";
import { FixedWindows } from "./fixed-windows.js";
import {
  assertQuota,
  getSecondsLeft,
  MAX_REQUESTS,
  type RateLimitStore,
  type RateQuota,
  type RateWindow,
  type TimeQuota,
} from "./store.js";

export interface RateLimitOptions {
  /** The quota for each token. Default: 1,000 requests in 60 seconds. */
  readonly perToken?: RateQuota;
  /**
   * The combined quota for all of an organization's tokens, or `false` for no combined quota. It prevents an organization from
   * increasing its quota by creating more tokens. Default: ten times the quota for one token.
   */
  readonly perOrganization?: RateQuota | false;
  /**
   * Returns the quota for each of this organization's tokens, or `null` to use `perToken`. Called for every request, so it must
   * return quickly. If it throws, `onError` receives the error and `perToken` applies.
   */
  readonly quotaOf?: (organizationId: string) => RateQuota | null | undefined;
  /**
   * The quota for each client without a valid token. Default: 100 requests in 60 seconds. Each process counts these requests
   * separately in its own memory, because anonymous clients could otherwise fill or overload the store. A client is an IPv4 address
   * or an IPv6 /64 network. All clients with unknown addresses count as a single client. A /48 can make ten times as many requests
   * as a client, and a /32 a thousand times as many.
   */
  readonly perAddress?: RateQuota;
  /**
   * The processor time that each client without a token can use for pages, images, passes, and forms. Default: 10,000 milliseconds
   * in 60 seconds. Clients are identified in the same way as for `perAddress`. Clients with unknown addresses have no limit, but
   * they take turns with other clients.
   */
  readonly timePerAddress?: TimeQuota;
  /**
   * The processor time that an organization's calls can use while other organizations are also making calls, or `false` for no
   * limit. Default: 30,000 milliseconds in 60 seconds. Each process counts separately.
   */
  readonly timePerOrganization?: TimeQuota | false;
  /** The store that counts token requests. By default, each process counts separately in its own memory. */
  readonly store?: RateLimitStore;
}

/** The rate limiter's decision about a request. */
export interface RateLimit {
  readonly isExceeded: boolean;
  /** Response headers that tell the client about its limits. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts requests per token, per organization, and per address, and decides whether each request is allowed. */
export interface RateLimits {
  /** Counts a request with a valid token. Allows the request if counting fails. */
  countToken(token: string, organizationId: string): Promise<RateLimit>;
  /**
   * Counts a request without a valid token.
   * @param address the client's address, or `null` if it is unknown.
   */
  countAnonymous(address: string | null): RateLimit;
  /** Returns whether the next request without a valid token from this address would be refused. */
  isAnonymousExhausted(address: string | null): boolean;
}

/** Maximum number of tokens, and of organizations, that are counted separately in memory. */
const MAX_WINDOWS = 100_000;

const allowed: RateLimit = { isExceeded: false, headers: {} };

/** Allows every request. Used if the host has turned rate limits off. */
export const unlimited: RateLimits = {
  countToken: async () => allowed,
  countAnonymous: () => allowed,
  isAnonymousExhausted: () => false,
};

/** Default for `timePerAddress`: a sixth of the process's time. */
export const TIME_PER_ADDRESS: TimeQuota = { milliseconds: 10_000, seconds: 60 };

/** Default for `timePerOrganization`: half of the process's time. */
export const TIME_PER_ORGANIZATION: TimeQuota = { milliseconds: 30_000, seconds: 60 };

/** Factor by which the default quota for an organization exceeds the quota for one token. */
const ORGANIZATION_QUOTA_FACTOR = 10;

/**
 * Rate-limits requests using fixed windows. Each token, each organization, and each client without a valid token has its own
 * window.
 *
 * When the capacity is reached, new windows replace the ones with the fewest requests. A client is therefore never refused just
 * because there are many other clients, and a client with many tokens or addresses can't evict its own exhausted window by opening
 * new ones.
 */
export class WindowedRateLimits implements RateLimits {
  private readonly perToken: RateQuota;
  private readonly perOrganization: RateQuota | false | undefined;
  private readonly quotaOf: (organizationId: string) => RateQuota | null | undefined;
  private readonly counters: TokenCounters;
  private readonly anonymous: ClientWindows;

  /**
   * @param onError a callback for errors from the store or `quotaOf`.
   * @throws {RangeError} if a quota is invalid.
   */
  constructor(
    options: RateLimitOptions,
    clock: Clock,
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
    this.counters =
      options.store === undefined
        ? createMemoryCounters(clock, capacity)
        : createStoreCounters(options.store);
    this.anonymous = new ClientWindows(clock, perAddress, capacity);
  }

  async countToken(token: string, organizationId: string): Promise<RateLimit> {
    const quota = this.getOrganizationQuota(organizationId);
    const key = readToken(token)?.hash ?? hashOfToken(token);
    const organizationQuota = this.perOrganization ?? multiplyQuota(quota);
    try {
      const tokenWindow = await this.counters.countToken(key, quota.seconds);
      // A request that exceeds its token's quota doesn't count toward the organization's.
      if (organizationQuota === false || isExceeded(quota, tokenWindow))
        return buildLimit("default", quota, tokenWindow);
      const organizationWindow = await this.counters.countOrganization(
        organizationId,
        organizationQuota.seconds,
      );
      return pickStricter(quota, tokenWindow, organizationQuota, organizationWindow);
    } catch (error) {
      // An outage of the store must not take down the API.
      this.onError(error);
      return allowed;
    }
  }

  countAnonymous(address: string | null): RateLimit {
    const exhausted = this.anonymous.count(address);
    if (exhausted === null) return allowed;
    return { isExceeded: true, headers: { "retry-after": String(getSecondsLeft(exhausted)) } };
  }

  isAnonymousExhausted(address: string | null): boolean {
    return this.anonymous.findExhausted(address) !== null;
  }

  private getOrganizationQuota(organizationId: string): RateQuota {
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

/** Counts requests in the windows of tokens and organizations. */
interface TokenCounters {
  countToken(key: string, seconds: number): RateWindow | Promise<RateWindow>;
  countOrganization(organizationId: string, seconds: number): RateWindow | Promise<RateWindow>;
}

function createMemoryCounters(clock: Clock, capacity: number): TokenCounters {
  const tokens = new FixedWindows(clock, capacity);
  // Separate from the tokens' windows, because an organization could have enough tokens to evict other organizations' windows.
  const organizations = new FixedWindows(clock, capacity);
  return {
    countToken: (key, seconds) => tokens.count(key, seconds),
    countOrganization: (organizationId, seconds) => organizations.count(organizationId, seconds),
  };
}

function createStoreCounters(store: RateLimitStore): TokenCounters {
  return {
    countToken: (key, seconds) => store.count(key, seconds),
    // Distinct from every token, because no token contains a space.
    countOrganization: (organizationId, seconds) =>
      store.count(hashOfToken(`organization ${organizationId}`), seconds),
  };
}

function multiplyQuota({ requests, seconds }: RateQuota): RateQuota {
  return { requests: Math.min(requests * ORGANIZATION_QUOTA_FACTOR, MAX_REQUESTS), seconds };
}

function isExceeded({ requests }: RateQuota, window: RateWindow): boolean {
  return window.requests > requests;
}

/** Returns the limit that has fewer requests left. */
function pickStricter(
  quota: RateQuota,
  tokenWindow: RateWindow,
  organizationQuota: RateQuota,
  organizationWindow: RateWindow,
): RateLimit {
  return organizationQuota.requests - organizationWindow.requests < quota.requests - tokenWindow.requests
    ? buildLimit("organization", organizationQuota, organizationWindow)
    : buildLimit("default", quota, tokenWindow);
}

/** Builds the headers of draft-ietf-httpapi-ratelimit-headers-10, and `Retry-After` (RFC 9110) if nothing is left. */
function buildLimit(
  name: "default" | "organization",
  { requests, seconds }: RateQuota,
  window: RateWindow,
): RateLimit {
  const remaining = requests - window.requests;
  const reset = String(getSecondsLeft(window));
  const policy = `"${name}";q=${requests};w=${seconds}`;
  return remaining < 0
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
        headers: { "ratelimit-policy": policy, ratelimit: `"${name}";r=${remaining};t=${reset}` },
      };
}

/** Milliseconds per event loop iteration in which requests may begin. */
const SLICE_MS = 2;

/** Maximum number of waiting requests that begin per iteration. */
const MAX_STARTS_PER_ITERATION = 16;

/**
 * Lets organizations take turns starting requests. Once requests have run for a few milliseconds in an iteration of the event loop,
 * the next request waits for the following iteration. It waits for at most one request from each other organization, no matter how
 * many requests they have sent.
 */
class OrganizationTurns {
  /** The callbacks of waiting requests, keyed by organization. */
  private readonly waiting = new FairQueue<() => void>();
  /** When the first request of this iteration began; `null` if none has. */
  private startedAt: number | null = null;

  /**
   * Waits for the organization's turn, if necessary.
   * @returns `null` if the request may proceed immediately; otherwise a promise that resolves when it may.
   */
  begin(organizationId: string): Promise<void> | null {
    if (this.waiting.isEmpty && !this.isSliceOver()) return null;
    return new Promise((resolve) => this.waiting.add(organizationId, resolve));
  }

  private isSliceOver(): boolean {
    if (this.startedAt !== null) return performance.now() - this.startedAt >= SLICE_MS;
    this.startedAt = performance.now();
    setImmediate(() => this.endIteration());
    return false;
  }

  private endIteration(): void {
    this.startedAt = null;
    if (this.waiting.isEmpty) return;
    // Each request finishes its synchronous work and microtasks before the next one begins.
    for (let i = 0; i < MAX_STARTS_PER_ITERATION; i += 1) setImmediate(() => this.beginNext());
  }

  private beginNext(): void {
    if (this.waiting.isEmpty || this.isSliceOver()) return;
    this.waiting.take()?.();
  }
}

/** The instance shared by all services in this process, because they run on the same event loop. */
export const organizationTurns = new OrganizationTurns();
