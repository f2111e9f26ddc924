import assert from "node:assert/strict";
import { awaitInStep, runStep } from "../../../../src/base/concurrency/step.js";
import { assertConflict } from "../kit/conflict.js";
import { somePoints } from "../kit/purchase-records.js";
import { someCard, somePass } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const passes: Statements = {
  "insertPasses conflicts on the code if another pass has it, even one in the same call, and then stores nothing":
    async (storage, acme) => {
      const [ada, template] = [await acme.user(), await acme.template()];
      await acme.pass(ada, template, { code: "abc" });
      for (const codes of [
        ["new", "abc"],
        ["new", "new"],
      ]) {
        const passes = codes.map((code) => ({ pass: somePass(ada, template, { code }), entries: [] }));
        await acme.write((tx) => awaitInStep(assertConflict(runStep(tx.insertPasses(passes)), "code")));
        assert.equal(await runStep(storage.reader(acme.id).findPassByCode("new")), null);
      }
      assert.equal((await runStep(storage.reader(acme.id).passesOfUsers([ada]))).length, 1);
    },

  "insertPasses stores the points that passes start with": async (storage, acme) => {
    const [ada, template] = [await acme.user(), await acme.template()];
    const [pass, other] = [somePass(ada, template), somePass(ada, template)];
    const points = somePoints(pass.id, null, { entry: { isImported: true }, lot: { expiresAt: 5 } });
    await acme.write((tx) =>
      tx.insertPasses([
        { pass, entries: [], points },
        { pass: other, entries: [] },
      ]),
    );
    assert.deepEqual(await runStep(storage.reader(acme.id).findPointCard(pass.id)), points.card);
    assert.deepEqual(await runStep(storage.reader(acme.id).openPointLots(pass.id)), points.lots);
    assert.deepEqual(await runStep(storage.reader(acme.id).listPointEntries(pass.id, 0, 10)), points.entries);
    assert.equal(await runStep(storage.reader(acme.id).findPointCard(other.id)), null);
    assert.deepEqual(await runStep(storage.reader(acme.id).passesWithDuePoints(5, 10)), [pass.id]);
  },

  "every number of a card is returned as stored": async (storage, acme) => {
    const card = someCard({
      maxStamps: 7,
      currentStamps: 6,
      timesCompleted: 5,
      rewardsAvailable: 4,
      totalStampsCollected: 41,
      lastStampAt: 1_763_600_000_001,
    });
    const pass = await acme.pass(await acme.user(), await acme.template(), { card });
    assert.deepEqual(await runStep(storage.reader(acme.id).findPass(pass.id)), pass);
  },

  "deletePass removes the pass, but no other pass of the user": async (storage, acme) => {
    const [ada, template] = [await acme.user(), await acme.template()];
    const [pass, other] = [await acme.pass(ada, template), await acme.pass(ada, template)];
    assert.equal(await acme.write((tx) => tx.deletePass(pass.id)), true);
    assert.deepEqual(await runStep(storage.reader(acme.id).passesOfUsers([ada])), [other]);
  },

  "holdersOf returns the users of the passes that exist": async (storage, acme) => {
    const [ada, bob, template] = [await acme.user(), await acme.user(), await acme.template()];
    const [one, other] = [await acme.pass(ada, template), await acme.pass(bob, template)];
    const ids = [one.id, "none", other.id, one.id];
    const expected = new Map([
      [one.id, ada.ordinal],
      [other.id, bob.ordinal],
    ]);
    assert.deepEqual(await runStep(storage.reader(acme.id).holdersOf(ids)), expected);
    assert.deepEqual(await runStep(storage.reader("globex").holdersOf(ids)), new Map());
  },

  "updateTemplate doesn't change existing passes": async (storage, acme) => {
    const template = await acme.template({ maxStamps: 10 });
    const pass = await acme.pass(await acme.user(), template);
    await acme.write((tx) => tx.updateTemplate({ ...template, maxStamps: 5 }));
    assert.deepEqual(await runStep(storage.reader(acme.id).findPass(pass.id)), pass);
  },

  "deleteTemplate doesn't delete a template that has passes": async (storage, acme) => {
    const template = await acme.template();
    const pass = await acme.pass(await acme.user(), template);
    const remove = acme.write((tx) => tx.deleteTemplate(template.id));
    assert.equal(await remove.catch(() => false), false);
    assert.deepEqual(await runStep(storage.reader(acme.id).findTemplate(template.id)), template);
    assert.deepEqual(await runStep(storage.reader(acme.id).findPass(pass.id)), pass);
  },

  "recordStamps refuses to reverse an entry twice, and then stores nothing": async (storage, acme) => {
    const [ada, template] = [await acme.user(), await acme.template()];
    const [pass, other] = [await acme.pass(ada, template), await acme.pass(ada, template)];
    const first = await acme.stamp(pass.id);
    const reverse = (passId: string) => acme.stamp(passId, { type: "reversed", reverses: first.id });
    const reversal = await reverse(pass.id);
    await assert.rejects(reverse(pass.id));
    assert.deepEqual(await runStep(storage.reader(acme.id).listStampEntries(pass.id, 0, 10)), [
      reversal,
      first,
    ]);
    await reverse(other.id);
  },
};
