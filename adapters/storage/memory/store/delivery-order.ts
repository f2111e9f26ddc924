import { compareTexts } from "../../../../src/base/values/text.js";
import type { StoredDelivery } from "../../../../src/storage/webhooks.js";
import { byAge } from "./order.js";
import { SortedRows } from "./sorted-rows.js";

type Age = Pick<StoredDelivery, "createdAt" | "id">;
type Due = Pick<StoredDelivery, "nextAttemptAt" | "id">;

/** One endpoint's webhook deliveries, sorted both by age and by due time. */
export class DeliveryOrder {
  readonly byAge = new SortedRows<Age, StoredDelivery>(byAge);
  /** Pending deliveries, ordered by `nextAttemptAt`, then by ID. */
  readonly byDueTime = new SortedRows<Due, StoredDelivery>(compareDueTimes);

  add(delivery: StoredDelivery): void {
    this.byAge.add(delivery);
    if (delivery.nextAttemptAt !== null) this.byDueTime.add(delivery);
  }

  remove(delivery: StoredDelivery): void {
    this.byAge.remove(delivery);
    if (delivery.nextAttemptAt !== null) this.byDueTime.remove(delivery);
  }

  /** When the earliest pending delivery is due, in milliseconds since the Unix epoch, or `Infinity` if none is pending. */
  get dueAt(): number {
    return getDueTime(this.byDueTime.inOrder[0]);
  }

  /** Returns up to `limit` deliveries that are due at `now`, longest overdue first. */
  due(now: number, limit: number): StoredDelivery[] {
    return this.byDueTime.inOrder.slice(0, limit).filter((delivery) => getDueTime(delivery) <= now);
  }
}

function compareDueTimes(a: Due, b: Due): number {
  return getDueTime(a) - getDueTime(b) || compareTexts(a.id, b.id);
}

function getDueTime(delivery: Due | undefined): number {
  return delivery?.nextAttemptAt ?? Number.POSITIVE_INFINITY;
}
