import { runStep } from "../../../src/concurrency/step.js";
import { isLoyaltyError } from "../../../src/errors.js";
import type { Fence } from "../../kysely/session/admission.js";
import { tablesVersion } from "../connection/connection.js";
import { isSqliteError } from "../driver/driver.js";
import type { QueuedTransaction } from "./transaction-queue.js";
import type { TransactionThread } from "./transaction-thread.js";

export interface LargeStages {
  /** Retries until no other connection writes. */
  begin(attempt: () => Promise<void>): Promise<void>;
  /** Has to let it in; `null` while the tables may still be missing. */
  readonly fence: Fence | null;
  /** After the commit. @throws if it is not in the log that others read. */
  assertLogged(): void;
}

/**
 * Runs a transaction on a connection of its own in a thread, ends the thread, and reports the result. Never rejects.
 * @returns false if the thread could not start: then nothing has run, and no result is reported.
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
  // A transaction that is not committed by now is rolled back.
  await thread.close();
  transaction.settle();
  return true;
}

async function letIn(thread: TransactionThread, fence: Fence): Promise<void> {
  const [row] = await thread.all(tablesVersion);
  fence.assertCurrent(row?.version ?? null);
}
