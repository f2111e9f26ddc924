import assert from "node:assert/strict";
import { run, type Step, wait } from "../../concurrency/step.js";
import type { ConflictingKey } from "../../storage/storage-adapter.js";
import { assertConflict } from "../kit/conflict.js";
import { everyRead } from "../kit/every-read.js";
import { foldsOf } from "../kit/records.js";
import type { Rows } from "../kit/rows.js";
import { scene, setScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";

const { ada, bob, vip, coffee, pass } = scene;

/** For each key the writes that conflict with the scene. */
const conflicting: Readonly<Record<ConflictingKey, readonly ((acme: Rows) => Step<unknown>)[]>> = {
  email: [
    (acme) => acme.user({ email: ada.email }),
    (acme) => {
      const changed = { ...bob, email: ada.email };
      return acme.tx.updateUser(acme.id, changed, foldsOf(changed));
    },
  ],
  externalId: [
    (acme) => acme.user({ externalId: ada.externalId }),
    (acme) => {
      const changed = { ...bob, externalId: ada.externalId };
      return acme.tx.updateUser(acme.id, changed, foldsOf(changed));
    },
  ],
  slug: [(acme) => acme.tag({ slug: vip.slug })],
  assignment: [(acme) => acme.assign(ada, vip)],
  code: [(acme) => acme.pass(bob, coffee, { code: pass.code })],
};

const everyKey: Statements = Object.fromEntries(
  Object.entries(conflicting).flatMap(([key, writes]) => [
    [
      `a conflict of ${key} stores nothing`,
      async (storage, acme) => {
        await setScene(storage, acme.id);
        const before = await run(everyRead(storage, acme.id));
        for (const write of writes) {
          await storage.transaction(function* (tx) {
            yield* wait(assert.rejects(run(write(acme.within(tx))), { name: "StorageConflict", key }));
            assert.deepEqual(yield* everyRead(tx, acme.id), before);
          });
        }
        assert.deepEqual(await run(everyRead(storage, acme.id)), before);
      },
    ],
    [
      `a conflict of ${key} leaves the transaction usable`,
      async (storage, acme) => {
        await setScene(storage, acme.id);
        for (const [at, write] of writes.entries()) {
          await storage.transaction(function* (tx) {
            yield* acme.within(tx).tag({ slug: `before-${at}` });
            yield* wait(assert.rejects(run(write(acme.within(tx))), { name: "StorageConflict", key }));
            yield* acme.within(tx).tag({ slug: `after-${at}` });
            assert.notEqual(yield* tx.findTag(acme.id, `before-${at}`), null);
          });
          for (const slug of [`before-${at}`, `after-${at}`]) {
            assert.notEqual(await run(storage.findTag(acme.id, slug)), null);
          }
        }
      },
    ],
    [
      `a transaction that a conflict of ${key} escapes is rolled back`,
      async (storage, acme) => {
        await setScene(storage, acme.id);
        const before = await run(everyRead(storage, acme.id));
        for (const write of writes) {
          const escaping = storage.transaction(function* (tx) {
            yield* acme.within(tx).tag({ slug: "new" });
            yield* write(acme.within(tx));
          });
          await assert.rejects(escaping, { name: "StorageConflict", key });
        }
        assert.deepEqual(await run(everyRead(storage, acme.id)), before);
      },
    ],
  ]),
);

export const conflicts: Statements = {
  ...everyKey,

  "a key that the transaction itself took conflicts": async (storage, acme) => {
    await storage.transaction(function* (tx) {
      const inside = acme.within(tx);
      yield* inside.tag({ slug: "vip" });
      yield* wait(assertConflict(run(inside.tag({ slug: "vip" })), "slug"));
      yield* inside.user({ email: "ada@example.com" });
      yield* wait(assertConflict(run(inside.user({ email: "ada@example.com" })), "email"));
    });
    assert.equal((await run(storage.listTags(acme.id))).length, 1);
    assert.equal((await run(storage.listUsers(acme.id, -1, 10))).length, 1);
  },

  "a key that the transaction itself freed does not conflict": async (storage, acme) => {
    await setScene(storage, acme.id);
    await storage.transaction(function* (tx) {
      const inside = acme.within(tx);
      yield* tx.deleteUser(acme.id, ada.id);
      yield* tx.deleteTag(acme.id, vip.ordinal);
      yield* inside.pass(bob, coffee, { code: pass.code });
      yield* inside.user({ email: ada.email, externalId: ada.externalId });
      yield* inside.tag({ slug: vip.slug });
    });
    assert.equal((await run(storage.findUserByEmail(acme.id, "ada@example.com")))?.ordinal, 2);
  },
};
