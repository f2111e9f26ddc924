import type { Step } from "../base/concurrency/step.js";
import { mailJobs, type StoredMessageDelivery } from "../storage/mail.js";
import type { StoredMessage } from "../storage/messages.js";
import { clearMessage } from "../wallets/card-messages.js";
import { DeliveryTally } from "./delivery-tally.js";
import { applyClaimExpiry, endEarly, isClaimExpired } from "./mail-outcome.js";
import { type MessageContext, RECHECK_DELAY_MS } from "./message-context.js";
import { MESSAGE_LANE } from "./message-sending.js";
import { countDeliveriesPerMember } from "./recipients.js";
import { endCardDeliveries, releaseWaitingCards } from "./wallet-deliveries.js";

/** Batch size for counting audience members who have no delivery yet. */
const COUNT_BATCH_SIZE = 50_000;

/** Maximum numbers of deliveries to end and of cards to update per transaction; the organization's other changes wait for it. */
const END_BATCH_SIZE = 250;
const CLEAR_BATCH_SIZE = 200;

type EarlyEndReason = "canceled" | "expired";

/**
 * Ends a batch of deliveries for a canceled or expired message. An email that is being sent doesn't end until the mail server
 * replies.
 * @returns the time at which to continue, in milliseconds since the Unix epoch, or `null` once all deliveries have ended.
 */
export function* endDeliveries(
  context: MessageContext,
  message: StoredMessage,
  reason: EarlyEndReason,
): Step<number | null> {
  const { tx, now } = context;
  const changes = new DeliveryTally(now);
  const remainingMembers = yield* tx.messageAudience(message.id, message.cursor, COUNT_BATCH_SIZE);
  const lastOrdinal = remainingMembers.at(-1);
  if (lastOrdinal !== undefined) {
    changes.countSkipped(
      message.id,
      reason,
      remainingMembers.length * countDeliveriesPerMember(message.order, message.channels),
    );
    yield* changes.write(context, { ...message, cursor: lastOrdinal + 1 });
    return now;
  }
  const pendingDeliveries = yield* tx.messageDeliveriesWith(message.id, "PENDING", null, END_BATCH_SIZE);
  yield* endMails(context, pendingDeliveries, reason, changes);
  const sendingDeliveries = yield* tx.messageDeliveriesWith(message.id, "SENDING", null, END_BATCH_SIZE);
  const expiredClaims = sendingDeliveries.filter(
    (delivery) => delivery.channel === "email" && isClaimExpired(delivery, now),
  );
  yield* endMails(context, expiredClaims, reason, changes);
  const cardDeliveries = sendingDeliveries.filter(({ channel }) => channel === "wallet");
  yield* endOnCards(context, cardDeliveries, reason, changes);
  yield* changes.write(context, message);
  if (pendingDeliveries.length === END_BATCH_SIZE || sendingDeliveries.length === END_BATCH_SIZE) return now;
  return expiredClaims.length + cardDeliveries.length === sendingDeliveries.length
    ? null
    : now + RECHECK_DELAY_MS;
}

/** Ends emails that aren't being sent. */
function* endMails(
  { tenant, tx, now }: MessageContext,
  mails: readonly StoredMessageDelivery[],
  reason: EarlyEndReason,
  changes: DeliveryTally,
): Step<void> {
  if (mails.length === 0) return;
  const { organizationId } = tenant;
  const userIds = [...new Set(mails.map(({ userId }) => userId))];
  const existingIds = new Set((yield* tx.usersById(userIds)).map(({ id }) => id));
  const after = mails.map((before) => {
    // A worker whose claim has expired may have sent the email.
    const unclaimed = before.status === "SENDING" ? applyClaimExpiry(before, now) : before;
    const endReason = existingIds.has(before.userId) ? reason : "customer_deleted";
    const endedDelivery = unclaimed.status === "PENDING" ? endEarly(unclaimed, endReason, now) : unclaimed;
    changes.record(before, endedDelivery);
    return endedDelivery;
  });
  yield* tx.updateMessageDeliveries(after);
  const ids = after.map(({ id }) => id);
  yield* tx.deleteJobs(mailJobs, MESSAGE_LANE, ids);
  tenant.engine.channels.mail.room.release(organizationId, ids.length);
}

/** Ends deliveries whose message hasn't reached a wallet. See {@link endCardDeliveries}. */
export function* endOnCards(
  { tx, now }: Pick<MessageContext, "tx" | "now">,
  deliveries: readonly StoredMessageDelivery[],
  reason: EarlyEndReason,
  changes: DeliveryTally,
): Step<void> {
  if (deliveries.length === 0) return;
  const after = yield* endCardDeliveries(tx, deliveries, reason, now);
  for (const [index, before] of deliveries.entries()) changes.record(before, after[index] ?? before);
  yield* tx.updateMessageDeliveries(after);
  yield* releaseWaitingCards(tx, after);
}

/**
 * Removes a message from a batch of the cards that show it. Customers aren't notified.
 * @returns whether more cards might still show the message.
 */
export function* removeFromCards(context: MessageContext, messageId: string): Step<boolean> {
  const { tx, now } = context;
  const cards = yield* tx.walletCardsWithMessage(messageId, "", CLEAR_BATCH_SIZE);
  const waitingIds = cards.flatMap(({ messageDeliveryId }) => messageDeliveryId ?? []);
  if (waitingIds.length > 0) {
    const deliveries = yield* tx.messageDeliveriesById([...new Set(waitingIds)]);
    const changes = new DeliveryTally(now);
    const sendingDeliveries = deliveries.filter(({ status }) => status === "SENDING");
    yield* endOnCards(context, sendingDeliveries, "expired", changes);
    yield* changes.write(context);
  }
  return cards.length > 0 && (yield* clearMessage(tx, messageId, CLEAR_BATCH_SIZE, now));
}
