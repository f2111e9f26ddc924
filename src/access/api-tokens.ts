import { runStep } from "../base/concurrency/step.js";
import { accessDenied, notFound } from "../base/errors.js";
import { onAnyObject, parseNew } from "../base/parse.js";
import { hashOfToken, newToken, prefixOfToken } from "../base/secrets/token-format.js";
import { timestamp } from "../base/values/clock.js";
import { isStorable } from "../base/values/text.js";
import { recordAuditEntry } from "../kernel/audit.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { assertBelowLimit } from "../kernel/limits.js";
import { UseCases } from "../kernel/use-cases.js";
import type { StoredApiToken } from "../storage/api-tokens.js";
import {
  type ApiToken,
  apiTokenOf,
  type CreateApiToken,
  type CreatedApiToken,
  createApiTokenSchema,
  type RotateApiToken,
} from "./api-token-schema.js";
import {
  assertAddressesWithin,
  assertScopesWithin,
  describeEndedGrants,
  findCallerToken,
} from "./caller-token.js";
import { createdByToken } from "./created-by-token.js";
import type { CreatedByToken } from "./created-by-token-schema.js";
import { rotateToken } from "./token-rotation.js";

/** Manages API tokens, the bearer tokens that machines use. A token's secret is shown once and stored only as a hash. */
export class ApiTokens extends UseCases {
  /**
   * Issues a token. Callers can only grant scopes that they have.
   * @param input the token's fields. `expiresAt` is an ISO 8601 timestamp in the future (default: the token does not expire).
   *   `allowedAddresses` are the 1 to 100 IP addresses and networks (CIDR) from which the token can be used (default: the
   *   addresses that the caller's own token can be used from, or all addresses if the caller doesn't use a token).
   * @throws {LoyaltyError} `validation_failed`, including when the caller's own token can't be used from one of the addresses, or
   *   `access_denied` if the caller lacks `api_token:manage` or one of the scopes.
   */
  async create(input: CreateApiToken & IdempotencyOptions): Promise<CreatedApiToken> {
    const { tenant } = this;
    const now = tenant.now();
    const { name, scopes, expiresAt, allowedAddresses } = parseNew(withFutureExpiry(now), input);
    for (const scope of scopes) if (!tenant.hasScope(scope)) throw accessDenied(scope);
    const token = newToken("api");
    const made: Omit<StoredApiToken, "allowedAddresses" | "createdBy"> = {
      id: tenant.newId("akt"),
      name,
      prefix: prefixOfToken(token),
      hash: hashOfToken(token),
      scopes: [...new Set(scopes)],
      createdAt: now,
      lastUsedAt: null,
      expiresAt: expiresAt === undefined || expiresAt === null ? null : Date.parse(expiresAt),
    };
    return tenant.change(["apiTokens.create", input], function* (tx) {
      yield* assertBelowLimit(tx, tenant, "apiTokens");
      const maker = yield* findCallerToken(tx, tenant);
      const addresses = allowedAddresses ?? maker?.allowedAddresses ?? null;
      assertAddressesWithin(maker, addresses);
      const stored: StoredApiToken = {
        ...made,
        allowedAddresses: addresses && [...new Set(addresses)],
        createdBy: tenant.creatorId,
      };
      yield* tx.insertApiToken(tenant.organizationId, stored);
      const { id: target, expiresAt: until } = stored;
      const details = {
        name,
        scopes: stored.scopes,
        expiresAt: until === null ? null : timestamp(until),
        ...(stored.allowedAddresses !== null && { allowedAddresses: stored.allowedAddresses }),
      };
      yield* recordAuditEntry(tx, tenant, { action: "api_token.created", target, details });
      return { token, apiToken: apiTokenOf(stored) };
    });
  }

  /**
   * Lists all tokens, including expired ones, oldest first.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `api_token:manage`.
   */
  async list(): Promise<ApiToken[]> {
    return (await runStep(this.tenant.storage.listApiTokens(this.tenant.organizationId))).map(apiTokenOf);
  }

  /**
   * Lists the resources that a token created, and the IDs of ended grants that were made with the token. This method also reads
   * the audit trail, so it works for revoked tokens too.
   * @throws {LoyaltyError} `resource_not_found` if neither storage nor the audit trail contains the token, or `access_denied` if
   *   the caller lacks `api_token:manage`.
   */
  async listCreated(tokenId: string): Promise<CreatedByToken> {
    const { tenant } = this;
    if (!isStorable(tokenId)) throw notFound("api_token", tokenId, tenant.organizationId);
    return tenant.read((reader) => createdByToken(reader, tenant.organizationId, tokenId), true);
  }

  /**
   * Replaces a token's secret. The ID, name, and scopes stay the same, as does `expiresAt` unless you pass a new one. The
   * previous secret stops working immediately, or stays valid as a separate token for `overlapSeconds` (at most a week). Rotating
   * a token also ends the grants made with it. Callers can't rotate a token that has scopes or allowed addresses beyond their
   * own.
   * @throws {LoyaltyError} `validation_failed`, `resource_not_found` if there is no such token or if a concurrent call rotates it
   *   first, `too_many_api_tokens` if keeping the previous secret would exceed the limit, or `access_denied` if the caller lacks
   *   `api_token:manage` or one of the token's scopes.
   */
  async rotate(tokenId: string, options: RotateApiToken & IdempotencyOptions = {}): Promise<CreatedApiToken> {
    return rotateToken(this.tenant, tokenId, options);
  }

  /**
   * Revokes a token, which stops working immediately in all processes, and ends the grants made with it. Callers can't revoke a
   * token that has a scope they lack.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `api_token:manage` or one of the token's
   *   scopes.
   */
  async delete(tokenId: string, options: IdempotencyOptions = {}): Promise<void> {
    const { tenant } = this;
    if (!isStorable(tokenId)) throw notFound("api_token", tokenId, tenant.organizationId);
    await tenant.change(["apiTokens.delete", tokenId, options], function* (tx) {
      const token = yield* tx.findApiToken(tenant.organizationId, tokenId);
      if (token === null) throw notFound("api_token", tokenId, tenant.organizationId);
      assertScopesWithin(tenant, token);
      const details = yield* describeEndedGrants(tx, tenant.organizationId, tokenId);
      if (!(yield* tx.deleteApiToken(tenant.organizationId, tokenId)))
        throw notFound("api_token", tokenId, tenant.organizationId);
      yield* recordAuditEntry(tx, tenant, { action: "api_token.revoked", target: tokenId, details });
    });
  }
}

function withFutureExpiry(now: number) {
  return createApiTokenSchema.refine(
    ({ expiresAt }) => expiresAt === undefined || expiresAt === null || Date.parse(expiresAt) > now,
    { path: ["expiresAt"], error: "must be in the future", ...onAnyObject },
  );
}
