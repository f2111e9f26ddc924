import type { Step } from "../concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { WalletSweep } from "../storage/wallets.js";

/** The sweeps with further ones; one of a template that is under way begins again. A sweep of all stands for all. */
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
 * Marks all cards of an organization as changed, in batches. It waits for other changes of cards. Call it before the transaction
 * writes anything of the organization, which is the order in which both are locked.
 */
export function* refreshAllCards(tx: StorageTransaction, organizationId: string): Step<void> {
  const queue = yield* tx.lockWalletQueue(organizationId, true);
  if (queue === null) return;
  yield* tx.updateWalletQueue(organizationId, { ...queue, sweeps: addRefreshes(queue.sweeps, [null]) });
}
