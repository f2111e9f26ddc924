import assert from "node:assert/strict";
import { awaitInStep, runStep } from "../../../../src/base/concurrency/step.js";
import { waitBriefly } from "../kit/meanwhile.js";
import type { Statements } from "../kit/statements.js";
import { answerTo, questionsOfScene } from "../law/reads.js";

export const closing: Statements = {
  "closing twice is harmless": async (storage) => {
    await storage.close();
    await storage.close();
    await Promise.all([storage.close(), storage.close()]);
  },

  "reads after close reject": async (storage, acme) => {
    await acme.tag({ slug: "vip" });
    await storage.close();
    for (const question of questionsOfScene) await assert.rejects(runStep(answerTo(storage, question)));
  },

  "transactions and snapshots after close reject without beginning": async (storage) => {
    await storage.close();
    let callCount = 0;
    const work = function* () {
      callCount += 1;
      yield* awaitInStep(null);
    };
    await assert.rejects(storage.transaction(work));
    await assert.rejects(storage.snapshot(work));
    assert.equal(callCount, 0);
  },

  "close waits for what is under way": async (storage, acme) => {
    const order: string[] = [];
    let closing: Promise<unknown> = Promise.resolve();
    const writing = storage
      .transaction(function* (tx) {
        closing = storage.close().then(() => order.push("closed"));
        yield* awaitInStep(waitBriefly(closing));
        yield* acme.within(tx).tag({ slug: "vip" });
        assert.notEqual(yield* tx.findTag(acme.id, "vip"), null);
      })
      .then(() => order.push("committed"));
    await writing;
    await closing;
    assert.deepEqual(order, ["committed", "closed"]);
  },

  "what was called before close is done": async (storage, acme) => {
    const calls = [
      acme.tag(),
      acme.tag(),
      runStep(storage.isEmpty()),
      storage.snapshot((reader) => reader.isEmpty()),
    ];
    await storage.close();
    await Promise.all(calls);
  },
};
