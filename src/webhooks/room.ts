import type { PendingDeliveries } from "../storage/webhooks.js";
import type { Limits } from "../tenant/limits.js";

/**
 * For how many more deliveries there is room at an endpoint and in its organization. Transactions that look side by side
 * may fill the same room.
 * @param pending of the organization's endpoints, by their ids.
 */
export function roomAt(
  pending: ReadonlyMap<string, PendingDeliveries>,
  endpointId: string,
  { pendingDeliveries, pendingDeliveriesPerEndpoint }: Limits,
): number {
  let total = 0;
  for (const { count } of pending.values()) total += count;
  const ofEndpoint = pending.get(endpointId)?.count ?? 0;
  return Math.max(0, Math.min(pendingDeliveries - total, pendingDeliveriesPerEndpoint - ofEndpoint));
}
