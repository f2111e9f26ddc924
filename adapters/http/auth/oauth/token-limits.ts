import type { App } from "../../../../src/access/app-schema.js";
import { hashOfToken } from "../../../../src/base/secrets/token-format.js";
import type { Clock } from "../../../../src/base/values/clock.js";
import { toNetwork } from "../../rate-limits/client-network.js";
import { FixedWindows } from "../../rate-limits/fixed-windows.js";
import {
  assertQuota,
  getSecondsLeft,
  type RateLimitStore,
  type RateQuota,
  type RateWindow,
} from "../../rate-limits/store.js";
import { OAuthError } from "./oauth-error.js";

/** Options that limit how often apps can request and revoke tokens. */
export interface TokenLimitOptions {
  /**
   * The quota for each app, shared by all of the app's grants. Default: 3,000 requests in 60 seconds. Requests from a public app
   * are counted separately for each address, because anyone can use the app's ID.
   */
  readonly perApp?: RateQuota;
  /** The quota for each grant. A grant needs only one new token every half hour. Default: 30 requests in 60 seconds. */
  readonly perGrant?: RateQuota;
  /** The store that counts the requests. By default, each process keeps its own count in memory. */
  readonly store?: RateLimitStore;
}

/** Maximum number of apps, and of grants, that are counted separately in memory. Beyond that, windows are evicted. */
const MAX_WINDOWS = 100_000;

const defaultLimits: Required<Pick<TokenLimitOptions, "perApp" | "perGrant">> = {
  perApp: { requests: 3_000, seconds: 60 },
  perGrant: { requests: 30, seconds: 60 },
};

/** Counts requests per app and per grant, and rejects requests that exceed a quota. */
export class TokenLimits {
  private readonly quotas: typeof defaultLimits;
  private readonly store: RateLimitStore | null;
  private readonly windows: Readonly<Record<keyof typeof defaultLimits, FixedWindows>>;

  /**
   * @param options the quotas and the store, or `false` for no limits.
   * @throws {RangeError} if a quota is invalid.
   */
  constructor(
    private readonly options: TokenLimitOptions | false,
    clock: Clock,
  ) {
    const { store = null, ...quotas } = options === false ? {} : options;
    this.quotas = { ...defaultLimits, ...quotas };
    assertQuota(this.quotas.perApp);
    assertQuota(this.quotas.perGrant);
    this.store = store;
    this.windows = {
      perApp: new FixedWindows(clock, MAX_WINDOWS),
      perGrant: new FixedWindows(clock, MAX_WINDOWS),
    };
  }

  /**
   * Counts a request against the app's quota. Requests from a public app are counted separately for each address.
   * @param address the client's address, or `null` if it is unknown.
   * @throws {OAuthError} `temporarily_unavailable` with status 429 if the quota is exceeded.
   */
  countApp({ id, isPublic }: App, address: string | null, onError: (error: unknown) => void): Promise<void> {
    const network = (address === null ? null : toNetwork(address)) ?? "";
    return this.count("perApp", isPublic ? `${id} ${network}` : id, onError);
  }

  /**
   * Counts a request against a grant's quota.
   * @throws {OAuthError} `temporarily_unavailable` with status 429 if the quota is exceeded.
   */
  countGrant(id: string, onError: (error: unknown) => void): Promise<void> {
    return this.count("perGrant", id, onError);
  }

  /**
   * Counts a request. If the store fails, the request is allowed, because an outage of the counter must not take down the API.
   * @throws {OAuthError} `temporarily_unavailable` with status 429 if the quota is exceeded.
   */
  private async count(
    kind: keyof typeof defaultLimits,
    id: string,
    onError: (error: unknown) => void,
  ): Promise<void> {
    if (this.options === false) return;
    const { requests, seconds } = this.quotas[kind];
    const window = await this.countInWindow(kind, id, seconds).catch(onError);
    if (!window || window.requests <= requests) return;
    throw new OAuthError("temporarily_unavailable", "too many requests; try again later", 429, {
      retryAfter: getSecondsLeft(window),
    });
  }

  private async countInWindow(
    kind: keyof typeof defaultLimits,
    id: string,
    seconds: number,
  ): Promise<RateWindow> {
    if (this.store === null) return this.windows[kind].count(id, seconds);
    // Distinct from every token, because no token contains a space.
    return this.store.count(hashOfToken(`oauth ${kind} ${id}`), seconds);
  }
}
