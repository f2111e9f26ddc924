import type { Step } from "../base/concurrency/step.js";
import type { Bitmap } from "../storage/bitmap.js";
import type { StoredMessage } from "../storage/messages.js";
import { saveMessage } from "./delivery-tally.js";
import { isCostlyAudience, readAudience } from "./message-audience.js";
import { type MessageContext, RECHECK_MS, sendingSettings } from "./message-context.js";
import { removeFromCards } from "./message-end.js";
import { initialSums, withSums } from "./message-sums.js";
import { computeMessageEnd, computeShownUntil } from "./message-times.js";
import { deliveriesPerMember } from "./recipients.js";
import { messageProgressOf } from "./schema.js";

/**
 * Starts a message and stores its audience. An expired message ends without being sent. During quiet hours, or while too many
 * other messages are being sent, the message waits.
 * @param found the audience if it was read before the transaction. Otherwise, `null`.
 * @returns when to continue, or `"audience"` if the audience must be read before the transaction because reading it takes too
 *   long.
 */
export function* beginMessage(
  turn: MessageContext,
  message: StoredMessage,
  found: Bitmap | null,
): Step<number | "audience"> {
  const { tenant, tx, record, now } = turn;
  const { organizationId, engine } = tenant;
  const endsAt = message.endsAt ?? computeMessageEnd(message, now);
  if (now >= endsAt) {
    const expired: StoredMessage = { ...message, status: "EXPIRED", completedAt: now, isSettled: true };
    yield* saveMessage(tx, organizationId, record, expired, now);
    return now;
  }
  if (message.sendAt !== null && now < message.sendAt) {
    // Cards may still show a test of the message.
    return (yield* removeFromCards(turn, message.id)) ? now : message.sendAt;
  }
  const { quietUntil } = yield* sendingSettings(tx, organizationId, now);
  if (quietUntil > now) return Math.min(quietUntil, endsAt);
  const sending = yield* tx.countOf(organizationId, "sendingMessages");
  if (sending >= engine.config.limits.sendingMessages) return Math.min(now + RECHECK_MS, endsAt);
  if (found === null && isCostlyAudience(message)) return "audience";
  const audience =
    found === null
      ? yield* readAudience(tx, organizationId, message, now)
      : found.and((yield* tx.readTagSets(organizationId, [])).users);
  const customers = audience.count();
  const started: StoredMessage = withSums(
    {
      ...message,
      status: "SENDING",
      startedAt: now,
      endsAt,
      shownUntil: computeShownUntil(message, endsAt, now),
      customers,
      cursor: 0,
    },
    initialSums(customers * deliveriesPerMember(message.order, message.channels)),
  );
  record("message.started", messageProgressOf(started));
  if (customers > 0) yield* tx.putMessageAudience(organizationId, message.id, audience);
  yield* saveMessage(tx, organizationId, record, started, now);
  return now;
}
