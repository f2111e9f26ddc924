import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { storeScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";
import { writeAndCompare } from "./history.js";
import { organizations, World } from "./world.js";
import { writeNames } from "./writes.js";

/**
 * Number of histories among which the kinds of writes are distributed. Each kind of write comes first in three transactions; the
 * second one is rolled back.
 */
const HISTORY_COUNT = 4;

/**
 * Builds tests that make the same writes on the storage under test and on a reference implementation, the oracle, and check that
 * every read returns the same result on both. Results are compared inside the transaction that makes the writes, outside the
 * transaction while it is running, in a snapshot taken beforehand, after a commit, and after a rollback.
 */
export function buildLaw(openOracle: () => Promise<StorageAdapter>): Statements {
  return Object.fromEntries(
    Array.from({ length: HISTORY_COUNT }, (_, seed) => [
      `every read answers what the oracle answers after any writes, in history ${seed + 1} of ${HISTORY_COUNT}`,
      async (storage) => {
        const oracle = await openOracle();
        try {
          for (const each of [storage, oracle]) for (const id of organizations) await storeScene(each, id);
          const world = new World(seed);
          for (const first of writeNames.filter((_, at) => at % HISTORY_COUNT === seed)) {
            for (const isCommitted of [true, false, true]) {
              await writeAndCompare(storage, oracle, world, first, isCommitted);
            }
          }
        } finally {
          await oracle.close();
        }
      },
    ]),
  );
}
