import { Slots } from "../concurrency/slots.js";
import { isScope, type Scope } from "../scopes.js";
import { hashOfToken, kindOfToken } from "../secrets/token-format.js";
import type { StoredApiToken } from "../storage/api-tokens.js";
import type { Engine } from "../tenant/engine.js";
import { isLive } from "./grant-tokens.js";

/** How old `lastUsedAt` may grow before a use is written down again. */
const TOUCH_INTERVAL_MS = 60_000;

/** How many uses are written at once: each may hold a connection while it waits for its organization. */
const TOUCHES_AT_ONCE = 2;

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
  private readonly slots = new Slots(TOUCHES_AT_ONCE);

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
    if (isTouchDue(stored, now)) this.touch(organizationId, stored.id, now);
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
    const { storage } = this.engine;
    const touched = this.slots
      .run(() =>
        storage.transaction(async (tx) => {
          // Another process may have noted it, or this one since it was looked up.
          const token = await tx.findApiToken(organizationId, id);
          if (token !== null && isTouchDue(token, now)) await tx.touchApiToken(organizationId, id, now);
        }),
      )
      .catch(this.onError)
      .finally(() => this.touches.delete(id));
    this.touches.set(id, touched);
  }
}

/** Also when the last use is in the future, since the clock was set back. */
function isTouchDue({ lastUsedAt }: StoredApiToken, now: number): boolean {
  return lastUsedAt === null || Math.abs(now - lastUsedAt) >= TOUCH_INTERVAL_MS;
}
