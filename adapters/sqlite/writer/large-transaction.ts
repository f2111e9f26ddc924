import { run } from "../../../src/concurrency/step.js";
import { isLoyaltyError } from "../../../src/errors.js";
import { isOfSqlite } from "../connection/errors.js";
import type { QueuedTransaction } from "./queued-transaction.js";
import type { TransactionThread } from "./transaction-thread.js";

/**
 * Runs a transaction by itself on a connection in a thread, ends the thread, and answers. Never rejects.
 * @param begin tries until nobody else writes.
 * @returns false when the thread could not begin, for a reason of its own: then nothing has run, and nobody is answered.
 */
export async function runLarge(
  transaction: QueuedTransaction,
  thread: TransactionThread,
  begin: (attempt: () => Promise<void>) => Promise<void>,
): Promise<boolean> {
  let hasBegun = false;
  try {
    await begin(() => thread.execute("begin immediate"));
    hasBegun = true;
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
