import type { StorageAdapter } from "loyalty-kit";
import type { StorageTransaction } from "loyalty-kit/storage";
import { testStorage } from "loyalty-kit/testing";
import { describe, it } from "vitest";
import type { Step } from "../../src/base/concurrency/step.js";
import { createStorage } from "../sqlite/new-storage.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

/** The concerns that a transaction in a thread could get wrong. */
const concerns: ReadonlySet<string> = new Set([
  "transactions",
  "rollback",
  "conflicts",
  "uncommitted rows",
  "found rows",
  "law",
  "outbox",
  "segments",
  "segment chunks",
  "texts",
]);

/**
 * The number of large transactions per store. Threads take time, and a few statements make hundreds of them.
 */
const LARGE = 5;

describe("with large transactions", () => {
  const describeIfConcerned = (name: string, define: () => void) => {
    if (name === "storage" || concerns.has(name)) describe(name, define);
  };
  testStorage({ describe: describeIfConcerned, it }, openLarge);
});

async function openLarge(): Promise<StorageAdapter> {
  const storage = await createStorage(createTemporaryFile());
  const transaction = storage.transaction.bind(storage);
  let run = 0;
  return Object.assign(storage, {
    transaction: <T>(organizationId: string, work: (tx: StorageTransaction) => Step<T>) => {
      run += 1;
      return transaction(organizationId, work, { isLarge: run <= LARGE });
    },
  });
}
