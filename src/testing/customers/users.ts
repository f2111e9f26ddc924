import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { foldsOf, someUser } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const ada = {
  email: "Ada.Lovelace@Example.com",
  name: "Ada Lovelace",
  phone: "+44 20 7946 0000",
  externalId: "customer-1815",
  metadata: '{"tier":"gold"}',
};

export const users: Statements = {
  "a user is found by its id": async (storage, acme) => {
    const user = await acme.user(ada);
    await acme.user();
    assert.deepEqual(await run(storage.findUser(acme.id, user.id)), user);
  },

  "a user is found by its external id": async (storage, acme) => {
    const user = await acme.user(ada);
    await acme.user();
    assert.deepEqual(await run(storage.findUserByExternalId(acme.id, ada.externalId)), user);
  },

  "a user is found by the fold of its email": async (storage, acme) => {
    const user = await acme.user(ada);
    await acme.user();
    assert.deepEqual(await run(storage.findUserByEmail(acme.id, "ada.lovelace@example.com")), user);
    assert.equal(await run(storage.findUserByEmail(acme.id, ada.email)), null);
  },

  "a user that is not there is null": async (storage, acme) => {
    await acme.user();
    assert.equal(await run(storage.findUser(acme.id, someUser({}).id)), null);
    assert.equal(await run(storage.findUserByExternalId(acme.id, "nobody")), null);
    assert.equal(await run(storage.findUserByEmail(acme.id, "nobody@example.com")), null);
  },

  "the fields of a user without a value come back null": async (storage, acme) => {
    const user = await acme.user();
    const found = await run(storage.findUser(acme.id, user.id));
    assert.deepEqual([found?.name, found?.phone, found?.externalId], [null, null, null]);
  },

  "an empty text is not null": async (storage, acme) => {
    const user = await acme.user({ name: "", phone: "" });
    assert.deepEqual(await run(storage.findUser(acme.id, user.id)), user);
  },

  "times come back to the millisecond": async (storage, acme) => {
    for (const time of [0, 1, 999, 1_763_600_000_001, 8_640_000_000_000_000]) {
      const user = await acme.user({ createdAt: time, updatedAt: time });
      assert.deepEqual(await run(storage.findUser(acme.id, user.id)), user);
    }
  },

  "updateUser replaces the user of this id": async (storage, acme) => {
    const user = await acme.user(ada);
    const other = await acme.user();
    const changed = {
      ...user,
      email: "Countess@example.com",
      name: null,
      phone: "2",
      externalId: "customer-2",
      metadata: "{}",
      updatedAt: user.updatedAt + 5,
    };
    assert.equal(await acme.write((tx) => tx.updateUser(acme.id, changed, foldsOf(changed))), true);
    assert.deepEqual(await run(storage.findUser(acme.id, user.id)), changed);
    assert.deepEqual(await run(storage.findUserByEmail(acme.id, "countess@example.com")), changed);
    assert.deepEqual(await run(storage.findUserByExternalId(acme.id, "customer-2")), changed);
    assert.deepEqual(await run(storage.findUser(acme.id, other.id)), other);
  },

  "a changed user is not found by its old keys": async (storage, acme) => {
    const user = await acme.user(ada);
    const changed = { ...user, email: "countess@example.com", externalId: null };
    await acme.write((tx) => tx.updateUser(acme.id, changed, foldsOf(changed)));
    assert.equal(await run(storage.findUserByEmail(acme.id, "ada.lovelace@example.com")), null);
    assert.equal(await run(storage.findUserByExternalId(acme.id, ada.externalId)), null);
  },

  "updateUser lets ordinal and createdAt stay": async (storage, acme) => {
    await acme.user();
    const user = await acme.user();
    const changed = { ...user, ordinal: 77, createdAt: 77, name: "Ada" };
    await acme.write((tx) => tx.updateUser(acme.id, changed, foldsOf(changed)));
    assert.deepEqual(await run(storage.findUser(acme.id, user.id)), { ...user, name: "Ada" });
    assert.deepEqual(await run(storage.usersByOrdinal(acme.id, [user.ordinal, 77])), [
      { ...user, name: "Ada" },
    ]);
  },

  "updateUser is false when there is no such user": async (storage, acme) => {
    const user = someUser({ ordinal: 0 });
    assert.equal(await acme.write((tx) => tx.updateUser(acme.id, user, foldsOf(user))), false);
    assert.equal(await run(storage.findUser(acme.id, user.id)), null);
    assert.deepEqual(await run(storage.listUsers(acme.id, -1, 10)), []);
  },

  "deleteUser removes the user": async (storage, acme) => {
    const [user, other] = [await acme.user(ada), await acme.user()];
    assert.equal(await acme.write((tx) => tx.deleteUser(acme.id, user.id)), true);
    assert.equal(await run(storage.findUser(acme.id, user.id)), null);
    assert.equal(await run(storage.findUserByExternalId(acme.id, ada.externalId)), null);
    assert.equal(await run(storage.findUserByEmail(acme.id, "ada.lovelace@example.com")), null);
    assert.deepEqual(await run(storage.listUsers(acme.id, -1, 10)), [other]);
  },

  "deleteUser is false when there is no such user": async (_storage, acme) => {
    const user = await acme.user();
    await acme.write((tx) => tx.deleteUser(acme.id, user.id));
    assert.equal(await acme.write((tx) => tx.deleteUser(acme.id, user.id)), false);
  },
};
