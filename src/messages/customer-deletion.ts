import { yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import type { Change } from "../kernel/tenant.js";
import type { MessagesWithRecipient } from "../storage/messages.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { DeliveryTally } from "./delivery-tally.js";
import { withEndStatus } from "./mail-outcome.js";
import { decodeAudience } from "./schema.js";

/** More deliveries than a customer ever has waiting. */
const PAGE_SIZE = 200;

/**
 * Marks the unfinished deliveries to a customer as skipped. Call this before deleting the customer. Any results that mail servers
 * report afterward are ignored.
 */
export function* skipPendingDeliveries(change: Change, userId: string): Step<void> {
  const { tenant, tx } = change;
  const now = tenant.now();
  const changes = new DeliveryTally(now);
  for (const status of ["PENDING", "SENDING"] as const) {
    for (let page = 0; ; page += 1) {
      const query = { status, page, size: PAGE_SIZE };
      const { items } = yield* tx.messageDeliveriesOf({ userId }, query);
      for (const delivery of items)
        changes.record(delivery, withEndStatus(delivery, "SKIPPED", "customer_deleted", now));
      if (items.length < PAGE_SIZE) break;
    }
  }
  yield* changes.write(change);
}

/** Maximum number of messages to search per read: each may name 10,000 customers. */
const SCAN_BATCH_SIZE = 100;

/** Removes a customer from every message audience that lists users by ID. */
export function* removeFromAudiences(tx: StorageTransaction, userId: string): Step<void> {
  for (let after: string | null = ""; after !== null; ) {
    const page: MessagesWithRecipient = yield* tx.messagesWithRecipient(
      JSON.stringify(userId),
      after,
      SCAN_BATCH_SIZE,
    );
    for (const id of page.ids) {
      const message = yield* tx.findMessage(id);
      if (message === null) continue;
      const audience = decodeAudience(message);
      if (!("userIds" in audience)) continue;
      const userIds = audience.userIds.filter((each) => each !== userId);
      yield* tx.updateMessage({ ...message, audience: JSON.stringify({ userIds }) });
    }
    after = page.next;
    yield* yieldIfDue();
  }
}
