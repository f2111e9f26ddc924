import type { Engine } from "../tenant/engine.js";
import { mayNotify, withNotice } from "./notice-budget.js";

/** The ways to tell Google of a message; "not" when the card waits for that no more. */
export type Announcement = "aloud" | "silently" | "not";

/** Keeps of which messages Google was asked to notify people, and when. */
export class GoogleNotices {
  constructor(private readonly engine: Engine) {}

  /**
   * Notes, before Google is asked, that it is being told of the message of a card. Google does not tell two messages of one id
   * apart, so whoever finds that noted looks at what Google has first. A time counts from here on, whatever Google answers.
   * @returns "silently" when people of the card were notified of messages as often as Google allows.
   */
  begin(organizationId: string, passId: string, messageId: string): Promise<Announcement> {
    const { storage, changes, clock } = this.engine;
    return changes.track(
      storage.transaction(function* (tx) {
        if ((yield* tx.lockWalletQueue(organizationId, true)) === null) return "not";
        const card = yield* tx.findWalletCard(organizationId, passId);
        if (card === null || card.messageId !== messageId || card.messageDeliveryId === null) return "not";
        const now = clock();
        const isAloud = mayNotify(card.noticeTimes, now);
        const noticeTimes = isAloud ? withNotice(card.noticeTimes, now) : card.noticeTimes;
        yield* tx.updateWalletCards(organizationId, [{ ...card, isMessageAnnounced: true, noticeTimes }]);
        return isAloud ? "aloud" : "silently";
      }),
    );
  }
}
