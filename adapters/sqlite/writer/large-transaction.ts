import { run } from "../../../src/concurrency/step.js";
import { isLoyaltyError } from "../../../src/errors.js";
import type { Fence } from "../../kysely/session/fence.js";
import { isOfSqlite } from "../connection/errors.js";
import { tablesVersion } from "../connection/tables-version.js";
import type { QueuedTransaction } from "./queued-transaction.js";
import type { TransactionThread } from "./transaction-thread.js";

/**
 * Runs a transaction by itself on a connection in a thread, ends the thread, and answers. Never rejects.
 * @param begin tries until nobody else writes.
 * @param fence has to let it in.
 * @returns false when the thread could not begin, for a reason of its own: then nothing has run, and nobody is answered.
 */
export async function runLarge(
  transaction: QueuedTransaction,
  thread: TransactionThread,
  begin: (attempt: () => Promise<void>) => Promise<void>,
  fence: Fence | null,
): Promise<boolean> {
  let hasBegun = false;
  try {
    await begin(() => thread.execute("begin immediate"));
    hasBegun = true;
    if (fence !== null) await letIn(thread, fence);
    if (await run(transaction.run(thread))) await thread.execute("commit");
  } catch (reason) {
    if (!hasBegun && !isLoyaltyError(reason) && !isOfSqlite(reason)) {
      await thread.close();
      return false;
    }
    transaction.fail(reason);
  }
  // What is not committed by now is rolled back.
  await thread.close();
  transaction.answer();
  return true;
}

async function letIn(thread: TransactionThread, fence: Fence): Promise<void> {
  const [row] = await thread.all(tablesVersion);
  fence.assertCurrent(row?.version ?? null);
}
