import { runStep, type Step } from "../base/concurrency/step.js";
import { accessDenied, createLoyaltyError, notFound } from "../base/errors.js";
import { parse, parseNew } from "../base/parse.js";
import { hashOfToken, newToken } from "../base/secrets/token-format.js";
import { nextUpdatedAt } from "../base/values/clock.js";
import { isStorable } from "../base/values/text.js";
import { recordAuditEntry } from "../kernel/audit.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { assertBelowLimit } from "../kernel/limits.js";
import type { Tenant } from "../kernel/tenant.js";
import { UseCases } from "../kernel/use-cases.js";
import type { StoredApp } from "../storage/apps.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { assertHasScopes } from "./api-tokens.js";
import {
  type App,
  type AppWithSecret,
  appOf,
  type CreateApp,
  type CreatedApp,
  createAppSchema,
  type RotateAppSecret,
  rotateAppSecretSchema,
} from "./app-schema.js";

/** How long the previous secret stays valid after a rotation, in milliseconds. */
const SECRET_OVERLAP_MS = 86_400_000;

/**
 * Manages the OAuth 2.0 clients that the organization has registered. Users of any organization can grant an app access to their
 * own organization. All methods require the scope `api_token:manage`.
 */
export class Apps extends UseCases {
  /**
   * Registers an app. Callers can only allow scopes that they have.
   * @param input the app's fields. `redirectUris` lists 1 to 20 https URLs, or http URLs with the host localhost. The redirect URI
   *   in a request must match one of them exactly. `scopes` lists all the scopes that the app can ever request. Set `isPublic` for
   *   an app that can't keep a secret because it runs on its users' devices. A public app has no secret, can also have redirect
   *   URIs such as `com.example.app:/callback`, and can use `http://127.0.0.1` and `http://[::1]` with any port (RFC 8252).
   * @returns the app and its secret, which is shown once and stored only as a hash. For a public app, the secret is `null`.
   * @throws {LoyaltyError} `validation_failed`, or `access_denied` if the caller lacks `api_token:manage` or one of the scopes.
   */
  create(input: CreateApp & { readonly isPublic?: false } & IdempotencyOptions): Promise<AppWithSecret>;
  create(input: CreateApp & IdempotencyOptions): Promise<CreatedApp>;
  async create(input: CreateApp & IdempotencyOptions): Promise<CreatedApp> {
    const { tenant } = this;
    const { name, redirectUris, scopes, isPublic } = parseNew(createAppSchema, input);
    for (const scope of scopes) if (!tenant.hasScope(scope)) throw accessDenied(scope);
    const clientSecret = isPublic ? null : newToken("secret");
    const now = tenant.now();
    const app: StoredApp = {
      id: tenant.newId("app"),
      name,
      secretHash: clientSecret === null ? null : hashOfToken(clientSecret),
      previousSecretHash: null,
      previousSecretExpiresAt: null,
      redirectUris: [...new Set(redirectUris)],
      scopes: [...new Set(scopes)],
      createdBy: tenant.creatorId,
      createdAt: now,
      updatedAt: now,
    };
    return tenant.change(["apps.create", input], function* ({ tx }) {
      yield* assertBelowLimit(tx, tenant, "apps");
      yield* tx.insertApp(app);
      const details = { name, isPublic, redirectUris: app.redirectUris, scopes: app.scopes };
      yield* recordAuditEntry(tx, tenant, { action: "app.created", target: app.id, details });
      return { clientSecret, app: appOf(app) };
    });
  }

  /**
   * Lists the organization's apps, oldest first.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `api_token:manage`.
   */
  async list(): Promise<App[]> {
    return (await runStep(this.tenant.reader.listApps())).map(appOf);
  }

  /**
   * Returns an app that the organization has registered, without its secret.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `api_token:manage`.
   */
  async get(appId: string): Promise<App> {
    return appOf(await runStep(findOwnApp(this.tenant, this.tenant.reader, appId)));
  }

  /**
   * Replaces the app's secret. The previous secret stays valid for 24 hours, or stops working right away if `immediately` is set.
   * Any older secrets stop working right away. Tokens that were already issued stay valid.
   * @throws {LoyaltyError} `validation_failed`, `resource_not_found`, `app_has_no_secret` for a public app, or `access_denied` if
   *   the caller lacks `api_token:manage` or one of the app's scopes.
   */
  async rotateSecret(
    appId: string,
    options: RotateAppSecret & IdempotencyOptions = {},
  ): Promise<AppWithSecret> {
    const { tenant } = this;
    const { immediately } = parse(rotateAppSecretSchema, options);
    return tenant.change(["apps.rotateSecret", appId, options], function* ({ tx }) {
      const before = yield* findOwnApp(tenant, tx, appId);
      assertHasScopes(tenant, before);
      if (before.secretHash === null) throw createLoyaltyError("app_has_no_secret");
      const clientSecret = newToken("secret");
      const updatedAt = nextUpdatedAt(before.updatedAt, tenant.now());
      const app: StoredApp = {
        ...before,
        secretHash: hashOfToken(clientSecret),
        previousSecretHash: immediately ? null : before.secretHash,
        previousSecretExpiresAt: immediately ? null : tenant.now() + SECRET_OVERLAP_MS,
        updatedAt,
      };
      if (!(yield* tx.updateApp(app))) throw notFound("app", appId, tenant.organizationId);
      yield* recordAuditEntry(tx, tenant, { action: "app.secret_rotated", target: appId });
      return { clientSecret, app: appOf(app) };
    });
  }

  /**
   * Deletes the app. It can no longer obtain tokens, and its existing tokens stop working immediately in all processes and for all
   * organizations.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `api_token:manage` or one of the app's
   *   scopes.
   */
  async delete(appId: string, options: IdempotencyOptions = {}): Promise<void> {
    const { tenant } = this;
    if (!isStorable(appId)) throw notFound("app", appId, tenant.organizationId);
    await tenant.change(["apps.delete", appId, options], function* ({ tx }) {
      assertHasScopes(tenant, yield* findOwnApp(tenant, tx, appId));
      if (!(yield* tx.deleteApp(appId))) throw notFound("app", appId, tenant.organizationId);
      yield* recordAuditEntry(tx, tenant, { action: "app.deleted", target: appId });
    });
  }
}

function* findOwnApp({ organizationId }: Tenant, reader: StorageReader, appId: string): Step<StoredApp> {
  const ownedApp = isStorable(appId) ? yield* reader.all.findApp(appId) : null;
  if (ownedApp === null || ownedApp.organizationId !== organizationId)
    throw notFound("app", appId, organizationId);
  return ownedApp.app;
}
