import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { ordinalsIn } from "../kit/ordinals.js";
import type { TestOrganization } from "../kit/organization.js";
import { someAssignment } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

/** Two users with both of two tags, and with a pass each that has two stamp entries. */
async function twoHolders(acme: TestOrganization) {
  const [ada, bob, template] = [await acme.user(), await acme.user(), await acme.template()];
  const [vip, regular] = [await acme.tag({ slug: "vip" }), await acme.tag({ slug: "regular" })];
  const passes = [];
  for (const user of [ada, bob]) {
    for (const tag of [vip, regular]) await acme.assign(user, tag);
    const pass = await acme.pass(user, template);
    const entries = [await acme.stamp(pass.id), await acme.stamp(pass.id)].reverse();
    passes.push({ pass, entries });
  }
  const [adas, bobs] = passes;
  assert.ok(adas && bobs);
  return { ada, bob, template, vip, regular, adas, bobs };
}

export const cascades: Statements = {
  "deleteUser removes the user's tag assignments": async (storage, acme) => {
    const { ada, bob, vip, regular } = await twoHolders(acme);
    await acme.write((tx) => tx.deleteUser(acme.id, ada.id));
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, ada.ordinal)), []);
    assert.deepEqual(await run(storage.tagsOfUser(acme.id, bob.ordinal)), [vip, regular]);
    assert.deepEqual(await run(storage.usersOfTag(acme.id, vip.ordinal, -1, 10)), [bob]);
    assert.deepEqual(ordinalsIn(await run(storage.readSegments(acme.id, ["vip", "regular"]))), {
      users: [bob.ordinal],
      tags: { vip: [bob.ordinal], regular: [bob.ordinal] },
    });
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 3, wrong: [] });
  },

  "deleteUser removes the user's passes and stamp entries": async (storage, acme) => {
    const { ada, bob, adas, bobs } = await twoHolders(acme);
    const second = await acme.pass(ada, await acme.template());
    await acme.write((tx) => tx.deleteUser(acme.id, ada.id));
    for (const pass of [adas.pass, second]) {
      assert.equal(await run(storage.findPass(acme.id, pass.id)), null);
      assert.equal(await run(storage.findPassByCode(acme.id, pass.code)), null);
    }
    assert.deepEqual(await run(storage.listStampEntries(acme.id, adas.pass.id, 0, 10)), []);
    const left = await run(storage.passesOfUsers(acme.id, [ada, bob]));
    assert.deepEqual(
      left.map(({ id }) => id),
      [bobs.pass.id],
    );
    assert.deepEqual(await run(storage.listStampEntries(acme.id, bobs.pass.id, 0, 10)), bobs.entries);
  },

  "deleteUser leaves tags and templates": async (storage, acme) => {
    const { ada, bob, template, vip, regular } = await twoHolders(acme);
    await acme.write(function* (tx) {
      for (const user of [ada, bob]) yield* tx.deleteUser(acme.id, user.id);
    });
    assert.deepEqual(await run(storage.listTags(acme.id)), [vip, regular]);
    assert.deepEqual(await run(storage.listTemplates(acme.id)), [template]);
  },

  "deleteTag removes all assignments of the tag": async (storage, acme) => {
    const { ada, bob, vip, regular } = await twoHolders(acme);
    await acme.write((tx) => tx.deleteTag(acme.id, vip.ordinal));
    for (const user of [ada, bob]) {
      assert.deepEqual(await run(storage.tagsOfUser(acme.id, user.ordinal)), [regular]);
    }
    assert.deepEqual(await run(storage.usersOfTag(acme.id, vip.ordinal, -1, 10)), []);
    assert.deepEqual(await run(storage.usersOfTag(acme.id, regular.ordinal, -1, 10)), [ada, bob]);
    assert.deepEqual(ordinalsIn(await run(storage.readSegments(acme.id, ["vip", "regular"]))), {
      users: [0, 1],
      tags: { regular: [0, 1] },
    });
    assert.deepEqual(await run(storage.verifySegments(acme.id)), { checked: 2, wrong: [] });
  },

  "a tag made anew with the slug of a deleted one belongs to nobody": async (storage, acme) => {
    const { ada, vip } = await twoHolders(acme);
    const anew = await acme.write(function* (tx) {
      yield* tx.deleteTag(acme.id, vip.ordinal);
      return yield* tx.insertTag(acme.id, vip);
    });
    assert.notEqual(anew.ordinal, vip.ordinal);
    assert.deepEqual(await run(storage.usersOfTag(acme.id, anew.ordinal, -1, 10)), []);
    assert.deepEqual(ordinalsIn(await run(storage.readSegments(acme.id, ["vip"]))).tags, { vip: [] });
    await acme.write((tx) => tx.assignTag(acme.id, someAssignment(ada, anew)));
    assert.deepEqual(await run(storage.usersOfTag(acme.id, anew.ordinal, -1, 10)), [ada]);
  },

  "deletePass removes the pass's stamp entries": async (storage, acme) => {
    const { adas, bobs } = await twoHolders(acme);
    await acme.write((tx) => tx.deletePass(acme.id, adas.pass.id));
    assert.deepEqual(await run(storage.listStampEntries(acme.id, adas.pass.id, 0, 10)), []);
    assert.deepEqual(await run(storage.listStampEntries(acme.id, bobs.pass.id, 0, 10)), bobs.entries);
    await acme.write((tx) => tx.insertPass(acme.id, adas.pass));
    assert.deepEqual(await run(storage.listStampEntries(acme.id, adas.pass.id, 0, 10)), []);
  },
};
