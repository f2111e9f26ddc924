import { SignJWT } from "jose";
import type { Clock } from "../../../src/index.js";
import type { GoogleIdentity } from "./identity.js";

const SCOPE = "https://www.googleapis.com/auth/wallet_object.issuer";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** For how long an assertion says it holds: the most that Google takes. */
const HOLDS_SECONDS = 3_600;

/** How long before its end a token is taken for over, in milliseconds. */
const MARGIN_MS = 60_000;

/** Google gave no access token. */
export class TokenRefusal extends Error {
  constructor(
    /** The HTTP status; 0 when there was no answer. */
    readonly status: number,
    reason: string,
  ) {
    super(`Google gives no access token: ${status} ${reason}`);
  }
}

interface AccessToken {
  readonly text: string;
  readonly until: number;
}

/** The access tokens of a service account (RFC 7523): each is had once, and used until it ends. */
export class AccessTokens {
  private current: AccessToken | null = null;
  private getting: Promise<AccessToken> | null = null;

  constructor(
    private readonly identity: GoogleIdentity,
    private readonly clock: Clock,
  ) {}

  /** @throws {TokenRefusal} when there is none. */
  async get(signal: AbortSignal): Promise<string> {
    if (this.current !== null && this.clock() < this.current.until - MARGIN_MS) return this.current.text;
    this.getting ??= this.fetch(signal).finally(() => {
      this.getting = null;
    });
    this.current = await this.getting;
    return this.current.text;
  }

  /** Google takes this token no more: the next call gets another one. */
  forget(token: string): void {
    if (this.current?.text === token) this.current = null;
  }

  private async fetch(signal: AbortSignal): Promise<AccessToken> {
    const { tokenUrl } = this.identity;
    const body = new URLSearchParams({ grant_type: GRANT, assertion: await this.assertion() });
    const now = this.clock();
    const { status, answer } = await posted(tokenUrl, body, signal);
    const { access_token: text, expires_in: seconds, error } = answer;
    if (status === 200 && typeof text === "string" && typeof seconds === "number") {
      return { text, until: now + seconds * 1_000 };
    }
    throw new TokenRefusal(status, typeof error === "string" ? error.slice(0, 100) : "no answer");
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

async function posted(url: string, body: URLSearchParams, signal: AbortSignal) {
  try {
    const response = await fetch(url, { method: "POST", body, signal, redirect: "error" });
    const parsed: unknown = await response.json().catch(() => null);
    const answer: Readonly<Record<string, unknown>> =
      typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
    return { status: response.status, answer };
  } catch {
    return { status: 0, answer: {} };
  }
}
