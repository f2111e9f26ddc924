import assert from "node:assert/strict";
import { type ConflictingKey, StorageConflict } from "../../../../src/storage/storage-adapter.js";

/** Asserts that a write rejects with a {@link StorageConflict} on one of the given keys. */
export async function assertConflict(write: Promise<unknown>, ...keys: ConflictingKey[]): Promise<void> {
  await assert.rejects(write, (error) => {
    assert.ok(error instanceof StorageConflict, `not a StorageConflict: ${error}`);
    assert.ok(keys.includes(error.key), `the conflict is of ${error.key}, not of ${keys.join(" or ")}`);
    return true;
  });
}
