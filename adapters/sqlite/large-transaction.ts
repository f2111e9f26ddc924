import type { BusyRetry } from "./busy.js";
import type { QueuedTransaction } from "./queued-transaction.js";
import type { TransactionThread } from "./transaction-thread.js";

/**
 * Runs a transaction by itself on a connection in a thread, ends the thread, and answers. Never rejects.
 * @param retry tries until no other process writes.
 */
export async function runLarge(
  transaction: QueuedTransaction,
  thread: TransactionThread,
  retry: BusyRetry,
): Promise<void> {
  try {
    await retry.run(() => thread.execute("begin immediate"), transaction.asked);
    if (await transaction.run(thread)) await thread.execute("commit");
  } catch (reason) {
    transaction.fail(reason);
  }
  // What is not committed by now is rolled back.
  await thread.close();
  transaction.answer();
}
