import { mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import type { StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { testAgainst } from "../../adapters/testing/storage-suite/index.js";
import { createStorageOpener } from "../postgres/open-storage.js";
import { createPlacePool, loyaltyTables } from "../postgres/place-pool.js";
import { createStorage } from "../sqlite/new-storage.js";

type Open = () => Promise<StorageAdapter>;

/** Storages with a faulty adapter, and the oracle that each is compared with, which never has the same fault. */
const storages = {
  memory: () => ({ open: async () => memoryStorage(), openOracle: openInFiles() }),
  kysely: () => ({ open: openInFiles(), openOracle: async () => memoryStorage() }),
  postgres: () => ({
    open: createStorageOpener(
      createPlacePool(
        async () => {},
        loyaltyTables,
        // The schema that only this run uses.
        async () => ({ url: env.LOYALTY_TEST_POSTGRES_URL ?? "" }),
      ),
    ),
    openOracle: async () => memoryStorage(),
  }),
} satisfies Record<string, () => { readonly open: Open; readonly openOracle: Open }>;

function openInFiles(): Open {
  const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-planted-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  let files = 0;
  return () => createStorage(join(folder, `${files++}.db`));
}

/** Runs the storage suite until a sentence fails, prints that sentence, and ends the process. */
export async function runSuite(name: keyof typeof storages): Promise<never> {
  const { open, openOracle } = storages[name]();
  const tests: { readonly sentence: string; readonly test: () => Promise<void> }[] = [];
  testAgainst(
    {
      describe: (_name, define) => define(),
      it: (sentence, test) => tests.push({ sentence, test }),
    },
    open,
    openOracle,
  );
  // A failure that nothing awaits belongs to the running test.
  let current = "";
  const failTest = (): never => {
    writeSync(1, current);
    process.exit(1);
  };
  process.on("unhandledRejection", failTest);
  process.on("uncaughtException", failTest);
  for (const { sentence, test } of tests) {
    current = sentence;
    await test().catch(failTest);
  }
  process.exit(0);
}
