import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { StorageConflict } from "../../../../src/storage/storage-adapter.js";
import { scene, storeScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";
import { runAllSceneQuestions } from "../law/reads.js";
import { World } from "../law/world.js";
import { write, writeNames } from "../law/writes.js";

const failure = new Error("rolled back");

export const rollback: Statements = {
  "a rolled-back transaction with every kind of write leaves nothing behind": async (storage, acme) => {
    await storeScene(storage, acme.id);
    const before = await runStep(runAllSceneQuestions(storage));
    const world = new World(0);
    for (const order of [writeNames, writeNames.toReversed()]) {
      const rolledBack = storage.transaction(acme.id, function* (tx) {
        for (const name of order) {
          try {
            yield* write(name, tx, world, acme.id);
          } catch (error) {
            if (!(error instanceof StorageConflict)) throw error;
          }
        }
        throw failure;
      });
      await assert.rejects(rolledBack, failure);
      assert.deepEqual(await runStep(runAllSceneQuestions(storage)), before);
      assert.deepEqual(await runStep(storage.reader(acme.id).verifyTagSets()), { checked: 3, wrong: [] });
    }
  },

  "keys that a rolled-back transaction took are free, and keys that it freed are taken": async (
    storage,
    acme,
  ) => {
    await storeScene(storage, acme.id);
    const rolledBack = storage.transaction(acme.id, function* (tx) {
      yield* tx.deleteUser(scene.ada.id);
      yield* acme.withTransaction(tx).user({ email: "eve@example.com", externalId: "customer-9" });
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    await assert.rejects(acme.user({ email: scene.ada.email }), { key: "email" });
    const eve = await acme.user({ email: "eve@example.com", externalId: "customer-9" });
    assert.equal(eve.ordinal, 2);
  },

  "the transaction after a rolled-back one starts clean": async (storage, acme) => {
    for (let round = 0; round < 5; round += 1) {
      const rolledBack = storage.transaction(acme.id, function* (tx) {
        yield* acme.withTransaction(tx).tag({ slug: "vip" });
        throw failure;
      });
      await assert.rejects(rolledBack, failure);
      await acme.tag({ slug: `tag-${round}` });
    }
    assert.equal(await runStep(storage.reader(acme.id).findTag("vip")), null);
    assert.equal((await runStep(storage.reader(acme.id).listTags())).length, 5);
  },
};
