import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { CHUNK_SIZE } from "../../../../src/storage/bitmap.js";
import { toOrdinals } from "../kit/ordinals.js";
import { someAssignment } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

/** Maximum number of items per call. */
const MAX_ITEMS = 1_000;

export const chunks: Statements = {
  "calls for 1,000 users work across the boundary of two chunks": async (storage, acme) => {
    await acme.users(Array.from({ length: CHUNK_SIZE + MAX_ITEMS }, () => ({})));
    const [vip, regular] = [await acme.tag({ slug: "vip" }), await acme.tag({ slug: "regular" })];
    const ordinals = Array.from({ length: MAX_ITEMS }, (_, at) => CHUNK_SIZE - MAX_ITEMS / 2 + at);
    const mixed = ordinals.toSorted((a, b) => (a % 7) - (b % 7) || b - a);
    const users = await runStep(storage.reader(acme.id).usersByOrdinal(mixed));
    assert.deepEqual(
      users.map(({ ordinal }) => ordinal),
      ordinals,
    );
    const byOrdinal = new Map(users.map((user) => [user.ordinal, user]));
    const mixedUsers = mixed.flatMap((ordinal) => byOrdinal.get(ordinal) ?? []);
    const isEven = (ordinal: number) => ordinal % 2 === 0;

    const evens = mixedUsers.filter(({ ordinal }) => isEven(ordinal));
    const firstAssignments = evens.map((user) => someAssignment(user, vip));
    assert.deepEqual(await acme.write((tx) => tx.assignTags(firstAssignments)), firstAssignments);
    const assignments = mixedUsers.map((user) => someAssignment(user, vip));
    assert.deepEqual(
      await acme.write((tx) => tx.assignTags(assignments)),
      assignments.filter(({ userOrdinal }) => !isEven(userOrdinal)),
    );
    const regularAssignments = mixedUsers.map((user) => someAssignment(user, regular));
    assert.deepEqual(await acme.write((tx) => tx.assignTags(regularAssignments)), regularAssignments);
    const slugs = await runStep(storage.reader(acme.id).slugsOfUsers(mixed));
    assert.deepEqual(
      ordinals.map((ordinal) => slugs.get(ordinal)),
      ordinals.map(() => ["vip", "regular"]),
    );

    const readTags = async () =>
      toOrdinals(await runStep(storage.reader(acme.id).readTagSets(["vip", "regular"]))).tags;
    assert.deepEqual(await readTags(), { vip: ordinals, regular: ordinals });
    await acme.write((tx) =>
      tx.unassignUsers(
        vip.ordinal,
        evens.map(({ ordinal }) => ordinal),
      ),
    );
    const odd = ordinals.filter((ordinal) => !isEven(ordinal));
    assert.deepEqual(await readTags(), { vip: odd, regular: ordinals });
    assert.deepEqual(await acme.write((tx) => tx.unassignUsers(vip.ordinal, mixed)), odd);
    assert.deepEqual(await readTags(), { vip: [], regular: ordinals });
    assert.deepEqual(await runStep(storage.reader(acme.id).verifyTagSets()), { checked: 3, wrong: [] });
  },

  "sets span as many chunks as the users need": async (storage, acme) => {
    await acme.users(Array.from({ length: CHUNK_SIZE + 2 }, () => ({})));
    const edge = await runStep(
      storage.reader(acme.id).usersByOrdinal([CHUNK_SIZE - 1, CHUNK_SIZE, CHUNK_SIZE + 1]),
    );
    const [lastOfChunk, first, second] = edge;
    assert.ok(lastOfChunk && first && second);
    const vip = await acme.tag({ slug: "vip" });
    for (const user of edge) await acme.assign(user, vip);

    const sets = await runStep(storage.reader(acme.id).readTagSets(["vip"]));
    assert.equal(sets.users.count(), CHUNK_SIZE + 2);
    assert.deepEqual(toOrdinals(sets).tags, { vip: edge.map(({ ordinal }) => ordinal) });
    assert.deepEqual(await runStep(storage.reader(acme.id).usersOfTag(vip.ordinal, lastOfChunk.ordinal, 9)), [
      first,
      second,
    ]);
    assert.deepEqual(await runStep(storage.reader(acme.id).usersOfTag(vip.ordinal, CHUNK_SIZE, 9)), [second]);
    assert.deepEqual(await runStep(storage.reader(acme.id).listUsers(CHUNK_SIZE - 2, 9)), edge);

    await acme.write(function* (tx) {
      yield* tx.unassignTag(lastOfChunk.ordinal, vip.ordinal);
      yield* tx.deleteUser(second.id);
    });
    for (const isRebuilt of [false, true]) {
      if (isRebuilt) await acme.write((tx) => tx.rebuildTagSets());
      const after = await runStep(storage.reader(acme.id).readTagSets(["vip"]));
      assert.equal(after.users.count(), CHUNK_SIZE + 1);
      assert.deepEqual(toOrdinals(after).tags, { vip: [CHUNK_SIZE] });
      assert.deepEqual(await runStep(storage.reader(acme.id).verifyTagSets()), { checked: 2, wrong: [] });
    }
  },
};
