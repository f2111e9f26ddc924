import type { StorageAdapter } from "loyalty-kit";
import { expect } from "vitest";
import { findBrokenSums } from "./broken-sums.js";

/** Checks the sums of an organization's messages after every transaction that commits to a storage. */
export function watchSums(storage: StorageAdapter, watchedId = "acme") {
  const transaction = storage.transaction.bind(storage);
  const faults: string[] = [];
  const watch = { rowsMayBeGone: false, faults, looks: 0 };
  storage.transaction = async (organizationId, work, options) => {
    const result = await transaction(organizationId, work, options);
    faults.push(...(await findBrokenSums(storage, watchedId, watch.rowsMayBeGone)));
    watch.looks += 1;
    return result;
  };
  return watch;
}

/** Expects that no sum was wrong after any transaction. */
export function expectSums({ faults, looks }: ReturnType<typeof watchSums>): void {
  expect(faults).toEqual([]);
  expect(looks).toBeGreaterThan(0);
}
