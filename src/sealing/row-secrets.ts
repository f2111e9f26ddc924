import type { SecretKeys } from "../secrets/secret-keys.js";
import type { StoredMailQueue } from "../storage/mail.js";
import type { StoredWalletCard } from "../storage/wallets.js";
import type { StoredWebhookEndpoint } from "../storage/webhooks.js";

/** The operation on a secret: seal it, open it, or reseal it with the newest key. */
export type SealOperation = "seal" | "open" | "reseal";

type EndpointSecrets = Pick<StoredWebhookEndpoint, "id" | "secret" | "previousSecret">;
type CardSecrets = Pick<StoredWalletCard, "passId" | "authenticationToken" | "linkToken">;

/** An endpoint with its secrets sealed, or opened. @throws {SecretKeyError} without the key that they need. */
export function transformEndpointSecrets<Row extends EndpointSecrets>(
  keys: SecretKeys,
  treatment: SealOperation,
  organizationId: string,
  row: Row,
): Row {
  const place = ["webhook secret", organizationId, row.id] as const;
  return {
    ...row,
    secret: keys[treatment](place, row.secret),
    previousSecret: row.previousSecret && keys[treatment](place, row.previousSecret),
  };
}

/** A queue of mails with its key sealed, or opened. @throws {SecretKeyError} without the key that it needs. */
export function transformMailQueueSecrets<Row extends Pick<StoredMailQueue, "linkKey">>(
  keys: SecretKeys,
  treatment: SealOperation,
  organizationId: string,
  row: Row,
): Row {
  // An organization has one queue, so its id says all of the place.
  return { ...row, linkKey: keys[treatment](["mail link key", organizationId, ""], row.linkKey) };
}

/** A card with its secrets sealed, or opened. @throws {SecretKeyError} without the key that they need. */
export function transformCardSecrets<Row extends CardSecrets>(
  keys: SecretKeys,
  treatment: SealOperation,
  organizationId: string,
  row: Row,
): Row {
  const { passId } = row;
  return {
    ...row,
    authenticationToken: keys[treatment](["wallet token", organizationId, passId], row.authenticationToken),
    linkToken: keys[treatment](["wallet link", organizationId, passId], row.linkToken),
  };
}
