import assert from "node:assert/strict";
import { everyRead } from "../kit/every-read.js";
import { quietWrites, writes } from "../kit/every-write.js";
import { setScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";

const everyWrite: Statements = Object.fromEntries(
  Object.entries(writes).map(([method, write]) => [
    `what ${method} did is seen by every read inside its transaction, and after it outside`,
    async (storage, acme) => {
      await setScene(storage, acme.id);
      const before = await everyRead(storage, acme.id);
      const inside = await storage.transaction(async (tx) => {
        assert.deepEqual(await everyRead(tx, acme.id), before);
        await write(tx, acme.id);
        return everyRead(tx, acme.id);
      });
      assert.deepEqual(await everyRead(storage, acme.id), inside);
      if (!quietWrites.has(method)) assert.notDeepEqual(inside, before);
    },
  ]),
);

export const transactions: Statements = {
  "a transaction commits when its work resolves, with what it resolved to": async (storage, acme) => {
    const answer = { anything: true };
    const given = await storage.transaction(async (tx) => {
      await acme.within(tx).tag({ slug: "vip" });
      return answer;
    });
    assert.equal(given, answer);
    assert.notEqual(await storage.findTag(acme.id, "vip"), null);
  },

  "a transaction may do nothing": async (storage) => {
    assert.equal(await storage.transaction(async () => undefined), undefined);
  },

  "writes of one transaction commit together": async (storage, acme) => {
    const { ada, vip, pass } = await storage.transaction(async (tx) => {
      const inside = acme.within(tx);
      const [ada, vip] = [await inside.user(), await inside.tag()];
      await inside.assign(ada, vip);
      return { ada, vip, pass: await inside.pass(ada, await inside.template()) };
    });
    assert.deepEqual(await storage.tagsOfUser(acme.id, ada.ordinal), [vip]);
    assert.deepEqual(await storage.passesOfUsers(acme.id, [ada.id]), [pass]);
  },

  "a transaction rejects with the very error that its work threw": async (storage, acme) => {
    const error = new Error("the work failed");
    const rejection = (thrown: unknown) => thrown === error;
    await assert.rejects(
      storage.transaction(async (tx) => {
        await acme.within(tx).tag();
        throw error;
      }),
      rejection,
    );
    await assert.rejects(
      storage.transaction(() => Promise.reject(error)),
      rejection,
    );
  },

  "a work that throws before it gives a promise is rolled back": async (storage, acme) => {
    const error = new Error("the work failed");
    await assert.rejects(
      async () =>
        storage.transaction(() => {
          throw error;
        }),
      (thrown) => thrown === error,
    );
    const tag = await acme.tag();
    assert.deepEqual(await storage.listTags(acme.id), [tag]);
  },

  "a transaction that has ended takes no more calls": async (storage, acme) => {
    const tx = await storage.transaction(async (tx) => tx);
    await assert.rejects(acme.within(tx).tag());
    await assert.rejects(tx.listTags(acme.id));
    assert.deepEqual(await storage.listTags(acme.id), []);
  },

  "a transaction of several organizations commits in all of them": async (storage) => {
    const organizations = ["acme", "globex"];
    await storage.transaction(async (tx) => {
      for (const id of organizations) await tx.insertTag(id, { ...tagOf(id) });
    });
    for (const id of organizations) assert.deepEqual(await storage.listTags(id), [tagOf(id)]);
  },

  ...everyWrite,
};

function tagOf(organizationId: string) {
  const id = `utag_${organizationId}`;
  return { id, slug: "vip", name: "V", description: null, color: "#000000", createdAt: 1, updatedAt: 1 };
}
