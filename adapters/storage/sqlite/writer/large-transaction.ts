import { runStep } from "../../../../src/base/concurrency/step.js";
import { isLoyaltyError } from "../../../../src/base/errors.js";
import type { Fence } from "../../kysely/session/admission.js";
import { tablesVersion } from "../connection/connection.js";
import { isSqliteError } from "../driver/driver.js";
import type { QueuedTransaction } from "./transaction-queue.js";
import type { TransactionThread } from "./transaction-thread.js";

export interface LargeStages {
  /** Runs `attempt`, and retries it while another connection is writing. */
  begin(attempt: () => Promise<void>): Promise<void>;
  /**
   * The fence that rejects the transaction if another release has migrated the tables, or `null` if the tables might not exist
   * yet.
   */
  readonly fence: Fence | null;
  /**
   * Checks, after the commit, that the commit was written to the write-ahead log that other connections read.
   * @throws if the commit was written to a log that has been removed.
   */
  assertLogged(): void;
}

/**
 * Runs a transaction on its own connection in a thread, ends the thread, and settles the transaction with the result. The returned
 * promise never rejects.
 * @returns `false` if the thread couldn't start. In that case, the transaction has not run and is not settled.
 */
export async function runLarge(
  transaction: QueuedTransaction,
  thread: TransactionThread,
  { begin, fence, assertLogged }: LargeStages,
): Promise<boolean> {
  let hasBegun = false;
  try {
    await begin(() => thread.execute("begin immediate"));
    hasBegun = true;
    if (fence !== null) await letIn(thread, fence);
    if (await runStep(transaction.run(thread))) {
      await thread.execute("commit");
      assertLogged();
    }
  } catch (reason) {
    if (!hasBegun && !isLoyaltyError(reason) && !isSqliteError(reason)) {
      await thread.close();
      return false;
    }
    transaction.fail(reason);
  }
  // Rolls back the transaction if it hasn't been committed by now.
  await thread.close();
  transaction.settle();
  return true;
}

async function letIn(thread: TransactionThread, fence: Fence): Promise<void> {
  const [row] = await thread.all(tablesVersion);
  fence.assertCurrent(row?.version ?? null);
}
