import type { Step } from "../base/concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { type StoredWalletCard, walletJobs } from "../storage/wallets.js";
import { bumpCardRevisions } from "./card-revisions.js";

/** Number of cards per read and write. */
const BATCH = 1_000;

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
  const replaced = new Set<string>();
  for (let at = 0; at < cardsToUpdate.length; at += BATCH) {
    const deliveryIds = new Map(
      cardsToUpdate.slice(at, at + BATCH).map(({ passId, deliveryId }) => [passId, deliveryId]),
    );
    const cards = (yield* tx.walletCardsOf([...deliveryIds.keys()])).filter(isValid);
    const messageRevision = newest + 1;
    const newCards = cards.map((card): StoredWalletCard => {
      const messageDeliveryId = deliveryIds.get(card.passId) ?? null;
      const before = card.messageDeliveryId;
      if (before !== null && before !== messageDeliveryId) replaced.add(before);
      const set = { messageId: id, messageDeliveryId, messageUntil: until, messageRevision };
      return { ...card, ...set, isMessageAnnounced: false };
    });
    yield* noteOnlyMessageMissing(tx, cards, messageRevision);
    newest = yield* bumpCardRevisions(tx, newCards, { newest, now, debounceMs: 0 });
  }
  if (newest !== queue.revision) {
    yield* tx.updateQueue(walletJobs, { ...queue, revision: newest });
  }
  return [...replaced];
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
  const showing = yield* tx.walletCardsWithMessage(messageId, "", limit);
  // This revision marks the change as affecting only the message, so that no device shows a notification.
  const none = { ...noMessage, messageRevision: queue.revision + 1 };
  const cards = showing.map((card): StoredWalletCard => ({ ...card, ...none }));
  const revoked = cards.filter((card) => !isValid(card));
  // Wallets already show revoked cards without a message.
  if (revoked.length > 0) yield* tx.updateWalletCards(revoked);
  const time = { newest: queue.revision, now, debounceMs: 0 };
  const revision = yield* bumpCardRevisions(tx, cards.filter(isValid), time);
  if (revision !== queue.revision) yield* tx.updateQueue(walletJobs, { ...queue, revision });
  return showing.length === limit;
}

/**
 * Marks up to 1,000 cards as no longer waiting for a wallet because their deliveries are finished. Wallets aren't notified. The
 * transaction must already have locked the organization. This function locks the wallet queue.
 */
export function* stopWaiting(
  tx: StorageTransaction,
  passIds: readonly string[],
  deliveryIds: readonly string[],
): Step<void> {
  if ((yield* tx.lockQueue(walletJobs)) === null) return;
  const ended = new Set<string | null>(deliveryIds);
  const waiting = (yield* tx.walletCardsOf(passIds)).filter(
    ({ messageDeliveryId }) => messageDeliveryId !== null && ended.has(messageDeliveryId),
  );
  if (waiting.length === 0) return;
  const done = waiting.map((card): StoredWalletCard => ({ ...card, messageDeliveryId: null }));
  yield* tx.updateWalletCards(done);
}

/**
 * For cards that are up to date at Google, records that Google lacks only the coming revision. Google can then add the message with
 * a single call. Cards that still show an older message are excluded because they need more calls.
 */
function* noteOnlyMessageMissing(
  tx: StorageTransaction,
  before: readonly StoredWalletCard[],
  revision: number,
): Step<void> {
  const plain = before.filter(({ messageId, atGoogleSince }) => messageId === null && atGoogleSince !== null);
  if (plain.length === 0) return;
  const revisions = new Map(plain.map((card) => [card.passId, card.revision]));
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
