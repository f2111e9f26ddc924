import assert from "node:assert/strict";
import { awaitInStep, runStep } from "../../../../src/base/concurrency/step.js";
import { waitBriefly } from "../kit/meanwhile.js";
import type { Statements } from "../kit/statements.js";
import { runQuestion, sceneQuestions } from "../law/reads.js";

export const closing: Statements = {
  "closing a storage twice is harmless": async (storage) => {
    await storage.close();
    await storage.close();
    await Promise.all([storage.close(), storage.close()]);
  },

  "reads after close reject": async (storage, acme) => {
    await acme.tag({ slug: "vip" });
    await storage.close();
    for (const question of sceneQuestions)
      await assert.rejects(runStep(runQuestion(storage.reader(acme.id), question)));
  },

  "transactions and snapshots after close reject without starting": async (storage) => {
    await storage.close();
    let callCount = 0;
    const work = function* () {
      callCount += 1;
      yield* awaitInStep(null);
    };
    await assert.rejects(storage.transaction("acme", work));
    await assert.rejects(storage.snapshot("acme", work));
    assert.equal(callCount, 0);
  },

  "close waits for running transactions": async (storage, acme) => {
    const order: string[] = [];
    let closing: Promise<unknown> = Promise.resolve();
    const writing = storage
      .transaction(acme.id, function* (tx) {
        closing = storage.close().then(() => order.push("closed"));
        yield* awaitInStep(waitBriefly(closing));
        yield* acme.withTransaction(tx).tag({ slug: "vip" });
        assert.notEqual(yield* tx.findTag("vip"), null);
      })
      .then(() => order.push("committed"));
    await writing;
    await closing;
    assert.deepEqual(order, ["committed", "closed"]);
  },

  "calls made before close are completed": async (storage, acme) => {
    const calls = [
      acme.tag(),
      acme.tag(),
      runStep(storage.all.isEmpty()),
      storage.snapshot(acme.id, (reader) => reader.all.isEmpty()),
    ];
    await storage.close();
    await Promise.all(calls);
  },
};
