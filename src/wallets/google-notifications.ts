import type { Engine } from "../kernel/engine.js";
import type { StoredWalletCard } from "../storage/wallets.js";
import { isNotificationAllowed, withNotification } from "./notification-quota.js";

/**
 * How to deliver a message through Google: with a notification (`"aloud"`), without one (`"silently"`), or not at all (`"not"`),
 * because the card has changed or is no longer waiting for the message.
 */
export type NotificationMode = "aloud" | "silently" | "not";

/**
 * The fields of a card that show whether a notification about its message was requested from Google, and when the most recent
 * notifications were requested.
 */
export type NotificationState = Pick<
  StoredWalletCard,
  "passId" | "messageId" | "isMessageAnnounced" | "notificationTimes"
>;

/** Keeps track of the notifications requested from Google, to stay within Google's limit per card. */
export class GoogleNotifications {
  constructor(private readonly engine: Pick<Engine, "storage" | "clock" | "changes">) {}

  /**
   * Records that a notification about a card's message is about to be requested from Google. Call it before sending the request.
   * From then on, the notification counts toward the limit, even if Google rejects the request. Google treats two messages with the
   * same ID as one, so a process that finds this record first checks which messages Google has. If the message is already there, it
   * was sent with a notification.
   * @param known the card's state when it was read for Google. If two processes pass the same state, only one of them is allowed to
   *   send the request.
   * @returns how to deliver the message. The result is `"silently"` if the card has reached Google's notification limit.
   */
  begin(organizationId: string, known: NotificationState): Promise<NotificationMode> {
    const { storage, changes, clock } = this.engine;
    return changes.track(
      storage.transaction(function* (tx) {
        if ((yield* tx.lockWalletQueue(organizationId, true)) === null) return "not";
        const card = yield* tx.findWalletCard(organizationId, known.passId);
        if (card === null || card.messageDeliveryId === null || !isAsKnown(card, known)) return "not";
        const now = clock();
        // A retry for the same message replaces the previous time.
        const others = card.isMessageAnnounced ? card.notificationTimes.slice(0, -1) : card.notificationTimes;
        if (!isNotificationAllowed(others, now)) return "silently";
        const notificationTimes = withNotification(others, now);
        yield* tx.updateWalletCards(organizationId, [
          { ...card, isMessageAnnounced: true, notificationTimes },
        ]);
        return "aloud";
      }),
    );
  }

  /**
   * Records that the notification from {@link begin} won't be requested after all. Call this before delivering the message silently
   * instead.
   */
  async cancel(organizationId: string, passId: string, messageId: string): Promise<void> {
    const { storage, changes } = this.engine;
    await changes.track(
      storage.transaction(function* (tx) {
        if ((yield* tx.lockWalletQueue(organizationId, true)) === null) return;
        const card = yield* tx.findWalletCard(organizationId, passId);
        if (card === null || card.messageId !== messageId) return;
        yield* tx.updateWalletCards(organizationId, [{ ...card, isMessageAnnounced: false }]);
      }),
    );
  }
}

function isAsKnown(card: NotificationState, known: NotificationState): boolean {
  return (
    card.messageId === known.messageId &&
    card.isMessageAnnounced === known.isMessageAnnounced &&
    card.notificationTimes.at(-1) === known.notificationTimes.at(-1)
  );
}
