import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { StoredPointLot } from "../../../../src/storage/points.js";
import { SuiteOrganization } from "../kit/organization.js";
import { somePoints } from "../kit/purchase-records.js";
import type { Statements } from "../kit/statements.js";

const createPass = async (acme: SuiteOrganization) => acme.pass(await acme.user(), await acme.template());

export const points: Statements = {
  "a pass has no point card until its points change": async (storage, acme) => {
    const pass = await createPass(acme);
    assert.equal(await runStep(storage.reader(acme.id).findPointCard(pass.id)), null);
    const { card } = await acme.points(pass.id);
    assert.deepEqual(await runStep(storage.reader(acme.id).findPointCard(pass.id)), card);
  },

  "recordPoints adds and replaces lots, and appends entries": async (storage, acme) => {
    const pass = await createPass(acme);
    const { lots: firstLots, entries: firstEntries } = await acme.points(pass.id);
    const second = await acme.points(pass.id, { lot: { expiresAt: 9 } });
    const { card, lots, entries } = somePoints(pass.id, second.card, { entry: { points: 3 } });
    const spentLots = firstLots.map((lot) => ({ ...lot, remaining: 0, expired: 4, graceUntil: 8 }));
    const change = { card: { ...card, spent: 10 }, lots: [...lots, ...spentLots], entries };
    await acme.write((tx) => tx.recordPoints(change));
    assert.deepEqual(await runStep(storage.reader(acme.id).findPointCard(pass.id)), change.card);
    assert.deepEqual(await runStep(storage.reader(acme.id).openPointLots(pass.id)), [
      ...second.lots,
      ...lots,
    ]);
    const sequences = [...lots, ...spentLots].map(({ sequence }) => sequence);
    assert.deepEqual(await runStep(storage.reader(acme.id).pointLotsAt(pass.id, [...sequences, 99])), [
      ...spentLots,
      ...lots,
    ]);
    const newestFirst = [...entries, ...second.entries, ...firstEntries];
    assert.deepEqual(await runStep(storage.reader(acme.id).listPointEntries(pass.id, 0, 10)), newestFirst);
    assert.deepEqual(await runStep(storage.reader(acme.id).listPointEntries(pass.id, 1, 1)), second.entries);
  },

  "recordPoints changes only the card if there are no lots or entries": async (storage, acme) => {
    const pass = await createPass(acme);
    const { card, lots, entries } = await acme.points(pass.id);
    const changedCard = { ...card, debt: 3, nextChangeAt: 5, lastEarnedAt: 4 };
    await acme.write((tx) => tx.recordPoints({ card: changedCard, lots: [], entries: [] }));
    assert.deepEqual(await runStep(storage.reader(acme.id).findPointCard(pass.id)), changedCard);
    assert.deepEqual(await runStep(storage.reader(acme.id).openPointLots(pass.id)), lots);
    assert.deepEqual(await runStep(storage.reader(acme.id).listPointEntries(pass.id, 0, 10)), entries);
  },

  "recordPoints refuses an entry whose number is taken and a second reversal, and then stores nothing":
    async (storage, acme) => {
      const pass = await createPass(acme);
      const first = await acme.points(pass.id);
      const [reversed] = first.entries;
      assert.ok(reversed);
      const reversal = { type: "reversed", reverses: reversed.sequence } as const;
      const second = await acme.points(pass.id, { entry: reversal });
      const sameSequence = somePoints(pass.id, second.card, { entry: { sequence: 2 } });
      await assert.rejects(acme.write((tx) => tx.recordPoints(sameSequence)));
      await assert.rejects(acme.points(pass.id, { entry: reversal }));
      assert.deepEqual(await runStep(storage.reader(acme.id).findPointCard(pass.id)), second.card);
      assert.deepEqual(await runStep(storage.reader(acme.id).openPointLots(pass.id)), [
        ...first.lots,
        ...second.lots,
      ]);
      const isReversed = (passId: string, sequence: number) =>
        runStep(storage.reader(acme.id).isPointEntryReversed(passId, sequence));
      assert.equal(await isReversed(pass.id, 1), true);
      assert.equal(await isReversed(pass.id, 2), false);
      const other = await createPass(acme);
      assert.equal(await isReversed(other.id, 1), false);
      await acme.points(other.id, { entry: reversal });
    },

  "the entries and lots of a purchase are read for one pass, oldest first": async (storage, acme) => {
    const [pass, other] = [await createPass(acme), await createPass(acme)];
    const purchase = await acme.purchase({ source: "till", receipt: "1" });
    const receipt = { source: "till", receipt: "1" };
    const lot = { purchaseId: purchase.id };
    const earned = await acme.points(pass.id, { entry: { type: "earned", ...receipt }, lot });
    await acme.points(pass.id, { entry: { type: "spent", ...receipt } });
    await acme.points(pass.id, { entry: { type: "earned", ...receipt, receipt: "01" } });
    const returned = await acme.points(pass.id, {
      entry: { type: "returned", ...receipt },
      lot: { ...lot, remaining: 0 },
    });
    await acme.points(other.id, { entry: { type: "earned", ...receipt }, lot });
    assert.deepEqual(await runStep(storage.reader(acme.id).pointEntriesOfPurchase(pass.id, "till", "1")), [
      ...earned.entries,
      ...returned.entries,
    ]);
    assert.deepEqual(await runStep(storage.reader(acme.id).pointLotsOfPurchase(pass.id, purchase.id)), [
      ...earned.lots,
      ...returned.lots,
    ]);
  },

  "an entry is found by its pass and sequence number": async (storage, acme) => {
    const [pass, other] = [await createPass(acme), await createPass(acme)];
    const [entry] = (await acme.points(pass.id)).entries;
    assert.ok(entry);
    assert.deepEqual(await runStep(storage.reader(acme.id).findPointEntry(pass.id, 1)), entry);
    assert.equal(await runStep(storage.reader(acme.id).findPointEntry(other.id, 1)), null);
  },

  "passes with due points are listed in the order in which they are due, and so are organizations": async (
    storage,
    acme,
  ) => {
    const globex = new SuiteOrganization(storage, "globex");
    const initech = new SuiteOrganization(storage, "initech");
    const createExpiringPass = async (organization: SuiteOrganization, expiresAt: number | null) => {
      const { id } = await createPass(organization);
      await organization.points(id, { lot: { expiresAt } });
      return id;
    };
    const late = await createExpiringPass(acme, 7);
    await createExpiringPass(acme, null);
    const early = await createExpiringPass(acme, 5);
    const first = await createExpiringPass(globex, 3);
    await createExpiringPass(initech, 9);
    const listDuePasses = (now: number, limit = 10) =>
      runStep(storage.reader(acme.id).passesWithDuePoints(now, limit));
    assert.deepEqual(await listDuePasses(4), []);
    assert.deepEqual(await listDuePasses(5), [early]);
    assert.deepEqual(await listDuePasses(7), [early, late]);
    assert.deepEqual(await listDuePasses(7, 1), [early]);
    assert.deepEqual(await runStep(storage.reader(globex.id).passesWithDuePoints(7, 10)), [first]);
    const listDueOrganizations = (now: number, limit = 10) =>
      runStep(storage.all.organizationsWithDuePoints(now, limit));
    assert.deepEqual(await listDueOrganizations(2), []);
    assert.deepEqual(await listDueOrganizations(7), ["globex", "acme"]);
    assert.deepEqual(await listDueOrganizations(9, 2), ["globex", "acme"]);
    assert.deepEqual(await listDueOrganizations(9), ["globex", "acme", "initech"]);
  },

  "holdersOfExpiringPoints returns users whose usable points of the template expire in a period, by ordinal":
    async (storage, acme) => {
      const [coffee, tea] = [await acme.template(), await acme.template()];
      const createHolder = async (lot: Partial<StoredPointLot>, template = coffee) => {
        const user = await acme.user();
        await acme.points((await acme.pass(user, template)).id, { lot });
        return user;
      };
      const lot = { usableFrom: 2, expiresAt: 5 };
      const first = await createHolder(lot);
      await createHolder({ ...lot, expiresAt: null });
      await createHolder({ ...lot, expiresAt: 4 });
      await createHolder({ ...lot, expiresAt: 8 });
      await createHolder({ ...lot, remaining: 0 });
      await createHolder({ ...lot, usableFrom: 4 });
      await createHolder(lot, tea);
      const graceHolder = await createHolder({ ...lot, expiresAt: 2, graceUntil: 7 });
      await createHolder({ ...lot, graceUntil: 8 });
      await acme.points((await acme.pass(first, coffee)).id, { lot });
      const read = (usableAt: number, from = 0, before = 100, limit = 10) => {
        const points = { templateId: coffee.id, usableAt, after: 4, until: 7 };
        return runStep(storage.reader(acme.id).holdersOfExpiringPoints(points, from, before, limit));
      };
      assert.deepEqual(await read(3), [first.ordinal, graceHolder.ordinal]);
      assert.deepEqual(await read(5), [graceHolder.ordinal]);
      assert.deepEqual(await read(1), []);
      assert.deepEqual(await read(3, 0, 100, 1), [first.ordinal]);
      assert.deepEqual(await read(3, first.ordinal + 1), [graceHolder.ordinal]);
      assert.deepEqual(await read(3, 0, graceHolder.ordinal), [first.ordinal]);
    },

  "sumPoints adds up the remaining points of some passes, by template and expiry": async (storage, acme) => {
    const [coffee, tea] = [await acme.template(), await acme.template()];
    const passes = [];
    for (const template of [coffee, tea, coffee]) passes.push(await acme.pass(await acme.user(), template));
    const [first, second, third] = passes.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    assert.ok(first && second && third);
    const give = (passId: string, points: number, lot: Partial<StoredPointLot>) =>
      acme.points(passId, { lot: { remaining: points, usableFrom: 3, ...lot } });
    await give(first.id, 1, { expiresAt: 5 });
    await give(first.id, 2, { expiresAt: 4 });
    await give(first.id, 4, { expiresAt: 4, graceUntil: 9 });
    await give(first.id, 8, { expiresAt: null });
    await give(first.id, 16, { expiresAt: null, usableFrom: 5 });
    await give(first.id, 0, { expiresAt: 7 });
    await give(second.id, 32, { expiresAt: 5 });
    await give(third.id, 64, { expiresAt: 5 });
    const { card } = await give(third.id, 128, { expiresAt: 5 });
    await acme.write((tx) => tx.recordPoints({ card: { ...card, debt: 7 }, lots: [], entries: [] }));
    const read = (after: string, limit: number) =>
      runStep(storage.reader(acme.id).sumPoints(4, after, limit));
    const sumUp = async (after: string, limit: number) => {
      const { lastPassId, debts, lots } = await read(after, limit);
      const sums = lots.map(({ templateId, endsAt, isPending, points }) => [
        templateId === coffee.id ? "coffee" : "tea",
        ...[endsAt, isPending, points],
      ]);
      return { lastPassId, debts: debts.map(({ debt }) => debt), sums };
    };
    const getTemplateName = ({ templateId }: { readonly templateId: string }) =>
      templateId === coffee.id ? "coffee" : "tea";
    assert.deepEqual(await sumUp("", 1), {
      lastPassId: first.id,
      debts: [0],
      sums: [
        [getTemplateName(first), 5, false, 1],
        [getTemplateName(first), 9, false, 4],
        [getTemplateName(first), null, false, 8],
        [getTemplateName(first), null, true, 16],
      ],
    });
    const rest = await sumUp(first.id, 10);
    assert.equal(rest.lastPassId, third.id);
    assert.equal(
      rest.debts.reduce((sum, debt) => sum + debt, 0),
      7,
    );
    assert.equal(
      rest.sums.reduce((sum, [, , , points]) => sum + Number(points), 0),
      224,
    );
    assert.deepEqual(await sumUp(third.id, 10), { lastPassId: null, debts: [], sums: [] });
    const all = await read("", 10);
    const templateIds = [coffee.id, tea.id].sort();
    assert.deepEqual(
      all.debts.map(({ templateId }) => templateId),
      templateIds,
    );
    const other = new SuiteOrganization(storage, "globex");
    assert.deepEqual(await runStep(storage.reader(other.id).sumPoints(4, "", 10)), {
      ...{ lastPassId: null, debts: [], lots: [] },
    });
  },

  "deletePass removes the points of the pass, but no other points": async (storage, acme) => {
    const [pass, other] = [await createPass(acme), await createPass(acme)];
    await acme.points(pass.id, { lot: { expiresAt: 3 } });
    const { card, lots, entries } = await acme.points(other.id);
    await acme.write((tx) => tx.deletePass(pass.id));
    assert.equal(await runStep(storage.reader(acme.id).findPointCard(pass.id)), null);
    assert.deepEqual(await runStep(storage.reader(acme.id).openPointLots(pass.id)), []);
    assert.deepEqual(await runStep(storage.reader(acme.id).listPointEntries(pass.id, 0, 10)), []);
    assert.deepEqual(await runStep(storage.all.organizationsWithDuePoints(9, 10)), []);
    assert.deepEqual(await runStep(storage.reader(acme.id).findPointCard(other.id)), card);
    assert.deepEqual(await runStep(storage.reader(acme.id).openPointLots(other.id)), lots);
    assert.deepEqual(await runStep(storage.reader(acme.id).listPointEntries(other.id, 0, 10)), entries);
  },
};
