import assert from "node:assert/strict";
import { awaitInStep, runStep } from "../../../../src/base/concurrency/step.js";
import { someAssignment, someTag } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const transactions: Statements = {
  "a transaction commits when its work resolves, with what it resolved to": async (storage, acme) => {
    const expectedAnswer = { anything: true };
    const result = await storage.transaction(function* (tx) {
      yield* acme.within(tx).tag({ slug: "vip" });
      return expectedAnswer;
    });
    assert.equal(result, expectedAnswer);
    assert.notEqual(await runStep(storage.findTag(acme.id, "vip")), null);
  },

  "a transaction may do nothing": async (storage) => {
    assert.equal(await storage.transaction(() => awaitInStep(undefined)), undefined);
  },

  "writes of one transaction commit together": async (storage, acme) => {
    const { ada, vip, pass } = await storage.transaction(function* (tx) {
      const inside = acme.within(tx);
      const [ada, vip] = [yield* inside.user(), yield* inside.tag()];
      yield* inside.assign(ada, vip);
      return { ada, vip, pass: yield* inside.pass(ada, yield* inside.template()) };
    });
    assert.deepEqual(await runStep(storage.tagsOfUser(acme.id, ada.ordinal)), [vip]);
    assert.deepEqual(await runStep(storage.passesOfUsers(acme.id, [ada])), [pass]);
  },

  "a transaction rejects with the very error that its work threw": async (storage, acme) => {
    const error = new Error("the work failed");
    const rejection = (reason: unknown) => reason === error;
    await assert.rejects(
      storage.transaction(function* (tx) {
        yield* acme.within(tx).tag();
        throw error;
      }),
      rejection,
    );
    await assert.rejects(
      storage.transaction(() => awaitInStep(Promise.reject(error))),
      rejection,
    );
  },

  "a work that throws before it gives a step is rolled back": async (storage, acme) => {
    const error = new Error("the work failed");
    await assert.rejects(
      async () =>
        storage.transaction(() => {
          throw error;
        }),
      (reason) => reason === error,
    );
    const tag = await acme.tag();
    assert.deepEqual(await runStep(storage.listTags(acme.id)), [tag]);
  },

  "a transaction that has ended takes no more calls": async (storage, acme) => {
    const tx = await storage.transaction((tx) => awaitInStep(tx));
    await assert.rejects(runStep(acme.within(tx).tag()));
    await assert.rejects(runStep(tx.listTags(acme.id)));
    assert.deepEqual(await runStep(storage.listTags(acme.id)), []);
  },

  "after an error that is no conflict a transaction takes no calls, and rejects although its work resolves":
    async (storage, acme) => {
      const ada = await acme.user();
      const unheeding = acme.write(function* (tx) {
        const vip = yield* acme.within(tx).tag();
        const dangling = [someAssignment(ada, vip), someAssignment(ada, someTag())];
        yield* awaitInStep(assert.rejects(runStep(tx.assignTags(acme.id, dangling))));
        yield* awaitInStep(assert.rejects(runStep(tx.listTags(acme.id))));
        yield* awaitInStep(assert.rejects(runStep(acme.within(tx).tag())));
      });
      await assert.rejects(unheeding);
      assert.deepEqual(await runStep(storage.listTags(acme.id)), []);
      assert.deepEqual(await runStep(storage.verifyTagSets(acme.id)), { checked: 1, wrong: [] });
    },

  "a transaction of several organizations commits in all of them": async (storage) => {
    const organizations = ["acme", "globex"];
    await storage.transaction(function* (tx) {
      for (const id of organizations) yield* tx.insertTag(id, createTag(id));
    });
    for (const id of organizations)
      assert.deepEqual(await runStep(storage.listTags(id)), [{ ...createTag(id), ordinal: 1 }]);
  },
};

function createTag(organizationId: string) {
  const id = `utag_${organizationId}`;
  return { id, slug: "vip", name: "V", description: null, color: "#000000", createdAt: 1, updatedAt: 1 };
}
