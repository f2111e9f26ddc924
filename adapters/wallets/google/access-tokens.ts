import type { Clock } from "../../../src/index.js";
import { toFields, tryParseJson } from "../json.js";
import { SingleFlight } from "../single-flight.js";
import { describeConnectionError } from "./connection-error.js";
import { type GoogleIdentity, signAccountJwt } from "./identity.js";

const SCOPE = "https://www.googleapis.com/auth/wallet_object.issuer";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** The longest lifetime of an assertion that Google takes. */
const LIFETIME_SECONDS = 3_600;

/** Another token is asked for this long before the end of one, which is taken for over at the margin. */
const AHEAD_MS = 300_000;
const MARGIN_MS = 60_000;

const TIMEOUT_MS = 8_000;

/** Google gave no access token. */
export class AccessTokenError extends Error {
  constructor(
    /** The HTTP status; 0 without a response. */
    readonly status: number,
    reason: string,
  ) {
    super(status === 0 ? reason : `Google gives no access token: ${status} ${reason}`);
  }
}

interface AccessToken {
  readonly text: string;
  readonly until: number;
}

/**
 * The access tokens of a service account (RFC 7523). Each is fetched once and used until it expires; the next one is fetched in
 * time, so that no call waits for it.
 */
export class AccessTokens {
  private current: AccessToken | null = null;
  private readonly requests = new SingleFlight<AccessToken>();

  constructor(
    private readonly identity: GoogleIdentity,
    private readonly clock: Clock,
    /** Aborts running requests. */
    private readonly closing: AbortSignal,
  ) {}

  /** @throws {AccessTokenError} if there is none. @throws what the signal is aborted with. */
  async get(signal: AbortSignal): Promise<string> {
    const { current } = this;
    const isGood = current !== null && this.clock() < current.until - MARGIN_MS;
    if (!isGood) return (await abortable(this.next(), signal)).text;
    // A failure is thrown by the call that needs the token.
    if (this.clock() >= current.until - AHEAD_MS) this.next().catch(() => {});
    return current.text;
  }

  /** Drops a token that Google no longer accepts; the next call gets another one. */
  forget(token: string): void {
    if (this.current?.text === token) this.current = null;
  }

  private next(): Promise<AccessToken> {
    return this.requests.run("", async () => {
      this.current = await this.fetch();
      return this.current;
    });
  }

  private async fetch(): Promise<AccessToken> {
    const { tokenUrl } = this.identity;
    const body = new URLSearchParams({ grant_type: GRANT, assertion: await this.assertion() });
    const now = this.clock();
    const signal = AbortSignal.any([this.closing, AbortSignal.timeout(TIMEOUT_MS)]);
    const request = { method: "POST", body, signal, redirect: "error" } as const;
    const response = await fetch(tokenUrl, request).catch((error: unknown) => {
      throw new AccessTokenError(0, describeConnectionError(tokenUrl, error));
    });
    const content = tryParseJson(await response.text().catch(() => ""));
    const { access_token: text, expires_in: seconds, error } = toFields(content);
    if (response.status === 200 && typeof text === "string" && typeof seconds === "number") {
      return { text, until: now + seconds * 1_000 };
    }
    const reason = typeof error === "string" ? error.slice(0, 100) : "without saying why";
    throw new AccessTokenError(response.status, reason);
  }

  private assertion(): Promise<string> {
    const now = this.clock();
    const claims = { scope: SCOPE, exp: Math.floor(now / 1_000) + LIFETIME_SECONDS };
    return signAccountJwt(this.identity, this.identity.tokenUrl, claims, now);
  }
}

/** @throws what the signal is aborted with, if that comes first. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
