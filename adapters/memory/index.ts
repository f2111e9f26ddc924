/** In-memory storage. */
import { markVersion } from "../../src/copies.js";
import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import { MemoryStorage } from "./memory-storage.js";

/**
 * Creates storage in this process's memory. It starts empty and is lost when the process ends. It fulfills the whole storage
 * contract: transactions run one at a time, and outside readers wait for the running transaction.
 *
 * @example
 * import { LoyaltyService } from "loyalty-kit";
 * import { memoryStorage } from "loyalty-kit/memory";
 *
 * const loyalty = new LoyaltyService({ storage: memoryStorage() });
 */
export function memoryStorage(): StorageAdapter {
  return markVersion(new MemoryStorage());
}
