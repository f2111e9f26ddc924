import { isLive } from "./grant-tokens.js";
import { isScope, type Scope } from "./scopes.js";
import type { Engine } from "./tenant.js";
import { hashOfToken, kindOfToken } from "./token-format.js";

/** How old `lastUsedAt` may grow before a use is written down again. */
const TOUCH_INTERVAL_MS = 60_000;

/** Who a valid token speaks for. */
export interface Principal {
  readonly organizationId: string;
  readonly scopes: readonly Scope[];
}

/**
 * Tells whom a bearer token speaks for. Every look-up reads what is stored now, so that expiry and revocation are
 * effective at once in every process. Tokens are found by their hash: how long that takes tells nothing about any.
 */
export class TokenVerifier {
  private readonly touches = new Map<string, Promise<void>>();

  constructor(
    private readonly engine: Engine,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Any bearer token; `null` for one that is malformed, unknown, revoked or expired. */
  async verify(token: string): Promise<Principal | null> {
    switch (kindOfToken(token)) {
      case "api":
        return this.apiToken(hashOfToken(token));
      case "access":
        return this.accessToken(hashOfToken(token));
      default:
        return null;
    }
  }

  /** API tokens alone. */
  async verifyApiToken(token: string): Promise<Principal | null> {
    return kindOfToken(token) === "api" ? this.apiToken(hashOfToken(token)) : null;
  }

  /** Resolves when every noted use is written. */
  async settled(): Promise<void> {
    await Promise.all(this.touches.values());
  }

  private async apiToken(hash: string): Promise<Principal | null> {
    const found = await this.engine.storage.findApiTokenByHash(hash);
    const now = this.engine.clock();
    if (found === null || (found.token.expiresAt !== null && found.token.expiresAt <= now)) return null;
    const { organizationId, token: stored } = found;
    // Also when it is in the future, since the clock was set back.
    if (stored.lastUsedAt === null || Math.abs(now - stored.lastUsedAt) >= TOUCH_INTERVAL_MS) {
      this.touch(organizationId, stored.id, now);
    }
    return { organizationId, scopes: stored.scopes.filter(isScope) };
  }

  private async accessToken(hash: string): Promise<Principal | null> {
    const found = await this.engine.storage.findGrantTokenByHash(hash);
    if (found === null || !isLive(found.token, this.engine.clock())) return null;
    return { organizationId: found.organizationId, scopes: found.token.scopes.filter(isScope) };
  }

  /** Writes the use without keeping the caller waiting. Uses of a token under way are one. */
  private touch(organizationId: string, id: string, now: number): void {
    if (this.touches.has(id)) return;
    const touched = this.engine.storage
      .transaction((tx) => tx.touchApiToken(organizationId, id, now))
      .then(() => undefined, this.onError)
      .finally(() => this.touches.delete(id));
    this.touches.set(id, touched);
  }
}
