import type { Step } from "../base/concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { type NewWalletDelivery, type StoredWalletCard, walletJobs } from "../storage/wallets.js";

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
  const changed = cards.map((card) => ({ ...card, revision, changedAt: nextSecond(card.changedAt, now) }));
  yield* tx.updateWalletCards(changed);
  const passIds = changed.map(({ passId }) => passId);
  const devices = yield* tx.walletDevicesOf(passIds);
  const onApple = new Set(
    devices
      .filter(({ platform, state }) => platform === "apple" && state === "registered")
      .map(({ passId }) => passId),
  );
  const base = { revision, nextAttemptAt: now + debounceMs, createdAt: now };
  const deliveries = changed.flatMap(({ passId, atGoogleSince }): NewWalletDelivery[] => [
    ...(onApple.has(passId) ? [{ ...base, passId, platform: "apple" } as const] : []),
    ...(atGoogleSince === null ? [] : [{ ...base, passId, platform: "google" } as const]),
  ]);
  if (deliveries.length > 0) yield* tx.putJobs(walletJobs, deliveries);
  return revision;
}

/**
 * Returns a card's next modification time. HTTP dates have whole seconds and devices compare them, so each change is at least one
 * second later than the previous change.
 */
function nextSecond(before: number, now: number): number {
  return Math.max(Math.floor(now / 1_000) * 1_000, before + 1_000);
}
