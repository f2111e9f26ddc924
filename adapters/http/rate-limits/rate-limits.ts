import { hashOfToken } from "../../../src/secrets/token-format.js";
import type { Clock } from "../../../src/values/clock.js";
import { networkOf } from "./client-network.js";
import { FixedWindows } from "./fixed-windows.js";
import { assertQuota, type RateQuota } from "./quota.js";
import type { RateLimitStore, RateWindow } from "./store.js";

/** How much may be asked for, by whom, and where it is counted. */
export interface RateLimitOptions {
  /** What each token may do; 1,000 requests in 60 seconds unless given. */
  readonly perToken?: RateQuota;
  /**
   * What the tokens of an organization may do each, where it is something else. It is asked at every request, so it
   * should know by heart. What it throws goes to `onError`, and `perToken` applies.
   */
  readonly quotaOf?: (organizationId: string) => RateQuota | null | undefined;
  /**
   * How often a client may ask without a valid token; 100 times in 60 seconds unless given. Every process counts that
   * for itself in memory, so that strangers can neither fill a store nor keep it busy. A client is an IPv4 address or
   * a /64 network of IPv6; all whose address is not known are one.
   */
  readonly perAddress?: RateQuota;
  /** Where the requests of tokens are counted. Without it every process counts for itself in memory. */
  readonly store?: RateLimitStore;
}

/** What the limits say to one request. */
export interface RateLimit {
  readonly isExceeded: boolean;
  /** What its answer tells the client of them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How often the API is called, and by whom. */
export interface RateLimits {
  /** Counts a request with a valid token. */
  ofToken(token: string, organizationId: string): Promise<RateLimit>;
  /** Counts a request without one. @param address the client's; `null` when it is not known. */
  ofStranger(address: string | null): RateLimit;
}

/** How many tokens, and how many addresses, are counted apart in memory at most. */
const MAX_WINDOWS = 100_000;

/** The client of whoever has no window of its own. */
const OTHERS = "others";

const allowed: RateLimit = { isExceeded: false, headers: {} };

/** What a host has that turned limits off. */
export const unlimited: RateLimits = { ofToken: async () => allowed, ofStranger: () => allowed };

/**
 * One fixed window for each token, and one for each client without a valid one.
 *
 * Of more tokens than there is room for in memory, those whose windows began first begin new ones: nobody is refused
 * for the sake of others. Of more strangers than there is room for, those who come last share one window: whoever has
 * many addresses must not get rid of a window by opening others. Valid tokens don't feel that.
 */
export class WindowedRateLimits implements RateLimits {
  private readonly perToken: RateQuota;
  private readonly perAddress: RateQuota;
  private readonly quotaOf: (organizationId: string) => RateQuota | null | undefined;
  private readonly store: RateLimitStore;
  private readonly strangers: FixedWindows;

  /**
   * @param onError told when the store or `quotaOf` fails.
   * @throws {RangeError} when a quota can't be one.
   */
  constructor(
    options: RateLimitOptions,
    clock: Clock,
    private readonly onError: (error: unknown) => void,
    capacity = MAX_WINDOWS,
  ) {
    this.perToken = options.perToken ?? { requests: 1_000, seconds: 60 };
    this.perAddress = options.perAddress ?? { requests: 100, seconds: 60 };
    assertQuota(this.perToken);
    assertQuota(this.perAddress);
    this.quotaOf = options.quotaOf ?? (() => null);
    this.store = options.store ?? inMemory(new FixedWindows(clock, capacity));
    this.strangers = new FixedWindows(clock, capacity);
  }

  /** When the store fails, the request is allowed: an outage of the counter must not be one of the API. */
  async ofToken(token: string, organizationId: string): Promise<RateLimit> {
    const quota = this.quotaOfOrganization(organizationId);
    try {
      const window = await this.store.count(hashOfToken(token), quota.seconds);
      return { isExceeded: window.requests > quota.requests, headers: headersOf(quota, window) };
    } catch (error) {
      this.onError(error);
      return allowed;
    }
  }

  ofStranger(address: string | null): RateLimit {
    const { requests, seconds } = this.perAddress;
    const network = (address === null ? null : networkOf(address)) ?? OTHERS;
    const hasOwn = this.strangers.hasRoomFor(network, 1);
    const window = this.strangers.count(hasOwn ? network : OTHERS, seconds);
    if (window.requests <= requests) return allowed;
    return { isExceeded: true, headers: { "retry-after": String(secondsLeft(window)) } };
  }

  private quotaOfOrganization(organizationId: string): RateQuota {
    try {
      const quota = this.quotaOf(organizationId) ?? this.perToken;
      assertQuota(quota);
      return quota;
    } catch (error) {
      this.onError(error);
      return this.perToken;
    }
  }
}

function inMemory(windows: FixedWindows): RateLimitStore {
  return { count: async (key, seconds) => windows.count(key, seconds) };
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10, and `Retry-After` (RFC 9110) where nothing is left. */
function headersOf({ requests, seconds }: RateQuota, window: RateWindow): RateLimit["headers"] {
  const left = Math.max(requests - window.requests, 0);
  const reset = secondsLeft(window);
  return {
    "ratelimit-policy": `"default";q=${requests};w=${seconds}`,
    ratelimit: `"default";r=${left};t=${reset}`,
    ...(window.requests > requests && { "retry-after": String(reset) }),
  };
}

/** Whole seconds, and never none: who asks again after them finds the window over. */
function secondsLeft({ msLeft }: RateWindow): number {
  return Math.max(Math.ceil(msLeft / 1_000), 1);
}
