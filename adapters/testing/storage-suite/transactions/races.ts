import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { StorageConflict, type StorageReader } from "../../../../src/storage/storage-adapter.js";
import type { StoredUser } from "../../../../src/storage/users.js";
import { toOrdinals } from "../kit/ordinals.js";
import { SuiteOrganization } from "../kit/organization.js";
import { someTagRemoval } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const RUN_COUNT = 20;

/** Runs the write several times in parallel, and returns how many runs committed; the rest must fail with a conflict. */
async function countCommitted(write: (runner: number) => Promise<unknown>): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: RUN_COUNT }, (_, runner) => write(runner)));
  const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  for (const failure of failures) assert.ok(failure instanceof StorageConflict, `not a conflict: ${failure}`);
  return RUN_COUNT - failures.length;
}

export const races: Statements = {
  "users added concurrently get consecutive, unique ordinals": async (storage, acme) => {
    assert.equal(await countCommitted(() => acme.user()), RUN_COUNT);
    const users = await runStep(storage.reader(acme.id).listUsers(-1, 100));
    assert.deepEqual(
      users.map(({ ordinal }) => ordinal),
      Array.from({ length: RUN_COUNT }, (_, at) => at),
    );
    assert.equal((await runStep(storage.reader(acme.id).readTagSets([]))).users.count(), RUN_COUNT);
  },

  "when users with the same email are added concurrently, one is stored": async (storage, acme) => {
    assert.equal(await countCommitted(() => acme.user({ email: "ada@example.com" })), 1);
    assert.deepEqual(
      (await runStep(storage.reader(acme.id).listUsers(-1, 10))).map(({ ordinal }) => ordinal),
      [0],
    );
  },

  "when users with the same external id are added concurrently, one is stored": async (storage, acme) => {
    assert.equal(await countCommitted(() => acme.user({ externalId: "7" })), 1);
    assert.equal((await runStep(storage.reader(acme.id).listUsers(-1, 10))).length, 1);
  },

  "when tags with the same slug are added concurrently, one is stored": async (storage, acme) => {
    assert.equal(await countCommitted(() => acme.tag({ slug: "vip" })), 1);
    assert.equal((await runStep(storage.reader(acme.id).listTags())).length, 1);
  },

  "when a tag is assigned to the same user several times concurrently, one assignment is stored": async (
    storage,
    acme,
  ) => {
    const [ada, vip] = [await acme.user(), await acme.tag()];
    assert.equal(await countCommitted(() => acme.assign(ada, vip)), 1);
    assert.deepEqual(await runStep(storage.reader(acme.id).tagsOfUser(ada.ordinal)), [vip]);
    assert.deepEqual(await runStep(storage.reader(acme.id).usersOfTag(vip.ordinal, -1, 10)), [ada]);
  },

  "when passes with the same code are added concurrently, one is stored": async (storage, acme) => {
    const [ada, template] = [await acme.user(), await acme.template()];
    assert.equal(await countCommitted(() => acme.pass(ada, template, { code: "abc" })), 1);
    assert.equal((await runStep(storage.reader(acme.id).passesOfUsers([ada]))).length, 1);
  },

  "stamps added concurrently are all counted, each with its own sequence number": async (storage, acme) => {
    const pass = await acme.pass(await acme.user(), await acme.template());
    assert.equal(await countCommitted(() => acme.stamp(pass.id)), RUN_COUNT);
    const card = (await runStep(storage.reader(acme.id).findPass(pass.id)))?.card;
    assert.deepEqual(
      [card?.currentStamps, card?.totalStampsCollected, card?.entries],
      [RUN_COUNT, RUN_COUNT, RUN_COUNT],
    );
    const entries = await runStep(storage.reader(acme.id).listStampEntries(pass.id, 0, 100));
    assert.deepEqual(
      entries.map(({ sequence, stampsAfter }) => [sequence, stampsAfter]),
      Array.from({ length: RUN_COUNT }, (_, at) => [RUN_COUNT - at, RUN_COUNT - at]),
    );
  },

  "tags assigned to many users concurrently have all of them in their sets": async (storage, acme) => {
    const users = await acme.users(Array.from({ length: RUN_COUNT }, () => ({})));
    const [vip, regular] = [await acme.tag({ slug: "vip" }), await acme.tag({ slug: "regular" })];
    await Promise.all(users.flatMap((user) => [acme.assign(user, vip), acme.assign(user, regular)]));
    const ordinals = users.map(({ ordinal }) => ordinal);
    assert.deepEqual(toOrdinals(await runStep(storage.reader(acme.id).readTagSets(["vip", "regular"]))), {
      users: ordinals,
      tags: { vip: ordinals, regular: ordinals },
    });
    assert.deepEqual(await runStep(storage.reader(acme.id).verifyTagSets()), { checked: 3, wrong: [] });
  },

  "a user deleted many times concurrently is deleted once": async (_storage, acme) => {
    const ada = await acme.user();
    const remove = () => acme.write((tx) => tx.deleteUser(ada.id));
    const removedCounts = await Promise.all(Array.from({ length: RUN_COUNT }, remove));
    assert.equal(removedCounts.filter(Boolean).length, 1);
  },

  "deleting a tag while it is being assigned leaves no assignment": async (storage, acme) => {
    const users = await acme.users(Array.from({ length: RUN_COUNT }, () => ({})));
    const vip = await acme.tag({ slug: "vip" });
    const assignIfTagExists = (user: StoredUser) =>
      acme.write(function* (tx) {
        if ((yield* tx.findTag("vip")) !== null) yield* acme.withTransaction(tx).assign(user, vip);
      });
    const remove = () => acme.write((tx) => tx.removeTag(someTagRemoval(vip)));
    await Promise.all(
      users.flatMap((user) => [assignIfTagExists(user), ...(user.ordinal === 9 ? [remove()] : [])]),
    );
    for (const user of users)
      assert.deepEqual(await runStep(storage.reader(acme.id).tagsOfUser(user.ordinal)), []);
    assert.deepEqual(await runStep(storage.reader(acme.id).verifyTagSets()), { checked: 1, wrong: [] });
  },

  "sets read during writes reflect one committed state": async (storage, acme) => {
    const [vip, regular] = [await acme.tag({ slug: "vip" }), await acme.tag({ slug: "regular" })];
    const readState = function* (reader: StorageReader) {
      return toOrdinals(yield* reader.readTagSets(["vip", "regular"]));
    };
    const write = () =>
      acme.write(function* (tx) {
        const user = yield* acme.withTransaction(tx).user();
        for (const tag of [vip, regular]) yield* acme.withTransaction(tx).assign(user, tag);
      });
    const reads = Array.from({ length: RUN_COUNT }, () =>
      Promise.all([
        runStep(readState(storage.reader(acme.id))),
        write(),
        runStep(readState(storage.reader(acme.id))),
      ]),
    );
    for (const [first, , second] of await Promise.all(reads)) {
      for (const { users, tags } of [first, second]) assert.deepEqual(tags, { vip: users, regular: users });
    }
  },

  "concurrent writes to several organizations don't mix": async (storage) => {
    const organizations = ["acme", "globex", "initech"].map((id) => new SuiteOrganization(storage, id));
    await Promise.all(
      organizations.flatMap((each) => Array.from({ length: 7 }, () => each.user({ name: each.id }))),
    );
    for (const { id } of organizations) {
      const users = await runStep(storage.reader(id).listUsers(-1, 100));
      assert.deepEqual(
        users.map(({ name, ordinal }) => [name, ordinal]),
        Array.from({ length: 7 }, (_, ordinal) => [id, ordinal]),
      );
    }
  },
};
