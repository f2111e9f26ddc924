import { yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import { notFound } from "../base/errors.js";
import type { StoredAuditEntry } from "../storage/audit.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { actorOf } from "./actor-schema.js";
import { apiTokenOf } from "./api-token-schema.js";
import { appOf } from "./app-schema.js";
import type { CreatedByToken } from "./created-by-token-schema.js";
import { grantOf } from "./grant-schema.js";

const READ_AT_ONCE = 500;

/** Maximum number of ended grants in the response. The newest are returned. */
const MOST_ENDED_GRANTS = 1_000;

/** What the audit trail knows about a token: whether it existed, and the IDs of everything it created, even if removed since. */
interface Trail {
  isKnown: boolean;
  readonly grants: Set<string>;
  readonly endpoints: Set<string>;
}

/**
 * Returns the resources that a token created, according to storage and the audit trail.
 * @throws {LoyaltyError} `resource_not_found` if neither storage nor the audit trail contains the token.
 */
export function* createdByToken(
  reader: StorageReader,
  organizationId: string,
  tokenId: string,
): Step<CreatedByToken> {
  const { isKnown, grants, endpoints } = yield* readTrail(reader, organizationId, tokenId);
  const tokens = yield* reader.listApiTokens(organizationId);
  if (!(isKnown || tokens.some(({ id }) => id === tokenId)))
    throw notFound("api_token", tokenId, organizationId);
  const grantsNow = (yield* reader.listGrants(organizationId)).filter((grant) => grant.tokenId === tokenId);
  for (const { id } of grantsNow) grants.delete(id);
  const endpointsNow = yield* reader.listWebhookEndpoints(organizationId);
  return {
    object: "created_by_token",
    tokenId,
    apiTokens: tokens.filter(({ createdBy }) => createdBy === tokenId).map(apiTokenOf),
    apps: (yield* reader.listApps(organizationId))
      .filter(({ createdBy }) => createdBy === tokenId)
      .map(appOf),
    grants: grantsNow.map(grantOf),
    endedGrantIds: [...grants].slice(-MOST_ENDED_GRANTS),
    webhookEndpointIds: endpointsNow.map(({ id }) => id).filter((id) => endpoints.has(id)),
  };
}

function* readTrail(reader: StorageReader, organizationId: string, tokenId: string): Step<Trail> {
  const trail: Trail = { isKnown: false, grants: new Set(), endpoints: new Set() };
  for (let after = 0; ; ) {
    const some = yield* reader.listAudit(organizationId, after, READ_AT_ONCE);
    for (const entry of some) {
      const { action, target } = entry;
      if (target === null) continue;
      if (target === tokenId && action.startsWith("api_token.")) trail.isKnown = true;
      else if (action === "grant.created" && tokenOfGrant(entry) === tokenId) trail.grants.add(target);
      else if (action === "webhook_endpoint.created" && findActingToken(entry) === tokenId) {
        trail.endpoints.add(target);
      }
    }
    const last = some.at(-1);
    if (last === undefined || some.length < READ_AT_ONCE) return trail;
    after = last.sequence;
    yield* yieldIfDue();
  }
}

function tokenOfGrant({ details }: StoredAuditEntry): string | null {
  const { tokenId = null }: { tokenId?: string | null } = JSON.parse(details);
  return tokenId;
}

/**
 * Returns the ID of the API token that the actor used, either directly or to sign in to the console. Returns `null` for other kinds
 * of actors.
 */
function findActingToken(entry: StoredAuditEntry): string | null {
  const { kind, id } = actorOf(entry);
  return kind === "token" || kind === "console" ? id : null;
}
