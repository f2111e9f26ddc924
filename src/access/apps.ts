import { accessDenied, notFound } from "../errors.js";
import type { Once } from "../idempotency/idempotent-call.js";
import { type App, type AppWithSecret, type CreateApp, createAppSchema } from "../resources/app.js";
import { parseNew } from "../resources/parse.js";
import { appOf } from "../resources/representation.js";
import { hashOfToken, newToken } from "../secrets/token-format.js";
import type { StoredApp } from "../storage/apps.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { refuseTooMany } from "../tenant/limits.js";
import type { Tenant } from "../tenant/tenant.js";
import { laterThan } from "../values/clock.js";
import { isStorable } from "../values/text.js";

/**
 * OAuth 2.0 clients that the organization has registered. Users of every organization may grant them access to theirs.
 * All of it needs the scope `api_token:manage`.
 */
export class Apps {
  constructor(private readonly tenant: Tenant) {}

  /**
   * Registers an app. Nobody can register one for a scope that they lack.
   * @param input `redirectUris` are 1 to 20 https URLs, or http URLs of localhost; a request must name one of them to
   *   the letter. `scopes` is all that the app may ever ask for.
   * @returns the app and its secret, which is shown once and kept only as a hash.
   * @throws {LoyaltyError} `validation_failed`; `access_denied` without `api_token:manage` or naming the first scope
   *   that the caller lacks.
   */
  async create(input: CreateApp & Once): Promise<AppWithSecret> {
    this.tenant.require("api_token:manage");
    const { name, redirectUris, scopes } = parseNew(createAppSchema, input);
    for (const scope of scopes) if (!this.tenant.holds(scope)) throw accessDenied(scope);
    const clientSecret = newToken("secret");
    const now = this.tenant.now();
    const app: StoredApp = {
      id: this.tenant.newId("app"),
      name,
      secretHash: hashOfToken(clientSecret),
      redirectUris: [...new Set(redirectUris)],
      scopes: [...new Set(scopes)],
      createdAt: now,
      updatedAt: now,
    };
    return this.tenant.change(["apps.create", input], async (tx) => {
      await refuseTooMany(tx, this.tenant, "apps");
      await tx.insertApp(this.tenant.organizationId, app);
      return { clientSecret, app: appOf(app) };
    });
  }

  /** All apps of the organization, oldest first. @throws {LoyaltyError} `access_denied` without `api_token:manage`. */
  async list(): Promise<App[]> {
    this.tenant.require("api_token:manage");
    return (await this.tenant.storage.listApps(this.tenant.organizationId)).map(appOf);
  }

  /** @throws {LoyaltyError} `resource_not_found`; `access_denied` without `api_token:manage`. */
  async get(appId: string): Promise<App> {
    this.tenant.require("api_token:manage");
    return appOf(await this.find(this.tenant.storage, appId));
  }

  /**
   * Gives the app another secret; the one before ends at once. Its tokens stay.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `api_token:manage`.
   */
  async rotateSecret(appId: string, options: Once = {}): Promise<AppWithSecret> {
    this.tenant.require("api_token:manage");
    return this.tenant.change(["apps.rotateSecret", appId, options], async (tx) => {
      const before = await this.find(tx, appId);
      const clientSecret = newToken("secret");
      const updatedAt = laterThan(before.updatedAt, this.tenant.now());
      const app = { ...before, secretHash: hashOfToken(clientSecret), updatedAt };
      if (!(await tx.updateApp(this.tenant.organizationId, app))) throw notFound();
      return { clientSecret, app: appOf(app) };
    });
  }

  /**
   * Removes the app. It can't get tokens any more, and those that it has end at once in every process, whatever
   * organization they are for.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `api_token:manage`.
   */
  async delete(appId: string, options: Once = {}): Promise<void> {
    this.tenant.require("api_token:manage");
    if (!isStorable(appId)) throw notFound();
    await this.tenant.change(["apps.delete", appId, options], async (tx) => {
      if (!(await tx.deleteApp(this.tenant.organizationId, appId))) throw notFound();
    });
  }

  private async find(reader: StorageReader, appId: string): Promise<StoredApp> {
    const found = isStorable(appId) ? await reader.findApp(appId) : null;
    if (found === null || found.organizationId !== this.tenant.organizationId) throw notFound();
    return found.app;
  }
}
