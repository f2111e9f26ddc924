import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StoredUser } from "../../storage/users.js";
import { fold } from "../../values/text.js";
import { sentencesOf } from "../kit/kind.js";
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
  ...sentencesOf<StoredUser>({
    one: "a user",
    add: (acme, fields) => acme.user(fields),
    unknown: () => someUser({ ordinal: 99 }),
    samples: [ada, { name: "", phone: "" }],
    finds: [
      (storage, acme, { id }) => run(storage.findUser(acme.id, id)),
      (storage, acme, { email }) => run(storage.findUserByEmail(acme.id, fold(email))),
      async (storage, acme, user) =>
        user.externalId === null
          ? run(storage.findUser(acme.id, user.id))
          : run(storage.findUserByExternalId(acme.id, user.externalId)),
      async (storage, acme, { ordinal }) => (await run(storage.usersByOrdinal(acme.id, [ordinal])))[0],
    ],
    list: (storage, acme) => run(storage.listUsers(acme.id, -1, 10)),
    isListedByAge: false,
    changes: [
      { ...ada, email: "countess@example.com", updatedAt: 7 },
      {
        email: "Countess@example.com",
        name: null,
        phone: "2",
        externalId: "2",
        metadata: "{}",
        updatedAt: 9,
      },
    ],
    stays: { ordinal: 77, createdAt: 77 },
    update: (tx, id, user) => tx.updateUser(id, user, foldsOf(user)),
    remove: (tx, id, user) => tx.deleteUser(id, user.id),
  }),

  "a user is found by the fold of its email": async (storage, acme) => {
    const user = await acme.user(ada);
    await acme.user();
    assert.deepEqual(await run(storage.findUserByEmail(acme.id, "ada.lovelace@example.com")), user);
    assert.equal(await run(storage.findUserByEmail(acme.id, ada.email)), null);
  },

  "times come back to the millisecond": async (storage, acme) => {
    for (const time of [0, 1, 999, 1_763_600_000_001, 8_640_000_000_000_000]) {
      const user = await acme.user({ createdAt: time, updatedAt: time });
      assert.deepEqual(await run(storage.findUser(acme.id, user.id)), user);
    }
  },

  "a changed user is not found by its old keys": async (storage, acme) => {
    const user = await acme.user(ada);
    const changed = { ...user, email: "countess@example.com", externalId: null };
    await acme.write((tx) => tx.updateUser(acme.id, changed, foldsOf(changed)));
    assert.equal(await run(storage.findUserByEmail(acme.id, "ada.lovelace@example.com")), null);
    assert.equal(await run(storage.findUserByExternalId(acme.id, ada.externalId)), null);
  },
};
