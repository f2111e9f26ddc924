import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StoredWalletDelivery } from "../../storage/wallets.js";
import { TestOrganization } from "../kit/organization.js";
import { someWalletCard, someWalletDelivery } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const passesOf = (deliveries: readonly StoredWalletDelivery[]) => deliveries.map(({ passId }) => passId);

/** A queue and a card with a delivery that is due at 5. */
async function cardWithOne(acme: TestOrganization) {
  await acme.walletQueue();
  const card = await acme.walletCard();
  return { card, delivery: await acme.walletDelivery(card, { nextAttemptAt: 5 }) };
}

const done = (passId: string, revision: number) => ({ passId, revision, deviceIds: [], nextAttemptAt: null });

export const walletQueues: Statements = {
  "a queue is found as it is stored; none is null": async (storage, acme) => {
    assert.equal(await run(storage.findWalletQueue(acme.id)), null);
    assert.equal(await acme.write((tx) => tx.lockWalletQueue(acme.id, true)), null);
    const sweeps = [
      { templateId: "coffee", after: "" },
      { templateId: null, after: "wp_1" },
    ];
    const queue = await acme.walletQueue({ position: 4, revision: 2, sweeps });
    assert.deepEqual(await run(storage.findWalletQueue(acme.id)), queue);
    for (const isWaiting of [true, false]) {
      assert.deepEqual(await acme.write((tx) => tx.lockWalletQueue(acme.id, isWaiting)), queue);
    }
  },

  "updateWalletQueue replaces the queue": async (storage, acme) => {
    const changed = { position: 9, revision: 5, sweeps: [{ templateId: "tea", after: "x" }] };
    assert.equal(await acme.write((tx) => tx.updateWalletQueue(acme.id, changed)), false);
    await acme.walletQueue();
    assert.equal(await acme.write((tx) => tx.updateWalletQueue(acme.id, changed)), true);
    assert.deepEqual(await run(storage.findWalletQueue(acme.id)), changed);
  },

  "deliveries are claimed when they are due, those that have been due longest first": async (
    _storage,
    acme,
  ) => {
    await acme.walletQueue();
    const due: Readonly<Record<string, number>> = { a: 5, b: 3, c: 5, d: 1, e: 11 };
    for (const [passId, nextAttemptAt] of Object.entries(due)) {
      await acme.walletDelivery(await acme.walletCard({ passId }), { nextAttemptAt });
    }
    const claimed = [];
    for (const limit of [2, 2, 2]) claimed.push(passesOf(await acme.claimWallet({ limit })));
    assert.deepEqual(claimed, [["d", "b"], ["a", "c"], []]);
    assert.deepEqual(passesOf(await acme.claimWallet({ now: 11, until: 30 })), ["e"]);
  },

  "a claim takes deliveries of its platform alone": async (_storage, acme) => {
    const { card, delivery } = await cardWithOne(acme);
    const google = await acme.walletDelivery(card, { platform: "google", nextAttemptAt: 5 });
    assert.deepEqual(await acme.claimWallet({}, "google"), [{ ...google, nextAttemptAt: 20 }]);
    assert.deepEqual(await acme.claimWallet(), [{ ...delivery, nextAttemptAt: 20 }]);
  },

  "a claimed delivery is due again when the claim ends, not before": async (_storage, acme) => {
    const { card } = await cardWithOne(acme);
    await acme.claimWallet({ now: 10, until: 20 });
    assert.deepEqual(await acme.claimWallet({ lease: "second", now: 19, until: 40 }), []);
    assert.deepEqual(passesOf(await acme.claimWallet({ lease: "third", now: 20, until: 30 })), [card.passId]);
  },

  "a delivery that is there already gets the new revision, and is due when it was": async (
    _storage,
    acme,
  ) => {
    const { card, delivery } = await cardWithOne(acme);
    await acme.walletDelivery(card, { revision: 4, nextAttemptAt: 99, createdAt: 7 });
    assert.deepEqual(await acme.claimWallet(), [{ ...delivery, revision: 4, nextAttemptAt: 20 }]);
  },

  "putWalletDeliveries refuses a delivery of no card": async (_storage, acme) => {
    const delivery = someWalletDelivery(someWalletCard());
    await assert.rejects(acme.write((tx) => tx.putWalletDeliveries(acme.id, [delivery])));
  },

  "what is told is removed, and the told devices know the revision": async (storage, acme) => {
    const { card } = await cardWithOne(acme);
    const [told, untold] = [await acme.walletDevice(card), await acme.walletDevice(card)];
    const sameId = await acme.walletDevice(card, { platform: "google", deviceId: told.deviceId });
    await acme.claimWallet();
    await acme.settleWallet([{ ...done(card.passId, 1), deviceIds: [told.deviceId] }]);
    assert.deepEqual(await acme.claimWallet({ lease: "second", now: 100, until: 200 }), []);
    assert.deepEqual(await run(storage.walletDevicesOf(acme.id, [card.passId])), [
      { ...told, toldRevision: 1 },
      untold,
      sameId,
    ]);
  },

  "what has got a later revision meanwhile is due at once, with no attempts": async (_storage, acme) => {
    const { card, delivery } = await cardWithOne(acme);
    await acme.claimWallet();
    await acme.settleWallet([{ ...done(card.passId, 1), nextAttemptAt: 10 }]);
    await acme.claimWallet({ lease: "second" });
    await acme.walletDelivery(card, { revision: 2 });
    await acme.settleWallet([done(card.passId, 1)], "second");
    assert.deepEqual(await acme.claimWallet({ now: 14, until: 40 }), []);
    assert.deepEqual(await acme.claimWallet({ now: 15, until: 40 }), [
      { ...delivery, revision: 2, nextAttemptAt: 40 },
    ]);
  },

  "what is to be tried again is due then, with one more attempt, and told devices are noted": async (
    storage,
    acme,
  ) => {
    const { card, delivery } = await cardWithOne(acme);
    const device = await acme.walletDevice(card);
    await acme.claimWallet();
    const outcome = { ...done(card.passId, 1), deviceIds: [device.deviceId], nextAttemptAt: 50 };
    await acme.settleWallet([outcome]);
    assert.deepEqual(await acme.claimWallet({ lease: "second", now: 49, until: 60 }), []);
    assert.deepEqual(await acme.claimWallet({ lease: "second", now: 50, until: 60 }), [
      { ...delivery, attempts: 1, nextAttemptAt: 60 },
    ]);
    assert.deepEqual(await run(storage.walletDevicesOf(acme.id, [card.passId])), [
      { ...device, toldRevision: 1 },
    ]);
  },

  "nothing is settled under a lease that another claim has followed, or that was settled": async (
    storage,
    acme,
  ) => {
    const { card } = await cardWithOne(acme);
    const device = await acme.walletDevice(card);
    await acme.claimWallet();
    await acme.claimWallet({ lease: "second", now: 20, until: 30 });
    const outcome = { ...done(card.passId, 1), deviceIds: [device.deviceId] };
    await acme.settleWallet([outcome]);
    await acme.settleWallet([{ ...outcome, nextAttemptAt: 1 }]);
    assert.deepEqual(await run(storage.walletDevicesOf(acme.id, [card.passId])), [device]);
    assert.deepEqual(await acme.claimWallet({ lease: "third", now: 29, until: 40 }), []);
    await acme.settleWallet([{ ...outcome, deviceIds: [], nextAttemptAt: 35 }], "second");
    await acme.settleWallet([outcome], "second");
    assert.deepEqual(passesOf(await acme.claimWallet({ now: 35, until: 40 })), [card.passId]);
  },

  "a queue is served when a delivery is due, its position is behind, or it has a sweep": async (
    storage,
    acme,
  ) => {
    const served = (now: number) => storage.walletQueuesToServe(now, 10);
    const { card } = await cardWithOne(acme);
    assert.deepEqual([await run(served(4)), await run(served(5))], [[], [acme.id]]);
    await acme.claimWallet();
    assert.deepEqual([await run(served(19)), await run(served(20))], [[], [acme.id]]);
    await acme.settleWallet([done(card.passId, 1)]);
    assert.deepEqual(await run(served(100)), []);
    const update = (position: number, sweeps: { templateId: null; after: string }[]) =>
      acme.write((tx) => tx.updateWalletQueue(acme.id, { position, revision: 1, sweeps }));
    await update(0, [{ templateId: null, after: "" }]);
    assert.deepEqual(await run(served(0)), [acme.id]);
    await update(0, []);
    await acme.events([{}, {}]);
    assert.deepEqual(await run(served(0)), [acme.id]);
    await update(2, []);
    assert.deepEqual(await run(served(0)), []);
  },

  "the organizations with a queue are listed by their ids": async (storage, acme) => {
    for (const organization of [new TestOrganization(storage, "initech"), acme])
      await organization.walletQueue();
    await new TestOrganization(storage, "globex").tag();
    assert.deepEqual(await run(storage.organizationsWithWallets("", 10)), ["acme", "initech"]);
    assert.deepEqual(await run(storage.organizationsWithWallets("acme", 10)), ["initech"]);
    assert.deepEqual(await run(storage.organizationsWithWallets("", 1)), ["acme"]);
    assert.deepEqual(await run(storage.organizationsWithWallets("initech", 10)), []);
  },

  "queues of all organizations are served, those first that wait longest for a delivery": async (
    storage,
    acme,
  ) => {
    const organizations = [
      acme,
      new TestOrganization(storage, "globex"),
      new TestOrganization(storage, "initech"),
    ];
    for (const [at, organization] of organizations.entries()) {
      await organization.walletQueue();
      await organization.walletDelivery(await organization.walletCard(), { nextAttemptAt: 9 - at });
    }
    assert.deepEqual(await run(storage.walletQueuesToServe(10, 10)), ["initech", "globex", "acme"]);
    assert.deepEqual(await run(storage.walletQueuesToServe(10, 2)), ["initech", "globex"]);
    assert.deepEqual(await run(storage.walletQueuesToServe(7, 10)), ["initech"]);
  },
};
