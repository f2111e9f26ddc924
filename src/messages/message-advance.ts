import type { Step } from "../concurrency/step.js";
import type { Bitmap } from "../storage/bitmap.js";
import type { StoredMessage } from "../storage/messages.js";
import { beginMessage } from "./message-begin.js";
import type { MessageContext } from "./message-context.js";
import { endDeliveries, removeFromCards } from "./message-end.js";
import { computeMessageEnd } from "./message-times.js";
import { sendBatch } from "./send-batch.js";

/**
 * Performs a message's next step in the caller's transaction.
 * @param found the audience, if it was evaluated before the transaction.
 * @returns when to continue, `null` if nothing is left to do, or `"audience"` if the audience must be evaluated first.
 */
export function* advanceMessage(
  turn: MessageContext,
  message: StoredMessage,
  found: Bitmap | null = null,
): Step<number | null | "audience"> {
  const { now } = turn;
  switch (message.status) {
    case "SCHEDULED":
      return yield* beginMessage(turn, message, found);
    case "SENDING": {
      const isExpired = now >= (message.endsAt ?? computeMessageEnd(message, now));
      // If this ended the message, its cards are next.
      return isExpired
        ? ((yield* endDeliveries(turn, message, "expired")) ?? now)
        : yield* sendBatch(turn, message);
    }
    case "CANCELED": {
      const next = message.isSettled ? null : yield* endDeliveries(turn, message, "canceled");
      if (next === now) return next;
      return (yield* removeFromCards(turn, message.id)) ? now : next;
    }
    case "SENT":
      if (message.shownUntil === null) return null;
      if (now < message.shownUntil) return message.shownUntil;
      return (yield* removeFromCards(turn, message.id)) ? now : null;
    case "DRAFT":
    case "EXPIRED":
      // Cards may still show a test of the message.
      return (yield* removeFromCards(turn, message.id)) ? now : null;
  }
}
