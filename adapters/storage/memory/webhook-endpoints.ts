import { MINUTE_MS } from "../../../src/base/values/clock.js";
import { updated } from "../../../src/storage/record.js";
import {
  type EndpointRef,
  type EndpointToServe,
  type OwnedWebhookEndpoint,
  type StoredWebhookEndpoint,
  webhookEndpointRecord,
} from "../../../src/storage/webhooks.js";
import { byAge, DeliveryOrder } from "./store/order.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRowWithLists, requireRow } from "./store/rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";
import { removeDelivery } from "./webhook-deliveries.js";

export function listWebhookEndpoints({ webhookEndpoints }: OrganizationRows): StoredWebhookEndpoint[] {
  return [...webhookEndpoints.values()].sort(byAge);
}

export function findWebhookEndpoint(
  { webhookEndpoints }: OrganizationRows,
  id: string,
): StoredWebhookEndpoint | null {
  return webhookEndpoints.get(id) ?? null;
}

export function endpointsWithDueWork(
  store: Store,
  now: number,
  limit: number,
  since: number,
): EndpointToServe[] {
  const sinceMinute = Math.floor(since / MINUTE_MS) * MINUTE_MS;
  const dueEndpoints: (EndpointToServe & { readonly dueAt: number })[] = [];
  for (const [organizationId, rows] of store.all()) {
    const hasNewEvents = rows.newestEventAt >= sinceMinute;
    for (const endpoint of rows.webhookEndpoints.values()) {
      const { id, disabledAt, position, lastPosition, failingSince, slowSince } = endpoint;
      const isTroubled = failingSince !== null || slowSince !== null;
      const isEnabled = disabledAt === null;
      const { dueAt } = requireRow(rows.deliveryOrders, id);
      const isBehind = position < (isEnabled ? rows.lastPosition : (lastPosition ?? 0));
      const hasWork = (isEnabled && dueAt <= now) || (hasNewEvents && isBehind);
      // Endpoints without a due delivery come last, no matter when their next one is due.
      if (hasWork) {
        dueEndpoints.push({ organizationId, endpointId: id, isTroubled, dueAt: Math.min(dueAt, now + 1) });
      }
    }
  }
  return dueEndpoints
    .sort((a, b) => a.dueAt - b.dueAt)
    .slice(0, limit)
    .map(({ dueAt: _dueAt, ...endpoint }) => endpoint);
}

export function webhookEndpointsAfter(
  store: Store,
  after: EndpointRef | null,
  limit: number,
): OwnedWebhookEndpoint[] {
  return [...store.all()]
    .flatMap(([organizationId, { webhookEndpoints }]) =>
      [...webhookEndpoints.values()].map((endpoint) => ({ organizationId, endpoint })),
    )
    .filter((endpoint) => after === null || isAfter(endpoint, after))
    .sort((a, b) => (isAfter(a, { organizationId: b.organizationId, endpointId: b.endpoint.id }) ? 1 : -1))
    .slice(0, limit);
}

function isAfter({ organizationId, endpoint }: OwnedWebhookEndpoint, ref: EndpointRef): boolean {
  if (organizationId !== ref.organizationId) return organizationId > ref.organizationId;
  return endpoint.id > ref.endpointId;
}

export function insertWebhookEndpoint(
  rows: OrganizationRows,
  log: UndoLog,
  endpoint: StoredWebhookEndpoint,
): void {
  log.add(rows.webhookEndpoints, endpoint.id, freezeRowWithLists(endpoint));
  log.set(rows.deliveryOrders, endpoint.id, new DeliveryOrder());
}

export function updateWebhookEndpoint(
  { webhookEndpoints }: OrganizationRows,
  log: UndoLog,
  endpoint: StoredWebhookEndpoint,
): boolean {
  const previous = webhookEndpoints.get(endpoint.id);
  if (previous === undefined) return false;
  log.set(
    webhookEndpoints,
    endpoint.id,
    freezeRowWithLists(updated(webhookEndpointRecord, previous, endpoint)),
  );
  return true;
}

export function deleteWebhookEndpoint(rows: OrganizationRows, log: UndoLog, id: string): boolean {
  const { webhookEndpoints, deliveryOrders } = rows;
  if (!webhookEndpoints.has(id)) return false;
  for (const delivery of [...requireRow(deliveryOrders, id).byAge.inOrder].reverse()) {
    removeDelivery(rows, log, delivery);
  }
  log.delete(deliveryOrders, id);
  return log.delete(webhookEndpoints, id);
}
