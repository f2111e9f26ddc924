import { createLoyaltyError } from "../../../src/base/errors.js";
import type { StorageAdapter } from "../../../src/index.js";

/**
 * Wraps the storage so that some transactions fail while it is in trouble: some before they begin, and some after the
 * commit, so that only their result is lost.
 */
export function failAtRandom(
  storage: StorageAdapter,
  isInTrouble: () => boolean,
  random: (bound: number) => number,
): StorageAdapter {
  const transaction: StorageAdapter["transaction"] = async (organizationId, work, options) => {
    const luck = isInTrouble() ? random(20) : 20;
    if (luck === 0) throw createLoyaltyError("storage_unavailable");
    const result = await storage.transaction(organizationId, work, options);
    if (luck === 1) throw createLoyaltyError("storage_unavailable");
    return result;
  };
  return new Proxy(storage, {
    get(target, name) {
      if (name === "transaction") return transaction;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
