import type { Actor } from "../access/actor-schema.js";
import type { Step } from "../base/concurrency/step.js";
import { accessDenied, createLoyaltyError } from "../base/errors.js";
import { type Scope, scopesOfRole } from "../base/scopes.js";
import { hashOfKey } from "../base/secrets/idempotency-seal.js";
import type { StoredApiToken } from "../storage/api-tokens.js";
import type { StoredGrantToken } from "../storage/apps.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/** The access that a verified token grants, and the identity of the caller who presented it. */
export interface Principal {
  /** ID of the organization whose data the caller can access. */
  readonly organizationId: string;
  /** The scopes that the token grants. Calls that require any other scope are rejected. */
  readonly scopes: readonly Scope[];
  /**
   * The service ID or external ID of the user on whose behalf the caller acts. The caller can access only that user's profile and
   * cards.
   */
  readonly user?: string;
  /** The host's ID for the caller. Requests with the same subject share one rate limit. */
  readonly subject?: string;
  /**
   * The ID of the caller's session, such as a grant's ID. It distinguishes callers that have the same subject. See
   * `CallerOptions`.
   */
  readonly session?: string;
  /**
   * The kind and ID of the actor to record for changes, together with `subject`. The kind defaults to `customer` if `user` is set,
   * and to `token` otherwise.
   */
  readonly actor?: { readonly kind: Actor["kind"]; readonly id?: string };
}

/** A registered symbol, so that bundled copies of the package share it. */
const CREDENTIAL: unique symbol = Symbol.for("loyalty-kit.credential");

/** A principal with its caller's credential, stored in a non-enumerable property so that logs don't show it. */
interface PrincipalWithCredential extends Principal {
  readonly [CREDENTIAL]?: Credential;
}

/** Returns the credential that the caller presented, or `undefined` if it is known only to the host. */
export function getCredential(principal: PrincipalWithCredential): Credential | undefined {
  return principal[CREDENTIAL];
}

/** Returns a copy of the principal that also includes the credential that the caller presented. */
export function withCredential(principal: Principal, credential: Credential): Principal {
  return Object.defineProperty({ ...principal }, CREDENTIAL, { value: credential });
}

/**
 * A caller's credential. It can become invalid while the caller's row still exists, for example when a token's secret is rotated,
 * when an app revokes its access token, or when a person signs out.
 */
export interface Credential {
  /** SHA-256 of the API token or access token, as 64 lowercase hexadecimal digits. */
  readonly hash: string;
  /** The browser session that uses the API token, or `null` if there is none. */
  readonly session: TokenSession | null;
}

/** A browser session that was started with an API token. */
export interface TokenSession {
  /** The session's unguessable ID. */
  readonly id: string;
  /** When the session started, in milliseconds since the Unix epoch. */
  readonly begunAt: number;
}

/** How long the service remembers sessions that were ended early, in milliseconds. This is also the maximum session length. */
export const ENDED_SESSION_RETENTION_MS = 24 * 3_600_000;

/** Returns the name of the cooldown that marks a session as ended. */
export function buildSessionCooldownName(organizationId: string, sessionId: string): string {
  return hashOfKey(organizationId, `ended session ${sessionId}`);
}

/**
 * Returns the name of the cooldown that ends all of a token's sessions. Only sessions that began before the cooldown are
 * ended.
 */
export function buildAllSessionsCooldownName(organizationId: string, tokenId: string): string {
  return buildSessionCooldownName(organizationId, `all sessions of ${tokenId}`);
}

/** Returns whether a session was ended early, either on its own or together with all of the token's other sessions. */
function* hasSessionEnded(
  reader: StorageReader,
  organizationId: string,
  tokenId: string,
  { id, begunAt }: TokenSession,
  now: number,
): Step<boolean> {
  const sessionCooldown = yield* reader.findCooldown(buildSessionCooldownName(organizationId, id));
  if (sessionCooldown !== null && sessionCooldown.until > now) return true;
  const tokenCooldown = yield* reader.findCooldown(buildAllSessionsCooldownName(organizationId, tokenId));
  return (
    tokenCooldown !== null &&
    tokenCooldown.until > now &&
    begunAt <= tokenCooldown.until - ENDED_SESSION_RETENTION_MS
  );
}

/**
 * Returns whether a token is within its lifetime. A token whose creation time is a full lifetime or more in the future isn't live
 * either, so setting the clock back can't extend a lifetime indefinitely.
 */
export function isLive({ createdAt, expiresAt }: StoredGrantToken, now: number): boolean {
  return Math.abs(now - createdAt) < expiresAt - createdAt;
}

/** Patterns for the IDs of rows that grant rights, keyed by actor kind. */
const rowIdPatterns: Readonly<Partial<Record<Actor["kind"], RegExp>>> = {
  token: /^akt_/,
  console: /^(?:akt|per)_/,
  app: /^grt_/,
};

/**
 * Returns the ID of the token, person, or grant that a caller's rights come from, or `null` if there is none, as for the host's own
 * code and for users known only to the host.
 */
export function findRowId({ kind, id }: Actor, session: string | null): string | null {
  const rowId = kind === "app" ? session : id;
  return rowId !== null && rowIdPatterns[kind]?.test(rowId) ? rowId : null;
}

/** The session and credential that a caller's rights depend on. If either becomes invalid, the caller loses all rights. */
export interface CallerProof {
  /** The person's session, or `null` to accept any session. */
  readonly session: string | null;
  /** The caller's credential, or `null` if it is known only to the host. */
  readonly credential: Credential | null;
}

const noProof: CallerProof = { session: null, credential: null };

/**
 * Returns the current scopes of a token, person, or grant.
 * @param proof the session and credential that must still be valid. Omit it when checking the rights of a resource's creator.
 * @returns the scopes, or `null` if the row was removed or has expired, or if the session or credential is no longer valid.
 */
export function* readCurrentScopes(
  reader: StorageReader,
  organizationId: string,
  rowId: string,
  now: number,
  { session, credential }: CallerProof = noProof,
): Step<readonly string[] | null> {
  if (rowId.startsWith("per_")) {
    const person = yield* reader.findPerson(rowId);
    const hasSession =
      session === null || person?.sessions.some(({ id, expiresAt }) => id === session && now < expiresAt);
    return person !== null && hasSession ? scopesOfRole[person.role] : null;
  }
  if (rowId.startsWith("grt_")) {
    const grant = yield* reader.findGrant(rowId);
    if (grant === null || isExpired(grant.expiresAt, now)) return null;
    const isValidToken =
      credential === null
        ? !isExpired((yield* reader.grantEndsAt(rowId)) ?? now, now)
        : yield* isLiveGrantToken(reader, rowId, credential, now);
    return isValidToken ? grant.scopes : null;
  }
  const namedToken = yield* reader.findApiToken(rowId);
  const token =
    credential && namedToken
      ? yield* findCurrentToken(reader, organizationId, namedToken, credential)
      : namedToken;
  if (token === null || isExpired(token.expiresAt, now)) return null;
  const tokenSession = credential?.session ?? null;
  const hasEnded =
    tokenSession !== null && (yield* hasSessionEnded(reader, organizationId, rowId, tokenSession, now));
  return hasEnded ? null : token.scopes;
}

/** Returns whether an access token belongs to a grant and is live. */
function* isLiveGrantToken(
  reader: StorageReader,
  grantId: string,
  { hash }: Credential,
  now: number,
): Step<boolean> {
  const grantToken = yield* reader.all.findGrantTokenByHash(hash);
  return grantToken !== null && grantToken.grant.id === grantId && isLive(grantToken.token, now);
}

/**
 * Returns the token that a secret belongs to: the named token, or the overlapping token of a previous secret; `null` if the secret
 * belongs to neither.
 */
function* findCurrentToken(
  reader: StorageReader,
  organizationId: string,
  namedToken: StoredApiToken,
  { hash }: Credential,
): Step<StoredApiToken | null> {
  if (namedToken.hash === hash) return namedToken;
  const [previous] = yield* reader.all.findApiTokensByHash([hash]);
  // The lookup by hash takes no lock, so the token may have been revoked in the meantime.
  return previous?.organizationId === organizationId ? yield* reader.findApiToken(previous.token.id) : null;
}

function isExpired(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/**
 * A caller's rights. A change might wait in a queue, so the row that grants the caller's rights is read again when the change runs.
 * The change runs with the rights granted at that time.
 */
export class CallerRights {
  /** The scopes checked so far during the call. They are checked again when the call's change runs. */
  readonly #neededScopes: Set<Scope>;
  #grantedScopes: ReadonlySet<string> | "all";

  /**
   * @param granted the caller's scopes, or `all`.
   * @param rowId the ID of the token, person, or grant that the scopes come from, or `null` if there is none.
   * @param proof the session and credential that must still be valid. See {@link readCurrentScopes}.
   * @param neededScopes the scopes that were checked before the call began.
   */
  constructor(
    granted: ReadonlySet<string> | "all",
    private readonly rowId: string | null = null,
    private readonly proof: CallerProof = noProof,
    neededScopes: Iterable<Scope> = [],
  ) {
    this.#grantedScopes = granted;
    this.#neededScopes = new Set(neededScopes);
  }

  /**
   * Returns a copy of these rights for a single call. The call's changes are then rejected only if the caller has lost a scope that
   * this call needs.
   */
  ofCall(): CallerRights {
    return new CallerRights(this.#grantedScopes, this.rowId, this.proof, this.#neededScopes);
  }

  get granted(): ReadonlySet<string> | "all" {
    return this.#grantedScopes;
  }

  /** The scopes checked so far during the call. Empty if the caller has all rights. */
  get needed(): readonly Scope[] {
    return [...this.#neededScopes];
  }

  /** Whether the rights come from a stored row and can therefore be revoked while the call waits. */
  get hasRow(): boolean {
    return this.rowId !== null;
  }

  holds(scope: Scope): boolean {
    if (this.#grantedScopes === "all") return true;
    if (!this.#grantedScopes.has(scope)) return false;
    this.#neededScopes.add(scope);
    return true;
  }

  /**
   * Reads the caller's row again, and drops any scopes that the row no longer grants.
   * @throws {LoyaltyError} `unauthorized` if the row no longer exists, or `access_denied` for the first scope that the call needs
   *   but the caller has lost.
   */
  *renew(reader: StorageReader, organizationId: string, now: number): Step<void> {
    const { rowId, proof } = this;
    const granted = this.#grantedScopes;
    if (rowId === null || granted === "all") return;
    const scopes = yield* readCurrentScopes(reader, organizationId, rowId, now, proof);
    if (scopes === null) throw createLoyaltyError("unauthorized");
    for (const scope of this.#neededScopes) if (!scopes.includes(scope)) throw accessDenied(scope);
    const remainingScopes = scopes.filter((scope) => granted.has(scope));
    if (remainingScopes.length < granted.size) this.#grantedScopes = new Set(remainingScopes);
  }
}

/** The rights of trusted code, such as the host's own, which has every scope. */
export const allRights = new CallerRights("all");
