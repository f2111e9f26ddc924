import assert from "node:assert/strict";
import { run, wait } from "../../concurrency/step.js";
import { assertConflict } from "../kit/conflict.js";
import { foldsOf, someUser } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const userKeys: Statements = {
  "insertUser is a conflict of email when another user has it": async (_storage, acme) => {
    await acme.user({ email: "ada@example.com" });
    await assertConflict(acme.user({ email: "ada@example.com" }), "email");
  },

  "insertUsers adds users until one has a key of somebody, or of one before it": async (storage, acme) => {
    let there = [await acme.user({ email: "ada@example.com", externalId: "7" })];
    for (const taken of [{ email: "Ada@example.com" }, { externalId: "7" }, { externalId: "new" }]) {
      const { ordinal } = await acme.write((tx) => tx.nextUser(acme.id));
      const fields = [{ name: "first" }, { externalId: `new${there.length}` }, taken, { name: "fourth" }];
      if (taken.externalId === "new") taken.externalId = `new${there.length}`;
      const users = fields.map((some, at) => someUser({ ...some, ordinal: ordinal + at }));
      const inserted = users.map((user) => ({ user, folds: foldsOf(user) }));
      assert.equal(await acme.write((tx) => tx.insertUsers(acme.id, inserted)), 2);
      there = [...there, ...users.slice(0, 2)];
      assert.deepEqual(await run(storage.listUsers(acme.id, -1, 100)), there);
      assert.equal((await acme.write((tx) => tx.nextUser(acme.id))).ordinal, ordinal + 2);
      assert.equal((await run(storage.readSegments(acme.id, []))).users.count(), there.length);
      // The keys of those that were not added are free.
      const fourth = users[3];
      assert.ok(fourth);
      assert.equal(await run(storage.findUserByEmail(acme.id, fourth.email)), null);
    }
  },

  "emails conflict by their fold": async (_storage, acme) => {
    await acme.user({ email: "ada@example.com" });
    await assertConflict(acme.user({ email: "ADA@Example.com" }), "email");
  },

  "insertUser is a conflict of externalId when another user has it": async (_storage, acme) => {
    await acme.user({ externalId: "7" });
    await assertConflict(acme.user({ externalId: "7" }), "externalId");
  },

  "external ids compare exactly": async (storage, acme) => {
    const ids = [
      "Till-7",
      "till-7",
      "TILL-7",
      "till-7 ",
      " till-7",
      "caf\u00e9",
      "cafe\u0301",
      "07",
      "7",
      "7.0",
    ];
    const users = await acme.users(ids.map((externalId) => ({ externalId })));
    for (const user of users) {
      assert.deepEqual(await run(storage.findUserByExternalId(acme.id, user.externalId ?? "")), user);
    }
  },

  "users without an external id are no conflict": async (storage, acme) => {
    const users = await acme.users([{ externalId: null }, { externalId: null }]);
    assert.deepEqual(await run(storage.listUsers(acme.id, -1, 10)), users);
  },

  "a conflict names one key when both are taken": async (_storage, acme) => {
    await acme.user({ email: "ada@example.com", externalId: "7" });
    await assertConflict(acme.user({ email: "ada@example.com", externalId: "7" }), "email", "externalId");
  },

  "a user that conflicts is not stored": async (storage, acme) => {
    const ada = await acme.user({ email: "ada@example.com", externalId: "7" });
    await acme.write(function* (tx) {
      yield* wait(assertConflict(run(acme.within(tx).user({ email: "ada@example.com" })), "email"));
      yield* wait(assertConflict(run(acme.within(tx).user({ externalId: "7" })), "externalId"));
    });
    assert.deepEqual(await run(storage.listUsers(acme.id, -1, 10)), [ada]);
    assert.deepEqual(await run(storage.findUserByEmail(acme.id, "ada@example.com")), ada);
    assert.deepEqual(await run(storage.findUserByExternalId(acme.id, "7")), ada);
    assert.deepEqual((await run(storage.readSegments(acme.id, []))).users.slice(0, 10), [ada.ordinal]);
  },

  "updateUser is a conflict of email when another user has it": async (storage, acme) => {
    const [ada, bob] = [await acme.user({ email: "ada@example.com" }), await acme.user()];
    const changed = { ...bob, email: "Ada@example.com", name: "Bob" };
    await assertConflict(
      acme.write((tx) => tx.updateUser(acme.id, changed, foldsOf(changed))),
      "email",
    );
    assert.deepEqual(await run(storage.listUsers(acme.id, -1, 10)), [ada, bob]);
  },

  "updateUser is a conflict of externalId when another user has it": async (storage, acme) => {
    const [ada, bob] = [await acme.user({ externalId: "7" }), await acme.user({ externalId: "8" })];
    const changed = { ...bob, externalId: "7", email: "new@example.com" };
    await assertConflict(
      acme.write((tx) => tx.updateUser(acme.id, changed, foldsOf(changed))),
      "externalId",
    );
    assert.deepEqual(await run(storage.listUsers(acme.id, -1, 10)), [ada, bob]);
    assert.deepEqual(await run(storage.findUserByEmail(acme.id, bob.email)), bob);
    assert.equal(await run(storage.findUserByEmail(acme.id, "new@example.com")), null);
    assert.deepEqual(await run(storage.findUserByExternalId(acme.id, "8")), bob);
  },

  "an update to the user's own keys is no conflict": async (storage, acme) => {
    const ada = await acme.user({ email: "ada@example.com", externalId: "7" });
    const changed = { ...ada, email: "Ada@Example.com", name: "Ada" };
    assert.equal(await acme.write((tx) => tx.updateUser(acme.id, changed, foldsOf(changed))), true);
    assert.deepEqual(await run(storage.findUserByEmail(acme.id, "ada@example.com")), changed);
  },

  "the keys that a user gave up are free": async (storage, acme) => {
    const ada = await acme.user({ email: "ada@example.com", externalId: "7" });
    const changed = { ...ada, email: "countess@example.com", externalId: null };
    await acme.write((tx) => tx.updateUser(acme.id, changed, foldsOf(changed)));
    const next = await acme.user({ email: "ada@example.com", externalId: "7" });
    assert.deepEqual(await run(storage.findUserByEmail(acme.id, "ada@example.com")), next);
    assert.deepEqual(await run(storage.findUserByExternalId(acme.id, "7")), next);
  },

  "the keys of a deleted user are free": async (storage, acme) => {
    const ada = await acme.user({ email: "ada@example.com", externalId: "7" });
    await acme.write((tx) => tx.deleteUser(acme.id, ada.id));
    const next = await acme.user({ email: "ada@example.com", externalId: "7" });
    assert.deepEqual(await run(storage.findUserByExternalId(acme.id, "7")), next);
  },
};
