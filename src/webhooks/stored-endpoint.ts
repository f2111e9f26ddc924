import type { Step } from "../concurrency/step.js";
import { notFound } from "../errors.js";
import { transformEndpointSecrets } from "../sealing/row-secrets.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredWebhookEndpoint } from "../storage/webhooks.js";
import type { Tenant } from "../tenant/tenant.js";
import { isStorable } from "../values/text.js";

/**
 * Finds a stored endpoint.
 * @throws {LoyaltyError} `resource_not_found`.
 */
export function* findEndpoint(
  { organizationId }: Tenant,
  reader: StorageReader,
  webhookEndpointId: string,
): Step<StoredWebhookEndpoint> {
  const endpoint = isStorable(webhookEndpointId)
    ? yield* reader.findWebhookEndpoint(organizationId, webhookEndpointId)
    : null;
  if (endpoint === null) throw notFound("webhook_endpoint", webhookEndpointId, organizationId);
  return endpoint;
}

/**
 * Locks an endpoint for a transaction that changes nothing else, so that only changes to the same endpoint wait for it.
 * @throws {LoyaltyError} `resource_not_found`.
 */
export function* lockEndpointAlone(
  { organizationId }: Tenant,
  tx: StorageTransaction,
  webhookEndpointId: string,
): Step<StoredWebhookEndpoint> {
  const endpoint = isStorable(webhookEndpointId)
    ? yield* tx.lockWebhookEndpoint(organizationId, webhookEndpointId, true)
    : null;
  if (endpoint === null) throw notFound("webhook_endpoint", webhookEndpointId, organizationId);
  return endpoint;
}

/**
 * Locks the organization first and then the endpoint, because a transaction that holds the organization's lock may be waiting for
 * the endpoint.
 * @throws {LoyaltyError} `resource_not_found`.
 */
export function* lockEndpoint(
  tenant: Tenant,
  tx: StorageTransaction,
  webhookEndpointId: string,
): Step<StoredWebhookEndpoint> {
  yield* findEndpoint(tenant, tx, webhookEndpointId);
  return yield* lockEndpointAlone(tenant, tx, webhookEndpointId);
}

/** Encrypts the endpoint's secrets for storage. */
export function sealEndpoint(
  { engine, organizationId }: Tenant,
  endpoint: StoredWebhookEndpoint,
): StoredWebhookEndpoint {
  return transformEndpointSecrets(engine.secretKeys, "seal", organizationId, endpoint);
}

/** Decrypts the endpoint's secrets. */
export function openEndpoint(
  { engine, organizationId }: Tenant,
  endpoint: StoredWebhookEndpoint,
): StoredWebhookEndpoint {
  return transformEndpointSecrets(engine.secretKeys, "open", organizationId, endpoint);
}
