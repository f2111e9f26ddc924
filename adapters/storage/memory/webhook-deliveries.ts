import type { Claim } from "../../../src/storage/jobs.js";
import type {
  AttemptOutcome,
  DeliveryQuery,
  NewDelivery,
  PendingDeliveries,
  StoredAttempt,
  StoredDelivery,
} from "../../../src/storage/webhooks.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, requireRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function listDeliveries(
  { deliveryOrders }: OrganizationRows,
  endpointId: string,
  { before, limit, status }: DeliveryQuery,
): StoredDelivery[] {
  const order = deliveryOrders.get(endpointId)?.byAge;
  if (order === undefined) return [];
  const end = before === null ? order.inOrder.length : order.countBefore(before);
  if (status === undefined) return order.inOrder.slice(Math.max(0, end - limit), end).reverse();
  const deliveries: StoredDelivery[] = [];
  for (let index = end - 1; index >= 0 && deliveries.length < limit; index -= 1) {
    const delivery = order.inOrder[index];
    if (delivery?.status === status) deliveries.push(delivery);
  }
  return deliveries;
}

export function findDelivery({ deliveries }: OrganizationRows, id: string): StoredDelivery | null {
  return deliveries.get(id) ?? null;
}

export function attemptsOf({ attempts }: OrganizationRows, deliveryIds: readonly string[]): StoredAttempt[] {
  return [...new Set(deliveryIds)].flatMap((id) => attempts.get(id) ?? []);
}

export function pendingDeliveries({
  deliveryOrders,
}: OrganizationRows): ReadonlyMap<string, PendingDeliveries> {
  const pending = new Map<string, PendingDeliveries>();
  for (const [endpointId, { byDueTime, dueAt }] of deliveryOrders) {
    const count = byDueTime.inOrder.length;
    if (count > 0) pending.set(endpointId, { count, dueAt });
  }
  return pending;
}

export function insertDeliveries(
  rows: OrganizationRows,
  log: UndoLog,
  endpointId: string,
  deliveries: readonly NewDelivery[],
): void {
  for (const delivery of deliveries) {
    const { createdAt } = delivery;
    const row = freezeRow({
      ...delivery,
      endpointId,
      status: "pending",
      attempts: 0,
      updatedAt: createdAt,
    } as const);
    log.add(rows.deliveries, row.id, row);
    addToOrder(rows, log, row);
  }
}

export function claimDeliveries(
  rows: OrganizationRows,
  log: UndoLog,
  endpointId: string,
  { lease, now, until, limit }: Claim,
): StoredDelivery[] {
  const dueDeliveries = rows.deliveryOrders.get(endpointId)?.listDue(now, limit) ?? [];
  return dueDeliveries.map((delivery) => {
    log.set(rows.leases, delivery.id, lease);
    return replaceDelivery(rows, log, delivery, { ...delivery, nextAttemptAt: until });
  });
}

export function recordAttempts(
  rows: OrganizationRows,
  log: UndoLog,
  endpointId: string,
  lease: string,
  outcomes: readonly AttemptOutcome[],
  now: number,
): string[] {
  const recordedIds: string[] = [];
  for (const { attempt, status, nextAttemptAt } of outcomes) {
    const { deliveryId } = attempt;
    const delivery = rows.deliveries.get(deliveryId);
    if (delivery?.endpointId !== endpointId || rows.leases.get(deliveryId) !== lease) continue;
    const attempts = delivery.attempts + 1;
    replaceDelivery(rows, log, delivery, { ...delivery, status, attempts, nextAttemptAt, updatedAt: now });
    log.set(rows.attempts, deliveryId, [...(rows.attempts.get(deliveryId) ?? []), freezeRow(attempt)]);
    log.delete(rows.leases, deliveryId);
    recordedIds.push(deliveryId);
  }
  return recordedIds;
}

export function removeDeliveries(
  rows: OrganizationRows,
  log: UndoLog,
  endpointId: string,
  before: number,
  limit: number,
): number {
  const order = rows.deliveryOrders.get(endpointId)?.byAge;
  if (order === undefined) return 0;
  const old = order.inOrder
    .slice(0, order.countBefore({ createdAt: before, id: "" }))
    .filter(({ status }) => status !== "pending")
    .slice(0, limit);
  for (const delivery of old) removeDelivery(rows, log, delivery);
  return old.length;
}

export function removeDelivery(rows: OrganizationRows, log: UndoLog, delivery: StoredDelivery): void {
  const { id } = delivery;
  removeFromOrder(rows, log, delivery);
  log.delete(rows.leases, id);
  log.delete(rows.attempts, id);
  log.delete(rows.deliveries, id);
}

/** Removes the custom bodies, leases, and recorded responses of all deliveries for the given events. */
export function redactDeliveries(
  rows: OrganizationRows,
  log: UndoLog,
  eventIds: Pick<ReadonlySet<string>, "has">,
): void {
  for (const [id, delivery] of rows.deliveries) {
    if (!eventIds.has(delivery.eventId)) continue;
    if (delivery.customBody !== null) replaceDelivery(rows, log, delivery, { ...delivery, customBody: null });
    log.delete(rows.leases, id);
    const attempts = rows.attempts.get(id) ?? [];
    if (attempts.length === 0) continue;
    log.set(
      rows.attempts,
      id,
      attempts.map((attempt) => freezeRow({ ...attempt, response: null })),
    );
  }
}

function replaceDelivery(
  rows: OrganizationRows,
  log: UndoLog,
  previous: StoredDelivery,
  after: StoredDelivery,
): StoredDelivery {
  const row = freezeRow(after);
  removeFromOrder(rows, log, previous);
  log.set(rows.deliveries, row.id, row);
  addToOrder(rows, log, row);
  return row;
}

function addToOrder({ deliveryOrders }: OrganizationRows, log: UndoLog, delivery: StoredDelivery): void {
  const order = requireRow(deliveryOrders, delivery.endpointId);
  log.change(
    () => order.add(delivery),
    () => order.remove(delivery),
  );
}

function removeFromOrder({ deliveryOrders }: OrganizationRows, log: UndoLog, delivery: StoredDelivery): void {
  const order = requireRow(deliveryOrders, delivery.endpointId);
  log.change(
    () => order.remove(delivery),
    () => order.add(delivery),
  );
}
