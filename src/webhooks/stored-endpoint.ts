import type { Step } from "../base/concurrency/step.js";
import { notFound } from "../base/errors.js";
import { isStorable } from "../base/values/text.js";
import type { Tenant } from "../kernel/tenant.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { type StoredWebhookEndpoint, webhookEndpointRecord } from "../storage/webhooks.js";

/**
 * Finds a stored endpoint by its ID.
 * @throws {LoyaltyError} `resource_not_found` if the organization has no such endpoint.
 */
export function* findEndpoint(
  { organizationId }: Tenant,
  reader: StorageReader,
  webhookEndpointId: string,
): Step<StoredWebhookEndpoint> {
  const endpoint = isStorable(webhookEndpointId)
    ? yield* reader.findWebhookEndpoint(webhookEndpointId)
    : null;
  if (endpoint === null) throw notFound("webhook_endpoint", webhookEndpointId, organizationId);
  return endpoint;
}

/**
 * Locks an endpoint without locking its organization, for transactions that change nothing else. Only other changes to the same
 * endpoint are blocked.
 * @throws {LoyaltyError} `resource_not_found` if the endpoint doesn't exist.
 */
export function* lockEndpointOnly(
  { organizationId }: Tenant,
  tx: StorageTransaction,
  webhookEndpointId: string,
): Step<StoredWebhookEndpoint> {
  const endpoint = isStorable(webhookEndpointId)
    ? yield* tx.lockWebhookEndpoint(webhookEndpointId, true)
    : null;
  if (endpoint === null) throw notFound("webhook_endpoint", webhookEndpointId, organizationId);
  return endpoint;
}

/**
 * Locks the organization first and then the endpoint. Locking them in the opposite order could deadlock with a transaction that
 * holds the organization's lock and waits for the endpoint's.
 * @throws {LoyaltyError} `resource_not_found` if the endpoint doesn't exist.
 */
export function* lockEndpoint(
  tenant: Tenant,
  tx: StorageTransaction,
  webhookEndpointId: string,
): Step<StoredWebhookEndpoint> {
  yield* findEndpoint(tenant, tx, webhookEndpointId);
  return yield* lockEndpointOnly(tenant, tx, webhookEndpointId);
}

/** Returns a copy of the endpoint with its secrets encrypted for storage. */
export function sealEndpoint(
  { engine, organizationId }: Tenant,
  endpoint: StoredWebhookEndpoint,
): StoredWebhookEndpoint {
  return engine.secrets.seal(webhookEndpointRecord, organizationId, endpoint);
}

/** Returns a copy of the endpoint with its secrets decrypted. */
export function openEndpoint(
  { engine, organizationId }: Tenant,
  endpoint: StoredWebhookEndpoint,
): StoredWebhookEndpoint {
  return engine.secrets.open(webhookEndpointRecord, organizationId, endpoint);
}
