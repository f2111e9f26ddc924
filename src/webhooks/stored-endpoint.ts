import type { Step } from "../concurrency/step.js";
import { notFound } from "../errors.js";
import { endpointSecrets } from "../sealing/sealed-rows.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredWebhookEndpoint } from "../storage/webhooks.js";
import type { Tenant } from "../tenant/tenant.js";
import { isStorable } from "../values/text.js";

/** @throws {LoyaltyError} `resource_not_found`. */
export function* findEndpoint(
  { organizationId }: Tenant,
  reader: StorageReader,
  webhookEndpointId: string,
): Step<StoredWebhookEndpoint> {
  const found = isStorable(webhookEndpointId)
    ? yield* reader.findWebhookEndpoint(organizationId, webhookEndpointId)
    : null;
  if (found === null) throw notFound("webhook_endpoint");
  return found;
}

/**
 * Nobody waits for this transaction but who changes the endpoint: it changes nothing else.
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
  if (endpoint === null) throw notFound("webhook_endpoint");
  return endpoint;
}

/**
 * Finding it locks the organization, which has to come first: who has that may be waiting for the endpoint.
 * @throws {LoyaltyError} `resource_not_found`.
 */
export function* lockEndpoint(
  tenant: Tenant,
  tx: StorageTransaction,
  webhookEndpointId: string,
): Step<StoredWebhookEndpoint> {
  const { id } = yield* findEndpoint(tenant, tx, webhookEndpointId);
  const endpoint = yield* tx.lockWebhookEndpoint(tenant.organizationId, id, true);
  if (endpoint === null) throw notFound("webhook_endpoint");
  return endpoint;
}

/** As it is stored, with its secrets sealed. */
export function sealedEndpoint(
  { engine, organizationId }: Tenant,
  endpoint: StoredWebhookEndpoint,
): StoredWebhookEndpoint {
  return endpointSecrets(engine.secretKeys, "seal", organizationId, endpoint);
}

/** With its secrets as they are. */
export function openedEndpoint(
  { engine, organizationId }: Tenant,
  endpoint: StoredWebhookEndpoint,
): StoredWebhookEndpoint {
  return endpointSecrets(engine.secretKeys, "open", organizationId, endpoint);
}
