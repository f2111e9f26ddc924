import type { SecretKeys } from "../base/secrets/secret-keys.js";
import type { StoredMailQueue } from "../storage/mail.js";
import type { StoredWalletCard } from "../storage/wallets.js";
import type { StoredWebhookEndpoint } from "../storage/webhooks.js";

/** What to do with a secret: `seal` encrypts it, `open` decrypts it, and `reseal` encrypts it with the newest key. */
export type SealOperation = "seal" | "open" | "reseal";

type EndpointSecrets = Pick<StoredWebhookEndpoint, "id" | "secret" | "previousSecret">;
type CardSecrets = Pick<StoredWalletCard, "passId" | "authenticationToken" | "linkToken">;

/**
 * Returns a webhook endpoint with its secrets sealed, opened, or resealed.
 * @throws {SecretKeyError} if the key that sealed a secret is missing.
 */
export function transformEndpointSecrets<Row extends EndpointSecrets>(
  keys: SecretKeys,
  operation: SealOperation,
  organizationId: string,
  row: Row,
): Row {
  const context = ["webhook secret", organizationId, row.id] as const;
  return {
    ...row,
    secret: keys[operation](context, row.secret),
    previousSecret: row.previousSecret && keys[operation](context, row.previousSecret),
  };
}

/**
 * Returns a mail queue with its link key sealed, opened, or resealed.
 * @throws {SecretKeyError} if the key that sealed the link key is missing.
 */
export function transformMailQueueSecrets<Row extends Pick<StoredMailQueue, "linkKey">>(
  keys: SecretKeys,
  operation: SealOperation,
  organizationId: string,
  row: Row,
): Row {
  // An organization has only one mail queue, so the context needs no further ID.
  return { ...row, linkKey: keys[operation](["mail link key", organizationId, ""], row.linkKey) };
}

/**
 * Returns a wallet card with its secrets sealed, opened, or resealed.
 * @throws {SecretKeyError} if the key that sealed a secret is missing.
 */
export function transformCardSecrets<Row extends CardSecrets>(
  keys: SecretKeys,
  operation: SealOperation,
  organizationId: string,
  row: Row,
): Row {
  const { passId } = row;
  return {
    ...row,
    authenticationToken: keys[operation](["wallet token", organizationId, passId], row.authenticationToken),
    linkToken: keys[operation](["wallet link", organizationId, passId], row.linkToken),
  };
}
