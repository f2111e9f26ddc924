import type { StorageAdapter } from "loyalty-kit";
import { replaceTransactions } from "./intercept-calls.js";

/**
 * Returns the storage with user ordinals from this one on, as if all earlier users were deleted: a quick way to a
 * limit.
 */
export function numberFrom(storage: StorageAdapter, first: number): StorageAdapter {
  return replaceTransactions(storage, (organizationId, work, options) =>
    storage.transaction(
      organizationId,
      (tx) => {
        const later = new Proxy(tx, {
          get(target, key) {
            if (key === "nextUser") {
              return function* () {
                const next = yield* target.nextUser();
                return { ...next, ordinal: Math.max(next.ordinal, first) };
              };
            }
            const member: unknown = Reflect.get(target, key);
            return typeof member === "function" ? member.bind(target) : member;
          },
        });
        return work(later);
      },
      options,
    ),
  );
}
