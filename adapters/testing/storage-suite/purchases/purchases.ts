import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { PurchaseFilter, StoredPurchase } from "../../../../src/storage/purchases.js";
import { SuiteOrganization } from "../kit/organization.js";
import { somePurchase } from "../kit/purchase-records.js";
import type { Statements } from "../kit/statements.js";

const noFilter: PurchaseFilter = { userId: null, passId: null, source: null, from: null, to: null };

export const purchases: Statements = {
  "putPurchase replaces the purchase with the same source and receipt, except for its id and creation time":
    async (storage, acme) => {
      const receipt = { source: "till", receipt: "1" };
      const first = await acme.purchase(receipt);
      const other = await acme.purchase({ ...receipt, source: "Till" });
      const second = somePurchase({
        ...receipt,
        revision: 2,
        userId: "usr_1",
        references: ['["userId","usr_1","usr_1"]'],
        lines: '[{"id":"0"}]',
        note: "late",
        isConfirmed: true,
        isFrozen: true,
      });
      await acme.write((tx) => tx.putPurchase(second, first));
      const { id, createdAt } = first;
      assert.deepEqual(await runStep(storage.reader(acme.id).findPurchase("till", "1")), {
        ...second,
        id,
        createdAt,
      });
      assert.deepEqual(await runStep(storage.reader(acme.id).findPurchase("Till", "1")), other);
    },

  "two organizations can have the same receipt": async (storage, acme) => {
    const purchase = await acme.purchase({ source: "till", receipt: "1" });
    const globex = new SuiteOrganization(storage, "globex");
    await globex.write((tx) => tx.putPurchase({ ...purchase, note: "of globex" }, null));
    assert.deepEqual(await runStep(storage.reader(acme.id).findPurchase("till", "1")), purchase);
  },

  "purchases are listed newest first, then by id, with any combination of filters": async (storage, acme) => {
    const [ada, template] = [await acme.user(), await acme.template()];
    const [pass, other] = [await acme.pass(ada, template), await acme.pass(ada, template)];
    const first = await acme.purchase({ id: "b", source: "till", userId: ada.id, at: 5 });
    const second = await acme.purchase({ id: "a", source: "shop", userId: ada.id, at: 5 });
    const third = await acme.purchase({ id: "c", source: "till", at: 4 });
    const fourth = await acme.purchase({ id: "d", source: "till", userId: "usr_gone", at: 9 });
    for (const purchase of [first, third]) await acme.effect(purchase, pass);
    await acme.effect(second, other);
    const list = async (filter: Partial<PurchaseFilter>, offset = 0, limit = 10) => {
      const { items, total } = await runStep(
        storage.reader(acme.id).listPurchases({ ...noFilter, ...filter }, offset, limit),
      );
      return [items, total];
    };
    assert.deepEqual(await list({}), [[fourth, first, second, third], 4]);
    assert.deepEqual(await list({}, 1, 2), [[first, second], 4]);
    assert.deepEqual(await list({}, 4), [[], 4]);
    assert.deepEqual(await list({ userId: ada.id }), [[first, second], 2]);
    // The third purchase belongs to another customer now.
    assert.deepEqual(await list({ passId: pass.id }), [[first], 1]);
    assert.deepEqual(await list({ source: "till" }), [[fourth, first, third], 3]);
    assert.deepEqual(await list({ from: 5, to: 9 }), [[first, second], 2]);
    assert.deepEqual(await list({ userId: ada.id, passId: pass.id, source: "till" }), [[first], 1]);
    assert.deepEqual(await list({ passId: other.id, source: "till" }), [[], 0]);
    assert.deepEqual(await list({ userId: "none" }), [[], 0]);
  },

  "purchases are read in batches, in the same order as the list": async (storage, acme) => {
    const first = await acme.purchase({ id: "b", at: 5 });
    const second = await acme.purchase({ id: "a", at: 5 });
    const third = await acme.purchase({ id: "c", at: 4 });
    const readBatch = (before: StoredPurchase | null, limit: number) =>
      runStep(storage.reader(acme.id).purchasesBefore(before, limit));
    assert.deepEqual(await readBatch(null, 2), [first, second]);
    assert.deepEqual(await readBatch(first, 1), [second]);
    assert.deepEqual(await readBatch(second, 2), [third]);
    assert.deepEqual(await readBatch(third, 2), []);
  },

  "putPurchaseEffect changes a purchase's effect, but not the program that applied to it": async (
    storage,
    acme,
  ) => {
    const [ada, template] = [await acme.user(), await acme.template()];
    const pass = await acme.pass(ada, template);
    const purchase = await acme.purchase({ at: 5 });
    const effect = await acme.effect(purchase, pass, { units: 3, dailyAllowance: 7 });
    const expectedEffect = {
      ...effect,
      units: 1,
      notTaken: 2,
      cut: 4,
      because: "currency_mismatch",
      at: 6,
    } as const;
    const update = {
      ...expectedEffect,
      programVersion: 9,
      dailyAllowance: null,
      unit: "stamps",
      position: 8,
    } as const;
    await acme.write((tx) => tx.putPurchaseEffect(update));
    assert.deepEqual(await runStep(storage.reader(acme.id).effectsOfPurchases([purchase.id, "none"])), [
      expectedEffect,
    ]);
  },

  "effects of purchases are sorted by position": async (storage, acme) => {
    const [ada, template] = [await acme.user(), await acme.template()];
    const passes = [
      await acme.pass(ada, template, { id: "c" }),
      await acme.pass(ada, template, { id: "a" }),
      await acme.pass(ada, template, { id: "b" }),
    ];
    const purchase = await acme.purchase();
    const effects = [];
    for (const [position, pass] of passes.entries()) {
      effects.push(await acme.effect(purchase, pass, { position }));
    }
    assert.deepEqual(await runStep(storage.reader(acme.id).effectsOfPurchases([purchase.id])), effects);
  },

  "unitsOfPurchases adds up the units of a pass in a period, except those of one purchase": async (
    storage,
    acme,
  ) => {
    const [ada, template] = [await acme.user(), await acme.template()];
    const [pass, other] = [await acme.pass(ada, template), await acme.pass(ada, template)];
    const purchaseIds = [];
    for (const at of [4, 5, 6, 7, 8]) {
      const purchase = await acme.purchase({ at });
      purchaseIds.push(purchase.id);
      await acme.effect(purchase, pass, { units: 10 ** (at - 4), notTaken: 5 });
      await acme.effect(purchase, other, { units: 1_000_000 });
    }
    const sumUnits = (from: number, until: number, except = "none") =>
      runStep(storage.reader(acme.id).unitsOfPurchases(pass.id, from, until, except));
    assert.equal(await sumUnits(5, 8), 1_110);
    assert.equal(await sumUnits(5, 8, purchaseIds[2]), 1_010);
    assert.equal(await sumUnits(9, 10), 0);
  },

  "purchaseVisits returns purchases that have stamps on the pass, including stamps that couldn't be taken back":
    async (storage, acme) => {
      const pass = await acme.pass(await acme.user(), await acme.template());
      const visit = async (at: number, fields: Parameters<typeof acme.effect>[2]) =>
        acme.effect(await acme.purchase({ at }), pass, { unit: "stamps", ...fields });
      await visit(1, { units: 1 });
      await visit(3, { units: 0 });
      await visit(2, { units: 0, notTaken: 1 });
      await visit(9, { unit: "points", units: 1 });
      await visit(5, { units: 2 });
      assert.deepEqual(await runStep(storage.reader(acme.id).purchaseVisits(pass.id, 10)), [5, 2, 1]);
      assert.deepEqual(await runStep(storage.reader(acme.id).purchaseVisits(pass.id, 2)), [5, 2]);
    },

  "a return is stored once per id, and returns are listed oldest first": async (storage, acme) => {
    const [purchase, other] = [await acme.purchase(), await acme.purchase()];
    const second = await acme.purchaseReturn(purchase, { returnId: "a", createdAt: 7 });
    const first = await acme.purchaseReturn(purchase, { returnId: "b", createdAt: 5, lines: "[]" });
    await acme.purchaseReturn(purchase, { returnId: "c", createdAt: 5 });
    const third = await acme.purchaseReturn(purchase, { returnId: "c", createdAt: 5, note: "again" });
    const otherReturn = await acme.purchaseReturn(other, { returnId: "a" });
    assert.deepEqual(await runStep(storage.reader(acme.id).returnsOfPurchase(purchase.id)), [
      first,
      third,
      second,
    ]);
    assert.deepEqual(await runStep(storage.reader(acme.id).findPurchaseReturn(other.id, "a")), otherReturn);
    assert.equal(await runStep(storage.reader(acme.id).findPurchaseReturn(purchase.id, "A")), null);
  },

  "a purchase and its returns outlive the customer and the pass, but its effects don't": async (
    storage,
    acme,
  ) => {
    const ada = await acme.user();
    const pass = await acme.pass(ada, await acme.template());
    const purchase = await acme.purchase({ userId: ada.id, source: "till", receipt: "1" });
    await acme.effect(purchase, pass, { units: 1 });
    const purchaseReturn = await acme.purchaseReturn(purchase, { returnId: "a" });
    await acme.write((tx) => tx.deleteUser(ada.id));
    assert.deepEqual(await runStep(storage.reader(acme.id).findPurchase("till", "1")), purchase);
    assert.deepEqual(await runStep(storage.reader(acme.id).returnsOfPurchase(purchase.id)), [purchaseReturn]);
    assert.deepEqual(await runStep(storage.reader(acme.id).effectsOfPurchases([purchase.id])), []);
  },

  "past programs are found by version, and are deleted with their template": async (storage, acme) => {
    const [template, other] = [await acme.template(), await acme.template()];
    const first = await acme.pastProgram(template, { version: 1, earning: "{}", points: '{"unit":null}' });
    const second = await acme.pastProgram(template, { version: 2 });
    const otherProgram = await acme.pastProgram(other, { version: 1 });
    await assert.rejects(acme.pastProgram(template, { version: 2 }));
    const find = (id: string, version: number) =>
      runStep(storage.reader(acme.id).findPastProgram(id, version));
    assert.deepEqual(await find(template.id, 1), first);
    assert.deepEqual(await find(template.id, 2), second);
    assert.equal(await find(template.id, 3), null);
    await acme.write((tx) => tx.deleteTemplate(template.id));
    assert.equal(await find(template.id, 1), null);
    assert.deepEqual(await find(other.id, 1), otherProgram);
  },
};
