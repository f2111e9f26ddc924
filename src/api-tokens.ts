import { accessDenied, notFound } from "./errors.js";
import { apiTokenOf } from "./representation.js";
import { onAnyObject } from "./schemas/across-fields.js";
import {
  type ApiToken,
  type CreateApiToken,
  type CreatedApiToken,
  createApiTokenSchema,
} from "./schemas/api-token.js";
import { parseNew } from "./schemas/parse.js";
import { isScope, type Scope } from "./scopes.js";
import type { StoredApiToken } from "./storage.js";
import type { Engine, Tenant } from "./tenant.js";
import { isStorable } from "./text.js";
import { hashOfToken, isWellFormedToken, newToken, prefixOfToken } from "./token-format.js";

/** How old `lastUsedAt` may grow before a use is written down again. */
const TOUCH_INTERVAL_MS = 60_000;

/** Bearer tokens for machines: shown once, kept only as a hash. */
export class ApiTokens {
  constructor(private readonly tenant: Tenant) {}

  /**
   * Issues a token. Nobody can grant a scope that they lack.
   * @param input `expiresAt` is an ISO 8601 timestamp in the future; without it the token does not expire.
   * @throws {LoyaltyError} `validation_failed`; `access_denied` without `api_token:manage` or naming the first
   *   scope that the caller lacks.
   */
  async create(input: CreateApiToken): Promise<CreatedApiToken> {
    this.tenant.require("api_token:manage");
    const now = this.tenant.now();
    const { name, scopes, expiresAt } = parseNew(withFutureExpiry(now), input);
    for (const scope of scopes) if (!this.tenant.holds(scope)) throw accessDenied(scope);
    const token = newToken();
    const stored: StoredApiToken = {
      id: this.tenant.newId("akt"),
      name,
      prefix: prefixOfToken(token),
      hash: hashOfToken(token),
      scopes: [...new Set(scopes)],
      createdAt: now,
      lastUsedAt: null,
      expiresAt: expiresAt === undefined || expiresAt === null ? null : Date.parse(expiresAt),
    };
    const { storage, organizationId } = this.tenant;
    await storage.transaction((tx) => tx.insertApiToken(organizationId, stored));
    return { token, apiToken: apiTokenOf(stored) };
  }

  /** All tokens, oldest first, expired ones too. @throws {LoyaltyError} `access_denied` without `api_token:manage`. */
  async list(): Promise<ApiToken[]> {
    this.tenant.require("api_token:manage");
    return (await this.tenant.storage.listApiTokens(this.tenant.organizationId)).map(apiTokenOf);
  }

  /**
   * Revokes a token, at once and in every process.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `api_token:manage`.
   */
  async delete(tokenId: string): Promise<void> {
    this.tenant.require("api_token:manage");
    if (!isStorable(tokenId)) throw notFound();
    const { storage, organizationId } = this.tenant;
    const deleted = await storage.transaction((tx) => tx.deleteApiToken(organizationId, tokenId));
    if (!deleted) throw notFound();
  }
}

/** Who a valid token speaks for. */
export interface Principal {
  readonly organizationId: string;
  readonly scopes: readonly Scope[];
}

/** Tells whom a token speaks for, and notes its use beside the caller's path. */
export class TokenVerifier {
  private readonly touches = new Map<string, Promise<void>>();

  constructor(
    private readonly engine: Engine,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** `null` for a token that is malformed, unknown, revoked or expired. */
  async verify(token: string): Promise<Principal | null> {
    if (!isWellFormedToken(token)) return null;
    const found = await this.engine.storage.findApiTokenByHash(hashOfToken(token));
    const now = this.engine.clock();
    if (found === null || (found.token.expiresAt !== null && found.token.expiresAt <= now)) return null;
    const { organizationId, token: stored } = found;
    if (stored.lastUsedAt === null || now - stored.lastUsedAt >= TOUCH_INTERVAL_MS) {
      this.touch(organizationId, stored.id, now);
    }
    return { organizationId, scopes: stored.scopes.filter(isScope) };
  }

  /** Resolves when every noted use is written. */
  async settled(): Promise<void> {
    await Promise.all(this.touches.values());
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

function withFutureExpiry(now: number) {
  return createApiTokenSchema.refine(
    ({ expiresAt }) => expiresAt === undefined || expiresAt === null || Date.parse(expiresAt) > now,
    { path: ["expiresAt"], error: "must be in the future", ...onAnyObject },
  );
}
