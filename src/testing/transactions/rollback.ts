import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { everyRead } from "../kit/every-read.js";
import { writes } from "../kit/every-write.js";
import { scene, setScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";

const failure = new Error("rolled back");

/** The writes that can be made one after the other on one scene. */
const allInOne = Object.entries(writes).filter(([method]) => !method.startsWith("delete"));
const deletions = Object.entries(writes).filter(([method]) => method.startsWith("delete"));

export const rollback: Statements = {
  "a rolled back transaction of many writes leaves nothing behind": async (storage, acme) => {
    await setScene(storage, acme.id);
    const before = await run(everyRead(storage, acme.id));
    for (const order of [allInOne, allInOne.toReversed()]) {
      const rolledBack = storage.transaction(function* (tx) {
        for (const [, write] of [...order, ...deletions]) yield* write(tx, acme.id);
        assert.equal(yield* tx.findUser(acme.id, scene.ada.id), null);
        throw failure;
      });
      await assert.rejects(rolledBack, failure);
      assert.deepEqual(await run(everyRead(storage, acme.id)), before);
      assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 3, wrong: [] });
    }
  },

  "a row written several times is rolled back to what it was": async (storage, acme) => {
    const tag = await acme.tag({ slug: "vip" });
    const ada = await acme.user();
    const rolledBack = storage.transaction(function* (tx) {
      const inside = acme.within(tx);
      yield* tx.updateTag(acme.id, { ...tag, name: "second" });
      yield* inside.assign(ada, tag);
      yield* tx.deleteTag(acme.id, tag.ordinal);
      const another = yield* inside.tag({ slug: "vip" });
      yield* inside.assign(ada, another);
      yield* tx.unassignTag(acme.id, ada.ordinal, another.ordinal);
      yield* tx.deleteUser(acme.id, ada.id);
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.deepEqual(await run(storage.listTags(acme.id)), [tag]);
    assert.deepEqual(await run(storage.listUsers(acme.id, -1, 10)), [ada]);
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, ada.ordinal)), []);
  },

  "keys that a rolled back transaction took are free, those that it freed are taken": async (
    storage,
    acme,
  ) => {
    await setScene(storage, acme.id);
    const rolledBack = storage.transaction(function* (tx) {
      yield* tx.deleteUser(acme.id, scene.ada.id);
      yield* acme.within(tx).user({ email: "eve@example.com", externalId: "customer-9" });
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    await assert.rejects(acme.user({ email: scene.ada.email }), { key: "email" });
    const eve = await acme.user({ email: "eve@example.com", externalId: "customer-9" });
    assert.equal(eve.ordinal, 2);
  },

  "the transaction after a rolled back one begins afresh": async (storage, acme) => {
    for (let round = 0; round < 5; round += 1) {
      const rolledBack = storage.transaction(function* (tx) {
        yield* acme.within(tx).tag({ slug: "vip" });
        throw failure;
      });
      await assert.rejects(rolledBack, failure);
      await acme.tag({ slug: `tag-${round}` });
    }
    assert.equal(await run(storage.findTag(acme.id, "vip")), null);
    assert.equal((await run(storage.listTags(acme.id))).length, 5);
  },
};
