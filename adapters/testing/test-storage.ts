/** The storage test suite, with the in-memory storage as its oracle. */
import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import { memoryStorage } from "../storage/memory/index.js";
import { type TestRunner, testAgainst } from "./storage-suite/index.js";

export type { TestRunner };

/**
 * Tests an adapter against every statement of the storage contract. Also runs many random sequences of writes on both the adapter
 * and the in-memory storage, and compares the results. An adapter that passes implements the entire contract.
 *
 * @param open a function that returns a new, empty store. Each test opens and closes its own store.
 * @example
 * import { testStorage } from "loyalty-kit/testing";
 * import { memoryStorage } from "loyalty-kit/memory";
 * import { describe, it } from "node:test";
 *
 * // Replace `memoryStorage` with a function that opens your adapter on an empty store.
 * testStorage({ describe, it }, async () => memoryStorage());
 */
export function testStorage(runner: TestRunner, open: () => Promise<StorageAdapter>): void {
  testAgainst(runner, open, async () => memoryStorage());
}
