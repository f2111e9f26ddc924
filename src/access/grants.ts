import type { Step } from "../base/concurrency/step.js";
import { notFound, validationFailed } from "../base/errors.js";
import { parse } from "../base/parse.js";
import type { Scope } from "../base/scopes.js";
import { hashOfToken } from "../base/secrets/token-format.js";
import { isStorable } from "../base/values/text.js";
import { isRegisteredRedirectUri } from "../base/values/url.js";
import { recordAuditEntry } from "../kernel/audit.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { assertBelowLimit, assertGrantsBelowLimit } from "../kernel/limits.js";
import { UseCases } from "../kernel/use-cases.js";
import type { StoredApiToken } from "../storage/api-tokens.js";
import type { StoredGrant } from "../storage/apps.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { resolveActor } from "./actor-schema.js";
import { appOf, type Grant, grantOf, newGrantSchema } from "./app-schema.js";
import { type CodeDetails, createGrantToken, removeExpiredTokens } from "./grant-tokens.js";

/** The details of a grant to create. A grant lets an app act on behalf of one of the organization's users. */
export interface NewGrant {
  /** The app's `client_id`. */
  readonly appId: string;
  /** The host's ID for the user who grants access, 1 to 255 characters long. */
  readonly subject: string;
  /** The scopes to grant. There must be at least one, and the app must be registered for all of them. */
  readonly scopes: readonly Scope[];
  /**
   * The redirect URI in the request, which must be one of the app's. A public app can use a different port on the loopback address.
   * `null` if the request omitted it, which is allowed only if the app has exactly one redirect URI.
   */
  readonly redirectUri: string | null;
  /** The app's `code_challenge` for the S256 method (RFC 7636). */
  readonly codeChallenge: string;
  /** The API token that the user signed in with. The grant ends when this token expires or is revoked. */
  readonly apiToken?: string | null;
}

/** Manages the access that this organization's users grant to apps. The apps can be registered by any organization. */
export class Grants extends UseCases {
  /**
   * Grants an app access. Callers can only grant scopes that they have.
   * @returns an authorization code for the app (RFC 6749, section 4.1.2) that is valid for 60 seconds and can be used once.
   * @throws {LoyaltyError} `resource_not_found` if there is no such app, `access_denied` if the caller lacks one of the scopes,
   *   `too_many_grants`, or `validation_failed`, including when the app doesn't have the redirect URI or a scope, or `apiToken` is
   *   not a valid token in the organization.
   */
  async allow(input: NewGrant): Promise<string> {
    const { appId, subject, redirectUri, codeChallenge, apiToken, ...grantInput } = parse(
      newGrantSchema,
      input,
    );
    const scopes = [...new Set(grantInput.scopes)];
    this.tenant.require(scopes);
    const { organizationId } = this.tenant;
    const now = this.tenant.now();
    const newId = this.tenant.newId.bind(this.tenant);
    const details: CodeDetails = { redirectUri, codeChallenge };
    const tenant = this.tenant.actingAs(resolveActor({ ...this.tenant.actor.visible, subject }));
    return tenant.change(["grants.allow", input], function* ({ tx }) {
      const ownedApp = yield* tx.all.findApp(appId);
      if (ownedApp === null) throw notFound("app", appId, tenant.organizationId);
      const { app } = ownedApp;
      const isAppRedirectUri =
        redirectUri === null
          ? app.redirectUris.length === 1
          : isRegisteredRedirectUri(appOf(app), redirectUri);
      if (!isAppRedirectUri) throw validationFailed({ redirectUri: "must be a redirect URI of the app" });
      if (!scopes.every((scope) => app.scopes.includes(scope))) {
        throw validationFailed({ scopes: "must be scopes of the app" });
      }
      yield* removeExpiredTokens(tx, now);
      yield* assertBelowLimit(tx, tenant, "grants");
      yield* assertGrantsBelowLimit(tx, subject, tenant.engine.config.limits);
      const signInToken =
        apiToken === null ? null : yield* findSignInToken(tx, organizationId, apiToken, now);
      const grant: StoredGrant = {
        id: newId("grt"),
        appId,
        subject,
        scopes,
        createdAt: now,
        tokenId: signInToken?.id ?? null,
        expiresAt: signInToken?.expiresAt ?? null,
      };
      const code = createGrantToken({ now, newId }, grant, {
        kind: "code",
        scopes,
        details: JSON.stringify(details),
      });
      yield* tx.insertGrant(grant);
      yield* tx.insertGrantToken(code.stored);
      yield* recordAuditEntry(tx, tenant, {
        action: "grant.created",
        target: grant.id,
        details: { appId, scopes, tokenId: grant.tokenId },
      });
      return code.token;
    });
  }

  /**
   * Lists the organization's grants to apps that still exist, oldest first. A grant stays in the list for at least a day after its
   * last token has expired.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `api_token:manage`.
   */
  async list(): Promise<Grant[]> {
    const { tenant } = this;
    return (await tenant.read((reader) => reader.listGrants(), true)).map(grantOf);
  }

  /**
   * Ends a grant. Its code and all its tokens stop working immediately in all processes. Other grants to the same app stay valid.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `api_token:manage`.
   */
  async delete(grantId: string, options: IdempotencyOptions = {}): Promise<void> {
    const { tenant } = this;
    if (!isStorable(grantId)) throw notFound("grant", grantId, tenant.organizationId);
    await tenant.change(["grants.delete", grantId, options], function* ({ tx }) {
      if (!(yield* tx.deleteGrant(grantId))) throw notFound("grant", grantId, tenant.organizationId);
      yield* recordAuditEntry(tx, tenant, { action: "grant.ended", target: grantId });
    });
  }
}

/** @throws {LoyaltyError} `validation_failed` if the organization no longer has this token. */
function* findSignInToken(
  tx: StorageTransaction,
  organizationId: string,
  apiToken: string,
  now: number,
): Step<StoredApiToken> {
  const [ownedToken] = yield* tx.all.findApiTokensByHash([hashOfToken(apiToken)]);
  const isOwnToken = ownedToken?.organizationId === organizationId;
  // The lookup by hash takes no lock, so the token may have been revoked in the meantime.
  const token = isOwnToken ? yield* tx.findApiToken(ownedToken.token.id) : null;
  if (token === null || (token.expiresAt !== null && token.expiresAt <= now)) {
    throw validationFailed({ apiToken: "must be a valid token of the organization" });
  }
  return token;
}
