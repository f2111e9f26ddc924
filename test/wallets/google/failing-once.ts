import type { StorageAdapter } from "loyalty-kit";
import { createLoyaltyError } from "../../../src/base/errors.js";

/** Wraps a storage so that its next transaction fails after `failNext` is called. */
export function createFailingOnce(storage: StorageAdapter) {
  let isFailing = false;
  const transaction: StorageAdapter["transaction"] = async (organizationId, work, options) => {
    if (!isFailing) return storage.transaction(organizationId, work, options);
    isFailing = false;
    throw createLoyaltyError("internal_error");
  };
  const failing = new Proxy(storage, {
    get(target, name) {
      if (name === "transaction") return transaction;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    storage: failing,
    failNext() {
      isFailing = true;
    },
  };
}
