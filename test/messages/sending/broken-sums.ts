import type { StorageAdapter } from "loyalty-kit";
import type { MessageDeliveryStatus } from "../../../src/storage/mail.js";
import type { StoredMessage } from "../../../src/storage/messages.js";

const statuses = ["PENDING", "SENDING", "ACCEPTED", "SKIPPED", "FAILED"] as const;

/** Returns which sums are wrong. @param rowsMayBeGone rows of erased customers are counted although they are gone. */
export async function findBrokenSums(
  storage: StorageAdapter,
  organizationId: string,
  rowsMayBeGone = false,
): Promise<string[]> {
  return storage.snapshot(organizationId, function* (reader) {
    const faults: string[] = [];
    const { items } = yield* reader.listMessages({ status: null, page: 0, size: 100 });
    for (const message of items) {
      const rows = {} as Record<MessageDeliveryStatus, number>;
      for (const status of statuses) {
        const query = { status, page: 0, size: 1 };
        rows[status] = (yield* reader.messageDeliveriesOf({ messageId: message.id }, query)).total;
      }
      faults.push(...findFaults(message, rows, rowsMayBeGone));
    }
    return faults;
  });
}

function findFaults(
  message: StoredMessage,
  rows: Record<MessageDeliveryStatus, number>,
  rowsMayBeGone: boolean,
): string[] {
  const { id, status, recipients, pending, sending, accepted, failed } = message;
  const skips: Record<string, number> = JSON.parse(message.skipped);
  const skipped = Object.values(skips).reduce((sum, count) => sum + count, 0);
  const describeFault = (what: string) =>
    `${id} ${status}: ${what} ${JSON.stringify({ ...message, texts: [], rows })}`;
  const found: string[] = [];
  if (recipients !== pending + sending + accepted + failed + skipped)
    found.push(describeFault("the sum is wrong"));
  if (Math.min(pending, sending, accepted, failed, ...Object.values(skips)) < 0)
    found.push(describeFault("below zero"));
  if (status === "SENT" && pending + sending > 0) found.push(describeFault("sent too early"));
  // Deliveries without a row are pending, and may be skipped without getting one.
  if (pending < rows.PENDING || skipped < rows.SKIPPED) found.push(describeFault("rows are not counted"));
  const exact = rowsMayBeGone
    ? []
    : [
        [sending, rows.SENDING],
        [accepted, rows.ACCEPTED],
        [failed, rows.FAILED],
      ];
  if (exact.some(([sum, count]) => sum !== count)) found.push(describeFault("other rows"));
  if (sending < rows.SENDING) found.push(describeFault("more are being sent"));
  return found;
}
