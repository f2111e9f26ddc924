import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { StoredAuditEntry } from "../../../../src/storage/audit.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { someAuditEntry } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

async function append(
  acme: SuiteOrganization,
  entries: readonly StoredAuditEntry[],
  maxEntries = 100,
): Promise<void> {
  for (const entry of entries) await acme.write((tx) => tx.appendAudit(entry, maxEntries));
}

const createFiveEntries = () => [1, 2, 3, 4, 5].map((sequence) => someAuditEntry(sequence));

export const audit: Statements = {
  "lockAudit returns the newest audit entry, even one from the same transaction": async (_storage, acme) => {
    const [first, second] = createFiveEntries();
    assert.ok(first && second);
    await acme.write(function* (tx) {
      assert.equal(yield* tx.lockAudit(), null);
      yield* tx.appendAudit(first, 100);
      assert.deepEqual(yield* tx.lockAudit(), first);
    });
    await append(acme, [second]);
    assert.deepEqual(await acme.write((tx) => tx.lockAudit()), second);
  },

  "appending removes the oldest audit entries beyond the maximum": async (storage, acme) => {
    const entries = createFiveEntries();
    assert.equal(await runStep(storage.reader(acme.id).newestAudit()), null);
    await append(acme, entries, 3);
    assert.deepEqual(await runStep(storage.reader(acme.id).listAudit(0, 10)), entries.slice(2));
    assert.deepEqual(await runStep(storage.reader(acme.id).newestAudit()), entries.at(-1));
  },

  "appendAudit refuses a sequence number that is taken": async (storage, acme) => {
    const entries = createFiveEntries();
    await append(acme, entries);
    await assert.rejects(append(acme, [someAuditEntry(5)]));
    assert.deepEqual(await runStep(storage.reader(acme.id).listAudit(0, 10)), entries);
  },

  "transactions that append concurrently see each other's entries": async (storage, acme) => {
    const appended = Array.from({ length: 8 }, () =>
      acme.write(function* (tx) {
        const newest = yield* tx.lockAudit();
        yield* tx.appendAudit(someAuditEntry((newest?.sequence ?? 0) + 1), 100);
      }),
    );
    await Promise.all(appended);
    const sequences = (await runStep(storage.reader(acme.id).listAudit(0, 100))).map(
      ({ sequence }) => sequence,
    );
    assert.deepEqual(sequences, [1, 2, 3, 4, 5, 6, 7, 8]);
  },
};
