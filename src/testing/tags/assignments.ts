import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { rowsByAge } from "../kit/age.js";
import { assertConflict } from "../kit/conflict.js";
import { someTag } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const assignments: Statements = {
  "assigning a tag gives it to the user": async (storage, acme) => {
    const [ada, bob] = [await acme.user(), await acme.user()];
    const [vip, regular] = [await acme.tag(), await acme.tag()];
    await acme.assign(ada, vip);
    await acme.assign(bob, regular);
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, ada.ordinal)), [vip]);
    assert.deepEqual(await run(storage.usersOfTag(acme.id, vip.ordinal, -1, 10)), [ada]);
  },

  "a user without tags has none, and so has an ordinal without a user": async (storage, acme) => {
    const ada = await acme.user();
    await acme.tag();
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, ada.ordinal)), []);
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, 99)), []);
  },

  "a tag that nobody has lists nobody, and so does an unknown one": async (storage, acme) => {
    await acme.user();
    const vip = await acme.tag();
    assert.deepEqual(await run(storage.usersOfTag(acme.id, vip.ordinal, -1, 10)), []);
    assert.deepEqual(await run(storage.usersOfTag(acme.id, someTag().ordinal, -1, 10)), []);
  },

  "a user's tags are listed oldest assignment first, by its createdAt, then its id": async (
    storage,
    acme,
  ) => {
    const ada = await acme.user();
    const tags = await rowsByAge(async (fields) => {
      const tag = await acme.tag();
      await acme.assign(ada, tag, fields);
      return tag;
    });
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, ada.ordinal)), tags);
  },

  "a user's tags are listed as they are now": async (storage, acme) => {
    const [ada, tag] = [await acme.user(), await acme.tag()];
    await acme.assign(ada, tag);
    const changed = { ...tag, name: "New" };
    await acme.write((tx) => tx.updateTag(acme.id, changed));
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, ada.ordinal)), [changed]);
  },

  "a tag's users above an ordinal are listed ascending, at most as many as asked": async (storage, acme) => {
    const users = await acme.users(Array.from({ length: 9 }, () => ({})));
    const vip = await acme.tag();
    const chosen = users.filter(({ ordinal }) => ordinal % 3 !== 1);
    for (const user of chosen.toReversed()) await acme.assign(user, vip);
    for (let after = -1; after < 10; after += 1) {
      for (let limit = 1; limit < 8; limit += 1) {
        const expected = chosen.filter(({ ordinal }) => ordinal > after).slice(0, limit);
        assert.deepEqual(await run(storage.usersOfTag(acme.id, vip.ordinal, after, limit)), expected);
      }
    }
  },

  "assignTag is a conflict of assignment when the user has the tag": async (storage, acme) => {
    const [ada, vip, regular] = [await acme.user(), await acme.tag(), await acme.tag()];
    await acme.assign(ada, vip, { createdAt: 5 });
    await acme.assign(ada, regular, { createdAt: 3 });
    await assertConflict(acme.assign(ada, vip, { createdAt: 1 }), "assignment");
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, ada.ordinal)), [regular, vip]);
  },

  "unassignTag takes the tag from the user": async (storage, acme) => {
    const [ada, bob] = [await acme.user(), await acme.user()];
    const [vip, regular] = [await acme.tag(), await acme.tag()];
    for (const user of [ada, bob]) for (const tag of [vip, regular]) await acme.assign(user, tag);
    assert.equal(await acme.write((tx) => tx.unassignTag(acme.id, ada.ordinal, vip.ordinal)), true);
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, ada.ordinal)), [regular]);
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, bob.ordinal)), [vip, regular]);
    assert.deepEqual(await run(storage.usersOfTag(acme.id, vip.ordinal, -1, 10)), [bob]);
  },

  "unassignTag is false when the user does not have the tag": async (_storage, acme) => {
    const [ada, vip] = [await acme.user(), await acme.tag()];
    const unassign = () => acme.write((tx) => tx.unassignTag(acme.id, ada.ordinal, vip.ordinal));
    assert.equal(await unassign(), false);
    await acme.assign(ada, vip);
    assert.deepEqual([await unassign(), await unassign()], [true, false]);
    assert.equal(await acme.write((tx) => tx.unassignTag(acme.id, 99, vip.ordinal)), false);
  },

  "a tag can be assigned again after it was unassigned": async (storage, acme) => {
    const [ada, vip] = [await acme.user(), await acme.tag()];
    await acme.assign(ada, vip);
    await acme.write((tx) => tx.unassignTag(acme.id, ada.ordinal, vip.ordinal));
    await acme.assign(ada, vip);
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, ada.ordinal)), [vip]);
  },
};
