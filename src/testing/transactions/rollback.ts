import assert from "node:assert/strict";
import { everyRead } from "../kit/every-read.js";
import { writes } from "../kit/every-write.js";
import { scene, setScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";

const failure = new Error("rolled back");

const everyWrite: Statements = Object.fromEntries(
  Object.entries(writes).map(([method, write]) => [
    `a rolled back ${method} leaves nothing behind`,
    async (storage, acme) => {
      await setScene(storage, acme.id);
      const before = await everyRead(storage, acme.id);
      const rolledBack = storage.transaction(async (tx) => {
        await write(tx, acme.id);
        throw failure;
      });
      await assert.rejects(rolledBack, failure);
      assert.deepEqual(await everyRead(storage, acme.id), before);
      await storage.transaction((tx) => write(tx, acme.id));
    },
  ]),
);

/** The writes that can be made one after the other on one scene. */
const allInOne = Object.entries(writes).filter(([method]) => !method.startsWith("delete"));
const deletions = Object.entries(writes).filter(([method]) => method.startsWith("delete"));

export const rollback: Statements = {
  ...everyWrite,

  "a rolled back transaction of many writes leaves nothing behind": async (storage, acme) => {
    await setScene(storage, acme.id);
    const before = await everyRead(storage, acme.id);
    for (const order of [allInOne, allInOne.toReversed()]) {
      const rolledBack = storage.transaction(async (tx) => {
        for (const [, write] of [...order, ...deletions]) await write(tx, acme.id);
        assert.equal(await tx.findUser(acme.id, scene.ada.id), null);
        throw failure;
      });
      await assert.rejects(rolledBack, failure);
      assert.deepEqual(await everyRead(storage, acme.id), before);
      assert.deepEqual(await storage.verifySegments(acme.id), { checked: 3, wrong: [] });
    }
  },

  "a row written several times is rolled back to what it was": async (storage, acme) => {
    const tag = await acme.tag({ slug: "vip" });
    const ada = await acme.user();
    const rolledBack = storage.transaction(async (tx) => {
      const inside = acme.within(tx);
      await tx.updateTag(acme.id, { ...tag, name: "second" });
      await inside.assign(ada, tag);
      await tx.deleteTag(acme.id, tag.id);
      const another = await inside.tag({ slug: "vip" });
      await inside.assign(ada, another);
      await tx.unassignTag(acme.id, ada.ordinal, another.id);
      await tx.deleteUser(acme.id, ada.id);
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.deepEqual(await storage.listTags(acme.id), [tag]);
    assert.deepEqual(await storage.listUsers(acme.id, -1, 10), [ada]);
    assert.deepEqual(await storage.tagsOfUser(acme.id, ada.ordinal), []);
  },

  "keys that a rolled back transaction took are free, those that it freed are taken": async (
    storage,
    acme,
  ) => {
    await setScene(storage, acme.id);
    const rolledBack = storage.transaction(async (tx) => {
      await tx.deleteUser(acme.id, scene.ada.id);
      await acme.within(tx).user({ email: "eve@example.com", externalId: "customer-9" });
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    await assert.rejects(acme.user({ email: scene.ada.email }), { key: "email" });
    const eve = await acme.user({ email: "eve@example.com", externalId: "customer-9" });
    assert.equal(eve.ordinal, 2);
  },

  "the transaction after a rolled back one begins afresh": async (storage, acme) => {
    for (let round = 0; round < 5; round += 1) {
      const rolledBack = storage.transaction(async (tx) => {
        await acme.within(tx).tag({ slug: "vip" });
        throw failure;
      });
      await assert.rejects(rolledBack, failure);
      await acme.tag({ slug: `tag-${round}` });
    }
    assert.equal(await storage.findTag(acme.id, "vip"), null);
    assert.equal((await storage.listTags(acme.id)).length, 5);
  },
};
