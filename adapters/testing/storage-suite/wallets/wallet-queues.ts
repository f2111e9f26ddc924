import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { JobResult } from "../../../../src/storage/jobs.js";
import { type StoredWalletDelivery, walletJobs } from "../../../../src/storage/wallets.js";
import { SuiteOrganization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

const listPassIds = (deliveries: readonly StoredWalletDelivery[]) => deliveries.map(({ passId }) => passId);

/** Creates a queue, and a card with a delivery that is due at 5. */
async function createCardWithDelivery(acme: SuiteOrganization) {
  await acme.walletQueue();
  const card = await acme.walletCard();
  return { card, delivery: await acme.walletDelivery(card, { nextAttemptAt: 5 }) };
}

/** Records an Apple delivery's result at 15: the delivery is done, unless there is a next attempt. */
function recordResult(
  acme: SuiteOrganization,
  lease: string,
  result: Pick<JobResult, "subject"> & Partial<JobResult>,
) {
  const results = [{ revision: 1, nextAttemptAt: null, ...result }];
  return acme.write((tx) => tx.recordResults(walletJobs, "apple", lease, results, 15));
}

export const walletQueues: Statements = {
  "a claim takes only deliveries of its platform, longest-due first": async (_storage, acme) => {
    await acme.walletQueue();
    const dueTimes: Readonly<Record<string, number>> = { a: 5, b: 3, c: 5, d: 1, e: 11 };
    for (const [passId, nextAttemptAt] of Object.entries(dueTimes)) {
      const card = await acme.walletCard({ passId });
      await acme.walletDelivery(card, { nextAttemptAt });
      if (passId === "a") await acme.walletDelivery(card, { platform: "google", nextAttemptAt });
    }
    const claimed = [];
    for (const limit of [2, 2, 2]) claimed.push(listPassIds(await acme.claimWallet({ limit })));
    assert.deepEqual(claimed, [["d", "b"], ["a", "c"], []]);
    assert.deepEqual(listPassIds(await acme.claimWallet({ now: 11, until: 30 })), ["e"]);
    assert.deepEqual(listPassIds(await acme.claimWallet({}, "google")), ["a"]);
  },

  "a claimed delivery is due again when the claim ends, not before": async (_storage, acme) => {
    const { card } = await createCardWithDelivery(acme);
    await acme.claimWallet({ now: 10, until: 20 });
    assert.deepEqual(await acme.claimWallet({ lease: "second", now: 19, until: 40 }), []);
    assert.deepEqual(listPassIds(await acme.claimWallet({ lease: "third", now: 20, until: 30 })), [
      card.passId,
    ]);
  },

  "an existing delivery gets the new revision, and keeps its due time": async (_storage, acme) => {
    const { card, delivery } = await createCardWithDelivery(acme);
    await acme.walletDelivery(card, { revision: 4, nextAttemptAt: 99, createdAt: 7 });
    assert.deepEqual(await acme.claimWallet(), [{ ...delivery, revision: 4, nextAttemptAt: 20 }]);
  },

  "a finished delivery is removed": async (_storage, acme) => {
    const { card } = await createCardWithDelivery(acme);
    await acme.claimWallet();
    assert.deepEqual(await recordResult(acme, "first", { subject: card.passId }), [card.passId]);
    assert.deepEqual(await acme.claimWallet({ lease: "second", now: 100, until: 200 }), []);
  },

  "a delivery to be retried is due at its next attempt, with one more attempt counted": async (
    _storage,
    acme,
  ) => {
    const { card, delivery } = await createCardWithDelivery(acme);
    await acme.claimWallet();
    await recordResult(acme, "first", { subject: card.passId, nextAttemptAt: 50 });
    assert.deepEqual(await acme.claimWallet({ lease: "second", now: 49, until: 60 }), []);
    assert.deepEqual(await acme.claimWallet({ lease: "second", now: 50, until: 60 }), [
      { ...delivery, attempts: 1, nextAttemptAt: 60 },
    ]);
  },

  "a finished delivery that has a newer revision by then is due immediately, with no attempts": async (
    _storage,
    acme,
  ) => {
    const { card, delivery } = await createCardWithDelivery(acme);
    await acme.claimWallet();
    await recordResult(acme, "first", { subject: card.passId, nextAttemptAt: 10 });
    await acme.claimWallet({ lease: "second" });
    await acme.walletDelivery(card, { revision: 2 });
    assert.deepEqual(await recordResult(acme, "second", { subject: card.passId }), [card.passId]);
    assert.deepEqual(await acme.claimWallet({ now: 14, until: 40 }), []);
    assert.deepEqual(await acme.claimWallet({ now: 15, until: 40 }), [
      { ...delivery, revision: 2, nextAttemptAt: 40 },
    ]);
  },

  "no result is recorded under a lease that another claim has replaced, or whose result was already recorded":
    async (_storage, acme) => {
      const { card } = await createCardWithDelivery(acme);
      await acme.claimWallet();
      await acme.claimWallet({ lease: "second", now: 20, until: 30 });
      assert.deepEqual(await recordResult(acme, "first", { subject: card.passId }), []);
      assert.deepEqual(await recordResult(acme, "first", { subject: card.passId, nextAttemptAt: 1 }), []);
      assert.deepEqual(await acme.claimWallet({ lease: "third", now: 29, until: 40 }), []);
      await recordResult(acme, "second", { subject: card.passId, nextAttemptAt: 35 });
      assert.deepEqual(await recordResult(acme, "second", { subject: card.passId }), []);
      assert.deepEqual(listPassIds(await acme.claimWallet({ now: 35, until: 40 })), [card.passId]);
    },

  "wallet queues of all organizations are served, longest-waiting for a delivery first": async (
    storage,
    acme,
  ) => {
    const organizations = [
      acme,
      new SuiteOrganization(storage, "globex"),
      new SuiteOrganization(storage, "initech"),
    ];
    for (const [at, organization] of organizations.entries()) {
      await organization.walletQueue();
      await organization.walletDelivery(await organization.walletCard(), { nextAttemptAt: 9 - at });
    }
    assert.deepEqual(await runStep(storage.all.queuesWithDueJobs(walletJobs, 10, 10)), [
      "initech",
      "globex",
      "acme",
    ]);
    assert.deepEqual(await runStep(storage.all.queuesWithDueJobs(walletJobs, 10, 2)), ["initech", "globex"]);
    assert.deepEqual(await runStep(storage.all.queuesWithDueJobs(walletJobs, 7, 10)), ["initech"]);
  },
};
