import type { Step } from "../base/concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { type WalletSweep, walletJobs } from "../storage/wallets.js";
import { bumpCardRevisions } from "./card-revisions.js";

/**
 * Adds refreshes to the pending ones. If a template's refresh is already pending, it starts over. A refresh of all templates
 * (`null`) replaces all pending refreshes.
 */
export function addRefreshes(
  sweeps: readonly WalletSweep[],
  templateIds: readonly (string | null)[],
): readonly WalletSweep[] {
  if (templateIds.length === 0) return sweeps;
  const added = templateIds.map((templateId) => ({ templateId, after: "" }));
  if (templateIds.includes(null)) return added;
  return [...sweeps.filter(({ templateId }) => !templateIds.includes(templateId)), ...added];
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
