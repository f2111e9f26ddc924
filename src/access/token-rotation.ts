import { notFound, validationFailed } from "../base/errors.js";
import { parse } from "../base/parse.js";
import { hashOfToken, newToken, prefixOfToken } from "../base/secrets/token-format.js";
import { isStorable } from "../base/values/text.js";
import { recordAuditEntry } from "../kernel/audit.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { assertBelowLimit } from "../kernel/limits.js";
import type { Tenant } from "../kernel/tenant.js";
import type { StoredApiToken } from "../storage/api-tokens.js";
import {
  apiTokenOf,
  type CreatedApiToken,
  type RotateApiToken,
  rotateApiTokenSchema,
} from "./api-token-schema.js";
import {
  assertAddressesWithin,
  assertScopesWithin,
  describeEndedGrants,
  findCallerToken,
} from "./caller-token.js";

/**
 * Replaces an API token's secret, as described for `ApiTokens.rotate`. Sessions that signed in with the previous secret must sign
 * in again.
 */
export async function rotateToken(
  tenant: Tenant,
  tokenId: string,
  options: RotateApiToken & IdempotencyOptions,
): Promise<CreatedApiToken> {
  const { overlapSeconds, expiresAt: until } = parse(rotateApiTokenSchema, options);
  const expiresAt = typeof until === "string" ? Date.parse(until) : until;
  if (!isStorable(tokenId)) throw notFound("api_token", tokenId, tenant.organizationId);
  const { organizationId } = tenant;
  const token = newToken("api");
  return tenant.change(["apiTokens.rotate", tokenId, options], function* (tx) {
    const before = yield* tx.findApiToken(organizationId, tokenId);
    if (before === null) throw notFound("api_token", tokenId, tenant.organizationId);
    assertScopesWithin(tenant, before);
    assertAddressesWithin(yield* findCallerToken(tx, tenant), before.allowedAddresses);
    const ended = yield* describeEndedGrants(tx, organizationId, tokenId);
    // Delete the row first, because no two rows may have the same secret. The deletion also ends the token's grants and sessions.
    if (!(yield* tx.deleteApiToken(organizationId, tokenId)))
      throw notFound("api_token", tokenId, tenant.organizationId);
    const now = tenant.now();
    const after = renewed(before, token, expiresAt === undefined ? before.expiresAt : expiresAt, now);
    yield* tx.insertApiToken(organizationId, after);
    const former =
      overlapSeconds === 0 ? null : buildPreviousToken(before, tenant, now + overlapSeconds * 1_000);
    if (former !== null) {
      yield* assertBelowLimit(tx, tenant, "apiTokens");
      yield* tx.insertApiToken(organizationId, former);
    }
    const details = { formerId: former?.id ?? null, overlapSeconds, ...ended };
    yield* recordAuditEntry(tx, tenant, { action: "api_token.rotated", target: tokenId, details });
    return { token, apiToken: apiTokenOf(after) };
  });
}

/** @throws {LoyaltyError} `validation_failed` if the new expiry is in the past. */
function renewed(before: StoredApiToken, token: string, until: number | null, now: number): StoredApiToken {
  if (until !== null && until <= now) throw validationFailed({ expiresAt: "must be in the future" });
  const [prefix, hash] = [prefixOfToken(token), hashOfToken(token)];
  return { ...before, prefix, hash, lastUsedAt: null, expiresAt: until };
}

/** Builds a separate token for the previous secret, so that it is listed and can be revoked. */
function buildPreviousToken(before: StoredApiToken, tenant: Tenant, until: number): StoredApiToken {
  const expiresAt = Math.min(before.expiresAt ?? until, until);
  return { ...before, id: tenant.newId("akt"), expiresAt };
}
