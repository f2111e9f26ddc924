import type { Step } from "../base/concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { type StoredWalletCard, walletJobs } from "../storage/wallets.js";
import { bumpCardRevisions } from "./card-revisions.js";

/** Number of cards per read and write. */
const BATCH_SIZE = 1_000;

/** The part of a message that is stored on cards. Its text is looked up when the message is displayed. */
export interface CardMessage {
  readonly id: string;
  /** When cards stop showing the message, in milliseconds since the Unix epoch. */
  readonly until: number;
}

/** A card that should show a message. */
export interface CardToUpdate {
  readonly passId: string;
  /**
   * The ID of the delivery that finishes once a wallet has fetched the card with the message, or `null` if there is no such
   * delivery.
   */
  readonly deliveryId: string | null;
}

/** The column values for a card that shows no message. */
export const noMessage = {
  messageId: null,
  messageDeliveryId: null,
  messageUntil: null,
  messageRevision: 0,
  isMessageAnnounced: false,
} as const;

/**
 * Replaces the message on cards. Because this changes each card, wallets are notified just as they are when a stamp is added.
 * Revoked cards are skipped. The transaction must already have locked the organization. This function locks the wallet queue.
 * @returns the delivery IDs of replaced messages that were still waiting for a wallet to fetch the cards.
 */
export function* setMessage(
  tx: StorageTransaction,
  { id, until }: CardMessage,
  cardsToUpdate: readonly CardToUpdate[],
  now: number,
): Step<readonly string[]> {
  const queue = yield* tx.lockQueue(walletJobs);
  if (queue === null) return [];
  let newest = queue.revision;
  const replacedDeliveryIds = new Set<string>();
  for (let at = 0; at < cardsToUpdate.length; at += BATCH_SIZE) {
    const deliveryIds = new Map(
      cardsToUpdate.slice(at, at + BATCH_SIZE).map(({ passId, deliveryId }) => [passId, deliveryId]),
    );
    const cards = (yield* tx.walletCardsOf([...deliveryIds.keys()])).filter(isValid);
    const messageRevision = newest + 1;
    const newCards = cards.map((card): StoredWalletCard => {
      const messageDeliveryId = deliveryIds.get(card.passId) ?? null;
      const previousDeliveryId = card.messageDeliveryId;
      if (previousDeliveryId !== null && previousDeliveryId !== messageDeliveryId)
        replacedDeliveryIds.add(previousDeliveryId);
      const messageFields = { messageId: id, messageDeliveryId, messageUntil: until, messageRevision };
      return { ...card, ...messageFields, isMessageAnnounced: false };
    });
    yield* recordOnlyMessageMissing(tx, cards, messageRevision);
    newest = yield* bumpCardRevisions(tx, newCards, { newest, now, debounceMs: 0 });
  }
  if (newest !== queue.revision) {
    yield* tx.updateQueue(walletJobs, { ...queue, revision: newest });
  }
  return [...replacedDeliveryIds];
}

/**
 * Removes a message from up to `limit` (at most 1,000) of the cards that show it. Wallets don't notify customers of this change.
 * The transaction must already have locked the organization. This function locks the wallet queue.
 * @returns whether there might be more cards that show the message.
 */
export function* clearMessage(
  tx: StorageTransaction,
  messageId: string,
  limit: number,
  now: number,
): Step<boolean> {
  const queue = yield* tx.lockQueue(walletJobs);
  if (queue === null) return false;
  const cardsWithMessage = yield* tx.walletCardsWithMessage(messageId, "", limit);
  // This revision marks the change as affecting only the message, so that no device shows a notification.
  const clearedFields = { ...noMessage, messageRevision: queue.revision + 1 };
  const cards = cardsWithMessage.map((card): StoredWalletCard => ({ ...card, ...clearedFields }));
  const revoked = cards.filter((card) => !isValid(card));
  // Wallets already show revoked cards without a message.
  if (revoked.length > 0) yield* tx.updateWalletCards(revoked);
  const revisionTime = { newest: queue.revision, now, debounceMs: 0 };
  const revision = yield* bumpCardRevisions(tx, cards.filter(isValid), revisionTime);
  if (revision !== queue.revision) yield* tx.updateQueue(walletJobs, { ...queue, revision });
  return cardsWithMessage.length === limit;
}

/**
 * Marks up to 1,000 cards as no longer waiting for a wallet because their deliveries are finished. Wallets aren't notified. The
 * transaction must already have locked the organization. This function locks the wallet queue.
 */
export function* clearFinishedDeliveries(
  tx: StorageTransaction,
  passIds: readonly string[],
  deliveryIds: readonly string[],
): Step<void> {
  if ((yield* tx.lockQueue(walletJobs)) === null) return;
  const finishedDeliveryIds = new Set<string | null>(deliveryIds);
  const waitingCards = (yield* tx.walletCardsOf(passIds)).filter(
    ({ messageDeliveryId }) => messageDeliveryId !== null && finishedDeliveryIds.has(messageDeliveryId),
  );
  if (waitingCards.length === 0) return;
  const updatedCards = waitingCards.map((card): StoredWalletCard => ({ ...card, messageDeliveryId: null }));
  yield* tx.updateWalletCards(updatedCards);
}

/**
 * For cards that are up to date at Google, records that Google lacks only the coming revision. Google can then add the message with
 * a single call. Cards that still show an older message are excluded because they need more calls.
 */
function* recordOnlyMessageMissing(
  tx: StorageTransaction,
  cards: readonly StoredWalletCard[],
  revision: number,
): Step<void> {
  const cardsWithoutMessage = cards.filter(
    ({ messageId, atGoogleSince }) => messageId === null && atGoogleSince !== null,
  );
  if (cardsWithoutMessage.length === 0) return;
  const revisions = new Map(cardsWithoutMessage.map((card) => [card.passId, card.revision]));
  const devices = yield* tx.walletDevicesOf([...revisions.keys()]);
  const currentDevices = devices.filter(
    ({ passId, platform, state, notifiedRevision }) =>
      platform === "google" &&
      state === "registered" &&
      notifiedRevision >= (revisions.get(passId) ?? revision),
  );
  const outcomes = currentDevices.map(({ passId, deviceId }) => ({
    ...{ passId, revision: revision - 1, deviceIds: [deviceId] },
    nextAttemptAt: null,
  }));
  yield* tx.recordNotified("google", outcomes);
}

function isValid({ revokedAt }: StoredWalletCard): boolean {
  return revokedAt === null;
}
