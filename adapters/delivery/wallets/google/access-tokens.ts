import { SingleFlight } from "../../../../src/base/concurrency/shared-calls.js";
import type { Clock } from "../../../../src/index.js";
import { toFields, tryParseJson } from "../json.js";
import { describeConnectionError } from "./connection-error.js";
import { type GoogleIdentity, signAccountJwt } from "./identity.js";

const SCOPE = "https://www.googleapis.com/auth/wallet_object.issuer";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Maximum lifetime of an assertion that Google accepts, in seconds. */
const LIFETIME_SECONDS = 3_600;

/**
 * The next token is requested this long before the current one expires. Within the margin, a token counts as expired. Both in
 * milliseconds.
 */
const REFRESH_AHEAD_MS = 300_000;
const EXPIRY_MARGIN_MS = 60_000;

const TIMEOUT_MS = 8_000;

/** Thrown when Google doesn't issue an access token. */
export class AccessTokenError extends Error {
  constructor(
    /** The HTTP status, or 0 if there was no response. */
    readonly status: number,
    reason: string,
  ) {
    super(status === 0 ? reason : `Google didn't issue an access token: ${status} ${reason}`);
  }
}

interface AccessToken {
  readonly text: string;
  readonly expiresAt: number;
}

/**
 * Fetches and caches access tokens for a service account (RFC 7523). Fetches the next token in the background before the current
 * one expires, so that calls don't have to wait for it.
 */
export class AccessTokens {
  private current: AccessToken | null = null;
  private readonly requests = new SingleFlight<AccessToken>();

  constructor(
    private readonly identity: GoogleIdentity,
    private readonly clock: Clock,
    /** Cancels requests in progress when it is aborted. */
    private readonly closeSignal: AbortSignal,
  ) {}

  /**
   * Returns a valid access token, fetching one if necessary.
   * @throws {AccessTokenError} if Google doesn't issue a token.
   * @throws the signal's abort reason, if the signal is aborted.
   */
  async get(signal: AbortSignal): Promise<string> {
    const { current } = this;
    const isValid = current !== null && this.clock() < current.expiresAt - EXPIRY_MARGIN_MS;
    if (!isValid) return (await rejectOnAbort(this.getNext(), signal)).text;
    // Ignore a failure here. The call that needs the token will throw it.
    if (this.clock() >= current.expiresAt - REFRESH_AHEAD_MS) this.getNext().catch(() => {});
    return current.text;
  }

  /** Discards a token that Google no longer accepts. The next call to {@link get} fetches a new one. */
  invalidate(token: string): void {
    if (this.current?.text === token) this.current = null;
  }

  private getNext(): Promise<AccessToken> {
    return this.requests.run("", async () => {
      this.current = await this.fetch();
      return this.current;
    });
  }

  private async fetch(): Promise<AccessToken> {
    const { tokenUrl } = this.identity;
    const body = new URLSearchParams({ grant_type: GRANT_TYPE, assertion: await this.signAssertion() });
    const now = this.clock();
    const signal = AbortSignal.any([this.closeSignal, AbortSignal.timeout(TIMEOUT_MS)]);
    const request = { method: "POST", body, signal, redirect: "error" } as const;
    const response = await fetch(tokenUrl, request).catch((error: unknown) => {
      throw new AccessTokenError(0, describeConnectionError(tokenUrl, error));
    });
    const content = tryParseJson(await response.text().catch(() => ""));
    const { access_token: text, expires_in: seconds, error } = toFields(content);
    if (response.status === 200 && typeof text === "string" && typeof seconds === "number") {
      return { text, expiresAt: now + seconds * 1_000 };
    }
    const reason = typeof error === "string" ? error.slice(0, 100) : "without saying why";
    throw new AccessTokenError(response.status, reason);
  }

  private signAssertion(): Promise<string> {
    const now = this.clock();
    const claims = { scope: SCOPE, exp: Math.floor(now / 1_000) + LIFETIME_SECONDS };
    return signAccountJwt(this.identity, this.identity.tokenUrl, claims, now);
  }
}

/**
 * Rejects early if the signal is aborted.
 * @throws the signal's abort reason.
 */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
