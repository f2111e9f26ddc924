import { runStep, type Step } from "../base/concurrency/step.js";
import { openOutcome, sealOutcome } from "../base/secrets/idempotency-seal.js";
import { matchesChallenge } from "../base/secrets/pkce.js";
import { hashOfToken, isSameSecret, kindOfToken } from "../base/secrets/token-format.js";
import { newId } from "../base/values/ids.js";
import { isLongerThan, isStorable } from "../base/values/text.js";
import { isLive } from "../kernel/caller-rights.js";
import type { Engine } from "../kernel/engine.js";
import type { GrantTokenKind, OwnedGrantToken, StoredApp } from "../storage/apps.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { type App, appOf } from "./app-schema.js";
import { type CodeDetails, createGrantToken, isInGracePeriod, removeExpiredTokens } from "./grant-tokens.js";

const MAX_ID_LENGTH = 100;

/** An access token and a refresh token, with the other fields of a token response (RFC 6749, section 5.1). */
export interface IssuedTokens {
  readonly accessToken: string;
  /** Lifetime of the access token, in seconds. */
  readonly expiresIn: number;
  readonly refreshToken: string;
  /** The access token's scopes, which can be a subset of the grant's scopes. */
  readonly scopes: readonly string[];
}

/** An app and the ID of the organization that registered it. */
export interface RegisteredApp {
  readonly organizationId: string;
  readonly app: App;
}

/** The error code for a refused token request (RFC 6749, section 5.2) and the reason for the refusal. */
export interface GrantRefusal {
  readonly refused: "invalid_grant" | "invalid_scope";
  readonly reason: string;
}

export interface CodeExchange {
  readonly code: string;
  /** The redirect URI in the request, or `null` if the request had none. */
  readonly redirectUri: string | null;
  readonly codeVerifier: string;
}

/** A token in a request, and the kind that it must be of. */
interface PresentedToken {
  readonly kind: GrantTokenKind;
  readonly token: string;
}

export interface TokenRefresh {
  readonly refreshToken: string;
  /**
   * The scopes to request for the new access token, which must be a subset of the grant's scopes. `null` requests all of the
   * grant's scopes.
   */
  readonly scopes: readonly string[] | null;
}

const invalidCodeRefusal: GrantRefusal = {
  refused: "invalid_grant",
  reason: "the code is wrong, expired or used, or was given to another app",
};
const invalidRefreshTokenRefusal: GrantRefusal = {
  refused: "invalid_grant",
  reason: "the refresh token is wrong, expired, used or revoked, or was given to another app",
};
const mismatchRefusal: GrantRefusal = {
  refused: "invalid_grant",
  reason: "code_verifier or redirect_uri doesn't match the authorization request",
};
const invalidScopeRefusal: GrantRefusal = {
  refused: "invalid_scope",
  reason: "scope is wider than the grant",
};

/**
 * Issues and revokes tokens for grants to apps. Each call runs in one transaction, which commits even if the request is refused. A
 * refused request can be a sign of a stolen token, and the grant must then be ended.
 */
export class AppTokens {
  constructor(private readonly engine: Pick<Engine, "storage" | "clock" | "uuid" | "changes">) {}

  /** Returns the app with the given `client_id`, no matter which organization registered it, or `null` if there is none. */
  async findApp(clientId: string): Promise<RegisteredApp | null> {
    const ownedApp = await this.findStoredApp(clientId);
    return ownedApp === null ? null : { organizationId: ownedApp.organizationId, app: appOf(ownedApp.app) };
  }

  /**
   * Authenticates an app by its secret. A public app has no secret and is only looked up.
   * @param secret the secret in the request, or `null` if the request had none.
   * @returns the app, or `null` if it doesn't exist or the secret is wrong.
   */
  async authenticate(clientId: string, secret: string | null): Promise<App | null> {
    if (secret !== null && kindOfToken(secret) !== "secret") return null;
    const { app = null } = (await this.findStoredApp(clientId)) ?? {};
    if (app === null) return null;
    const isAuthenticated =
      secret === null ? app.secretHash === null : this.hasSecret(app, hashOfToken(secret));
    return isAuthenticated ? appOf(app) : null;
  }

  /**
   * Exchanges an authorization code for tokens. A code can be used only once, even if the exchange fails. Using it again ends the
   * grant and all its tokens (RFC 6749, section 4.1.2), because one of the two requests didn't come from the app.
   * @returns the tokens, or the reason the request was refused.
   */
  redeem(app: App, { code, redirectUri, codeVerifier }: CodeExchange): Promise<IssuedTokens | GrantRefusal> {
    const { engine } = this;
    return this.exchange(app, { kind: "code", token: code }, invalidCodeRefusal, function* (tx, grantToken) {
      const { token, grant } = grantToken;
      const details: CodeDetails = JSON.parse(token.details);
      const tokenUse = { usedAt: engine.clock(), details: token.details };
      const isUsed = token.usedAt !== null || !(yield* tx.useGrantToken(token.id, tokenUse));
      if (isUsed || !isLive(token, engine.clock())) {
        yield* tx.deleteGrant(grant.id);
        return invalidCodeRefusal;
      }
      if (details.redirectUri !== redirectUri || !matchesChallenge(codeVerifier, details.codeChallenge)) {
        yield* tx.deleteGrant(grant.id);
        return mismatchRefusal;
      }
      return yield* issueTokens(engine, tx, grantToken, token.scopes);
    });
  }

  /**
   * Exchanges a refresh token for new tokens (RFC 6749, section 6). Repeating the request within 30 seconds of the first use
   * returns the same tokens, because the first response might have been lost. Using the refresh token later than that, or after one
   * of the new tokens was exchanged or revoked, ends the grant and all its tokens (RFC 9700, section 4.14.2), because one of the
   * requests didn't come from the app.
   * @returns the tokens, or the reason the request was refused.
   */
  refresh(app: App, { refreshToken, scopes }: TokenRefresh): Promise<IssuedTokens | GrantRefusal> {
    const { engine } = this;
    return this.exchange(
      app,
      { kind: "refresh", token: refreshToken },
      invalidRefreshTokenRefusal,
      function* (tx, grantToken) {
        const { token, grant } = grantToken;
        if (!isLive(token, engine.clock())) return invalidRefreshTokenRefusal;
        if (token.usedAt !== null) {
          const firstResponse = yield* readFirstResponse(engine, tx, grantToken, refreshToken);
          if (firstResponse !== null) return firstResponse;
          yield* tx.deleteGrant(grant.id);
          return invalidRefreshTokenRefusal;
        }
        if (scopes?.some((scope) => !token.scopes.includes(scope))) return invalidScopeRefusal;
        const issuedTokens = yield* issueTokens(engine, tx, grantToken, scopes ?? token.scopes);
        const details = sealDetails(issuedTokens, grantToken, refreshToken);
        yield* tx.useGrantToken(token.id, { usedAt: engine.clock(), details });
        return issuedTokens;
      },
    );
  }

  /** Returns the ID of the grant that a token belongs to, or `null` if the token is unknown or belongs to another app. */
  async findGrantId(app: App, token: string): Promise<string | null> {
    if (kindOfToken(token) === null) return null;
    const grantToken = await runStep(this.engine.storage.all.findGrantTokenByHash(hashOfToken(token)));
    return grantToken?.grant.appId === app.id ? grantToken.grant.id : null;
  }

  /**
   * Revokes a token (RFC 7009). Revoking an access token ends only that token. Revoking a refresh token ends its grant and all of
   * the grant's tokens. Unknown and expired tokens count as revoked.
   * @returns `true`, or `false` if the token was issued to another app and therefore wasn't revoked.
   */
  async revoke(app: App, token: string): Promise<boolean> {
    const kind = kindOfToken(token);
    if (kind !== "access" && kind !== "refresh") return true;
    const { storage, changes } = this.engine;
    const grantToken = await runStep(storage.all.findGrantTokenByHash(hashOfToken(token)));
    if (grantToken === null) return true;
    if (grantToken.grant.appId !== app.id) return false;
    const { organizationId } = grantToken;
    await changes.run(organizationId, (tx) =>
      kind === "access" ? tx.deleteGrantToken(grantToken.token.id) : tx.deleteGrant(grantToken.grant.id),
    );
    return true;
  }

  private hasSecret(app: StoredApp, hash: string): boolean {
    const { secretHash, previousSecretHash, previousSecretExpiresAt } = app;
    if (secretHash === null) return false;
    if (isSameSecret(hash, secretHash)) return true;
    const isExpired = previousSecretExpiresAt === null || previousSecretExpiresAt <= this.engine.clock();
    return previousSecretHash !== null && !isExpired && isSameSecret(hash, previousSecretHash);
  }

  private async findStoredApp(clientId: string): Promise<{ organizationId: string; app: StoredApp } | null> {
    if (!isStorable(clientId) || isLongerThan(clientId, MAX_ID_LENGTH)) return null;
    return runStep(this.engine.storage.all.findApp(clientId));
  }

  /** Exchanges one of the app's tokens, using the grant's state within the transaction. */
  private async exchange(
    app: App,
    { kind, token }: PresentedToken,
    refusal: GrantRefusal,
    work: (tx: StorageTransaction, grantToken: OwnedGrantToken) => Step<IssuedTokens | GrantRefusal>,
  ): Promise<IssuedTokens | GrantRefusal> {
    if (kindOfToken(token) !== kind) return refusal;
    const { storage, changes, clock } = this.engine;
    const hash = hashOfToken(token);
    const unlockedToken = await runStep(storage.all.findGrantTokenByHash(hash));
    if (unlockedToken?.grant.appId !== app.id) return refusal;
    const { organizationId } = unlockedToken;
    return changes.run(organizationId, function* (tx) {
      // This write locks the organization's grants for the rest of the transaction. The lookup by hash took no lock.
      yield* removeExpiredTokens(tx, clock());
      const grantToken = yield* tx.all.findGrantTokenByHash(hash);
      return grantToken === null ? refusal : yield* work(tx, grantToken);
    });
  }
}

/**
 * Details of a used refresh token. They contain the response to its first use, which can only be decrypted with the token itself.
 */
interface UsedTokenDetails {
  /** Encrypted {@link IssuedTokens}. */
  readonly issued: string;
}

function sealDetails(
  issuedTokens: IssuedTokens,
  { organizationId }: OwnedGrantToken,
  refreshToken: string,
): string {
  const details: UsedTokenDetails = {
    issued: sealOutcome(organizationId, refreshToken, JSON.stringify(issuedTokens)),
  };
  return JSON.stringify(details);
}

/**
 * Returns the response to the first use of a refresh token, if the token is in its grace period and the response may have been
 * lost. Returns `null` if one of the issued tokens was exchanged or revoked, because then the app has received them.
 */
function* readFirstResponse(
  { clock }: Pick<Engine, "clock">,
  tx: StorageTransaction,
  { organizationId, token }: OwnedGrantToken,
  refreshToken: string,
): Step<IssuedTokens | null> {
  const { issued: sealedTokens }: Partial<UsedTokenDetails> = JSON.parse(token.details);
  if (token.usedAt === null || !isInGracePeriod(token.usedAt, clock()) || sealedTokens === undefined)
    return null;
  const issuedTokens: IssuedTokens = JSON.parse(openOutcome(organizationId, refreshToken, sealedTokens));
  const access = yield* tx.all.findGrantTokenByHash(hashOfToken(issuedTokens.accessToken));
  const refresh = yield* tx.all.findGrantTokenByHash(hashOfToken(issuedTokens.refreshToken));
  if (access === null || refresh === null || refresh.token.usedAt !== null) return null;
  return { ...issuedTokens, expiresIn: Math.floor((access.token.expiresAt - clock()) / 1_000) };
}

function* issueTokens(
  engine: Pick<Engine, "clock" | "uuid">,
  tx: StorageTransaction,
  { grant, token }: OwnedGrantToken,
  scopes: readonly string[],
): Step<IssuedTokens> {
  const issuer = { now: engine.clock(), newId: (prefix: "gtk") => newId(prefix, engine.uuid) };
  const access = createGrantToken(issuer, grant, { kind: "access", scopes });
  const refresh = createGrantToken(issuer, grant, { kind: "refresh", scopes: token.scopes });
  yield* tx.insertGrantToken(access.stored);
  yield* tx.insertGrantToken(refresh.stored);
  return {
    accessToken: access.token,
    expiresIn: Math.floor((access.stored.expiresAt - issuer.now) / 1_000),
    refreshToken: refresh.token,
    scopes,
  };
}
