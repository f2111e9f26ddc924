import assert from "node:assert/strict";
import { awaitInStep, runStep, type Step } from "../../../../src/base/concurrency/step.js";
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import type { StoredUser } from "../../../../src/storage/users.js";
import { assertConflict } from "../kit/conflict.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { buildUserFolds, someUser } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";
import { unlimited } from "./contact-search.js";

/** Maximum number of keys per call. */
const MAX_KEYS = 1_000;

const readNextUser = (acme: SuiteOrganization) => acme.write((tx) => tx.nextUser());

/** Reads of many users by one key per user. */
const bulkReads: Readonly<
  Record<string, (reader: StorageReader, users: readonly StoredUser[]) => Step<unknown>>
> = {
  usersById: (reader, users) => reader.usersById(users.map((user) => user.id)),
  usersByExternalId: (reader, users) =>
    reader.usersByExternalId(users.map(({ externalId }) => externalId ?? "")),
  usersByEmail: (reader, users) => reader.usersByEmail(users.map(({ email }) => email ?? "")),
  usersByOrdinal: (reader, users) => reader.usersByOrdinal(users.map(({ ordinal }) => ordinal)),
  slugsOfUsers: (reader, users) => reader.slugsOfUsers(users.map(({ ordinal }) => ordinal)),
  assignmentsOfUsers: (reader, users) => reader.assignmentsOfUsers(users.map(({ ordinal }) => ordinal)),
  passesOfUsers: (reader, users) => reader.passesOfUsers(users),
};

const bulkReadStatements: Statements = Object.fromEntries(
  Object.entries(bulkReads).map(([method, readMany]) => [
    `${method} takes 1,000 keys, tells of each user once, and of nobody without any`,
    async (storage, acme) => {
      const ada = await acme.user({ email: "ada@example.com", externalId: "7" });
      await acme.assign(ada, await acme.tag());
      await acme.pass(ada, await acme.template());
      const unknownUsers = Array.from({ length: MAX_KEYS - 2 }, (_, at) =>
        someUser({ ordinal: MAX_KEYS + at, externalId: `none-${at}` }),
      );
      const rows = await runStep(readMany(storage.reader(acme.id), [ada]));
      assert.deepEqual(await runStep(readMany(storage.reader(acme.id), [ada, ...unknownUsers, ada])), rows);
      const none = await runStep(readMany(storage.reader(acme.id), unknownUsers));
      assert.deepEqual(none, await runStep(readMany(storage.reader(acme.id), [])));
      assert.notDeepEqual(rows, none);
    },
  ]),
);

export const users: Statements = {
  ...bulkReadStatements,

  "insertUsers adds users until one has a key that an existing user or an earlier user of the call has taken":
    async (storage, acme) => {
      let existing = [await acme.user({ email: "ada@example.com", externalId: "7" })];
      for (const takenFields of [{ email: "Ada@example.com" }, { externalId: "7" }, { externalId: "new" }]) {
        const { ordinal } = await acme.write((tx) => tx.nextUser());
        const fields = [
          { name: "first" },
          { externalId: `new${existing.length}` },
          takenFields,
          { name: "fourth" },
        ];
        if (takenFields.externalId === "new") takenFields.externalId = `new${existing.length}`;
        const users = fields.map((userFields, at) => someUser({ ...userFields, ordinal: ordinal + at }));
        const inserted = users.map((user) => ({ user, folds: buildUserFolds(user) }));
        assert.equal(await acme.write((tx) => tx.insertUsers(inserted)), 2);
        existing = [...existing, ...users.slice(0, 2)];
        assert.deepEqual(await runStep(storage.reader(acme.id).listUsers(-1, 100)), existing);
        assert.equal((await acme.write((tx) => tx.nextUser())).ordinal, ordinal + 2);
        assert.equal((await runStep(storage.reader(acme.id).readTagSets([]))).users.count(), existing.length);
        // The keys of users that were not inserted are free.
        const fourth = users[3];
        assert.ok(fourth);
        assert.equal(await runStep(storage.reader(acme.id).findUserByEmail(fourth.email ?? "")), null);
      }
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
      assert.deepEqual(
        await runStep(storage.reader(acme.id).findUserByExternalId(user.externalId ?? "")),
        user,
      );
    }
  },

  "a conflict names one key when both are taken": async (_storage, acme) => {
    await acme.user({ email: "ada@example.com", externalId: "7" });
    await assertConflict(acme.user({ email: "ada@example.com", externalId: "7" }), "email", "externalId");
  },

  "a user that causes a conflict isn't stored": async (storage, acme) => {
    const ada = await acme.user({ email: "ada@example.com", externalId: "7" });
    await acme.write(function* (tx) {
      yield* awaitInStep(
        assertConflict(runStep(acme.withTransaction(tx).user({ email: "ada@example.com" })), "email"),
      );
      yield* awaitInStep(
        assertConflict(runStep(acme.withTransaction(tx).user({ externalId: "7" })), "externalId"),
      );
    });
    assert.deepEqual(await runStep(storage.reader(acme.id).listUsers(-1, 10)), [ada]);
    assert.deepEqual(await runStep(storage.reader(acme.id).findUserByEmail("ada@example.com")), ada);
    assert.deepEqual(await runStep(storage.reader(acme.id).findUserByExternalId("7")), ada);
    assert.deepEqual((await runStep(storage.reader(acme.id).readTagSets([]))).users.slice(0, 10), [
      ada.ordinal,
    ]);
  },

  "insertUsers adds users in order, each as insertUser would": async (storage, acme) => {
    const first = await acme.user();
    const users = Array.from({ length: 600 }, (_, at) =>
      someUser({ ordinal: 1 + at, email: `u${at}@example.com`, name: `Number ${at}`, externalId: `n-${at}` }),
    );
    await acme.write(function* (tx) {
      const inserted = users.map((user) => ({ user, folds: buildUserFolds(user) }));
      assert.equal(yield* tx.insertUsers([]), 0);
      assert.equal(yield* tx.insertUsers(inserted), 600);
      assert.equal((yield* tx.nextUser()).ordinal, 601);
    });
    const last = users[599];
    assert.ok(last);
    assert.deepEqual(await readNextUser(acme), {
      ordinal: 601,
      newest: { id: last.id, createdAt: last.createdAt },
    });
    assert.deepEqual(await runStep(storage.reader(acme.id).listUsers(-1, 1_000)), [first, ...users]);
    assert.deepEqual(await runStep(storage.reader(acme.id).findUserByExternalId("n-599")), last);
    assert.equal((await runStep(storage.reader(acme.id).readTagSets([]))).users.count(), 601);
    for (const at of [0, 255, 256, 511, 512, 599]) {
      const contacts = await runStep(
        storage.reader(acme.id).listContacts({ ...unlimited, search: `u${at}@` }),
      );
      assert.deepEqual(contacts, { users: [users[at]], total: 1 });
    }
  },

  "nextUser returns an ordinal again after it was rolled back": async (_storage, acme) => {
    await acme.user();
    const before = await readNextUser(acme);
    await assert.rejects(
      acme.write(function* (tx) {
        yield* acme.withTransaction(tx).user();
        throw new Error("rolled back");
      }),
    );
    assert.deepEqual(await readNextUser(acme), before);
  },
};
