import { SignJWT } from "jose";
import type { Clock } from "../../../src/index.js";
import type { GoogleIdentity } from "./identity.js";
import { whyUnreachable } from "./unreachable.js";

const SCOPE = "https://www.googleapis.com/auth/wallet_object.issuer";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** For how long an assertion says it holds: the most that Google takes. */
const HOLDS_SECONDS = 3_600;

/** How long before its end another token is asked for, and how long before it a token is taken for over, in milliseconds. */
const AHEAD_MS = 300_000;
const MARGIN_MS = 60_000;

/** How long getting a token may take, in milliseconds. */
const TIMEOUT_MS = 8_000;

/** Google gave no access token. */
export class TokenRefusal extends Error {
  constructor(
    /** The HTTP status; 0 when there was no answer. */
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
 * The access tokens of a service account (RFC 7523): each is had once, and used until it ends. The next one is asked for before
 * that, while nobody waits for it.
 */
export class AccessTokens {
  private current: AccessToken | null = null;
  private getting: Promise<AccessToken> | null = null;

  constructor(
    private readonly identity: GoogleIdentity,
    private readonly clock: Clock,
    /** Ends what is under way. */
    private readonly closing: AbortSignal,
  ) {}

  /** @throws {TokenRefusal} when there is none. @throws what the signal is aborted with. */
  async get(signal: AbortSignal): Promise<string> {
    const { current } = this;
    const isGood = current !== null && this.clock() < current.until - MARGIN_MS;
    if (!isGood) return (await abortable(this.next(), signal)).text;
    // What goes wrong with it is told by who needs it.
    if (this.clock() >= current.until - AHEAD_MS) this.next().catch(() => {});
    return current.text;
  }

  /** Google takes this token no more: the next call gets another one. */
  forget(token: string): void {
    if (this.current?.text === token) this.current = null;
  }

  /** Those who ask at once share the asking, and each waits for as long as it may. */
  private next(): Promise<AccessToken> {
    this.getting ??= this.fetch()
      .then((token) => {
        this.current = token;
        return token;
      })
      .finally(() => {
        this.getting = null;
      });
    return this.getting;
  }

  private async fetch(): Promise<AccessToken> {
    const { tokenUrl } = this.identity;
    const body = new URLSearchParams({ grant_type: GRANT, assertion: await this.assertion() });
    const now = this.clock();
    const { status, answer, trouble } = await posted(
      tokenUrl,
      body,
      AbortSignal.any([this.closing, AbortSignal.timeout(TIMEOUT_MS)]),
    );
    const { access_token: text, expires_in: seconds, error } = answer;
    if (status === 200 && typeof text === "string" && typeof seconds === "number") {
      return { text, until: now + seconds * 1_000 };
    }
    throw new TokenRefusal(status, typeof error === "string" ? error.slice(0, 100) : trouble);
  }

  private assertion(): Promise<string> {
    const { clientEmail, keyId, key, tokenUrl } = this.identity;
    const now = Math.floor(this.clock() / 1_000);
    return new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(keyId !== null && { kid: keyId }) })
      .setIssuer(clientEmail)
      .setAudience(tokenUrl)
      .setIssuedAt(now)
      .setExpirationTime(now + HOLDS_SECONDS)
      .sign(key);
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

async function posted(url: string, body: URLSearchParams, signal: AbortSignal) {
  try {
    const response = await fetch(url, { method: "POST", body, signal, redirect: "error" });
    const parsed: unknown = await response.json().catch(() => null);
    const answer: Readonly<Record<string, unknown>> =
      typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
    return { status: response.status, answer, trouble: "without saying why" };
  } catch (error) {
    return { status: 0, answer: {}, trouble: whyUnreachable(url, error) };
  }
}
