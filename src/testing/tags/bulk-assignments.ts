import assert from "node:assert/strict";
import { run, type Step, wait } from "../../concurrency/step.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";
import { rowsByAge } from "../kit/age.js";
import { ordinalsIn } from "../kit/ordinals.js";
import { pseudoRandom } from "../kit/pseudo-random.js";
import { someAssignment, someTag, someUser } from "../kit/records.js";
import type { Rows } from "../kit/rows.js";
import type { Statements } from "../kit/statements.js";

/** Three users, and the tags `vip` and `regular`. */
function* threeUsers(acme: Rows) {
  const [ada, bob, eve] = [yield* acme.user(), yield* acme.user(), yield* acme.user()];
  const [vip, regular] = [yield* acme.tag({ slug: "vip" }), yield* acme.tag({ slug: "regular" })];
  return { ada, bob, eve, vip, regular };
}

/** Calls with a reference that leads nowhere, after one that could be stored. */
const dangling: Readonly<Record<string, (tx: StorageTransaction, acme: Rows) => Step<unknown>>> = {
  user: function* (tx, acme) {
    const { ada, vip } = yield* threeUsers(acme);
    const nobody = someUser({ ordinal: 99 });
    return yield* tx.assignTags(acme.id, [someAssignment(ada, vip), someAssignment(nobody, vip)]);
  },
  tag: function* (tx, acme) {
    const { ada, bob, vip } = yield* threeUsers(acme);
    return yield* tx.assignTags(acme.id, [someAssignment(ada, vip), someAssignment(bob, someTag())]);
  },
};

const everyDangling: Statements = Object.fromEntries(
  Object.entries(dangling).flatMap(([what, assign]) => [
    [
      `assignTags to an unknown ${what} is an error, and nothing is assigned`,
      async (storage, acme) => {
        await assert.rejects(acme.write((tx) => assign(tx, acme.within(tx))));
        assert.deepEqual(await run(storage.listTags(acme.id)), []);
        assert.deepEqual(await run(storage.tagsOfUser(acme.id, 0)), []);
      },
    ],
    [
      `after assignTags to an unknown ${what} its transaction takes no calls, and rejects although its work resolves`,
      async (storage, acme) => {
        const unheeding = acme.write(function* (tx) {
          yield* wait(assert.rejects(run(assign(tx, acme.within(tx)))));
          yield* wait(assert.rejects(run(tx.listTags(acme.id))));
          yield* wait(assert.rejects(run(acme.within(tx).tag())));
        });
        await assert.rejects(unheeding);
        assert.deepEqual(await run(storage.listTags(acme.id)), []);
        assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 1, wrong: [] });
      },
    ],
  ]),
);

export const bulkAssignments: Statements = {
  "assignTags gives each user the tag, and answers the assignments in the order given": async (
    storage,
    acme,
  ) => {
    const { ada, bob, eve, vip, regular } = await acme.write((tx) => threeUsers(acme.within(tx)));
    const given = [
      someAssignment(eve, vip),
      someAssignment(ada, regular),
      someAssignment(ada, vip),
      someAssignment(eve, regular),
    ];
    assert.deepEqual(await acme.write((tx) => tx.assignTags(acme.id, given)), given);
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, ada.ordinal)), [regular, vip]);
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, bob.ordinal)), []);
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, eve.ordinal)), [vip, regular]);
    assert.deepEqual(await run(storage.usersOfTag(acme.id, vip.ordinal, -1, 10)), [ada, eve]);
    assert.deepEqual(ordinalsIn(await run(storage.readSegments(acme.id, ["vip", "regular"]))).tags, {
      vip: [ada.ordinal, eve.ordinal],
      regular: [ada.ordinal, eve.ordinal],
    });
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 3, wrong: [] });
  },

  "assignTags leaves out users who have the tag, and keeps their assignments": async (storage, acme) => {
    const { ada, bob, eve, vip, regular } = await acme.write((tx) => threeUsers(acme.within(tx)));
    await acme.assign(bob, vip, { createdAt: 5 });
    await acme.assign(bob, regular, { createdAt: 6 });
    const [forEve, forBob, forAda] = [
      someAssignment(eve, vip),
      someAssignment(bob, vip, { createdAt: 7 }),
      someAssignment(ada, vip),
    ];
    const added = await acme.write((tx) => tx.assignTags(acme.id, [forEve, forBob, forAda]));
    assert.deepEqual(added, [forEve, forAda]);
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, bob.ordinal)), [vip, regular]);
    assert.deepEqual(await run(storage.usersOfTag(acme.id, vip.ordinal, -1, 10)), [ada, bob, eve]);
    assert.deepEqual(await acme.write((tx) => tx.assignTags(acme.id, [forBob, forAda])), []);
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 3, wrong: [] });
  },

  "of two assignments of one tag to one user in a call, the first is added": async (storage, acme) => {
    const { ada, bob, vip, regular } = await acme.write((tx) => threeUsers(acme.within(tx)));
    const [first, other, second] = [
      someAssignment(ada, vip, { createdAt: 9 }),
      someAssignment(bob, vip),
      someAssignment(ada, vip, { createdAt: 1 }),
    ];
    const added = await acme.write((tx) => tx.assignTags(acme.id, [first, other, second]));
    assert.deepEqual(added, [first, other]);
    await acme.assign(ada, regular, { createdAt: 5 });
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, ada.ordinal)), [regular, vip]);
    await acme.write((tx) => tx.unassignTag(acme.id, ada.ordinal, vip.ordinal));
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, ada.ordinal)), [regular]);
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 3, wrong: [] });
  },

  "assignTags of nothing adds nothing": async (storage, acme) => {
    const { vip } = await acme.write((tx) => threeUsers(acme.within(tx)));
    assert.deepEqual(await acme.write((tx) => tx.assignTags(acme.id, [])), []);
    assert.deepEqual(await run(storage.usersOfTag(acme.id, vip.ordinal, -1, 10)), []);
  },

  "what assignTags added conflicts with assignTag": async (_storage, acme) => {
    const { ada, vip, regular } = await acme.write((tx) => threeUsers(acme.within(tx)));
    await acme.write(function* (tx) {
      yield* tx.assignTags(acme.id, [someAssignment(ada, vip)]);
      yield* wait(assert.rejects(run(acme.within(tx).assign(ada, vip)), { key: "assignment" }));
      yield* acme.within(tx).assign(ada, regular);
      assert.deepEqual(yield* tx.assignTags(acme.id, [someAssignment(ada, regular)]), []);
    });
  },

  "unassignUsers takes the tag from those who have it, and answers them ascending": async (storage, acme) => {
    const { ada, bob, eve, vip, regular } = await acme.write((tx) => threeUsers(acme.within(tx)));
    for (const user of [eve, ada]) for (const tag of [vip, regular]) await acme.assign(user, tag);
    const other = await acme.user();
    await acme.assign(other, vip);
    const ordinals = [eve.ordinal, 99, bob.ordinal, ada.ordinal];
    const unassign = () => acme.write((tx) => tx.unassignUsers(acme.id, vip.ordinal, ordinals));
    assert.deepEqual(await unassign(), [ada.ordinal, eve.ordinal]);
    assert.deepEqual(await unassign(), []);
    assert.deepEqual(await run(storage.usersOfTag(acme.id, vip.ordinal, -1, 10)), [other]);
    assert.deepEqual(await run(storage.usersOfTag(acme.id, regular.ordinal, -1, 10)), [ada, eve]);
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, eve.ordinal)), [regular]);
    assert.deepEqual(ordinalsIn(await run(storage.readSegments(acme.id, ["vip", "regular"]))).tags, {
      vip: [other.ordinal],
      regular: [ada.ordinal, eve.ordinal],
    });
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 3, wrong: [] });
  },

  "unassignUsers answers a user once, takes nothing from nobody, and knows no unknown tag": async (
    _storage,
    acme,
  ) => {
    const { ada, vip } = await acme.write((tx) => threeUsers(acme.within(tx)));
    await acme.assign(ada, vip);
    await acme.write(function* (tx) {
      assert.deepEqual(yield* tx.unassignUsers(acme.id, vip.ordinal, []), []);
      assert.deepEqual(yield* tx.unassignUsers(acme.id, someTag().ordinal, [ada.ordinal]), []);
      assert.deepEqual(yield* tx.unassignUsers(acme.id, vip.ordinal, [ada.ordinal, ada.ordinal]), [
        ada.ordinal,
      ]);
    });
  },

  "slugsOfUsers gives the slugs of each user, oldest assignment first": async (storage, acme) => {
    const { ada, bob, eve, vip, regular } = await acme.write((tx) => threeUsers(acme.within(tx)));
    const slugs = await rowsByAge(async (fields) => {
      const tag = await acme.tag();
      await acme.assign(ada, tag, fields);
      return { slug: tag.slug };
    });
    await acme.assign(eve, regular);
    await acme.assign(eve, vip);
    const given = await run(storage.slugsOfUsers(acme.id, [eve.ordinal, bob.ordinal, ada.ordinal]));
    assert.deepEqual(
      new Map(given),
      new Map([
        [ada.ordinal, slugs.map(({ slug }) => slug)],
        [eve.ordinal, ["regular", "vip"]],
      ]),
    );
  },

  "slugsOfUsers misses users without tags, and ordinals without a user": async (storage, acme) => {
    const { ada, bob, vip } = await acme.write((tx) => threeUsers(acme.within(tx)));
    await acme.assign(ada, vip);
    await acme.assign(bob, vip);
    await acme.write((tx) => tx.unassignTag(acme.id, ada.ordinal, vip.ordinal));
    await acme.write((tx) => tx.deleteUser(acme.id, bob.id));
    const ordinals = [ada.ordinal, bob.ordinal, 2, 99];
    assert.equal((await run(storage.slugsOfUsers(acme.id, ordinals))).size, 0);
    assert.equal((await run(storage.slugsOfUsers(acme.id, []))).size, 0);
  },

  "slugsOfUsers asked twice for a user tells of it once": async (storage, acme) => {
    const { ada, vip } = await acme.write((tx) => threeUsers(acme.within(tx)));
    await acme.assign(ada, vip);
    const given = await run(storage.slugsOfUsers(acme.id, [ada.ordinal, ada.ordinal]));
    assert.deepEqual([...given], [[ada.ordinal, ["vip"]]]);
  },

  "bulk writes in any order leave what single ones would": async (storage, acme) => {
    const random = pseudoRandom(11);
    const users = await acme.users(Array.from({ length: 40 }, () => ({})));
    const tags = [await acme.tag({ slug: "a" }), await acme.tag({ slug: "b" })];
    const held = new Map(tags.map(({ slug }) => [slug, new Set<number>()]));
    const some = () => Array.from({ length: random(12) }).flatMap(() => users[random(users.length)] ?? []);
    for (let step = 0; step < 120; step += 1) {
      const tag = tags[random(2)];
      const holders = held.get(tag?.slug ?? "");
      assert.ok(tag && holders);
      const chosen = some();
      if (random(2) === 0) {
        const given = chosen.map((user) => someAssignment(user, tag));
        const expected = given.filter(({ userOrdinal }) => {
          const isNew = !holders.has(userOrdinal);
          holders.add(userOrdinal);
          return isNew;
        });
        assert.deepEqual(await acme.write((tx) => tx.assignTags(acme.id, given)), expected);
      } else {
        const ordinals = chosen.map(({ ordinal }) => ordinal);
        const expected = ordinals.filter((ordinal) => holders.delete(ordinal)).sort((a, b) => a - b);
        assert.deepEqual(
          await acme.write((tx) => tx.unassignUsers(acme.id, tag.ordinal, ordinals)),
          expected,
        );
      }
    }
    const ordinals = Object.fromEntries(
      [...held].map(([slug, set]) => [slug, [...set].sort((a, b) => a - b)]),
    );
    assert.deepEqual(ordinalsIn(await run(storage.readSegments(acme.id, ["a", "b"]))).tags, ordinals);
    for (const { ordinal, slug } of tags) {
      const listed = await run(storage.usersOfTag(acme.id, ordinal, -1, 100));
      assert.deepEqual(
        listed.map(({ ordinal }) => ordinal),
        ordinals[slug],
      );
    }
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 3, wrong: [] });
  },

  ...everyDangling,
};
