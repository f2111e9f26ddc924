import assert from "node:assert/strict";
import { awaitInStep, runStep } from "../../../../src/base/concurrency/step.js";
import { SuiteOrganization } from "../kit/organization.js";
import { someAssignment, someTag } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const transactions: Statements = {
  "a transaction commits when its work resolves, and returns the result of the work": async (
    storage,
    acme,
  ) => {
    const expectedResult = { anything: true };
    const result = await storage.transaction(acme.id, function* (tx) {
      yield* acme.withTransaction(tx).tag({ slug: "vip" });
      return expectedResult;
    });
    assert.equal(result, expectedResult);
    assert.notEqual(await runStep(storage.reader(acme.id).findTag("vip")), null);
  },

  "a transaction can do nothing": async (storage) => {
    assert.equal(await storage.transaction("acme", () => awaitInStep(undefined)), undefined);
  },

  "writes of one transaction commit together": async (storage, acme) => {
    const { ada, vip, pass } = await storage.transaction(acme.id, function* (tx) {
      const rows = acme.withTransaction(tx);
      const [ada, vip] = [yield* rows.user(), yield* rows.tag()];
      yield* rows.assign(ada, vip);
      return { ada, vip, pass: yield* rows.pass(ada, yield* rows.template()) };
    });
    assert.deepEqual(await runStep(storage.reader(acme.id).tagsOfUser(ada.ordinal)), [vip]);
    assert.deepEqual(await runStep(storage.reader(acme.id).passesOfUsers([ada])), [pass]);
  },

  "a transaction rejects with the same error object that its work threw": async (storage, acme) => {
    const error = new Error("the work failed");
    const rejection = (reason: unknown) => reason === error;
    await assert.rejects(
      storage.transaction(acme.id, function* (tx) {
        yield* acme.withTransaction(tx).tag();
        throw error;
      }),
      rejection,
    );
    await assert.rejects(
      storage.transaction(acme.id, () => awaitInStep(Promise.reject(error))),
      rejection,
    );
  },

  "a transaction is rolled back if its work throws before it returns a step": async (storage, acme) => {
    const error = new Error("the work failed");
    await assert.rejects(
      async () =>
        storage.transaction(acme.id, () => {
          throw error;
        }),
      (reason) => reason === error,
    );
    const tag = await acme.tag();
    assert.deepEqual(await runStep(storage.reader(acme.id).listTags()), [tag]);
  },

  "a transaction that has ended rejects calls": async (storage, acme) => {
    const tx = await storage.transaction(acme.id, (tx) => awaitInStep(tx));
    await assert.rejects(runStep(acme.withTransaction(tx).tag()));
    await assert.rejects(runStep(tx.listTags()));
    assert.deepEqual(await runStep(storage.reader(acme.id).listTags()), []);
  },

  "after an error other than a conflict, a transaction rejects all calls, and rejects even if its work resolves":
    async (storage, acme) => {
      const ada = await acme.user();
      const writeIgnoringErrors = acme.write(function* (tx) {
        const vip = yield* acme.withTransaction(tx).tag();
        const dangling = [someAssignment(ada, vip), someAssignment(ada, someTag())];
        yield* awaitInStep(assert.rejects(runStep(tx.assignTags(dangling))));
        yield* awaitInStep(assert.rejects(runStep(tx.listTags())));
        yield* awaitInStep(assert.rejects(runStep(acme.withTransaction(tx).tag())));
      });
      await assert.rejects(writeIgnoringErrors);
      assert.deepEqual(await runStep(storage.reader(acme.id).listTags()), []);
      assert.deepEqual(await runStep(storage.reader(acme.id).verifyTagSets()), { checked: 1, wrong: [] });
    },

  "concurrent transactions of several organizations commit, each in its own organization": async (
    storage,
  ) => {
    const organizations = ["acme", "globex"];
    await Promise.all(
      organizations.map((id) => storage.transaction(id, (tx) => tx.insertTag(createTag(id)))),
    );
    for (const id of organizations)
      assert.deepEqual(await runStep(storage.reader(id).listTags()), [{ ...createTag(id), ordinal: 1 }]);
  },

  "a transaction can look things up across all organizations, including its own writes": async (
    storage,
    acme,
  ) => {
    const globex = new SuiteOrganization(storage, "globex");
    const theirs = await globex.apiToken();
    const [own, found] = await acme.write(function* (tx) {
      const token = yield* acme.withTransaction(tx).apiToken();
      const hashes = [token.hash, theirs.hash];
      return [token, yield* tx.all.findApiTokensByHash(hashes)] as const;
    });
    assert.deepEqual(
      new Set(found.map(({ organizationId, token }) => `${organizationId} ${token.id}`)),
      new Set([`acme ${own.id}`, `globex ${theirs.id}`]),
    );
  },
};

function createTag(organizationId: string) {
  const id = `utag_${organizationId}`;
  return { id, slug: "vip", name: "V", description: null, color: "#000000", createdAt: 1, updatedAt: 1 };
}
