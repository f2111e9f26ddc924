import { putAndEvict } from "../bounded-map.js";
import { Semaphore } from "../concurrency/semaphore.js";
import { runStep } from "../concurrency/step.js";
import { BatchedCalls, CoalescedCalls } from "../concurrency/task-tracker.js";
import { createLoyaltyError } from "../errors.js";
import type { Actor } from "../resources/actor.js";
import { isScope, type Scope } from "../scopes.js";
import { type ReadToken, readToken } from "../secrets/token-format.js";
import type { OwnedApiToken, StoredApiToken } from "../storage/api-tokens.js";
import type { StoredGrantToken } from "../storage/apps.js";
import type { StorageAdapter } from "../storage/storage-adapter.js";
import { type Credential, isLive } from "../tenant/credential.js";
import type { Engine } from "../tenant/engine.js";
import { Networks } from "../values/networks.js";

/** Concurrent lookups of API tokens. Each serves all callers since the last one, and takes a connection. */
const LOOK_UPS_AT_ONCE = 2;

/** A use is written down again once `lastUsedAt` is this old. */
const TOUCH_INTERVAL_MS = 60_000;

/** Concurrent writes of last uses. Each may hold a connection while it waits for its organization. */
const TOUCHES_AT_ONCE = 2;

/** A principal is the organization and the scopes that a verified token gives its caller. */
export interface Principal {
  readonly organizationId: string;
  readonly scopes: readonly Scope[];
  /** The user, by service id or external id, whom the caller is: it sees nothing but that profile and its cards. */
  readonly user?: string;
  /** The caller's id at the host: requests with one subject are counted together. */
  readonly subject?: string;
  /** The session, such as a grant, tells callers with one subject apart: see `CallerOptions`. */
  readonly session?: string;
  /** The actor that changes are recorded with, beside `subject`. Default: a token of the host. */
  readonly actor?: { readonly kind: Actor["kind"]; readonly id?: string };
}

/** Copies of the package that a bundler makes know it, too. */
const CREDENTIAL: unique symbol = Symbol.for("loyalty-kit.credential");

/** A principal with its caller's credential, in a non-enumerable field so that logs don't show it. */
interface KnownPrincipal extends Principal {
  readonly [CREDENTIAL]?: Credential;
}

/** Returns what the caller of a verified principal has shown; `undefined` where only the host knows that. */
export function credentialOf(principal: KnownPrincipal): Credential | undefined {
  return principal[CREDENTIAL];
}

/** Returns a principal of the caller who has shown a credential. */
export function withCredential(principal: Principal, credential: Credential): Principal {
  return Object.defineProperty({ ...principal }, CREDENTIAL, { value: credential });
}

/** The cache holds at most this many tokens; further ones are looked up each time. */
const MOST = 10_000;

interface FoundToken {
  readonly organizationId: string;
  readonly token: { readonly scopes: readonly string[] };
}

/** A principal is valid while the stored values that it was made of, its key, stay the same. */
interface KeptPrincipal {
  readonly key: readonly (string | undefined)[];
  readonly principal: Principal;
}

/** A stored token, and who it speaks for. */
type KnownToken = {
  readonly principal: Principal;
} & (
  | { readonly kind: "api"; readonly token: StoredApiToken; readonly allowed: Networks | null }
  | { readonly kind: "access"; readonly token: StoredGrantToken }
);

/**
 * Finds the principal of a bearer token in the current state, so that expiry and revocation take effect immediately in every
 * process. Tokens are found by their hash, so the time that takes reveals nothing about them.
 */
export class TokenVerifier {
  private readonly remembered: TokenCache<KnownToken>;
  private readonly principals = new Map<string, KeptPrincipal>();
  private readonly touches = new Map<string, Promise<void>>();
  private readonly found = new BatchedCalls(
    (hashes: readonly string[]) => this.find(hashes),
    LOOK_UPS_AT_ONCE,
  );
  private readonly lookUps = {
    api: (hash: string) => this.apiToken(hash),
    access: (hash: string) => this.accessToken(hash),
  };
  private readonly slots = new Semaphore(TOUCHES_AT_ONCE);

  constructor(
    private readonly engine: Engine,
    private readonly onError: (error: unknown) => void,
  ) {
    this.remembered = new TokenCache(engine.storage);
  }

  /**
   * Any bearer token; `null` for one that is malformed, unknown, revoked or expired.
   * @param address from which it came; `null` if unknown.
   * @throws {LoyaltyError} `address_not_allowed`.
   */
  verify(token: string, address: string | null): Promise<Principal | null> {
    return this.principal(readToken(token), address);
  }

  /** API tokens alone. */
  verifyApiToken(token: string, address: string | null): Promise<Principal | null> {
    const read = readToken(token);
    return this.principal(read?.kind === "api" ? read : null, address);
  }

  /** Resolves when every noted use is written. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.touches.values());
  }

  private async principal(read: ReadToken | null, address: string | null): Promise<Principal | null> {
    if (read === null) return null;
    const { kind, hash } = read;
    if (kind !== "api" && kind !== "access") return null;
    const known = this.remembered.get(hash) ?? (await this.remembered.find(hash, this.lookUps[kind]));
    return known && this.principalOf(known, address);
  }

  private async apiToken(hash: string): Promise<KnownToken | null> {
    const found = await this.found.run(hash);
    if (found === undefined) return null;
    const { token } = found;
    const allowed = token.allowedAddresses && new Networks(token.allowedAddresses);
    return { kind: "api", token, allowed, principal: this.principalFor(hash, found, "token", token.id) };
  }

  private async find(hashes: readonly string[]): Promise<(OwnedApiToken | undefined)[]> {
    const found = await runStep(this.engine.storage.findApiTokensByHash([...new Set(hashes)]));
    const byHash = new Map(found.map((each) => [each.token.hash, each]));
    return hashes.map((hash) => byHash.get(hash));
  }

  private async accessToken(hash: string): Promise<KnownToken | null> {
    const found = await runStep(this.engine.storage.findGrantTokenByHash(hash));
    if (found === null) return null;
    const { id: session, appId, subject } = found.grant;
    const principal = this.principalFor(hash, found, "app", appId, { subject, session });
    return { kind: "access", token: found.token, principal };
  }

  /** Keeps the principal of a token over commits, so that the actor of a frozen principal is checked once. */
  private principalFor(
    hash: string,
    { organizationId, token }: FoundToken,
    kind: "token" | "app",
    id: string,
    more: Pick<Principal, "subject" | "session"> = {},
  ): Principal {
    const known = this.principals.get(hash);
    const key = [organizationId, kind, id, more.subject, more.session, ...token.scopes];
    if (known !== undefined && isSame(known.key, key)) return known.principal;
    const scopes = Object.freeze(token.scopes.filter(isScope));
    const actor = Object.freeze({ kind, id });
    const principal = Object.freeze(
      withCredential({ organizationId, scopes, actor, ...more }, { hash, session: null }),
    );
    putAndEvict(this.principals, hash, { key, principal }, MOST);
    return principal;
  }

  private principalOf(known: KnownToken, address: string | null): Principal | null {
    const { principal } = known;
    const now = this.engine.clock();
    if (known.kind === "access") return isLive(known.token, now) ? principal : null;
    const { token, allowed } = known;
    if (token.expiresAt !== null && token.expiresAt <= now) return null;
    if (allowed !== null && !allowed.has(address)) {
      throw createLoyaltyError("address_not_allowed", address === null ? null : [address]);
    }
    if (isTouchDue(token, now)) this.recordUse(principal.organizationId, token.id, now);
    return principal;
  }

  /** Writes the use without keeping the caller waiting. Uses of a token under way are one. */
  private recordUse(organizationId: string, id: string, now: number): void {
    if (this.touches.has(id)) return;
    const { storage } = this.engine;
    const touched = this.slots
      .run(() =>
        storage.transaction(function* (tx) {
          // Another process may have noted it, or this one since it was looked up.
          const token = yield* tx.findApiToken(organizationId, id);
          if (token !== null && isTouchDue(token, now)) yield* tx.touchApiToken(organizationId, id, now);
        }),
      )
      .catch(this.onError)
      .finally(() => this.touches.delete(id));
    this.touches.set(id, touched);
  }
}

function isSame(some: KeptPrincipal["key"], others: KeptPrincipal["key"]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at]);
}

/** Returns whether the last use is old enough to be written again, or in the future because the clock was set back. */
function isTouchDue({ lastUsedAt }: StoredApiToken, now: number): boolean {
  return lastUsedAt === null || Math.abs(now - lastUsedAt) >= TOUCH_INTERVAL_MS;
}

/**
 * Caches tokens by their hash as long as the storage reports that no process has committed anything since, so a revoked token is
 * looked up again immediately. If the storage can't report that, nothing is cached, but one lookup serves all callers that ask
 * before it begins.
 */
export class TokenCache<Entry> {
  private readonly entries = new Map<string, Entry>();
  private state: object | null = null;
  private readonly lookUps = new CoalescedCalls<Entry | null>();

  constructor(
    private readonly storage: Pick<StorageAdapter, "committedState">,
    private readonly most = MOST,
  ) {}

  /** Returns the cached entry of a hash; `null` if there is none or something was committed since. */
  get(hash: string): Entry | null {
    this.forgetOutdated();
    return this.entries.get(hash) ?? null;
  }

  /** Looks a hash up and caches the result. Unknown hashes are not cached, because there is no limit to them. */
  async find(hash: string, lookUp: (hash: string) => Promise<Entry | null>): Promise<Entry | null> {
    const state = this.forgetOutdated();
    const found = await this.lookUps.run(hash, () => lookUp(hash));
    // Whatever was committed during the look-up changes the state that the next call sees.
    const holds = state !== null && state === this.state;
    if (found !== null && holds && this.entries.size < this.most) this.entries.set(hash, found);
    return found;
  }

  private forgetOutdated(): object | null {
    const state = this.storage.committedState();
    if (state !== this.state) this.entries.clear();
    this.state = state;
    return state;
  }
}
