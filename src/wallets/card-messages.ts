import type { Step } from "../concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredWalletCard } from "../storage/wallets.js";
import { bumpCardRevisions } from "./card-revisions.js";

/** Cards per read and write. */
const BATCH = 1_000;

/** The part of a message that cards store; its texts are read when it is shown. */
export interface CardMessage {
  readonly id: string;
  /** The time until which cards show it. */
  readonly until: number;
}

/** A card that is to show a message. */
export interface CardToUpdate {
  readonly passId: string;
  /** The delivery that ends when a wallet has the card with the message; `null` if none waits for that. */
  readonly deliveryId: string | null;
}

/** The columns of a card that shows no message. */
export const noMessage = {
  messageId: null,
  messageDeliveryId: null,
  messageUntil: null,
  messageRevision: 0,
  isMessageAnnounced: false,
} as const;

/**
 * Replaces the message on cards. It is a change of each card, and wallets are notified as for a stamp. Revoked cards stay as they
 * are. The transaction must have locked the organization; this locks the wallet queue.
 * @returns the deliveries of older messages that these cards waited for.
 */
export function* setMessage(
  tx: StorageTransaction,
  organizationId: string,
  { id, until }: CardMessage,
  told: readonly CardToUpdate[],
  now: number,
): Step<readonly string[]> {
  const queue = yield* tx.lockWalletQueue(organizationId, true);
  if (queue === null) return [];
  let newest = queue.revision;
  const replaced = new Set<string>();
  for (let at = 0; at < told.length; at += BATCH) {
    const deliveryIds = new Map(
      told.slice(at, at + BATCH).map(({ passId, deliveryId }) => [passId, deliveryId]),
    );
    const cards = (yield* tx.walletCardsOf(organizationId, [...deliveryIds.keys()])).filter(isValid);
    const messageRevision = newest + 1;
    const changed = cards.map((card): StoredWalletCard => {
      const messageDeliveryId = deliveryIds.get(card.passId) ?? null;
      const before = card.messageDeliveryId;
      if (before !== null && before !== messageDeliveryId) replaced.add(before);
      const set = { messageId: id, messageDeliveryId, messageUntil: until, messageRevision };
      return { ...card, ...set, isMessageAnnounced: false };
    });
    yield* noteRestAsTold(tx, organizationId, cards, messageRevision);
    newest = yield* bumpCardRevisions(tx, organizationId, changed, { newest, now, debounceMs: 0 });
  }
  if (newest !== queue.revision) {
    yield* tx.updateWalletQueue(organizationId, { ...queue, revision: newest });
  }
  return [...replaced];
}

/**
 * Takes a message off the next cards that show it, at most `limit` (1,000), as a change that no wallet tells people of. The
 * transaction locks the organization before, and this locks the queue of wallets.
 * @returns whether more cards may show it.
 */
export function* clearMessage(
  tx: StorageTransaction,
  organizationId: string,
  messageId: string,
  limit: number,
  now: number,
): Step<boolean> {
  const queue = yield* tx.lockWalletQueue(organizationId, true);
  if (queue === null) return false;
  const showing = yield* tx.walletCardsWithMessage(organizationId, messageId, "", limit);
  // The revision marks that only a message has changed, which notifies no device.
  const none = { ...noMessage, messageRevision: queue.revision + 1 };
  const cards = showing.map((card): StoredWalletCard => ({ ...card, ...none }));
  const revoked = cards.filter((card) => !isValid(card));
  // Wallets have a revoked card without its message already.
  if (revoked.length > 0) yield* tx.updateWalletCards(organizationId, revoked);
  const time = { newest: queue.revision, now, debounceMs: 0 };
  const revision = yield* bumpCardRevisions(tx, organizationId, cards.filter(isValid), time);
  if (revision !== queue.revision) yield* tx.updateWalletQueue(organizationId, { ...queue, revision });
  return showing.length === limit;
}

/**
 * Stops cards (at most 1,000) from waiting for a wallet for these deliveries, which have ended. Wallets are not notified. The
 * transaction must have locked the organization; this locks the wallet queue.
 */
export function* stopWaiting(
  tx: StorageTransaction,
  organizationId: string,
  passIds: readonly string[],
  deliveryIds: readonly string[],
): Step<void> {
  if ((yield* tx.lockWalletQueue(organizationId, true)) === null) return;
  const ended = new Set<string | null>(deliveryIds);
  const waiting = (yield* tx.walletCardsOf(organizationId, passIds)).filter(
    ({ messageDeliveryId }) => messageDeliveryId !== null && ended.has(messageDeliveryId),
  );
  if (waiting.length === 0) return;
  const done = waiting.map((card): StoredWalletCard => ({ ...card, messageDeliveryId: null }));
  yield* tx.updateWalletCards(organizationId, done);
}

/**
 * Notes of the cards that Google has as they were that it lacks the coming revision alone: it takes a message for such a card
 * with one call. Where an older message stands there, it takes more.
 */
function* noteRestAsTold(
  tx: StorageTransaction,
  organizationId: string,
  before: readonly StoredWalletCard[],
  revision: number,
): Step<void> {
  const plain = before.filter(({ messageId, atGoogleSince }) => messageId === null && atGoogleSince !== null);
  if (plain.length === 0) return;
  const revisions = new Map(plain.map((card) => [card.passId, card.revision]));
  const devices = yield* tx.walletDevicesOf(organizationId, [...revisions.keys()]);
  const known = devices.filter(
    ({ passId, platform, state, notifiedRevision }) =>
      platform === "google" &&
      state === "registered" &&
      notifiedRevision >= (revisions.get(passId) ?? revision),
  );
  const outcomes = known.map(({ passId, deviceId }) => ({
    ...{ passId, revision: revision - 1, deviceIds: [deviceId] },
    nextAttemptAt: null,
  }));
  yield* tx.recordNotified(organizationId, "google", outcomes);
}

function isValid({ revokedAt }: StoredWalletCard): boolean {
  return revokedAt === null;
}
