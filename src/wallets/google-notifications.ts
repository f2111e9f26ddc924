import type { StoredWalletCard } from "../storage/wallets.js";
import type { Engine } from "../tenant/engine.js";
import { isNotificationAllowed, withNotification } from "./notification-quota.js";

/** How to notify Google of a message; "not" if the card no longer waits for that. */
export type NotificationMode = "aloud" | "silently" | "not";

/** The columns of a card that record which message Google was asked to notify about, and when. */
export type NotificationState = Pick<
  StoredWalletCard,
  "passId" | "messageId" | "isMessageAnnounced" | "notificationTimes"
>;

/** Records which messages Google was asked to notify people about, and when. */
export class GoogleNotifications {
  constructor(private readonly engine: Engine) {}

  /**
   * Records, before Google is asked, that it is being notified of the message of a card. Google doesn't distinguish two messages
   * with one id, so a process that finds this record first looks at what Google has: a message that is there was sent with a
   * notification. The time counts from here on, whatever Google responds.
   * @param known the card as it was when Google was read. Of two processes with the same state, one gets to ask.
   * @returns "silently" if people were notified about the card as often as Google allows.
   */
  begin(organizationId: string, known: NotificationState): Promise<NotificationMode> {
    const { storage, changes, clock } = this.engine;
    return changes.track(
      storage.transaction(function* (tx) {
        if ((yield* tx.lockWalletQueue(organizationId, true)) === null) return "not";
        const card = yield* tx.findWalletCard(organizationId, known.passId);
        if (card === null || card.messageDeliveryId === null || !isAsKnown(card, known)) return "not";
        const now = clock();
        // Asking once more for the same message takes the place of the time before.
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

  /** Cancels the notification that {@link begin} recorded, before the message is written silently. */
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
