import assert from "node:assert/strict";
import { awaitInStep, runStep } from "../../../../src/base/concurrency/step.js";
import { waitBriefly } from "../kit/meanwhile.js";
import type { Statements } from "../kit/statements.js";

const failure = new Error("rolled back");

export const uncommitted: Statements = {
  "a store is empty while its first rows are uncommitted": async (storage, acme) => {
    let outsideRead: Promise<unknown> = Promise.resolve();
    const rolledBack = storage.transaction(acme.id, function* (tx) {
      yield* acme.withTransaction(tx).tag();
      outsideRead = runStep(storage.all.isEmpty());
      yield* awaitInStep(waitBriefly(outsideRead));
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.equal(await outsideRead, true);
  },

  "a snapshot started during a transaction sees all of it or nothing": async (storage, acme) => {
    let outsideRead: Promise<number[]> = Promise.resolve([]);
    await storage.transaction(acme.id, function* (tx) {
      const rows = acme.withTransaction(tx);
      yield* rows.tag();
      outsideRead = storage.snapshot(acme.id, function* (reader) {
        return [(yield* reader.listTags()).length, (yield* reader.listTemplates()).length];
      });
      yield* awaitInStep(waitBriefly(outsideRead));
      yield* rows.template();
    });
    const [tags, templates] = await outsideRead;
    assert.equal(tags, templates);
  },

  "reads that start after a commit see it": async (storage, acme) => {
    for (let round = 0; round < 20; round += 1) {
      const tag = await acme.tag();
      const [found, listedUsers] = await Promise.all([
        runStep(storage.reader(acme.id).findTag(tag.slug)),
        runStep(storage.reader(acme.id).listTags()),
      ]);
      assert.deepEqual(found, { ...tag, merging: 0 });
      assert.deepEqual(listedUsers.at(-1), tag);
    }
  },
};
