import assert from "node:assert/strict";
import { run, wait } from "../../concurrency/step.js";
import type { ContactQuery } from "../../storage/contacts.js";
import { TestOrganization } from "../kit/organization.js";
import { foldsOf, someUser } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const nextUser = (acme: TestOrganization) => acme.write((tx) => tx.nextUser(acme.id));

const searchFor = (search: string): ContactQuery => ({
  search,
  stamps: null,
  sort: { field: "createdAt", direction: "asc" },
  offset: 0,
  limit: 10,
});

export const userPlaces: Statements = {
  "the first user goes to ordinal 0, with nobody before it": async (_storage, acme) => {
    assert.deepEqual(await nextUser(acme), { ordinal: 0, newest: null });
  },

  "each user goes to the ordinal after the newest": async (_storage, acme) => {
    for (let ordinal = 0; ordinal < 5; ordinal += 1) {
      const user = await acme.user();
      assert.equal(user.ordinal, ordinal);
      assert.deepEqual(await nextUser(acme), {
        ordinal: ordinal + 1,
        newest: { id: user.id, createdAt: user.createdAt },
      });
    }
  },

  "nextUser knows the users inserted before it in the same transaction": async (_storage, acme) => {
    await acme.write(function* (tx) {
      const user = yield* acme.within(tx).user();
      assert.deepEqual(yield* tx.nextUser(acme.id), {
        ordinal: 1,
        newest: { id: user.id, createdAt: user.createdAt },
      });
    });
  },

  "insertUsers adds users one after the other, as insertUser does each of them": async (storage, acme) => {
    const first = await acme.user();
    const users = Array.from({ length: 600 }, (_, at) =>
      someUser({ ordinal: 1 + at, email: `u${at}@example.com`, name: `Number ${at}`, externalId: `n-${at}` }),
    );
    await acme.write(function* (tx) {
      const inserted = users.map((user) => ({ user, folds: foldsOf(user) }));
      assert.equal(yield* tx.insertUsers(acme.id, []), 0);
      assert.equal(yield* tx.insertUsers(acme.id, inserted), 600);
      assert.equal((yield* tx.nextUser(acme.id)).ordinal, 601);
    });
    const last = users[599];
    assert.ok(last);
    assert.deepEqual(await nextUser(acme), {
      ordinal: 601,
      newest: { id: last.id, createdAt: last.createdAt },
    });
    assert.deepEqual(await run(storage.listUsers(acme.id, -1, 1_000)), [first, ...users]);
    assert.deepEqual(await run(storage.findUserByExternalId(acme.id, "n-599")), last);
    assert.equal((await run(storage.readSegments(acme.id, []))).users.count(), 601);
    for (const at of [0, 255, 256, 511, 512, 599]) {
      const found = await run(storage.listContacts(acme.id, searchFor(`u${at}@`)));
      assert.deepEqual(found, { users: [users[at]], total: 1 });
    }
  },

  "asking for a place takes none": async (_storage, acme) => {
    await acme.write(function* (tx) {
      assert.deepEqual(yield* tx.nextUser(acme.id), yield* tx.nextUser(acme.id));
    });
    assert.equal((await nextUser(acme)).ordinal, 0);
  },

  "a conflict takes no place": async (_storage, acme) => {
    await acme.user({ externalId: "7" });
    const before = await nextUser(acme);
    await acme.write(function* (tx) {
      yield* wait(assert.rejects(run(acme.within(tx).user({ externalId: "7" }))));
      assert.deepEqual(yield* tx.nextUser(acme.id), before);
    });
    assert.deepEqual(await nextUser(acme), before);
  },

  "the ordinal of a deleted user is never given again": async (_storage, acme) => {
    const users = await acme.users([{}, {}, {}]);
    for (const user of users) {
      const before = await nextUser(acme);
      await acme.write((tx) => tx.deleteUser(acme.id, user.id));
      assert.deepEqual(await nextUser(acme), before);
    }
    assert.equal((await acme.user()).ordinal, 3);
  },

  "a place that was rolled back is given again": async (_storage, acme) => {
    await acme.user();
    const before = await nextUser(acme);
    await assert.rejects(
      acme.write(function* (tx) {
        yield* acme.within(tx).user();
        throw new Error("rolled back");
      }),
    );
    assert.deepEqual(await nextUser(acme), before);
  },

  "each organization counts its own users": async (storage, acme) => {
    const globex = new TestOrganization(storage, "globex");
    const ordinals: number[] = [];
    for (const organization of [acme, globex, acme, acme, globex]) {
      ordinals.push((await organization.user()).ordinal);
    }
    assert.deepEqual(ordinals, [0, 0, 1, 2, 1]);
  },
};
