import { putAndEvict } from "../base/bounded-map.js";
import { Semaphore } from "../base/concurrency/fair-semaphore.js";
import { BatchedCalls, CoalescedCalls } from "../base/concurrency/shared-calls.js";
import { runStep } from "../base/concurrency/step.js";
import { createLoyaltyError } from "../base/errors.js";
import { isScope } from "../base/scopes.js";
import { type ReadToken, readToken } from "../base/secrets/token-format.js";
import { Networks } from "../base/values/networks.js";
import { isLive, type Principal, withCredential } from "../kernel/caller-rights.js";
import type { Engine } from "../kernel/engine.js";
import type { OwnedApiToken, StoredApiToken } from "../storage/api-tokens.js";
import type { StoredGrantToken } from "../storage/apps.js";
import type { StorageAdapter } from "../storage/storage-adapter.js";

/**
 * Maximum number of concurrent lookups of API tokens. Each lookup serves all calls that have arrived since the previous one, and
 * takes a connection.
 */
const LOOKUP_CONCURRENCY = 2;

/** Minimum age of `lastUsedAt`, in milliseconds, before a new use is written. */
const TOUCH_INTERVAL_MS = 60_000;

/** Maximum number of concurrent writes of `lastUsedAt`. Each may hold a connection while it waits for its organization. */
const TOUCH_CONCURRENCY = 2;

/** Maximum number of cached tokens. Further tokens are looked up each time. */
const MAX_ENTRIES = 10_000;

interface OwnedToken {
  readonly organizationId: string;
  readonly token: { readonly scopes: readonly string[] };
}

/** The caller that a token stands for: itself, or an app with a session of its user. */
interface TokenHolder extends Pick<Principal, "subject" | "session"> {
  readonly kind: "token" | "app";
  readonly id: string;
}

/** A cached principal. It stays valid while the stored values in its key stay the same. */
interface CachedPrincipal {
  readonly key: readonly (string | undefined)[];
  readonly principal: Principal;
}

/** A stored token and the principal it stands for. */
type CachedToken = {
  readonly principal: Principal;
} & (
  | { readonly kind: "api"; readonly token: StoredApiToken; readonly allowedNetworks: Networks | null }
  | { readonly kind: "access"; readonly token: StoredGrantToken }
);

/**
 * Verifies bearer tokens against the current state, so expiry and revocation take effect immediately in all processes. Tokens are
 * looked up by hash, so lookup times reveal nothing about a token.
 */
export class TokenVerifier {
  private readonly tokenCache: TokenCache<CachedToken>;
  private readonly principals = new Map<string, CachedPrincipal>();
  /** IDs of the tokens whose use is being recorded. */
  private readonly pendingTouchIds = new Set<string>();
  private readonly batchedLookups = new BatchedCalls(
    (hashes: readonly string[]) => this.findApiTokens(hashes),
    LOOKUP_CONCURRENCY,
  );
  private readonly lookupByKind = {
    api: (hash: string) => this.findApiToken(hash),
    access: (hash: string) => this.findAccessToken(hash),
  };
  private readonly touchSemaphore = new Semaphore(TOUCH_CONCURRENCY);

  constructor(private readonly engine: Pick<Engine, "storage" | "clock" | "changes">) {
    this.tokenCache = new TokenCache(engine.storage);
  }

  /**
   * Verifies a bearer token of any kind.
   * @param address the address that the request came from, or `null` if it is unknown.
   * @returns the principal, or `null` if the token is malformed, unknown, revoked, or expired.
   * @throws {LoyaltyError} `address_not_allowed` if the token can't be used from this address.
   */
  verify(token: string, address: string | null): Promise<Principal | null> {
    return this.resolvePrincipal(readToken(token), address);
  }

  /** Verifies an API token in the same way as {@link verify}. Returns `null` for any other kind of token. */
  verifyApiToken(token: string, address: string | null): Promise<Principal | null> {
    const parsedToken = readToken(token);
    return this.resolvePrincipal(parsedToken?.kind === "api" ? parsedToken : null, address);
  }

  private async resolvePrincipal(
    parsedToken: ReadToken | null,
    address: string | null,
  ): Promise<Principal | null> {
    if (parsedToken === null) return null;
    const { kind, hash } = parsedToken;
    if (kind !== "api" && kind !== "access") return null;
    const cachedToken =
      this.tokenCache.get(hash) ?? (await this.tokenCache.find(hash, this.lookupByKind[kind]));
    return cachedToken && this.verifyCachedToken(cachedToken, address);
  }

  private async findApiToken(hash: string): Promise<CachedToken | null> {
    const ownedToken = await this.batchedLookups.run(hash);
    if (ownedToken === undefined) return null;
    const { token } = ownedToken;
    const allowedNetworks = token.allowedAddresses && new Networks(token.allowedAddresses);
    return {
      kind: "api",
      token,
      allowedNetworks,
      principal: this.getOrCreatePrincipal(hash, ownedToken, { kind: "token", id: token.id }),
    };
  }

  private async findApiTokens(hashes: readonly string[]): Promise<(OwnedApiToken | undefined)[]> {
    const ownedTokens = await runStep(this.engine.storage.all.findApiTokensByHash([...new Set(hashes)]));
    const byHash = new Map(ownedTokens.map((entry) => [entry.token.hash, entry]));
    return hashes.map((hash) => byHash.get(hash));
  }

  private async findAccessToken(hash: string): Promise<CachedToken | null> {
    const grantToken = await runStep(this.engine.storage.all.findGrantTokenByHash(hash));
    if (grantToken === null) return null;
    const { id: session, appId, subject } = grantToken.grant;
    const principal = this.getOrCreatePrincipal(hash, grantToken, {
      kind: "app",
      id: appId,
      subject,
      session,
    });
    return { kind: "access", token: grantToken.token, principal };
  }

  /** Caches a token's principal across commits, so that the actor of a frozen principal is checked only once. */
  private getOrCreatePrincipal(
    hash: string,
    { organizationId, token }: OwnedToken,
    { kind, id, ...session }: TokenHolder,
  ): Principal {
    const cachedPrincipal = this.principals.get(hash);
    const key = [organizationId, kind, id, session.subject, session.session, ...token.scopes];
    if (cachedPrincipal !== undefined && isSameKey(cachedPrincipal.key, key))
      return cachedPrincipal.principal;
    const scopes = Object.freeze(token.scopes.filter(isScope));
    const actor = Object.freeze({ kind, id });
    const principal = Object.freeze(
      withCredential({ organizationId, scopes, actor, ...session }, { hash, session: null }),
    );
    putAndEvict(this.principals, hash, { key, principal }, MAX_ENTRIES);
    return principal;
  }

  private verifyCachedToken(cachedToken: CachedToken, address: string | null): Principal | null {
    const { principal } = cachedToken;
    const now = this.engine.clock();
    if (cachedToken.kind === "access") return isLive(cachedToken.token, now) ? principal : null;
    const { token, allowedNetworks } = cachedToken;
    if (token.expiresAt !== null && token.expiresAt <= now) return null;
    if (allowedNetworks !== null && !allowedNetworks.has(address)) {
      throw createLoyaltyError("address_not_allowed", address === null ? null : [address]);
    }
    if (isTouchDue(token, now)) this.recordUse(principal.organizationId, token.id, now);
    return principal;
  }

  /** Records that a token was used, without blocking the caller. Does nothing while a write for the same token is still running. */
  private recordUse(organizationId: string, id: string, now: number): void {
    if (this.pendingTouchIds.has(id)) return;
    this.pendingTouchIds.add(id);
    const { changes } = this.engine;
    const touch = this.touchSemaphore.run(() =>
      changes.runOutOfTurn(organizationId, function* (tx) {
        // Another process may have recorded the use, or this process may have recorded it since the lookup.
        const token = yield* tx.findApiToken(id);
        if (token !== null && isTouchDue(token, now)) yield* tx.touchApiToken(id, now);
      }),
    );
    changes.trackInBackground(touch.finally(() => this.pendingTouchIds.delete(id)));
  }
}

function isSameKey(key: CachedPrincipal["key"], otherKey: CachedPrincipal["key"]): boolean {
  return key.length === otherKey.length && key.every((part, index) => part === otherKey[index]);
}

/**
 * Returns whether `lastUsedAt` is due to be written again. A time far in the future also counts, because the clock may have been
 * set back.
 */
function isTouchDue({ lastUsedAt }: StoredApiToken, now: number): boolean {
  return lastUsedAt === null || Math.abs(now - lastUsedAt) >= TOUCH_INTERVAL_MS;
}

/**
 * Caches tokens by hash until the storage adapter reports a commit by any process, so that revoking a token takes effect
 * immediately. If the adapter can't report commits, nothing is cached, but calls with the same hash share a lookup that hasn't
 * started yet.
 */
export class TokenCache<Entry> {
  private readonly entries = new Map<string, Entry>();
  private state: object | null = null;
  private readonly pendingLookups = new CoalescedCalls<Entry | null>();

  constructor(
    private readonly storage: Pick<StorageAdapter, "committedState">,
    private readonly maxEntries = MAX_ENTRIES,
  ) {}

  /** Returns the cached entry for a hash, or `null` if there is none or if a change has been committed since it was cached. */
  get(hash: string): Entry | null {
    this.clearIfOutdated();
    return this.entries.get(hash) ?? null;
  }

  /**
   * Returns the entry that `lookUp` finds for a hash, and caches it. Unknown hashes aren't cached, because there can be any number
   * of them.
   */
  async find(hash: string, lookUp: (hash: string) => Promise<Entry | null>): Promise<Entry | null> {
    const state = this.clearIfOutdated();
    const entry = await this.pendingLookups.run(hash, () => lookUp(hash));
    // Any commit during the lookup changes the state that the next call sees.
    const isCurrent = state !== null && state === this.state;
    if (entry !== null && isCurrent && this.entries.size < this.maxEntries) this.entries.set(hash, entry);
    return entry;
  }

  private clearIfOutdated(): object | null {
    const state = this.storage.committedState();
    if (state !== this.state) this.entries.clear();
    this.state = state;
    return state;
  }
}
