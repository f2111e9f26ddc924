import type { StoredWalletCard } from "../storage/wallets.js";
import type { Engine } from "../tenant/engine.js";
import { isNotificationAllowed, withNotification } from "./notification-quota.js";

/** How to notify Google about a message; "not" if the card is no longer waiting for the message. */
export type NotificationMode = "aloud" | "silently" | "not";

/** Columns of a card that record which message Google was asked to notify about, and when. */
export type NotificationState = Pick<
  StoredWalletCard,
  "passId" | "messageId" | "isMessageAnnounced" | "notificationTimes"
>;

/** Records which messages Google was asked to notify customers about, and when. */
export class GoogleNotifications {
  constructor(private readonly engine: Engine) {}

  /**
   * Records that Google is about to be notified about a card's message. Call it before the request. Google doesn't distinguish two
   * messages with the same id, so a process that finds this record first checks which messages Google has: a message that is
   * already there was sent with a notification. The notification counts from now on, whatever Google responds.
   * @param known the card's state when it was read for Google. If two processes have the same state, only one of them may send the
   *   request.
   * @returns "silently" if customers were already notified about the card as often as Google allows.
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

  /** Cancels the notification recorded by {@link begin} before the message is written silently. */
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
