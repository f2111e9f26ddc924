import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { StoredIdempotencyRecord } from "../../../../src/storage/idempotency-records.js";
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { hashToken } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const remove = (acme: SuiteOrganization, before: number, limit: number) =>
  acme.write((tx) => tx.removeExpiredIdempotencyRecords(before, limit));

/** Returns the records that are still stored. */
function* findRemaining(reader: StorageReader, records: readonly StoredIdempotencyRecord[]) {
  const remainingRecords = [];
  for (const { keyHash } of records) remainingRecords.push(yield* reader.findIdempotencyRecord(keyHash));
  return remainingRecords.filter((record) => record !== null);
}

/** Stores records with these creation times, in this order. */
async function storeRecordsCreatedAt(
  acme: SuiteOrganization,
  times: readonly number[],
): Promise<StoredIdempotencyRecord[]> {
  const records = [];
  for (const createdAt of times) records.push(await acme.answer({ createdAt }));
  return records;
}

const storing: Statements = {
  "a stored response can be very long": async (storage, acme) => {
    const record = await acme.answer({ sealed: "0123456789abcdef".repeat(100_000) });
    assert.deepEqual(await runStep(storage.reader(acme.id).findIdempotencyRecord(record.keyHash)), record);
  },

  "when several responses are stored for one key concurrently, one of them remains": async (
    storage,
    acme,
  ) => {
    const keyHash = hashToken("key");
    const records = await Promise.all(
      Array.from({ length: 8 }, (_, at) => acme.answer({ keyHash, sealed: `${at}` })),
    );
    const record = await runStep(storage.reader(acme.id).findIdempotencyRecord(keyHash));
    assert.ok(record);
    assert.deepEqual(records[Number(record.sealed)], record);
  },
};

const removal: Statements = {
  "removeExpiredIdempotencyRecords stops at its limit, even among records of the same time": async (
    storage,
    acme,
  ) => {
    const records = await storeRecordsCreatedAt(acme, [7, 7, 7, 7]);
    assert.equal(await remove(acme, 8, 3), 3);
    assert.equal((await runStep(findRemaining(storage.reader(acme.id), records))).length, 1);
  },

  "trimIdempotencyRecords removes all records except those within the most recently stored bytes, up to a limit":
    async (storage, acme) => {
      const records = [];
      for (const length of [5, 10, 20, 7]) records.push(await acme.answer({ sealed: "x".repeat(length) }));
      const removeBeyond = (bytes: number, limit = 100) =>
        acme.write((tx) => tx.trimIdempotencyRecords(bytes, limit));
      assert.equal(await removeBeyond(38), 0);
      assert.equal(await removeBeyond(37), 1);
      assert.deepEqual(await runStep(findRemaining(storage.reader(acme.id), records)), records.slice(1));
      assert.equal(await removeBeyond(7, 1), 1);
      assert.deepEqual(await runStep(findRemaining(storage.reader(acme.id), records)), records.slice(2));
      assert.equal(await removeBeyond(8), 0);
      assert.equal(await removeBeyond(0), 2);
      assert.equal(await removeBeyond(0), 0);
      assert.equal(await storage.transaction("globex", (tx) => tx.trimIdempotencyRecords(0, 100)), 0);
    },

  "trimIdempotencyRecords counts every one of several records that were stored concurrently": async (
    _storage,
    acme,
  ) => {
    const sealed = "x".repeat(10);
    await Promise.all(Array.from({ length: 8 }, () => acme.answer({ sealed })));
    assert.equal(await acme.write((tx) => tx.trimIdempotencyRecords(30, 100)), 5);
  },
};

export const idempotencyRecords: Statements = { ...storing, ...removal };
