import assert from "node:assert/strict";
import { run, type Step } from "../../concurrency/step.js";
import type { StorageReader, StorageTransaction } from "../../storage/storage-adapter.js";
import { everyRead } from "../kit/every-read.js";
import { quietWrites, writes } from "../kit/every-write.js";
import { TestOrganization } from "../kit/organization.js";
import {
  someAssignment,
  someDelivery,
  someGrantToken,
  somePass,
  someStamp,
  someWalletDelivery,
} from "../kit/records.js";
import { Rows } from "../kit/rows.js";
import { scene, setScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";

const globex = "globex";

/** The reads of rows with an id or a hash that is unique over all organizations. */
const ofUnsharedIds: ReadonlySet<string> = new Set([
  "findApiToken",
  "listApiTokens",
  "findApiTokenByHash",
  "findApp",
  "listApps",
  "findGrantTokenByHash",
  "listGrants",
  "findWalletCard",
  "walletCardsOf",
  "walletCardsOfTemplate",
  "walletDevicesOf",
  "findWalletPass",
  "walletPassesBehind",
  "walletCardsBehind",
  "walletCardsOfDevice",
  "walletDevicesOfToken",
  "walletQueuesToServe",
  "organizationsWithWallets",
  "listPictures",
  "findPicture",
]);

/** The reads that are asked of no organization, and may see all. */
const ofAll: ReadonlySet<string> = new Set(["isEmpty", "organizationOfCode", "organizationOfTemplate"]);

/** What every read of one organization gives. */
function* readsOf(reader: StorageReader, organizationId: string): Step<Record<string, unknown>> {
  const reads = Object.entries(yield* everyRead(reader, organizationId));
  return Object.fromEntries(reads.filter(([method]) => !ofAll.has(method)));
}

/** The writes that need no row which is there already. */
const OF_NEW_ROWS = /^(insert|put|append|assign|nextUser|rebuild|countOnDay|lockAudit|recordStamps)/;

/** Those of the others that say nothing. */
const SILENT = /^(forget|replaceEventData|updateWalletCards|settle)/;

/** Whether a write says that it did nothing. */
function isNothing(answer: unknown): boolean {
  if (Array.isArray(answer)) return answer.length === 0;
  if (typeof answer === "object" && answer !== null && "removed" in answer) return answer.removed === 0;
  return answer === false || answer === null || answer === 0;
}

/** Every reference of a write, to a row that only another organization has. */
const references: Readonly<Record<string, (tx: StorageTransaction, globex: Rows) => Step<unknown>>> = {
  "assignTag can't refer to a user": function* (tx, globex) {
    return yield* tx.assignTag(globex.id, someAssignment(scene.bob, yield* globex.tag()));
  },
  "assignTag can't refer to a tag": function* (tx, globex) {
    return yield* tx.assignTag(globex.id, someAssignment(yield* globex.user(), scene.vip));
  },
  "assignTags can't refer to a user": function* (tx, globex) {
    const tag = yield* globex.tag();
    return yield* tx.assignTags(globex.id, [
      someAssignment(yield* globex.user(), tag),
      someAssignment(scene.bob, tag),
    ]);
  },
  "assignTags can't refer to a tag": function* (tx, globex) {
    const user = yield* globex.user();
    return yield* tx.assignTags(globex.id, [
      someAssignment(user, yield* globex.tag()),
      someAssignment(user, scene.regular),
    ]);
  },
  "insertPass can't refer to a user": function* (tx, globex) {
    return yield* tx.insertPass(globex.id, somePass(scene.bob, yield* globex.template()));
  },
  "insertPass can't refer to a template": function* (tx, globex) {
    return yield* tx.insertPass(globex.id, somePass(yield* globex.user(), scene.coffee));
  },
  "insertPasses can't refer to a user": function* (tx, globex) {
    const pass = somePass(scene.bob, yield* globex.template());
    return yield* tx.insertPasses(globex.id, [{ pass, entries: [] }]);
  },
  "insertPasses can't refer to a template": function* (tx, globex) {
    const pass = somePass(yield* globex.user(), scene.coffee);
    return yield* tx.insertPasses(globex.id, [{ pass, entries: [] }]);
  },
  "recordStamps can't refer to a pass": (tx, globex) => {
    const { card, entry } = someStamp(scene.pass);
    return tx.recordStamps(globex.id, card, entry);
  },
  "insertGrantToken can't refer to a grant": (tx, globex) =>
    tx.insertGrantToken(globex.id, someGrantToken(scene.grantOf("acme"))),
  "insertDeliveries can't refer to an endpoint": (tx, globex) =>
    tx.insertDeliveries(globex.id, scene.endpoint.id, [someDelivery(scene.endpoint)]),
  "putWalletDevice can't refer to a card": (tx, globex) =>
    tx.putWalletDevice(globex.id, scene.walletDeviceOf("acme")),
  "putWalletDeliveries can't refer to a card": (tx, globex) =>
    tx.putWalletDeliveries(globex.id, [someWalletDelivery(scene.walletCardOf("acme"))]),
};

const everyMiss: Statements = Object.fromEntries(
  Object.entries(writes)
    .filter(([method]) => !OF_NEW_ROWS.test(method))
    .map(([method, write]) => [
      `${method} does not find a row of another organization`,
      async (storage, acme) => {
        await setScene(storage, acme.id);
        await new TestOrganization(storage, globex).user();
        const before = await run(everyRead(storage, acme.id));
        const answer = await storage.transaction((tx) => write(tx, globex, acme.id));
        assert.ok(SILENT.test(method) || isNothing(answer), `it answers ${JSON.stringify(answer)}`);
        assert.deepEqual(await run(everyRead(storage, acme.id)), before);
      },
    ]),
);

const everyReference: Statements = Object.fromEntries(
  Object.entries(references).map(([sentence, write]) => [
    `${sentence} of another organization`,
    async (storage, acme) => {
      await setScene(storage, acme.id);
      const before = await run(everyRead(storage, acme.id));
      const written = storage.transaction((tx) => write(tx, new Rows(globex, tx)));
      await assert.rejects(written);
      assert.deepEqual(await run(everyRead(storage, acme.id)), before);
    },
  ]),
);

const everyTouch: Statements = Object.fromEntries(
  Object.entries(writes).map(([method, write]) => [
    `${method} touches no row of another organization that has the same ids and keys`,
    async (storage, acme) => {
      for (const id of [acme.id, globex]) await setScene(storage, id);
      const [acmes, globexes] = [await run(readsOf(storage, acme.id)), await run(readsOf(storage, globex))];
      await storage.transaction((tx) => write(tx, globex));
      assert.deepEqual(await run(readsOf(storage, acme.id)), acmes);
      if (!quietWrites.has(method)) assert.notDeepEqual(await run(readsOf(storage, globex)), globexes);
    },
  ]),
);

export const isolation: Statements = {
  "no read sees rows of another organization": async (storage, acme) => {
    const before = await run(readsOf(storage, globex));
    await setScene(storage, acme.id);
    assert.deepEqual(await run(readsOf(storage, globex)), before);
  },

  "no read sees rows of another organization inside the transaction that wrote them": async (
    storage,
    acme,
  ) => {
    const before = await run(readsOf(storage, globex));
    await storage.transaction(function* (tx) {
      yield* acme
        .within(tx)
        .assign(yield* acme.within(tx).user(), yield* acme.within(tx).tag({ slug: "vip" }));
      assert.deepEqual(yield* readsOf(tx, globex), before);
    });
  },

  "the same ids, emails, external ids, slugs and codes live side by side": async (storage, acme) => {
    for (const id of [acme.id, globex]) await setScene(storage, id);
    const shared = async (organizationId: string) =>
      Object.entries(await run(everyRead(storage, organizationId))).filter(
        ([method]) => !ofUnsharedIds.has(method),
      );
    assert.deepEqual(await shared(acme.id), await shared(globex));
    assert.deepEqual(await run(storage.findUser(acme.id, scene.ada.id)), scene.ada);
    assert.deepEqual(await run(storage.findPassByCode(globex, scene.pass.code)), scene.pass);
  },

  ...everyMiss,
  ...everyReference,
  ...everyTouch,
};
