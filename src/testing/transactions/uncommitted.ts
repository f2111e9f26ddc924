import assert from "node:assert/strict";
import { everyRead, everyReadAtOnce } from "../kit/every-read.js";
import { writes } from "../kit/every-write.js";
import { endedOrWaiting } from "../kit/meanwhile.js";
import { setScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";

const failure = new Error("rolled back");

const everyWrite: Statements = Object.fromEntries(
  Object.entries(writes).map(([method, write]) => [
    `readers outside never see an uncommitted ${method}`,
    async (storage, acme) => {
      await setScene(storage, acme.id);
      const before = await everyRead(storage, acme.id);
      let outside: Promise<unknown> = Promise.resolve();
      const rolledBack = storage.transaction(async (tx) => {
        await write(tx, acme.id);
        outside = everyReadAtOnce(storage, acme.id);
        await endedOrWaiting(outside);
        throw failure;
      });
      await assert.rejects(rolledBack, failure);
      assert.deepEqual(await outside, before);
    },
  ]),
);

export const uncommitted: Statements = {
  ...everyWrite,

  "a store whose first rows are uncommitted is empty": async (storage, acme) => {
    let outside: Promise<unknown> = Promise.resolve();
    const rolledBack = storage.transaction(async (tx) => {
      await acme.within(tx).tag();
      outside = storage.isEmpty();
      await endedOrWaiting(outside);
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.equal(await outside, true);
  },

  "a snapshot begun during a transaction sees all of it or nothing": async (storage, acme) => {
    let outside: Promise<number[]> = Promise.resolve([]);
    await storage.transaction(async (tx) => {
      const inside = acme.within(tx);
      await inside.tag();
      outside = storage.snapshot(async (reader) => [
        (await reader.listTags(acme.id)).length,
        (await reader.listTemplates(acme.id)).length,
      ]);
      await endedOrWaiting(outside);
      await inside.template();
    });
    const [tags, templates] = await outside;
    assert.equal(tags, templates);
  },

  "readers begun after a commit see it": async (storage, acme) => {
    for (let round = 0; round < 20; round += 1) {
      const tag = await acme.tag();
      const [found, listed] = await Promise.all([
        storage.findTag(acme.id, tag.slug),
        storage.listTags(acme.id),
      ]);
      assert.deepEqual(found, tag);
      assert.deepEqual(listed.at(-1), tag);
    }
  },
};
