/** Storage in the memory of a process. */
import { markVersion } from "../../src/copies.js";
import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import { MemoryStorage } from "./memory-storage.js";

/**
 * A store in the memory of this process, empty at first and gone with it. It keeps the whole storage contract:
 * transactions run one at a time, and readers outside wait for the one that runs.
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
