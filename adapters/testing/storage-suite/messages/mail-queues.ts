import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { mailJobs } from "../../../../src/storage/mail.js";
import { walletJobs } from "../../../../src/storage/wallets.js";
import type { SuiteOrganization as Organization } from "../kit/organization.js";
import { SuiteOrganization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

/** Adds a queue to an organization, with one job for each due time. */
async function addQueueWithJobs(organization: Organization, dueTimes: readonly number[]) {
  await organization.mailQueue();
  const deliveries = await organization.messageDeliveries(dueTimes.map(() => ({})));
  for (const [at, delivery] of deliveries.entries()) {
    await organization.mailJob(delivery, { nextAttemptAt: dueTimes[at] ?? 0 });
  }
  return deliveries;
}

export const mailQueues: Statements = {
  "mail queues are served longest-waiting first, but not without a due job, even if there are new events":
    async (storage, acme) => {
      const organizations = [
        acme,
        new SuiteOrganization(storage, "globex"),
        new SuiteOrganization(storage, "initech"),
      ];
      for (const [at, organization] of organizations.entries())
        await addQueueWithJobs(organization, [9 - at, 20]);
      const idle = new SuiteOrganization(storage, "idle");
      await idle.mailQueue();
      await idle.events([{}]);
      const findQueuesWithWork = (now: number, limit: number) =>
        runStep(storage.all.queuesWithDueJobs(mailJobs, now, limit));
      assert.deepEqual(await findQueuesWithWork(10, 10), ["initech", "globex", "acme"]);
      assert.deepEqual(await findQueuesWithWork(10, 2), ["initech", "globex"]);
      assert.deepEqual(await findQueuesWithWork(7, 10), ["initech"]);
      assert.deepEqual(await findQueuesWithWork(6, 10), []);
      assert.deepEqual(await runStep(storage.all.queuesWithDueJobs(walletJobs, 10, 10)), []);
    },

  "a mail queue is served when its next job is due, in any lane": async (storage, acme) => {
    const [first, second] = await addQueueWithJobs(acme, [3, 5]);
    assert.ok(first && second);
    await acme.mailJob(second, { lane: "message", nextAttemptAt: 4 });
    const hasDueWork = async (now: number) =>
      (await runStep(storage.all.queuesWithDueJobs(mailJobs, now, 10))).length === 1;
    assert.equal(await hasDueWork(3), true);
    await acme.claimMail({ now: 3, until: 13 });
    assert.deepEqual([await hasDueWork(3), await hasDueWork(4)], [false, true]);
    const finishedResult = { subject: first.id, revision: 1, nextAttemptAt: null };
    await acme.write((tx) => tx.recordResults(mailJobs, "pass", "first", [finishedResult], 3));
    await acme.write((tx) => tx.removeMessageDeliveries({ userId: second.userId }));
    assert.equal(await hasDueWork(100), false);
  },

  "the due jobs of a lane are counted up to a limit, excluding claimed jobs": async (storage, acme) => {
    const [first] = await addQueueWithJobs(acme, [3, 5, 5, 8]);
    assert.ok(first);
    await acme.mailJob(first, { lane: "message", nextAttemptAt: 1 });
    const count = (now: number, limit: number) =>
      runStep(storage.reader(acme.id).countDueJobs(mailJobs, "pass", now, limit));
    assert.deepEqual([await count(2, 9), await count(5, 9), await count(8, 2)], [0, 3, 2]);
    await acme.claimMail({ now: 3, until: 13 });
    assert.deepEqual([await count(12, 9), await count(13, 9)], [3, 4]);
    assert.equal(await runStep(storage.reader("globex").countDueJobs(mailJobs, "pass", 13, 9)), 0);
  },

  "a claimed mail can't be claimed again until its claim ends, and then belongs to the next claim": async (
    _storage,
    acme,
  ) => {
    const deliveries = await addQueueWithJobs(acme, [3, 3, 8]);
    const ids = deliveries.map(({ id }) => id);
    const claim = async (lease: string, now: number) =>
      (await acme.claimMail({ lease, now, until: now + 60 })).map(({ deliveryId }) => deliveryId);
    const recordResult = (lease: string, nextAttemptAt: number | null) =>
      acme.write((tx) =>
        tx.recordResults(
          mailJobs,
          "pass",
          lease,
          ids.map((subject) => ({ subject, revision: 1, nextAttemptAt })),
          9,
        ),
      );
    assert.deepEqual(await claim("first", 5), ids.slice(0, 2));
    assert.deepEqual(await claim("second", 5), []);
    assert.deepEqual(await claim("second", 8), ids.slice(2));
    assert.deepEqual(await recordResult("first", 10), ids.slice(0, 2));
    assert.deepEqual(await claim("third", 67), ids.slice(0, 2));
    assert.deepEqual(await claim("fourth", 68), ids.slice(2));
    assert.deepEqual(await recordResult("second", null), []);
    assert.deepEqual(await recordResult("third", null), ids.slice(0, 2));
  },

  "concurrent claims share no mail and skip none": async (storage, acme) => {
    const deliveries = await addQueueWithJobs(acme, new Array(12).fill(5));
    const claim = (lease: string) =>
      storage.transaction(acme.id, function* (tx) {
        yield* tx.lockQueue(mailJobs);
        return yield* tx.claimJobs(mailJobs, "pass", { lease, now: 10, until: 20, limit: 3 });
      });
    const claims = await Promise.all(["a", "b", "c", "d", "e"].map(claim));
    assert.deepEqual(
      claims
        .flat()
        .map(({ deliveryId }) => deliveryId)
        .sort(),
      deliveries.map(({ id }) => id).sort(),
    );
  },
};
