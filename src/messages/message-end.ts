import type { Step } from "../base/concurrency/step.js";
import { mailJobs, type StoredMessageDelivery } from "../storage/mail.js";
import type { StoredMessage } from "../storage/messages.js";
import { clearMessage } from "../wallets/card-messages.js";
import { DeliveryTally } from "./delivery-tally.js";
import { afterExpiredClaim, endEarly, isClaimExpired } from "./mail-outcome.js";
import { type MessageContext, RECHECK_MS } from "./message-context.js";
import { MESSAGE_LANE } from "./message-queue.js";
import { deliveriesPerMember } from "./recipients.js";
import { endCardDeliveries, stopWaitingFor } from "./wallet-deliveries.js";

/** Batch size for counting audience members who have no delivery yet. */
const COUNTED = 50_000;

/** Maximum numbers of deliveries to end and of cards to update per transaction; the organization's other changes wait for it. */
const ENDED = 250;
const CLEARED = 200;

type Early = "canceled" | "expired";

/**
 * Ends a batch of deliveries for a canceled or expired message. An email that is being sent doesn't end until the mail server
 * replies.
 * @returns when to continue, or `null` once all deliveries have ended.
 */
export function* endDeliveries(
  turn: MessageContext,
  message: StoredMessage,
  reason: Early,
): Step<number | null> {
  const { tenant, tx, now } = turn;
  const { organizationId } = tenant;
  const changes = new DeliveryTally(organizationId, now);
  const unmade = yield* tx.messageAudience(organizationId, message.id, message.cursor, COUNTED);
  const last = unmade.at(-1);
  if (last !== undefined) {
    changes.countSkipped(
      message.id,
      reason,
      unmade.length * deliveriesPerMember(message.order, message.channels),
    );
    yield* changes.write(turn, { ...message, cursor: last + 1 });
    return now;
  }
  const pending = yield* tx.messageDeliveriesWith(organizationId, message.id, "PENDING", null, ENDED);
  yield* endMails(turn, pending, reason, changes);
  const sending = yield* tx.messageDeliveriesWith(organizationId, message.id, "SENDING", null, ENDED);
  const dead = sending.filter((delivery) => delivery.channel === "email" && isClaimExpired(delivery, now));
  yield* endMails(turn, dead, reason, changes);
  const onCards = sending.filter(({ channel }) => channel === "wallet");
  yield* endOnCards(turn, onCards, reason, changes);
  yield* changes.write(turn, message);
  if (pending.length === ENDED || sending.length === ENDED) return now;
  return dead.length + onCards.length === sending.length ? null : now + RECHECK_MS;
}

/** Ends emails that aren't being sent. */
function* endMails(
  { tenant, tx, now }: MessageContext,
  mails: readonly StoredMessageDelivery[],
  reason: Early,
  changes: DeliveryTally,
): Step<void> {
  if (mails.length === 0) return;
  const { organizationId } = tenant;
  const userIds = [...new Set(mails.map(({ userId }) => userId))];
  const there = new Set((yield* tx.usersById(organizationId, userIds)).map(({ id }) => id));
  const after = mails.map((before) => {
    // A worker whose claim has expired may have sent the email.
    const tried = before.status === "SENDING" ? afterExpiredClaim(before, now) : before;
    const why = there.has(before.userId) ? reason : "customer_deleted";
    const ended = tried.status === "PENDING" ? endEarly(tried, why, now) : tried;
    changes.record(before, ended);
    return ended;
  });
  yield* tx.updateMessageDeliveries(organizationId, after);
  const ids = after.map(({ id }) => id);
  yield* tx.deleteJobs(organizationId, mailJobs, MESSAGE_LANE, ids);
  tenant.engine.channels.mail.room.release(organizationId, ids.length);
}

function* endOnCards(
  { tenant, tx, now }: MessageContext,
  deliveries: readonly StoredMessageDelivery[],
  reason: Early,
  changes: DeliveryTally,
): Step<void> {
  if (deliveries.length === 0) return;
  const { organizationId } = tenant;
  const after = yield* endCardDeliveries(tx, organizationId, deliveries, reason, now);
  for (const [at, before] of deliveries.entries()) changes.record(before, after[at] ?? before);
  yield* tx.updateMessageDeliveries(organizationId, after);
  yield* stopWaitingFor(tx, organizationId, after);
}

/**
 * Removes a message from a batch of the cards that show it. Customers aren't notified.
 * @returns whether more cards might still show the message.
 */
export function* removeFromCards(turn: MessageContext, messageId: string): Step<boolean> {
  const { tenant, tx, now } = turn;
  const { organizationId } = tenant;
  const cards = yield* tx.walletCardsWithMessage(organizationId, messageId, "", CLEARED);
  const waiting = cards.flatMap(({ messageDeliveryId }) => messageDeliveryId ?? []);
  if (waiting.length > 0) {
    const deliveries = yield* tx.messageDeliveriesById(organizationId, [...new Set(waiting)]);
    const changes = new DeliveryTally(organizationId, now);
    const sending = deliveries.filter(({ status }) => status === "SENDING");
    yield* endOnCards(turn, sending, "expired", changes);
    yield* changes.write(turn);
  }
  return cards.length > 0 && (yield* clearMessage(tx, organizationId, messageId, CLEARED, now));
}
