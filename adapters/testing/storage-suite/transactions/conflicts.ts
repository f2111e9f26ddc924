import assert from "node:assert/strict";
import { awaitInStep, runStep, type Step } from "../../../../src/base/concurrency/step.js";
import type { ConflictingKey } from "../../../../src/storage/storage-adapter.js";
import { assertConflict } from "../kit/conflict.js";
import { buildUserFolds, someTagRemoval } from "../kit/records.js";
import type { Rows } from "../kit/rows.js";
import { scene, storeScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";
import { runSceneQuestions } from "../law/reads.js";

const { ada, bob, vip, coffee, pass } = scene;

/** For each conflict key, the writes that conflict with the scene's rows. */
const conflictingWrites: Readonly<Record<ConflictingKey, readonly ((acme: Rows) => Step<unknown>)[]>> = {
  email: [
    (acme) => acme.user({ email: ada.email }),
    (acme) => {
      const changedUser = { ...bob, email: ada.email };
      return acme.tx.updateUser(changedUser, buildUserFolds(changedUser));
    },
  ],
  externalId: [
    (acme) => acme.user({ externalId: ada.externalId }),
    (acme) => {
      const changedUser = { ...bob, externalId: ada.externalId };
      return acme.tx.updateUser(changedUser, buildUserFolds(changedUser));
    },
  ],
  slug: [(acme) => acme.tag({ slug: vip.slug })],
  assignment: [(acme) => acme.assign(ada, vip)],
  code: [(acme) => acme.pass(bob, coffee, { code: pass.code })],
};

const everyKey: Statements = Object.fromEntries(
  Object.entries(conflictingWrites).map(([key, writes]) => [
    `a conflict of ${key} stores nothing and leaves the transaction usable; one that escapes rolls it back`,
    async (storage, acme) => {
      await storeScene(storage, acme.id);
      const before = await runStep(runSceneQuestions(storage.reader(acme.id)));
      for (const [at, write] of writes.entries()) {
        const escaping = storage.transaction(acme.id, function* (tx) {
          const rows = acme.withTransaction(tx);
          yield* awaitInStep(assert.rejects(runStep(write(rows)), { name: "StorageConflict", key }));
          assert.deepEqual(yield* runSceneQuestions(tx), before);
          yield* rows.tag({ slug: `new-${at}` });
          yield* write(rows);
        });
        await assert.rejects(escaping, { name: "StorageConflict", key });
        assert.deepEqual(await runStep(runSceneQuestions(storage.reader(acme.id))), before);
      }
    },
  ]),
);

export const conflicts: Statements = {
  ...everyKey,

  "a key that the same transaction has taken conflicts": async (storage, acme) => {
    await storage.transaction(acme.id, function* (tx) {
      const rows = acme.withTransaction(tx);
      yield* rows.tag({ slug: "vip" });
      yield* awaitInStep(assertConflict(runStep(rows.tag({ slug: "vip" })), "slug"));
      yield* rows.user({ email: "ada@example.com" });
      yield* awaitInStep(assertConflict(runStep(rows.user({ email: "ada@example.com" })), "email"));
    });
    assert.equal((await runStep(storage.reader(acme.id).listTags())).length, 1);
    assert.equal((await runStep(storage.reader(acme.id).listUsers(-1, 10))).length, 1);
  },

  "a key that the same transaction has freed doesn't conflict": async (storage, acme) => {
    await storeScene(storage, acme.id);
    await storage.transaction(acme.id, function* (tx) {
      const rows = acme.withTransaction(tx);
      yield* tx.deleteUser(ada.id);
      yield* tx.removeTag(someTagRemoval(vip));
      yield* rows.pass(bob, coffee, { code: pass.code });
      yield* rows.user({ email: ada.email, externalId: ada.externalId });
      yield* rows.tag({ slug: vip.slug });
    });
    assert.equal((await runStep(storage.reader(acme.id).findUserByEmail("ada@example.com")))?.ordinal, 2);
  },
};
