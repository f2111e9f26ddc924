import type { StorageAdapter } from "loyalty-kit";
import { replaceTransactions } from "./intercepted.js";

/** The storage, but that users get numbers from this one on, as where all before were deleted: a short way to a border. */
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
