import { runStep } from "../base/concurrency/step.js";
import type { Engine } from "../kernel/engine.js";
import { type StoredWalletCard, walletJobs } from "../storage/wallets.js";
import { appendNotification, isNotificationAllowed } from "./google-limits.js";
import { mayStillBeFetched } from "./revoked-cards.js";

const PAGE_SIZE = 500;

/** A card that exists at Google Wallet. */
export interface GoogleCard {
  readonly organizationId: string;
  readonly passId: string;
  /** Whether a customer is known to have the card in Google Wallet. */
  readonly isHeld: boolean;
}

/** Records which cards exist at Google, and lists them. */
export class GoogleCards {
  constructor(private readonly engine: Pick<Engine, "storage" | "clock" | "changes">) {}

  /**
   * Records that a card now exists at Google. If the card has changed since it was read for Google, queues another delivery.
   * @param revision the card's revision when it was read for Google.
   */
  recordAtGoogle(organizationId: string, passId: string, revision: number): Promise<void> {
    const { changes, clock } = this.engine;
    return changes.runOutOfTurn(organizationId, function* (tx) {
      yield* tx.lockQueue(walletJobs);
      const card = yield* tx.findWalletCard(passId);
      if (card === null) return;
      const now = clock();
      if (card.atGoogleSince === null) {
        yield* tx.updateWalletCards([{ ...card, atGoogleSince: now }]);
      }
      // A process that read the card earlier may have written it to Google later.
      if (card.revision === revision) return;
      const base = { passId, revision: card.revision, nextAttemptAt: now, createdAt: now };
      yield* tx.putJobs(walletJobs, [{ ...base, platform: "google" }]);
    });
  }

  /**
   * Records that a revoked card has been marked as revoked at Google. The card is deleted as soon as no phone can request it
   * anymore.
   */
  recordRevokedAtGoogle(organizationId: string, passId: string): Promise<void> {
    const { changes, clock } = this.engine;
    return changes.runOutOfTurn(organizationId, function* (tx) {
      yield* tx.lockQueue(walletJobs);
      const card = yield* tx.findWalletCard(passId);
      if (card === null || card.revokedAt === null) return;
      const devices = yield* tx.walletDevicesOf([passId]);
      const registeredDevices = devices.filter(({ state }) => state === "registered");
      const cardWithoutGoogle = { ...card, atGoogleSince: null };
      if (
        registeredDevices.every(({ platform }) => platform === "google") &&
        !mayStillBeFetched(cardWithoutGoogle, clock())
      ) {
        yield* tx.deleteWalletCard(passId);
        return;
      }
      for (const device of registeredDevices) {
        if (device.platform !== "google") continue;
        yield* tx.putWalletDevice({ ...device, state: "gone", updatedAt: clock() });
      }
      yield* tx.updateWalletCards([cardWithoutGoogle]);
    });
  }

  /**
   * Reads one page of cards across all organizations, sorted by pass ID, and returns those that exist at Google.
   * @param after the pass ID to start after, or an empty string for the first page.
   * @returns the cards, and the value of `after` for the next page, or `null` on the last page.
   */
  async readPage(
    after: string,
  ): Promise<{ readonly cards: readonly GoogleCard[]; readonly next: string | null }> {
    const { storage } = this.engine;
    const ownedCards = await runStep(storage.all.walletPassesAfter(after, PAGE_SIZE));
    const cards: GoogleCard[] = [];
    for (const { organizationId, card } of ownedCards) {
      if (card.atGoogleSince === null) continue;
      const { passId } = card;
      const devices = await runStep(storage.reader(organizationId).walletDevicesOf([passId]));
      const isHeld = devices.some(({ platform, state }) => platform === "google" && state === "registered");
      cards.push({ organizationId, passId, isHeld });
    }
    const next = ownedCards.length === PAGE_SIZE ? (ownedCards.at(-1)?.card.passId ?? null) : null;
    return { cards, next };
  }
}

/**
 * How to deliver a message through Google: with a notification (`"aloud"`), without one (`"silently"`), or not at all (`"not"`),
 * because the card has changed or is no longer waiting for the message.
 */
type NotificationMode = "aloud" | "silently" | "not";

/**
 * The fields of a card that show whether a notification about its message was requested from Google, and when the most recent
 * notifications were requested.
 */
type NotificationState = Pick<
  StoredWalletCard,
  "passId" | "messageId" | "isMessageAnnounced" | "notificationTimes"
>;

/** Tracks the notifications requested from Google so that each card stays within Google's limit. */
export class GoogleNotifications {
  constructor(private readonly engine: Pick<Engine, "storage" | "clock" | "changes">) {}

  /**
   * Records that a notification about a card's message is about to be requested from Google. Call this before sending the request.
   * From then on, the notification counts toward the limit, even if Google rejects the request. Google treats two messages with the
   * same ID as one. A process that finds an earlier record must therefore first check which messages Google has. A message that is
   * already there was sent with a notification.
   * @param expectedState the card's state when it was read for Google. If two processes pass the same state, only one of them is
   *   allowed to send the request.
   * @returns how to deliver the message. The result is `"silently"` if the card has reached Google's notification limit.
   */
  begin(organizationId: string, expectedState: NotificationState): Promise<NotificationMode> {
    const { changes, clock } = this.engine;
    return changes.runOutOfTurn(organizationId, function* (tx) {
      if ((yield* tx.lockQueue(walletJobs)) === null) return "not";
      const card = yield* tx.findWalletCard(expectedState.passId);
      if (card === null || card.messageDeliveryId === null || !matchesState(card, expectedState))
        return "not";
      const now = clock();
      // A retry for the same message replaces the previous time.
      const earlierTimes = card.isMessageAnnounced
        ? card.notificationTimes.slice(0, -1)
        : card.notificationTimes;
      if (!isNotificationAllowed(earlierTimes, now)) return "silently";
      const notificationTimes = appendNotification(earlierTimes, now);
      yield* tx.updateWalletCards([{ ...card, isMessageAnnounced: true, notificationTimes }]);
      return "aloud";
    });
  }

  /**
   * Records that the notification recorded by {@link begin} won't be requested after all. Call this before delivering the message
   * silently instead.
   */
  async cancel(organizationId: string, passId: string, messageId: string): Promise<void> {
    const { changes } = this.engine;
    await changes.runOutOfTurn(organizationId, function* (tx) {
      if ((yield* tx.lockQueue(walletJobs)) === null) return;
      const card = yield* tx.findWalletCard(passId);
      if (card === null || card.messageId !== messageId) return;
      yield* tx.updateWalletCards([{ ...card, isMessageAnnounced: false }]);
    });
  }
}

function matchesState(card: NotificationState, expectedState: NotificationState): boolean {
  return (
    card.messageId === expectedState.messageId &&
    card.isMessageAnnounced === expectedState.isMessageAnnounced &&
    card.notificationTimes.at(-1) === expectedState.notificationTimes.at(-1)
  );
}
