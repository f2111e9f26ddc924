import type { App } from "../../../src/resources/app.js";
import { hashOfToken } from "../../../src/secrets/token-format.js";
import type { Clock } from "../../../src/values/clock.js";
import { toNetwork } from "../../http/rate-limits/client-network.js";
import { FixedWindows } from "../../http/rate-limits/fixed-windows.js";
import {
  assertQuota,
  type RateLimitStore,
  type RateQuota,
  type RateWindow,
  secondsLeft,
} from "../../http/rate-limits/store.js";
import { OAuthError } from "./oauth-error.js";

/** Limits how often apps may ask for tokens and give them back. */
export interface TokenLimitOptions {
  /**
   * Limits the requests of an app for all its grants. Default: 3,000 requests in 60 seconds. Anyone can name a public app, so it is
   * counted separately for each address.
   */
  readonly perApp?: RateQuota;
  /** Limits the requests of an app for one grant, which needs a token in half an hour. Default: 30 requests in 60 seconds. */
  readonly perGrant?: RateQuota;
  /** The store that counts the requests. Without it every process counts for itself in memory. */
  readonly store?: RateLimitStore;
}

/** The most apps, and the most grants, that are counted separately in memory; the oldest windows are dropped. */
const MAX_WINDOWS = 100_000;

const whole: Required<Pick<TokenLimitOptions, "perApp" | "perGrant">> = {
  perApp: { requests: 3_000, seconds: 60 },
  perGrant: { requests: 30, seconds: 60 },
};

/** Counts the requests of apps, so that no other client can use up an app's quota. */
export class TokenLimits {
  private readonly quotas: typeof whole;
  private readonly store: RateLimitStore | null;
  private readonly windows: Readonly<Record<keyof typeof whole, FixedWindows>>;

  /** @param options `false` for no limits. @throws {RangeError} if a quota can't be one. */
  constructor(
    private readonly options: TokenLimitOptions | false,
    clock: Clock,
  ) {
    const { store = null, ...quotas } = options === false ? {} : options;
    this.quotas = { ...whole, ...quotas };
    assertQuota(this.quotas.perApp);
    assertQuota(this.quotas.perGrant);
    this.store = store;
    this.windows = {
      perApp: new FixedWindows(clock, MAX_WINDOWS),
      perGrant: new FixedWindows(clock, MAX_WINDOWS),
    };
  }

  /**
   * Counts a request of an app.
   * @param address of who sends it; `null` if unknown.
   * @throws {OAuthError} `temporarily_unavailable` with status 429 above the quota.
   */
  countApp({ id, isPublic }: App, address: string | null, onError: (error: unknown) => void): Promise<void> {
    const network = (address === null ? null : toNetwork(address)) ?? "";
    return this.count("perApp", isPublic ? `${id} ${network}` : id, onError);
  }

  /** Counts a request for one grant. @throws {OAuthError} as {@link countApp}. */
  countGrant(id: string, onError: (error: unknown) => void): Promise<void> {
    return this.count("perGrant", id, onError);
  }

  /**
   * Counts a request. When the store fails it is allowed: an outage of the counter must not be one of the API.
   * @throws {OAuthError} `temporarily_unavailable` with status 429 above the quota.
   */
  private async count(
    kind: keyof typeof whole,
    id: string,
    onError: (error: unknown) => void,
  ): Promise<void> {
    if (this.options === false) return;
    const { requests, seconds } = this.quotas[kind];
    const window = await this.countInWindow(kind, id, seconds).catch(onError);
    if (!window || window.requests <= requests) return;
    throw new OAuthError("temporarily_unavailable", "too many requests; try again later", 429, {
      retryAfter: secondsLeft(window),
    });
  }

  private async countInWindow(kind: keyof typeof whole, id: string, seconds: number): Promise<RateWindow> {
    if (this.store === null) return this.windows[kind].count(id, seconds);
    // Distinct from every token, because no token contains a space.
    return this.store.count(hashOfToken(`oauth ${kind} ${id}`), seconds);
  }
}
