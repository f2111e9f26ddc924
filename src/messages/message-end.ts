import type { Step } from "../base/concurrency/step.js";
import { mailJobs, type StoredMessageDelivery } from "../storage/mail.js";
import type { StoredMessage } from "../storage/messages.js";
import { clearMessage } from "../wallets/card-messages.js";
import { DeliveryTally } from "./delivery-tally.js";
import { afterExpiredClaim, endEarly, isClaimExpired } from "./mail-outcome.js";
import { type MessageContext, RECHECK_MS } from "./message-context.js";
import { MESSAGE_LANE } from "./message-sending.js";
import { deliveriesPerMember } from "./recipients.js";
import { endCardDeliveries, stopWaitingFor } from "./wallet-deliveries.js";

/** Batch size for counting audience members who have no delivery yet. */
const COUNT_BATCH = 50_000;

/** Maximum numbers of deliveries to end and of cards to update per transaction; the organization's other changes wait for it. */
const END_BATCH = 250;
const CLEAR_BATCH = 200;

type EarlyEnd = "canceled" | "expired";

/**
 * Ends a batch of deliveries for a canceled or expired message. An email that is being sent doesn't end until the mail server
 * replies.
 * @returns the time at which to continue, in milliseconds since the Unix epoch, or `null` once all deliveries have ended.
 */
export function* endDeliveries(
  context: MessageContext,
  message: StoredMessage,
  reason: EarlyEnd,
): Step<number | null> {
  const { tx, now } = context;
  const changes = new DeliveryTally(now);
  const remainingMembers = yield* tx.messageAudience(message.id, message.cursor, COUNT_BATCH);
  const last = remainingMembers.at(-1);
  if (last !== undefined) {
    changes.countSkipped(
      message.id,
      reason,
      remainingMembers.length * deliveriesPerMember(message.order, message.channels),
    );
    yield* changes.write(context, { ...message, cursor: last + 1 });
    return now;
  }
  const pending = yield* tx.messageDeliveriesWith(message.id, "PENDING", null, END_BATCH);
  yield* endMails(context, pending, reason, changes);
  const sendingDeliveries = yield* tx.messageDeliveriesWith(message.id, "SENDING", null, END_BATCH);
  const expiredClaims = sendingDeliveries.filter(
    (delivery) => delivery.channel === "email" && isClaimExpired(delivery, now),
  );
  yield* endMails(context, expiredClaims, reason, changes);
  const onCards = sendingDeliveries.filter(({ channel }) => channel === "wallet");
  yield* endOnCards(context, onCards, reason, changes);
  yield* changes.write(context, message);
  if (pending.length === END_BATCH || sendingDeliveries.length === END_BATCH) return now;
  return expiredClaims.length + onCards.length === sendingDeliveries.length ? null : now + RECHECK_MS;
}

/** Ends emails that aren't being sent. */
function* endMails(
  { tenant, tx, now }: MessageContext,
  mails: readonly StoredMessageDelivery[],
  reason: EarlyEnd,
  changes: DeliveryTally,
): Step<void> {
  if (mails.length === 0) return;
  const { organizationId } = tenant;
  const userIds = [...new Set(mails.map(({ userId }) => userId))];
  const existingIds = new Set((yield* tx.usersById(userIds)).map(({ id }) => id));
  const after = mails.map((before) => {
    // A worker whose claim has expired may have sent the email.
    const unclaimed = before.status === "SENDING" ? afterExpiredClaim(before, now) : before;
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

function* endOnCards(
  { tx, now }: MessageContext,
  deliveries: readonly StoredMessageDelivery[],
  reason: EarlyEnd,
  changes: DeliveryTally,
): Step<void> {
  if (deliveries.length === 0) return;
  const after = yield* endCardDeliveries(tx, deliveries, reason, now);
  for (const [at, before] of deliveries.entries()) changes.record(before, after[at] ?? before);
  yield* tx.updateMessageDeliveries(after);
  yield* stopWaitingFor(tx, after);
}

/**
 * Removes a message from a batch of the cards that show it. Customers aren't notified.
 * @returns whether more cards might still show the message.
 */
export function* removeFromCards(context: MessageContext, messageId: string): Step<boolean> {
  const { tx, now } = context;
  const cards = yield* tx.walletCardsWithMessage(messageId, "", CLEAR_BATCH);
  const waitingIds = cards.flatMap(({ messageDeliveryId }) => messageDeliveryId ?? []);
  if (waitingIds.length > 0) {
    const deliveries = yield* tx.messageDeliveriesById([...new Set(waitingIds)]);
    const changes = new DeliveryTally(now);
    const sendingDeliveries = deliveries.filter(({ status }) => status === "SENDING");
    yield* endOnCards(context, sendingDeliveries, "expired", changes);
    yield* changes.write(context);
  }
  return cards.length > 0 && (yield* clearMessage(tx, messageId, CLEAR_BATCH, now));
}
