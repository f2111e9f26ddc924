import type { StoredWalletCard } from "../storage/wallets.js";
import type { Engine } from "../tenant/engine.js";
import { isNotificationAllowed, withNotification } from "./notification-quota.js";

/** The ways to tell Google of a message; "not" when the card waits for that no more. */
export type NotificationMode = "aloud" | "silently" | "not";

/** A card as far as it says of which message Google was asked to notify people, and when. */
export type NotificationState = Pick<
  StoredWalletCard,
  "passId" | "messageId" | "isMessageAnnounced" | "notificationTimes"
>;

/** Keeps of which messages Google was asked to notify people, and when. */
export class GoogleNotifications {
  constructor(private readonly engine: Engine) {}

  /**
   * Notes, before Google is asked, that it is being told of the message of a card. Google does not tell two messages of one id
   * apart, so whoever finds that noted looks at what Google has first: a message that is there was told aloud. A time counts from
   * here on, whatever Google answers.
   * @param known the card as it was when Google was looked at. Of two who know the same, one gets to ask.
   * @returns "silently" when people of the card were notified of messages as often as Google allows.
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

  /** Notes that Google notifies nobody of the message of a card, which {@link begin} noted, before it is written silently. */
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
