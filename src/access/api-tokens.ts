import { yieldIfDue } from "../base/concurrency/event-loop.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import { accessDenied, notFound, validationFailed } from "../base/errors.js";
import { onAnyObject, parse, parseNew } from "../base/parse.js";
import { isScope } from "../base/scopes.js";
import { hashOfToken, newToken, prefixOfToken } from "../base/secrets/token-format.js";
import { timestamp } from "../base/values/clock.js";
import { Networks } from "../base/values/networks.js";
import { isStorable } from "../base/values/text.js";
import { recordAuditEntry } from "../kernel/audit.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { assertBelowLimit } from "../kernel/limits.js";
import type { Tenant } from "../kernel/tenant.js";
import { UseCases } from "../kernel/use-cases.js";
import type { StoredApiToken } from "../storage/api-tokens.js";
import type { StoredAuditEntry } from "../storage/audit.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { actorOf } from "./actor-schema.js";
import {
  type ApiToken,
  apiTokenOf,
  type CreateApiToken,
  type CreatedApiToken,
  createApiTokenSchema,
  type RotateApiToken,
  rotateApiTokenSchema,
} from "./api-token-schema.js";
import { appOf, type CreatedByToken, grantOf } from "./app-schema.js";

const PAGE_SIZE = 500;

/** Maximum number of ended grants in the response. The newest are returned. */
const MAX_ENDED_GRANTS = 1_000;

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
    const { name, scopes, expiresAt, allowedAddresses } = parseNew(buildCreateSchema(now), input);
    for (const scope of scopes) if (!tenant.hasScope(scope)) throw accessDenied(scope);
    const token = newToken("api");
    const row: Omit<StoredApiToken, "allowedAddresses" | "createdBy"> = {
      id: tenant.newId("akt"),
      name,
      prefix: prefixOfToken(token),
      hash: hashOfToken(token),
      scopes: [...new Set(scopes)],
      createdAt: now,
      lastUsedAt: null,
      expiresAt: expiresAt === undefined || expiresAt === null ? null : Date.parse(expiresAt),
    };
    return tenant.change(["apiTokens.create", input], function* ({ tx }) {
      yield* assertBelowLimit(tx, tenant, "apiTokens");
      const callerToken = yield* findCallerToken(tx, tenant);
      const addresses = allowedAddresses ?? callerToken?.allowedAddresses ?? null;
      assertAddressesAllowed(callerToken, addresses);
      const apiToken: StoredApiToken = {
        ...row,
        allowedAddresses: addresses && [...new Set(addresses)],
        createdBy: tenant.creatorId,
      };
      yield* tx.insertApiToken(apiToken);
      const { id: target, expiresAt: expiresAtMs } = apiToken;
      const details = {
        name,
        scopes: apiToken.scopes,
        expiresAt: expiresAtMs === null ? null : timestamp(expiresAtMs),
        ...(apiToken.allowedAddresses !== null && { allowedAddresses: apiToken.allowedAddresses }),
      };
      yield* recordAuditEntry(tx, tenant, { action: "api_token.created", target, details });
      return { token, apiToken: apiTokenOf(apiToken) };
    });
  }

  /**
   * Lists all tokens, including expired ones, oldest first.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `api_token:manage`.
   */
  async list(): Promise<ApiToken[]> {
    return (await runStep(this.tenant.reader.listApiTokens())).map(apiTokenOf);
  }

  /**
   * Lists the resources that a token created and the IDs of the ended grants that were made with it. The audit trail is read too,
   * so this also works for revoked tokens.
   * @throws {LoyaltyError} `resource_not_found` if neither storage nor the audit trail contains the token, or `access_denied` if
   *   the caller lacks `api_token:manage`.
   */
  async listCreated(tokenId: string): Promise<CreatedByToken> {
    const { tenant } = this;
    if (!isStorable(tokenId)) throw notFound("api_token", tokenId, tenant.organizationId);
    return tenant.read((reader) => listCreatedByToken(reader, tenant.organizationId, tokenId), true);
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
   * Revokes a token and ends the grants made with it. The token stops working immediately in all processes. Callers can't revoke a
   * token that has a scope they lack.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `api_token:manage` or one of the token's
   *   scopes.
   */
  async delete(tokenId: string, options: IdempotencyOptions = {}): Promise<void> {
    const { tenant } = this;
    if (!isStorable(tokenId)) throw notFound("api_token", tokenId, tenant.organizationId);
    await tenant.change(["apiTokens.delete", tokenId, options], function* ({ tx }) {
      const token = yield* tx.findApiToken(tokenId);
      if (token === null) throw notFound("api_token", tokenId, tenant.organizationId);
      assertHasScopes(tenant, token);
      const details = yield* describeEndedGrants(tx, tokenId);
      if (!(yield* tx.deleteApiToken(tokenId))) throw notFound("api_token", tokenId, tenant.organizationId);
      yield* recordAuditEntry(tx, tenant, { action: "api_token.revoked", target: tokenId, details });
    });
  }
}

function buildCreateSchema(now: number) {
  return createApiTokenSchema.refine(
    ({ expiresAt }) => expiresAt === undefined || expiresAt === null || Date.parse(expiresAt) > now,
    { path: ["expiresAt"], error: "must be in the future", ...onAnyObject },
  );
}

/**
 * Replaces an API token's secret, as described for `ApiTokens.rotate`. Sessions that signed in with the previous secret must sign
 * in again.
 */
async function rotateToken(
  tenant: Tenant,
  tokenId: string,
  options: RotateApiToken & IdempotencyOptions,
): Promise<CreatedApiToken> {
  const { overlapSeconds, expiresAt: newExpiresAt } = parse(rotateApiTokenSchema, options);
  const expiresAt = typeof newExpiresAt === "string" ? Date.parse(newExpiresAt) : newExpiresAt;
  if (!isStorable(tokenId)) throw notFound("api_token", tokenId, tenant.organizationId);
  const token = newToken("api");
  return tenant.change(["apiTokens.rotate", tokenId, options], function* ({ tx }) {
    const before = yield* tx.findApiToken(tokenId);
    if (before === null) throw notFound("api_token", tokenId, tenant.organizationId);
    assertHasScopes(tenant, before);
    assertAddressesAllowed(yield* findCallerToken(tx, tenant), before.allowedAddresses);
    const endedGrants = yield* describeEndedGrants(tx, tokenId);
    // Delete the row first, because no two rows may have the same secret. The deletion also ends the token's grants and sessions.
    if (!(yield* tx.deleteApiToken(tokenId))) throw notFound("api_token", tokenId, tenant.organizationId);
    const now = tenant.now();
    const after = withNewSecret(before, token, expiresAt === undefined ? before.expiresAt : expiresAt, now);
    yield* tx.insertApiToken(after);
    const previous =
      overlapSeconds === 0 ? null : buildPreviousToken(before, tenant, now + overlapSeconds * 1_000);
    if (previous !== null) {
      yield* assertBelowLimit(tx, tenant, "apiTokens");
      yield* tx.insertApiToken(previous);
    }
    const details = { formerId: previous?.id ?? null, overlapSeconds, ...endedGrants };
    yield* recordAuditEntry(tx, tenant, { action: "api_token.rotated", target: tokenId, details });
    return { token, apiToken: apiTokenOf(after) };
  });
}

/** @throws {LoyaltyError} `validation_failed` if the new expiry is in the past. */
function withNewSecret(
  before: StoredApiToken,
  token: string,
  expiresAt: number | null,
  now: number,
): StoredApiToken {
  if (expiresAt !== null && expiresAt <= now) throw validationFailed({ expiresAt: "must be in the future" });
  const [prefix, hash] = [prefixOfToken(token), hashOfToken(token)];
  return { ...before, prefix, hash, lastUsedAt: null, expiresAt };
}

/** Builds a separate token for the previous secret, so that it is listed and can be revoked. */
function buildPreviousToken(before: StoredApiToken, tenant: Tenant, maxExpiresAt: number): StoredApiToken {
  const expiresAt = Math.min(before.expiresAt ?? maxExpiresAt, maxExpiresAt);
  return { ...before, id: tenant.newId("akt"), expiresAt };
}

/** What the audit trail knows about a token: whether it existed, and the IDs of everything it created, even if removed since. */
interface TokenTrail {
  hasToken: boolean;
  readonly grantIds: Set<string>;
  readonly endpointIds: Set<string>;
}

/**
 * Returns the resources that a token created, according to storage and the audit trail.
 * @throws {LoyaltyError} `resource_not_found` if neither storage nor the audit trail contains the token.
 */
function* listCreatedByToken(
  reader: StorageReader,
  organizationId: string,
  tokenId: string,
): Step<CreatedByToken> {
  const { hasToken, grantIds, endpointIds } = yield* readTokenTrail(reader, tokenId);
  const tokens = yield* reader.listApiTokens();
  if (!(hasToken || tokens.some(({ id }) => id === tokenId)))
    throw notFound("api_token", tokenId, organizationId);
  const currentGrants = (yield* reader.listGrants()).filter((grant) => grant.tokenId === tokenId);
  for (const { id } of currentGrants) grantIds.delete(id);
  const currentEndpoints = yield* reader.listWebhookEndpoints();
  return {
    object: "created_by_token",
    tokenId,
    apiTokens: tokens.filter(({ createdBy }) => createdBy === tokenId).map(apiTokenOf),
    apps: (yield* reader.listApps()).filter(({ createdBy }) => createdBy === tokenId).map(appOf),
    grants: currentGrants.map(grantOf),
    endedGrantIds: [...grantIds].slice(-MAX_ENDED_GRANTS),
    webhookEndpointIds: currentEndpoints.map(({ id }) => id).filter((id) => endpointIds.has(id)),
  };
}

function* readTokenTrail(reader: StorageReader, tokenId: string): Step<TokenTrail> {
  const trail: TokenTrail = { hasToken: false, grantIds: new Set(), endpointIds: new Set() };
  for (let after = 0; ; ) {
    const page = yield* reader.listAudit(after, PAGE_SIZE);
    for (const entry of page) {
      const { action, target } = entry;
      if (target === null) continue;
      if (target === tokenId && action.startsWith("api_token.")) trail.hasToken = true;
      else if (action === "grant.created" && getGrantTokenId(entry) === tokenId) trail.grantIds.add(target);
      else if (action === "webhook_endpoint.created" && getActingTokenId(entry) === tokenId) {
        trail.endpointIds.add(target);
      }
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return trail;
    after = last.sequence;
    yield* yieldIfDue();
  }
}

function getGrantTokenId({ details }: StoredAuditEntry): string | null {
  const { tokenId = null }: { tokenId?: string | null } = JSON.parse(details);
  return tokenId;
}

/**
 * Returns the ID of the API token that the actor used, either directly or to sign in to the console. Returns `null` for other kinds
 * of actors.
 */
function getActingTokenId(entry: StoredAuditEntry): string | null {
  const { kind, id } = actorOf(entry);
  return kind === "token" || kind === "console" ? id : null;
}

/** Returns the API token that the caller uses, either directly or through a console session, or `null` for any other caller. */
function* findCallerToken(tx: StorageTransaction, { actor }: Tenant): Step<StoredApiToken | null> {
  const { kind, id } = actor.visible;
  if ((kind !== "token" && kind !== "console") || id === null) return null;
  return yield* tx.findApiToken(id);
}

/**
 * Checks that the caller's token allows every address from which a new secret would work. The check passes if the caller doesn't
 * use a token or the token allows all addresses.
 * @param addresses the addresses and networks from which the new secret can be used, or `null` for all addresses.
 * @throws {LoyaltyError} `validation_failed` if the secret would work from an address that the caller's token doesn't allow.
 */
function assertAddressesAllowed(
  callerToken: StoredApiToken | null,
  addresses: readonly string[] | null,
): void {
  const allowed = callerToken?.allowedAddresses ?? null;
  if (allowed === null) return;
  const networks = new Networks(allowed);
  if (addresses === null || addresses.some((network) => !networks.contains(network))) {
    throw validationFailed({
      allowedAddresses: "must be within the addresses that the calling token allows",
    });
  }
}

/** Maximum number of ended grants listed in one audit trail entry. */
const MAX_AUDITED_GRANTS = 100;

/**
 * Returns details for an audit entry: the number of grants that end when a token is revoked or rotated, and the IDs of up to 100 of
 * those grants.
 */
function* describeEndedGrants(
  tx: StorageTransaction,
  tokenId: string,
): Step<{ endedGrants: number; endedGrantIds: string[] }> {
  const grants = yield* tx.listGrants();
  const ids = grants.filter((grant) => grant.tokenId === tokenId).map(({ id }) => id);
  return { endedGrants: ids.length, endedGrantIds: ids.slice(0, MAX_AUDITED_GRANTS) };
}

/**
 * Checks that the caller has all of the target's scopes. Callers must not revoke or take over more access than they have
 * themselves.
 * @throws {LoyaltyError} `access_denied` with the first scope that the caller lacks.
 */
export function assertHasScopes(tenant: Tenant, { scopes }: { readonly scopes: readonly string[] }): void {
  for (const scope of scopes) if (isScope(scope) && !tenant.hasScope(scope)) throw accessDenied(scope);
}
