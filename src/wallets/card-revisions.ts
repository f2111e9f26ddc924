import type { Step } from "../base/concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import {
  type NewWalletDelivery,
  type StoredWalletCard,
  type WalletSweep,
  walletJobs,
} from "../storage/wallets.js";

/** The time of a change, the organization's newest revision before the change, and the delay for its deliveries. */
export interface RevisionTime {
  /** The newest revision in the organization's wallet queue. The transaction must have locked the queue. */
  readonly newest: number;
  readonly now: number;
  /** How long deliveries wait for more changes, in milliseconds. */
  readonly debounceMs: number;
}

/**
 * Assigns the next revision to up to 1,000 cards and creates their deliveries.
 * @returns the assigned revision, or the newest existing revision if there are no cards.
 */
export function* bumpCardRevisions(
  tx: StorageTransaction,
  cards: readonly StoredWalletCard[],
  { newest, now, debounceMs }: RevisionTime,
): Step<number> {
  if (cards.length === 0) return newest;
  const revision = newest + 1;
  const newCards = cards.map((card) => ({
    ...card,
    revision,
    changedAt: computeChangedAt(card.changedAt, now),
  }));
  yield* tx.updateWalletCards(newCards);
  const passIds = newCards.map(({ passId }) => passId);
  const devices = yield* tx.walletDevicesOf(passIds);
  const applePassIds = new Set(
    devices
      .filter(({ platform, state }) => platform === "apple" && state === "registered")
      .map(({ passId }) => passId),
  );
  const base = { revision, nextAttemptAt: now + debounceMs, createdAt: now };
  const deliveries = newCards.flatMap(({ passId, atGoogleSince }): NewWalletDelivery[] => [
    ...(applePassIds.has(passId) ? [{ ...base, passId, platform: "apple" } as const] : []),
    ...(atGoogleSince === null ? [] : [{ ...base, passId, platform: "google" } as const]),
  ]);
  if (deliveries.length > 0) yield* tx.putJobs(walletJobs, deliveries);
  return revision;
}

/**
 * Returns a card's next modification time. HTTP dates have whole seconds and devices compare them, so each change is at least one
 * second later than the previous change.
 */
function computeChangedAt(previousChangedAt: number, now: number): number {
  return Math.max(Math.floor(now / 1_000) * 1_000, previousChangedAt + 1_000);
}

/**
 * Adds refreshes to the pending ones. If a template's refresh is already pending, it starts over. A refresh of all templates
 * (`null`) replaces all pending refreshes.
 */
export function addRefreshes(
  sweeps: readonly WalletSweep[],
  templateIds: readonly (string | null)[],
): readonly WalletSweep[] {
  if (templateIds.length === 0) return sweeps;
  const newSweeps = templateIds.map((templateId) => ({ templateId, after: "" }));
  if (templateIds.includes(null)) return newSweeps;
  return [...sweeps.filter(({ templateId }) => !templateIds.includes(templateId)), ...newSweeps];
}

/**
 * Schedules a refresh that marks all of an organization's cards as changed, in batches. Waits if another transaction is changing
 * the organization's cards. Call this before the transaction writes any of the organization's data. Otherwise, it could deadlock
 * with a transaction that locks the wallet queue first.
 */
export function* refreshAllCards(tx: StorageTransaction): Step<void> {
  const queue = yield* tx.lockQueue(walletJobs);
  if (queue === null) return;
  yield* tx.updateQueue(walletJobs, { ...queue, sweeps: addRefreshes(queue.sweeps, [null]) });
}

/**
 * Marks the cards of up to 1,000 passes as changed, for a change without an event. The transaction must already have locked the
 * organization. This function locks the wallet queue.
 */
export function* refreshCards(tx: StorageTransaction, passIds: readonly string[], now: number): Step<void> {
  if (passIds.length === 0) return;
  const queue = yield* tx.lockQueue(walletJobs);
  if (queue === null) return;
  const cards = yield* tx.walletCardsOf(passIds);
  const revision = yield* bumpCardRevisions(tx, cards, { newest: queue.revision, now, debounceMs: 0 });
  if (revision !== queue.revision) yield* tx.updateQueue(walletJobs, { ...queue, revision });
}
