import type { MessageDeliveryReason, StoredMessageDelivery } from "../storage/mail.js";
import type { StoredMessage } from "../storage/messages.js";

/**
 * A message's delivery counts. `recipients` always equals the sum of `pending`, `sending`, `accepted`, `failed`, and all counts in
 * `skipped`. Deliveries that haven't been created yet count as `pending`.
 */
export interface DeliverySums {
  readonly recipients: number;
  readonly pending: number;
  readonly sending: number;
  readonly accepted: number;
  readonly failed: number;
  /** The number of skipped deliveries, keyed by skip reason. Reasons with a count of zero are omitted. */
  readonly skipped: Readonly<Record<string, number>>;
  /** The number of deliveries that might have arrived even though the server's reply was lost. */
  readonly uncertain: number;
}

/** The fields of a delivery that determine how it is counted. */
export type CountedDelivery = Pick<StoredMessageDelivery, "status" | "reason" | "isUncertain">;

/** Returns the counts for a message that is about to start, with all deliveries pending. */
export function createInitialSums(recipients: number): DeliverySums {
  return { recipients, pending: recipients, sending: 0, accepted: 0, failed: 0, skipped: {}, uncertain: 0 };
}

/**
 * Returns the counts after a delivery was created or changed.
 * @param before the delivery before the change, or `null` for a new delivery.
 */
export function applyDeliveryChange(
  sums: DeliverySums,
  before: CountedDelivery | null,
  after: CountedDelivery,
): DeliverySums {
  const withoutBefore = addToSums(sums, before ?? uncreatedDelivery, -1);
  return addToSums(withoutBefore, after, 1);
}

/** Returns the counts after moving `count` deliveries from `pending` to `skipped`. These deliveries haven't been created yet. */
export function countSkip(sums: DeliverySums, reason: MessageDeliveryReason, count: number): DeliverySums {
  if (count === 0) return sums;
  const withoutBefore = addToSums(sums, uncreatedDelivery, -count);
  return addToSums(withoutBefore, { status: "SKIPPED", reason, isUncertain: false }, count);
}

const uncreatedDelivery: CountedDelivery = { status: "PENDING", reason: null, isUncertain: false };

function addToSums(
  sums: DeliverySums,
  { status, reason, isUncertain }: CountedDelivery,
  count: number,
): DeliverySums {
  const uncertain = sums.uncertain + (isUncertain ? count : 0);
  switch (status) {
    case "PENDING":
      return { ...sums, uncertain, pending: sums.pending + count };
    case "SENDING":
      return { ...sums, uncertain, sending: sums.sending + count };
    case "ACCEPTED":
      return { ...sums, uncertain, accepted: sums.accepted + count };
    case "FAILED":
      return { ...sums, uncertain, failed: sums.failed + count };
    case "SKIPPED": {
      const skipped = { ...sums.skipped };
      const newCount = (skipped[reason ?? ""] ?? 0) + count;
      if (newCount === 0) delete skipped[reason ?? ""];
      else skipped[reason ?? ""] = newCount;
      return { ...sums, uncertain, skipped };
    }
  }
}

export function decodeSums(message: StoredMessage): DeliverySums {
  const { recipients, pending, sending, accepted, failed, uncertain } = message;
  const skipped: DeliverySums["skipped"] = JSON.parse(message.skipped);
  return { recipients, pending, sending, accepted, failed, skipped, uncertain };
}

export function withSums(message: StoredMessage, { skipped, ...sums }: DeliverySums): StoredMessage {
  return { ...message, ...sums, skipped: JSON.stringify(skipped) };
}

/** Returns whether all deliveries have ended, according to the counts. */
export function isComplete({ pending, sending }: Pick<DeliverySums, "pending" | "sending">): boolean {
  return pending === 0 && sending === 0;
}
