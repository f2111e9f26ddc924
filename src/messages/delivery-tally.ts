import type { Step } from "../base/concurrency/step.js";
import { nextUpdatedAt } from "../base/values/clock.js";
import type { Change } from "../kernel/tenant.js";
import { addPartialCounts, type MomentCounts } from "../storage/day-counts.js";
import type { MessageDeliveryReason, StoredMessageDelivery } from "../storage/mail.js";
import type { StoredMessage } from "../storage/messages.js";
import {
  applyDeliveryChange,
  countSkip,
  type DeliverySums,
  decodeSums,
  isComplete,
  withSums,
} from "./message-sums.js";
import { toMessageProgress } from "./schema.js";

type UpdateSums = (sums: DeliverySums) => DeliverySums;

/**
 * Collects the deliveries that a transaction creates or changes, and updates the daily statistics and the messages' delivery
 * counts. A message ends when its last delivery ends.
 */
export class DeliveryTally {
  private readonly updatesByMessage = new Map<string, UpdateSums[]>();
  private counts: Partial<MomentCounts> | null = null;

  constructor(private readonly now: number) {}

  /**
   * Records a new or changed delivery.
   * @param before the delivery before the change, or `null` for a new delivery.
   */
  record(before: StoredMessageDelivery | null, after: StoredMessageDelivery): void {
    const counts = countTransition(before, after);
    if (counts !== null) this.counts = addPartialCounts(this.counts ?? {}, counts);
    const { kind, messageId } = after;
    if (kind === "message" && messageId !== null)
      this.add(messageId, (sums) => applyDeliveryChange(sums, before, after));
  }

  /** Counts deliveries that are skipped without ever being stored. */
  countSkipped(messageId: string, reason: MessageDeliveryReason, count: number): void {
    if (count > 0) this.add(messageId, (sums) => countSkip(sums, reason, count));
  }

  /**
   * Writes the collected counts, and ends each message whose deliveries have all ended.
   * @param loadedMessage a message that this transaction has already changed but not yet saved. Don't update its delivery counts
   *   beforehand, because this method updates them and saves the message.
   */
  *write(change: Change, loadedMessage: StoredMessage | null = null): Step<void> {
    const { tx } = change;
    const { now, counts } = this;
    const otherIds = [...this.updatesByMessage.keys()].filter((id) => id !== loadedMessage?.id);
    const messages = otherIds.length === 0 ? [] : yield* tx.messagesById(otherIds);
    for (const message of loadedMessage === null ? messages : [loadedMessage, ...messages]) {
      yield* saveMessage(change, this.applyUpdates(message), now);
    }
    if (counts !== null) yield* tx.addCounts(now, counts);
  }

  private applyUpdates(message: StoredMessage): StoredMessage {
    const updates = this.updatesByMessage.get(message.id) ?? [];
    if (updates.length === 0) return message;
    return withSums(
      message,
      updates.reduce((sums, update) => update(sums), decodeSums(message)),
    );
  }

  private add(messageId: string, update: UpdateSums): void {
    const updates = this.updatesByMessage.get(messageId) ?? [];
    updates.push(update);
    this.updatesByMessage.set(messageId, updates);
  }
}

/**
 * Saves a changed message. If all its deliveries have ended, also ends the message and records its event in the same transaction.
 */
export function* saveMessage({ tx, record }: Change, changed: StoredMessage, now: number): Step<void> {
  const message = { ...endIfComplete(changed, now), updatedAt: nextUpdatedAt(changed.updatedAt, now) };
  yield* tx.updateMessageProgress(message);
  if (message.isSettled === changed.isSettled) return;
  yield* tx.removeMessageAudience(message.id);
  const event = message.status === "CANCELED" ? "message.canceled" : "message.completed";
  record(event, toMessageProgress(message));
}

function endIfComplete(message: StoredMessage, now: number): StoredMessage {
  const { status, isSettled, completedAt } = message;
  if (isSettled || !isComplete(message) || (status !== "SENDING" && status !== "CANCELED")) return message;
  return {
    ...message,
    status: status === "SENDING" ? "SENT" : status,
    completedAt: completedAt ?? now,
    isSettled: true,
  };
}

/**
 * Returns the counts that a delivery's change adds to the day's statistics, or `null` if there are none. A test counts like any
 * other email.
 */
function countTransition(
  before: StoredMessageDelivery | null,
  { status, channel }: StoredMessageDelivery,
): Partial<MomentCounts> | null {
  if (before?.status === status) return null;
  if (status === "ACCEPTED") return channel === "email" ? { emailsAccepted: 1 } : { walletMessages: 1 };
  return status === "FAILED" && channel === "email" ? { emailsFailed: 1 } : null;
}
