import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StampEntryType, StoredStampEntry } from "../../storage/passes.js";
import type { TestOrganization } from "../kit/organization.js";
import { someCard, someStamp } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const aPass = async (acme: TestOrganization) => acme.pass(await acme.user(), await acme.template());

async function stamps(acme: TestOrganization, passId: string, count: number): Promise<StoredStampEntry[]> {
  const entries: StoredStampEntry[] = [];
  for (let made = 0; made < count; made += 1) entries.push(await acme.stamp(passId));
  return entries;
}

export const stampLedger: Statements = {
  "recordStamps appends the entry to the pass's ledger": async (storage, acme) => {
    const [pass, other] = [await aPass(acme), await aPass(acme)];
    const [first, second] = [await acme.stamp(pass.id, { note: "at the till" }), await acme.stamp(pass.id)];
    assert.deepEqual(await run(storage.listStampEntries(acme.id, pass.id, 0, 10)), [second, first]);
    assert.deepEqual(await run(storage.listStampEntries(acme.id, other.id, 0, 10)), []);
  },

  "recordStamps makes the card the pass's state, and lets updatedAt stay": async (storage, acme) => {
    const pass = await aPass(acme);
    const { entry } = someStamp(pass, { createdAt: pass.updatedAt + 1_000 });
    const card = someCard({
      maxStamps: 100,
      currentStamps: 3,
      timesCompleted: 2,
      rewardsAvailable: 1,
      totalStampsCollected: 203,
      lastStampAt: entry.createdAt,
      entries: 1,
    });
    await acme.write((tx) => tx.recordStamps(acme.id, card, entry));
    assert.deepEqual(await run(storage.findPass(acme.id, pass.id)), { ...pass, card });
  },

  "recordStamps changes no other pass": async (storage, acme) => {
    const ada = await acme.user();
    const template = await acme.template();
    const [pass, other] = [await acme.pass(ada, template), await acme.pass(ada, template)];
    await acme.stamp(pass.id);
    assert.deepEqual(await run(storage.findPass(acme.id, other.id)), other);
  },

  "every kind and field of an entry comes back": async (storage, acme) => {
    const pass = await aPass(acme);
    const types: StampEntryType[] = ["added", "removed", "set", "reset", "redeemed", "reversed"];
    const entries: StoredStampEntry[] = [];
    for (const [at, type] of types.entries()) {
      const fields = {
        type,
        delta: at - 2,
        stampsBefore: at + 3,
        stampsAfter: at + 1,
        completions: at,
        note: type,
        reverses: type === "reversed" ? (entries[0]?.id ?? null) : null,
      };
      entries.push(await acme.stamp(pass.id, fields));
    }
    assert.deepEqual(await run(storage.listStampEntries(acme.id, pass.id, 0, 10)), entries.reverse());
  },

  "the first entry of a pass has the sequence 1, the next 2, and so on": async (storage, acme) => {
    const [pass, other] = [await aPass(acme), await aPass(acme)];
    for (const id of [pass.id, other.id, pass.id, pass.id, other.id]) await acme.stamp(id);
    const sequences = async (id: string) =>
      (await run(storage.listStampEntries(acme.id, id, 0, 10))).map(({ sequence }) => sequence);
    assert.deepEqual(await sequences(pass.id), [3, 2, 1]);
    assert.deepEqual(await sequences(other.id), [2, 1]);
  },

  "the ledger is listed by sequence, even when all entries are of one time": async (storage, acme) => {
    const pass = await aPass(acme);
    const ids = ["ste_5", "ste_9", "ste_1", "ste_7"];
    for (const id of ids) await acme.stamp(pass.id, { id, createdAt: 5 });
    const listed = await run(storage.listStampEntries(acme.id, pass.id, 0, 10));
    assert.deepEqual(
      listed.map(({ id }) => id),
      ids.toReversed(),
    );
  },

  "listStampEntries gives the ledger newest first, from an offset, at most as many as asked": async (
    storage,
    acme,
  ) => {
    const pass = await aPass(acme);
    const newestFirst = (await stamps(acme, pass.id, 12)).reverse();
    for (let offset = 0; offset < 14; offset += 1) {
      for (let limit = 1; limit < 14; limit += 1) {
        assert.deepEqual(
          await run(storage.listStampEntries(acme.id, pass.id, offset, limit)),
          newestFirst.slice(offset, offset + limit),
        );
      }
    }
  },

  "findStampEntry finds an entry in its pass's ledger alone": async (storage, acme) => {
    const [pass, other] = [await aPass(acme), await aPass(acme)];
    const [first, second] = [await acme.stamp(pass.id, { note: "first" }), await acme.stamp(pass.id)];
    const found = (passId: string, id: string) => run(storage.findStampEntry(acme.id, passId, id));
    assert.deepEqual(await found(pass.id, first.id), { ...first, isReversed: false });
    assert.deepEqual(await found(pass.id, second.id), { ...second, isReversed: false });
    assert.equal(await found(other.id, first.id), null);
    assert.equal(await found(pass.id, "ste_none"), null);
    assert.equal(await run(storage.findStampEntry("globex", pass.id, first.id)), null);
  },

  "findStampEntry tells that a later entry reverses this one": async (storage, acme) => {
    const pass = await aPass(acme);
    const [first, second] = [await acme.stamp(pass.id), await acme.stamp(pass.id)];
    const reversal = await acme.stamp(pass.id, { type: "reversed", reverses: first.id });
    const found = (id: string) => run(storage.findStampEntry(acme.id, pass.id, id));
    assert.deepEqual(await found(first.id), { ...first, isReversed: true });
    assert.deepEqual(await found(second.id), { ...second, isReversed: false });
    assert.deepEqual(await found(reversal.id), { ...reversal, isReversed: false });
  },

  "recordStamps refuses to reverse an entry twice, and stores nothing then": async (storage, acme) => {
    const pass = await aPass(acme);
    const first = await acme.stamp(pass.id);
    const reverse = () => acme.stamp(pass.id, { type: "reversed", reverses: first.id });
    const reversal = await reverse();
    await assert.rejects(reverse());
    assert.deepEqual(await run(storage.listStampEntries(acme.id, pass.id, 0, 10)), [reversal, first]);
    const other = await aPass(acme);
    await acme.stamp(other.id, { type: "reversed", reverses: first.id });
  },

  "the ledger of an unknown pass is empty": async (storage, acme) => {
    await acme.stamp((await aPass(acme)).id);
    assert.deepEqual(await run(storage.listStampEntries(acme.id, "wp_none", 0, 10)), []);
  },
};
