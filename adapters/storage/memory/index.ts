/** In-memory storage. */
import { markVersion } from "../../../src/base/copies.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { MemoryStorage } from "./memory-storage.js";

/**
 * Creates a storage adapter that keeps all data in this process's memory. The storage starts out empty, and its data is lost when
 * the process ends. The adapter implements the entire storage contract. Transactions run one at a time, and reads outside a
 * transaction wait until no transaction is running.
 * @example
 * import { LoyaltyService } from "loyalty-kit";
 * import { memoryStorage } from "loyalty-kit/memory";
 *
 * const loyalty = new LoyaltyService({ storage: memoryStorage() });
 */
export function memoryStorage(): StorageAdapter {
  return markVersion(new MemoryStorage());
}
