import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { StoredCooldown } from "../../../../src/storage/cooldowns.js";
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import type { SuiteOrganization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

/** Stores cooldowns that end at these times, named by their index. */
async function storeCooldownsUntil(
  acme: SuiteOrganization,
  times: readonly number[],
): Promise<StoredCooldown[]> {
  const marks = [];
  for (const [at, until] of times.entries()) marks.push(await acme.mark({ name: `mark ${at}`, until }));
  return marks;
}

/** Returns the end times of the cooldowns that are still stored, in the given order. */
async function listTimes(reader: StorageReader, marks: readonly StoredCooldown[]) {
  const cooldownList = [];
  for (const { name } of marks) cooldownList.push(await runStep(reader.findCooldown(name)));
  return cooldownList.flatMap((cooldown) => (cooldown === null ? [] : [cooldown.until]));
}

export const cooldowns: Statements = {
  "a cooldown is found by its name, but only in its own organization": async (storage, acme) => {
    const mark = await acme.mark({ name: "seen", until: 5 });
    assert.deepEqual(await runStep(storage.reader(acme.id).findCooldown("seen")), mark);
    assert.equal(await runStep(storage.reader(acme.id).findCooldown("unseen")), null);
    assert.equal(await runStep(storage.reader("globex").findCooldown("seen")), null);
  },

  "a cooldown of all organizations is found from each of them, and is separate from their own": async (
    storage,
    acme,
  ) => {
    const [own, shared] = [
      { name: "seen", until: 5 },
      { name: "seen", until: 9 },
    ];
    await acme.write(function* (tx) {
      yield* tx.putCooldown(own);
      yield* tx.all.putCooldown(shared);
    });
    const find = (id: string) =>
      storage.transaction(id, function* (tx) {
        return [yield* tx.findCooldown("seen"), yield* tx.all.findCooldown("seen")];
      });
    assert.deepEqual(await find(acme.id), [own, shared]);
    assert.deepEqual(await find("globex"), [null, shared]);
    assert.equal(await storage.transaction("globex", (tx) => tx.all.removeExpiredCooldowns(10, 9)), 1);
    assert.deepEqual(await find(acme.id), [own, null]);
    assert.equal(await acme.write((tx) => tx.all.trimCooldowns(0, 9)), 0);
    assert.deepEqual(await find(acme.id), [own, null]);
  },

  "putCooldown replaces the cooldown with the same name, and no other": async (storage, acme) => {
    const marks = await storeCooldownsUntil(acme, [7, 8]);
    await acme.mark({ name: "mark 0", until: 3 });
    assert.deepEqual(await listTimes(storage.reader(acme.id), marks), [3, 8]);
    assert.equal(await acme.write((tx) => tx.removeExpiredCooldowns(8, 100)), 1);
    assert.deepEqual(await listTimes(storage.reader(acme.id), marks), [8]);
  },

  "removeExpiredCooldowns removes expired cooldowns up to a limit, earliest first": async (storage, acme) => {
    const marks = await storeCooldownsUntil(acme, [5, 2, 4, 1, 9]);
    const remove = (before: number, limit: number) =>
      acme.write((tx) => tx.removeExpiredCooldowns(before, limit));
    assert.equal(await remove(1, 100), 0);
    assert.equal(await remove(9, 2), 2);
    assert.deepEqual(await listTimes(storage.reader(acme.id), marks), [5, 4, 9]);
    assert.equal(await remove(5, 100), 1);
    assert.equal(await storage.transaction("globex", (tx) => tx.removeExpiredCooldowns(100, 100)), 0);
    assert.deepEqual(await listTimes(storage.reader(acme.id), marks), [5, 9]);
  },

  "trimCooldowns keeps a number of cooldowns: those that last longest, and among ties those with the last names":
    async (storage, acme) => {
      const marks = await storeCooldownsUntil(acme, [5, 2, 4, 1, 5]);
      const removeBeyond = (count: number, limit = 100) => acme.write((tx) => tx.trimCooldowns(count, limit));
      assert.equal(await removeBeyond(5), 0);
      assert.equal(await removeBeyond(3), 2);
      assert.deepEqual(await listTimes(storage.reader(acme.id), marks), [5, 4, 5]);
      assert.equal(await storage.transaction("globex", (tx) => tx.trimCooldowns(0, 100)), 0);
      assert.equal(await removeBeyond(1), 2);
      assert.deepEqual(await runStep(storage.reader(acme.id).findCooldown("mark 4")), marks.at(-1));
      await storeCooldownsUntil(acme, [1, 2, 3]);
      assert.equal(await removeBeyond(1, 2), 2);
      assert.equal(await removeBeyond(1, 2), 1);
    },

  "cooldowns that a rolled-back transaction stored or removed are unchanged": async (storage, acme) => {
    const marks = await storeCooldownsUntil(acme, [1, 2, 3]);
    const failure = new Error("rolled back");
    const rolledBack = acme.write(function* (tx) {
      yield* tx.removeExpiredCooldowns(2, 100);
      yield* tx.trimCooldowns(1, 100);
      yield* tx.putCooldown({ name: "mark 2", until: 9 });
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.deepEqual(await listTimes(storage.reader(acme.id), marks), [1, 2, 3]);
  },
};
