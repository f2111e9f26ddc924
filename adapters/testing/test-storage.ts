/** The storage suite, with the storage in memory as its oracle. */
import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import { type TestRunner, testAgainst } from "../../src/testing/index.js";
import { memoryStorage } from "../memory/index.js";

export type { TestRunner };

/**
 * Tests every sentence of the storage contract on an adapter, and compares what it answers after many histories of writes
 * with what the storage in memory answers; one that passes is complete.
 *
 * @param open gives a new, empty store. Each test opens its own, and closes it.
 * @example
 * import { testStorage } from "loyalty-kit/testing";
 * import { memoryStorage } from "loyalty-kit/memory";
 * import { describe, it } from "node:test";
 *
 * testStorage({ describe, it }, async () => memoryStorage()); // in its place: your adapter on an empty store
 */
export function testStorage(runner: TestRunner, open: () => Promise<StorageAdapter>): void {
  testAgainst(runner, open, async () => memoryStorage());
}
