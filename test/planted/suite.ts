import { writeSync } from "node:fs";
import type { StorageAdapter } from "loyalty-kit";
import { testStorage } from "loyalty-kit/testing";

/** Runs the storage suite until a sentence does not hold, tells that one, and ends the process. */
export async function runSuite(open: () => Promise<StorageAdapter>): Promise<never> {
  const tests: { readonly sentence: string; readonly test: () => Promise<void> }[] = [];
  testStorage(
    {
      describe: (_name, define) => define(),
      it: (sentence, test) => tests.push({ sentence, test }),
    },
    open,
  );
  // What a fault leaves behind without anybody waiting for it is a failure of the test that runs.
  let current = "";
  const failed = (): never => {
    writeSync(1, current);
    process.exit(1);
  };
  process.on("unhandledRejection", failed);
  process.on("uncaughtException", failed);
  for (const { sentence, test } of tests) {
    current = sentence;
    await test().catch(failed);
  }
  process.exit(0);
}
