import type { StorageTransaction } from "../../src/storage/storage-adapter.js";
import type { Pending } from "./change/pending.js";

/** They look at all organizations, and lock none. */
const ofNoOrganization: readonly (string | symbol)[] = [
  "findApiTokenByHash",
  "findApp",
  "findGrantTokenByHash",
  "endpointsToServe",
  "isEmpty",
];

/**
 * These wait for the endpoint alone, whose row is locked instead. None of them locks the organization after it: who
 * already has that one may be waiting for the endpoint.
 */
const ofAnEndpoint: readonly (string | symbol)[] = [
  "lockWebhookEndpoint",
  "updateWebhookEndpoint",
  "deleteWebhookEndpoint",
  "listDeliveries",
  "findDelivery",
  "attemptsOf",
  "insertDeliveries",
  "claimDeliveries",
  "recordAttempts",
  "removeDeliveries",
];

/**
 * The transaction, but that each call first locks the row of its organization. So the transactions of one organization
 * run one after the other, what one of them reads stays as it is, and all locks are taken in one order: first the
 * organization's, then those of its rows. Organizations never wait for each other.
 */
export function lockingFirst(tx: StorageTransaction, pending: Pending): StorageTransaction {
  return new Proxy(tx, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      if (ofNoOrganization.includes(name) || ofAnEndpoint.includes(name)) return method.bind(target);
      return async (organizationId: string, ...rest: unknown[]) => {
        await pending.lock(organizationId);
        return Reflect.apply(method, target, [organizationId, ...rest]);
      };
    },
  });
}
