/** The storage suite, with the storage in memory as its oracle. */
import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import { type TestRunner, testAgainst } from "../../src/testing/index.js";
import { memoryStorage } from "../memory/index.js";

export type { TestRunner };

/**
 * Tests every sentence of the storage contract on an adapter, and compares what it answers after many histories of writes
 * with what the storage in memory answers; one that passes is complete.
 *
 * ```ts
 * testStorage({ describe, it }, async () => myStorage(await freshDatabase()));
 * ```
 *
 * @param open gives a new, empty store. Each test opens its own, and closes it.
 */
export function testStorage(runner: TestRunner, open: () => Promise<StorageAdapter>): void {
  testAgainst(runner, open, async () => memoryStorage());
}
