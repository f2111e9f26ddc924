import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { toOrdinals } from "../kit/ordinals.js";
import { SuiteOrganization } from "../kit/organization.js";
import { someTagRemoval } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const MAX_USERS = 100;

async function readHolders(storage: StorageAdapter, organizationId: string, ordinal: number) {
  const users = await runStep(storage.reader(organizationId).usersOfTag(ordinal, -1, MAX_USERS));
  return users.map((user) => user.ordinal);
}

async function readRemovedHolders(storage: StorageAdapter, organizationId: string) {
  return (await runStep(storage.reader(organizationId).holdersOfRemovedTags())).from(0, MAX_USERS);
}

async function readTagSet(storage: StorageAdapter, organizationId: string, slug: string) {
  return toOrdinals(await runStep(storage.reader(organizationId).readTagSets([slug]))).tags[slug];
}

export const tagRemovals: Statements = {
  "a removed tag is gone for readers and its slug is free, but its users are known until the removal ends":
    async (storage, acme) => {
      const [ada, bob] = await acme.users([{}, {}]);
      assert.ok(ada && bob);
      const vip = await acme.tag({ slug: "vip" });
      for (const user of [ada, bob]) await acme.assign(user, vip);
      const removal = someTagRemoval(vip, { tag: '{"slug":"vip"}', createdAt: 7, subject: "ada" });
      assert.equal(await acme.write((tx) => tx.removeTag(removal)), true);
      assert.equal(await acme.write((tx) => tx.removeTag(removal)), false);
      assert.equal(await runStep(storage.reader(acme.id).findTag("vip")), null);
      assert.deepEqual(await runStep(storage.reader(acme.id).listTags()), []);
      assert.deepEqual(await runStep(storage.reader(acme.id).tagsOfUser(ada.ordinal)), []);
      assert.deepEqual(await runStep(storage.reader(acme.id).tagRemovals()), [removal]);
      assert.deepEqual(await runStep(storage.reader("globex").tagRemovals()), []);
      assert.deepEqual(await readRemovedHolders(storage, acme.id), [ada.ordinal, bob.ordinal]);
      const next = await acme.tag({ slug: "vip" });
      assert.equal(next.ordinal, vip.ordinal + 1);
      assert.deepEqual(await readTagSet(storage, acme.id, "vip"), []);
      const removedOrdinals = await acme.write((tx) => tx.unassignUsers(vip.ordinal, [ada.ordinal, 99]));
      assert.deepEqual(removedOrdinals, [ada.ordinal]);
      assert.deepEqual(await readHolders(storage, acme.id, vip.ordinal), [bob.ordinal]);
      await acme.write((tx) => tx.unassignUsers(vip.ordinal, [bob.ordinal]));
      await acme.write((tx) => tx.endTagRemoval(vip.ordinal));
      assert.deepEqual(await runStep(storage.reader(acme.id).tagRemovals()), []);
      assert.deepEqual(await readHolders(storage, acme.id, vip.ordinal), []);
      assert.deepEqual(await runStep(storage.reader(acme.id).verifyTagSets()), { checked: 2, wrong: [] });
    },

  "users of a removed tag have the tag that it is merged into, once, from the time of the removal": async (
    storage,
    acme,
  ) => {
    const [ada, bob, eve] = await acme.users([{}, {}, {}]);
    assert.ok(ada && bob && eve);
    const [from, into] = [await acme.tag({ slug: "from" }), await acme.tag({ slug: "into" })];
    await acme.assign(ada, from, { createdAt: 2 });
    await acme.assign(bob, into, { createdAt: 3 });
    await acme.assign(bob, from, { createdAt: 4 });
    const removal = someTagRemoval(from, { targetOrdinal: into.ordinal, merge: "{}", createdAt: 5 });
    await acme.write((tx) => tx.removeTag(removal));
    const assertMerged = async (merging: number) => {
      assert.deepEqual(await readTagSet(storage, acme.id, "into"), [ada.ordinal, bob.ordinal]);
      assert.deepEqual(await readHolders(storage, acme.id, into.ordinal), [ada.ordinal, bob.ordinal]);
      for (const user of [ada, bob])
        assert.deepEqual(await runStep(storage.reader(acme.id).tagsOfUser(user.ordinal)), [into]);
      const ordinals = [ada, bob, eve].map(({ ordinal }) => ordinal);
      assert.deepEqual(await runStep(storage.reader(acme.id).assignmentsOfUsers(ordinals)), [
        { userOrdinal: bob.ordinal, slug: "into", createdAt: 3 },
        { userOrdinal: ada.ordinal, slug: "into", createdAt: 5 },
      ]);
      assert.deepEqual([...(await runStep(storage.reader(acme.id).slugsOfUsers(ordinals)))].sort(), [
        [ada.ordinal, ["into"]],
        [bob.ordinal, ["into"]],
      ]);
      assert.equal((await runStep(storage.reader(acme.id).findTag("into")))?.merging, merging);
      assert.deepEqual(await runStep(storage.reader(acme.id).verifyTagSets()), { checked: 2, wrong: [] });
    };
    await assertMerged(1);
    await acme.write((tx) => tx.rebuildTagSets());
    await assertMerged(1);
    await acme.write((tx) => tx.unassignUsers(from.ordinal, [ada.ordinal, bob.ordinal]));
    await acme.assign(ada, into, { createdAt: 5 });
    await acme.write((tx) => tx.endTagRemoval(from.ordinal));
    await assertMerged(0);
  },

  "tags that are being merged into a removed tag are redirected to its target, or to none": async (
    storage,
    acme,
  ) => {
    const ada = await acme.user();
    const [a, b, c] = [await acme.tag(), await acme.tag(), await acme.tag({ slug: "c" })];
    await acme.assign(ada, a);
    const remove = (tag: typeof a, target: typeof a | null, createdAt: number) =>
      acme.write((tx) =>
        tx.removeTag(someTagRemoval(tag, { targetOrdinal: target?.ordinal ?? null, createdAt })),
      );
    const listTargets = async () =>
      (await runStep(storage.reader(acme.id).tagRemovals())).map(({ targetOrdinal }) => targetOrdinal);
    await remove(a, b, 2);
    await remove(b, c, 1);
    assert.deepEqual(await listTargets(), [c.ordinal, c.ordinal]);
    assert.deepEqual(await readTagSet(storage, acme.id, "c"), [ada.ordinal]);
    assert.deepEqual(await runStep(storage.reader(acme.id).tagsOfUser(ada.ordinal)), [c]);
    assert.deepEqual(await runStep(storage.reader(acme.id).verifyTagSets()), { checked: 2, wrong: [] });
    await remove(c, null, 3);
    assert.deepEqual(await listTargets(), [null, null, null]);
    assert.deepEqual(await runStep(storage.reader(acme.id).tagsOfUser(ada.ordinal)), []);
    // A user who had the tag only because of the merge leaves its set too.
    assert.deepEqual(await acme.write((tx) => tx.unassignUsers(c.ordinal, [ada.ordinal])), []);
    assert.deepEqual(await readHolders(storage, acme.id, c.ordinal), []);
  },

  "a deleted user leaves the sets of removed tags and of the tags that these are merged into": async (
    storage,
    acme,
  ) => {
    const [ada, bob] = await acme.users([{}, {}]);
    assert.ok(ada && bob);
    const [from, into] = [await acme.tag({ slug: "from" }), await acme.tag({ slug: "into" })];
    for (const user of [ada, bob]) await acme.assign(user, from);
    const removal = someTagRemoval(from, { targetOrdinal: into.ordinal });
    await acme.write((tx) => tx.removeTag(removal));
    await acme.write((tx) => tx.deleteUser(ada.id));
    assert.deepEqual(await readTagSet(storage, acme.id, "into"), [bob.ordinal]);
    assert.deepEqual(await readRemovedHolders(storage, acme.id), [bob.ordinal]);
    assert.deepEqual(await runStep(storage.reader(acme.id).verifyTagSets()), { checked: 2, wrong: [] });
  },

  "organizations with tag removals are listed by id": async (storage) => {
    for (const id of ["globex", "initech", "acme"]) {
      const each = new SuiteOrganization(storage, id);
      const tag = await each.tag();
      if (id !== "initech") await each.write((tx) => tx.removeTag(someTagRemoval(tag)));
    }
    assert.deepEqual(await runStep(storage.all.organizationsWithTagRemovals(9)), ["acme", "globex"]);
    assert.deepEqual(await runStep(storage.all.organizationsWithTagRemovals(1)), ["acme"]);
  },
};
