import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { TestOrganization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

/** Seven users, of which the third and the last are gone. */
async function someUsers(acme: TestOrganization) {
  const users = await acme.users(Array.from({ length: 7 }, (_, at) => ({ name: `User ${at}` })));
  const left = users.filter(({ ordinal }) => ordinal !== 2 && ordinal !== 6);
  await acme.write(function* (tx) {
    for (const user of users) if (!left.includes(user)) yield* tx.deleteUser(acme.id, user.id);
  });
  return left;
}

export const userLists: Statements = {
  "listUsers gives the users ascending by ordinal": async (storage, acme) => {
    const users = await someUsers(acme);
    assert.deepEqual(await run(storage.listUsers(acme.id, -1, 100)), users);
  },

  "listUsers gives the users above an ordinal, at most as many as asked": async (storage, acme) => {
    const users = await someUsers(acme);
    for (let after = -1; after < 8; after += 1) {
      for (let limit = 1; limit < 6; limit += 1) {
        const expected = users.filter(({ ordinal }) => ordinal > after).slice(0, limit);
        assert.deepEqual(await run(storage.listUsers(acme.id, after, limit)), expected);
      }
    }
  },

  "listUsers of an organization without users is empty": async (storage, acme) => {
    assert.deepEqual(await run(storage.listUsers(acme.id, -1, 100)), []);
  },

  "usersById gives the users of these ids, each once, ascending by ordinal": async (storage, acme) => {
    const users = await someUsers(acme);
    const ids = users.map(({ id }) => id).reverse();
    assert.deepEqual(await run(storage.usersById(acme.id, [...ids, ...ids])), users);
    assert.deepEqual(await run(storage.usersById(acme.id, ids.slice(1, 2))), users.slice(-2, -1));
    assert.deepEqual(await run(storage.usersById(acme.id, [])), []);
  },

  "usersById leaves out ids of nobody, and takes 1,000": async (storage, acme) => {
    const users = await someUsers(acme);
    const nobody = Array.from({ length: 1_000 - users.length }, (_, at) => `usr_nobody-${at}`);
    assert.deepEqual(await run(storage.usersById(acme.id, [...nobody, ...users.map(({ id }) => id)])), users);
  },

  "usersByExternalId gives the users who have one of the ids, ascending by ordinal": async (
    storage,
    acme,
  ) => {
    const [ada, , eve] = await acme.users([{ externalId: "7" }, { externalId: null }, { externalId: "8" }]);
    const found = (...externalIds: string[]) => run(storage.usersByExternalId(acme.id, externalIds));
    assert.deepEqual(await found("8", "7", "9", "7"), [ada, eve]);
    assert.deepEqual(await found(ada?.email ?? "", ada?.id ?? ""), []);
    assert.deepEqual(await found(), []);
    assert.deepEqual(await found(...Array.from({ length: 999 }, (_, at) => `none-${at}`), "7"), [ada]);
  },

  "usersByEmail gives the users who have one of the emails, ascending by ordinal": async (storage, acme) => {
    const [ada, , eve] = await acme.users([
      { email: "ada@example.com" },
      { email: "bob@example.com" },
      { email: "eve@example.com" },
    ]);
    const found = (...emailFolds: string[]) => run(storage.usersByEmail(acme.id, emailFolds));
    assert.deepEqual(await found("eve@example.com", "ada@example.com", "eve@example.com"), [ada, eve]);
    assert.deepEqual(await found("ADA@example.com", ada?.id ?? ""), []);
    assert.deepEqual(await found(), []);
    const nobody = Array.from({ length: 999 }, (_, at) => `${at}@example.net`);
    assert.deepEqual(await found(...nobody, "ada@example.com"), [ada]);
  },

  "usersByOrdinal gives the users of these ordinals, ascending by ordinal": async (storage, acme) => {
    const users = await someUsers(acme);
    assert.deepEqual(
      await run(storage.usersByOrdinal(acme.id, [5, 0, 3])),
      users.filter(({ ordinal }) => [0, 3, 5].includes(ordinal)),
    );
    assert.deepEqual(await run(storage.usersByOrdinal(acme.id, [])), []);
  },

  "usersByOrdinal leaves out ordinals without a user": async (storage, acme) => {
    const [first] = await someUsers(acme);
    assert.deepEqual(await run(storage.usersByOrdinal(acme.id, [2, 6, 7, 1_000_000, 0])), [first]);
    assert.deepEqual(await run(storage.usersByOrdinal(acme.id, [2, 6])), []);
  },

  "usersByOrdinal gives a user once": async (storage, acme) => {
    const [first] = await someUsers(acme);
    assert.deepEqual(await run(storage.usersByOrdinal(acme.id, [0, 0, 0])), [first]);
  },

  "usersByOrdinal takes 1,000 ordinals": async (storage, acme) => {
    const users = await someUsers(acme);
    const ordinals = Array.from({ length: 1_000 }, (_, at) => 999 - at);
    assert.deepEqual(await run(storage.usersByOrdinal(acme.id, ordinals)), users);
  },

  "a changed user stays in its place": async (storage, acme) => {
    const [ada, bob] = await acme.users([{}, {}]);
    assert.ok(ada && bob);
    const changed = { ...ada, name: "Zoe", updatedAt: ada.updatedAt + 1_000 };
    await acme.write((tx) =>
      tx.updateUser(acme.id, changed, { email: ada.email, name: "zoe", phone: null, externalId: null }),
    );
    assert.deepEqual(await run(storage.listUsers(acme.id, -1, 100)), [changed, bob]);
  },
};
