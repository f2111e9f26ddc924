import type { Step } from "../concurrency/step.js";
import type { Recorder } from "../events/recording.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { Tenant } from "../tenant/tenant.js";
import { DeliveryChanges } from "./delivery-changes.js";
import { endedAs } from "./mail-outcome.js";

/** More than a customer ever waits for. */
const PAGE = 200;

/**
 * Counts the deliveries of messages to a customer that have not ended as skipped, since the customer has left: to be called before
 * they are removed. What a mail server is being given meanwhile counts for nothing.
 */
export function* leaveMessages(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  userId: string,
): Step<void> {
  const { organizationId } = tenant;
  const now = tenant.now();
  const changes = new DeliveryChanges(organizationId, now);
  for (const status of ["PENDING", "SENDING"] as const) {
    for (let page = 0; ; page += 1) {
      const query = { status, page, size: PAGE };
      const { items } = yield* tx.messageDeliveriesOf(organizationId, { userId }, query);
      for (const delivery of items) changes.note(delivery, endedAs(delivery, "SKIPPED", "left", now));
      if (items.length < PAGE) break;
    }
  }
  yield* changes.write(tx, record);
}
