import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { SegmentSets } from "../../storage/segments.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import type { StoredUser } from "../../storage/users.js";
import { ordinalsIn } from "../kit/ordinals.js";
import type { TestOrganization } from "../kit/organization.js";
import { pseudoRandom } from "../kit/pseudo-random.js";
import { someAssignment } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

function* readOrdinals(storage: StorageReader, acme: TestOrganization, ...slugs: string[]) {
  return ordinalsIn(yield* storage.readSegments(acme.id, slugs));
}

export const segments: Statements = {
  "readSegments gives the ordinals of all users": async (storage, acme) => {
    assert.deepEqual(await run(readOrdinals(storage, acme)), { users: [], tags: {} });
    const [, second] = await acme.users([{}, {}, {}]);
    assert.ok(second);
    assert.deepEqual(await run(readOrdinals(storage, acme)), { users: [0, 1, 2], tags: {} });
    await acme.write((tx) => tx.deleteUser(acme.id, second.id));
    assert.deepEqual(await run(readOrdinals(storage, acme)), { users: [0, 2], tags: {} });
  },

  "readSegments gives the users of each of these tags": async (storage, acme) => {
    const [ada, bob] = [await acme.user(), await acme.user()];
    const [vip, regular] = [await acme.tag({ slug: "vip" }), await acme.tag({ slug: "regular" })];
    await acme.assign(ada, vip);
    await acme.assign(bob, vip);
    await acme.assign(bob, regular);
    assert.deepEqual((await run(readOrdinals(storage, acme, "regular", "vip"))).tags, {
      vip: [0, 1],
      regular: [1],
    });
    assert.deepEqual((await run(readOrdinals(storage, acme, "vip"))).tags, { vip: [0, 1] });
    await acme.write((tx) => tx.unassignTag(acme.id, ada.ordinal, vip.ordinal));
    assert.deepEqual((await run(readOrdinals(storage, acme, "vip", "vip"))).tags, { vip: [1] });
  },

  "a tag that nobody has is an empty set": async (storage, acme) => {
    const [ada, vip] = [await acme.user(), await acme.tag({ slug: "vip" })];
    assert.deepEqual((await run(readOrdinals(storage, acme, "vip"))).tags, { vip: [] });
    await acme.assign(ada, vip);
    await acme.write((tx) => tx.unassignTag(acme.id, ada.ordinal, vip.ordinal));
    assert.deepEqual((await run(readOrdinals(storage, acme, "vip"))).tags, { vip: [] });
  },

  "a slug without a tag is missing": async (storage, acme) => {
    const tag = await acme.tag({ slug: "gone" });
    await acme.write((tx) => tx.deleteTag(acme.id, tag.ordinal));
    const { tags } = await run(storage.readSegments(acme.id, ["none", "gone", "__proto__", ""]));
    assert.equal(tags.size, 0);
  },

  "sets that were given out never change": async (storage, acme) => {
    const users = await acme.users([{}, {}, {}]);
    const vip = await acme.tag({ slug: "vip" });
    const given: [SegmentSets, ReturnType<typeof ordinalsIn>][] = [];
    const look = async () => {
      const sets = await run(storage.readSegments(acme.id, ["vip"]));
      given.push([sets, ordinalsIn(sets)]);
    };
    await look();
    for (const user of users) {
      await acme.assign(user, vip);
      await look();
    }
    for (const user of users) {
      await acme.write((tx) => tx.deleteUser(acme.id, user.id));
      await look();
    }
    for (const [sets, ordinals] of given) assert.deepEqual(ordinalsIn(sets), ordinals);
  },

  "the sets follow any order of writes": async (storage, acme) => {
    const random = pseudoRandom(7);
    const tags = [
      await acme.tag({ slug: "a" }),
      await acme.tag({ slug: "b" }),
      await acme.tag({ slug: "c" }),
    ];
    const held = new Map(tags.map(({ slug }) => [slug, new Set<number>()]));
    let users: StoredUser[] = await acme.users([{}, {}, {}]);
    for (let step = 0; step < 300; step += 1) {
      const [user, tag] = [users[random(users.length)], tags[random(tags.length)]];
      const holders = held.get(tag?.slug ?? "");
      if (user === undefined || tag === undefined || holders === undefined || random(10) === 0) {
        users.push(await acme.user());
      } else if (random(20) === 0) {
        await acme.write((tx) => tx.deleteUser(acme.id, user.id));
        users = users.filter((other) => other !== user);
        for (const each of held.values()) each.delete(user.ordinal);
      } else if (holders.delete(user.ordinal)) {
        await acme.write((tx) => tx.unassignTag(acme.id, user.ordinal, tag.ordinal));
      } else {
        holders.add(user.ordinal);
        await acme.assign(user, tag);
      }
    }
    const expected = {
      users: users.map(({ ordinal }) => ordinal),
      tags: Object.fromEntries([...held].map(([slug, set]) => [slug, [...set].sort((a, b) => a - b)])),
    };
    assert.deepEqual(await run(readOrdinals(storage, acme, "a", "b", "c")), expected);
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 4, wrong: [] });
  },

  "verifySegments compares one set for each tag, and the one of all users": async (storage, acme) => {
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 1, wrong: [] });
    const [ada, bob] = [await acme.user(), await acme.user()];
    const [vip] = [await acme.tag(), await acme.tag()];
    await acme.assign(ada, vip);
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 3, wrong: [] });
    await acme.write((tx) => tx.deleteUser(acme.id, bob.id));
    await acme.write((tx) => tx.deleteTag(acme.id, vip.ordinal));
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 2, wrong: [] });
  },

  "rebuildSegments makes the sets as they are": async (storage, acme) => {
    const [ada, bob, eve] = [await acme.user(), await acme.user(), await acme.user()];
    const [vip, empty] = [await acme.tag({ slug: "vip" }), await acme.tag({ slug: "empty" })];
    await acme.assign(ada, vip);
    await acme.assign(eve, vip);
    await acme.write((tx) => tx.deleteUser(acme.id, bob.id));
    const before = await run(readOrdinals(storage, acme, vip.slug, empty.slug));
    await acme.write((tx) => tx.rebuildSegments(acme.id));
    assert.deepEqual(await run(readOrdinals(storage, acme, vip.slug, empty.slug)), before);
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 3, wrong: [] });
  },

  "rebuildSegments sees what its transaction wrote": async (storage, acme) => {
    const [ada, vip] = [await acme.user(), await acme.tag({ slug: "vip" })];
    await acme.write(function* (tx) {
      yield* tx.assignTag(acme.id, someAssignment(ada, vip));
      const bob = yield* acme.within(tx).user();
      yield* tx.rebuildSegments(acme.id);
      yield* tx.assignTag(acme.id, someAssignment(bob, vip));
    });
    assert.deepEqual(await run(readOrdinals(storage, acme, "vip")), { users: [0, 1], tags: { vip: [0, 1] } });
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 2, wrong: [] });
  },
};
