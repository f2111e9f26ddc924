import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { storeScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";
import { runSceneQuestions } from "../law/reads.js";

export const committedState: Statements = {
  "the committed state stays the same during reads, or is always null": async (storage, acme) => {
    await storeScene(storage, acme.id);
    const before = storage.committedState();
    await runStep(runSceneQuestions(storage.reader(acme.id)));
    assert.equal(storage.committedState(), before);
  },

  "the committed state doesn't reflect a transaction that isn't committed yet": async (storage, acme) => {
    const before = storage.committedState();
    await storage.transaction(acme.id, function* (tx) {
      yield* tx.all.isEmpty();
      const during = storage.committedState();
      yield* acme.withTransaction(tx).tag();
      assert.equal(storage.committedState(), during);
    });
    if (before !== null) assert.notEqual(storage.committedState(), before);
  },

  "a closed storage has no committed state": async (storage) => {
    await storage.close();
    assert.equal(storage.committedState(), null);
  },
};
