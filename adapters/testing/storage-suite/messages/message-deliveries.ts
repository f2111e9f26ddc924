import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import {
  type MailOwner,
  type MessageDeliveryOwner,
  mailJobs,
  type StoredMessageDelivery,
} from "../../../../src/storage/mail.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { someMessageAttempt } from "../kit/mail-records.js";
import { SuiteOrganization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

const adaPass = { userId: "ada", passId: "pass" };

const listAll = (storage: StorageAdapter, { id }: SuiteOrganization, owner: MessageDeliveryOwner) =>
  runStep(storage.reader(id).messageDeliveriesOf(owner, { status: null, page: 0, size: 1_000 }));

const listTimes = (deliveries: readonly StoredMessageDelivery[]) =>
  deliveries.map(({ createdAt }) => createdAt);

export const messageDeliveries: Statements = {
  "each organization has its own mail queue, which is replaced as a whole": async (storage, acme) => {
    const globex = new SuiteOrganization(storage, "globex");
    const [acmeQueue, globexQueue] = [await acme.mailQueue(), await globex.mailQueue()];
    assert.deepEqual(await runStep(storage.reader(acme.id).findQueue(mailJobs)), acmeQueue);
    const changes = { token: "changed", linkKey: "sealed.key" };
    assert.equal(await acme.write((tx) => tx.updateQueue(mailJobs, changes)), true);
    assert.equal(await storage.transaction("initech", (tx) => tx.updateQueue(mailJobs, changes)), false);
    assert.deepEqual(await runStep(storage.all.mailQueuesAfter("", 10)), [
      { organizationId: acme.id, queue: changes },
      { organizationId: globex.id, queue: globexQueue },
    ]);
    assert.deepEqual(await runStep(storage.all.mailQueuesAfter(acme.id, 10)), [
      { organizationId: globex.id, queue: globexQueue },
    ]);
    await assert.rejects(acme.mailQueue());
  },

  "a mail token identifies the only organization that has it, and none if two organizations have it": async (
    storage,
    acme,
  ) => {
    const globex = new SuiteOrganization(storage, "globex");
    await acme.mailQueue({ token: "aBc" });
    await globex.mailQueue({ token: "abc" });
    const findOwner = (token: string) => runStep(storage.all.organizationOfMailToken(token));
    assert.deepEqual(await findOwner("aBc"), { organizationId: acme.id });
    assert.deepEqual(await findOwner("abc"), { organizationId: globex.id });
    assert.equal(await findOwner("ABC"), null);
    await new SuiteOrganization(storage, "initech").mailQueue({ token: "abc" });
    assert.equal(await findOwner("abc"), null);
  },

  "each organization has its own message settings, which are replaced as a whole": async (storage, acme) => {
    await acme.messageSettings({ senderName: "Coffee", quietFrom: "22:00", quietTo: "07:00" });
    const settings = await acme.messageSettings({ capDays: 7, capMessages: 2, isWalletDefault: true });
    assert.deepEqual(await runStep(storage.reader(acme.id).findMessageSettings()), settings);
    assert.equal(await runStep(storage.reader("globex").findMessageSettings()), null);
  },

  "deliveries of a pass or a user are listed newest first, in pages, with their total": async (
    storage,
    acme,
  ) => {
    const times = [3, 1, 4, 1, 5];
    await acme.messageDeliveries(times.map((createdAt, at) => ({ ...adaPass, id: `${at}`, createdAt })));
    await acme.messageDeliveries([{ ...adaPass, passId: "other", id: "x", createdAt: 2 }]);
    await acme.messageDeliveries([{ ...adaPass, passId: null, id: "y", createdAt: 9 }]);
    await new SuiteOrganization(storage, "globex").messageDeliveries([{ ...adaPass, createdAt: 7 }]);
    const listIds = async (owner: MessageDeliveryOwner, page: number, size: number) => {
      const { items, total } = await runStep(
        storage.reader(acme.id).messageDeliveriesOf(owner, { status: null, page, size }),
      );
      return [items.map(({ id }) => id).join(""), total];
    };
    assert.deepEqual(await listIds({ passId: "pass" }, 0, 10), ["42031", 5]);
    assert.deepEqual(await listIds({ passId: "pass" }, 0, 2), ["42", 5]);
    assert.deepEqual(await listIds({ passId: "pass" }, 1, 2), ["03", 5]);
    assert.deepEqual(await listIds({ passId: "pass" }, 2, 2), ["1", 5]);
    assert.deepEqual(await listIds({ passId: "pass" }, 3, 2), ["", 5]);
    assert.deepEqual(await listIds({ userId: "ada" }, 0, 10), ["y420x31", 7]);
    assert.deepEqual(await listIds({ passId: "none" }, 0, 10), ["", 0]);
  },

  "deliveries are listed by their current status": async (storage, acme) => {
    const [first, second] = await acme.messageDeliveries([
      { ...adaPass, createdAt: 1 },
      { ...adaPass, createdAt: 2 },
      { ...adaPass, createdAt: 3, status: "FAILED", nextAttemptAt: null },
    ]);
    assert.ok(first && second);
    const accepted = { ...first, status: "ACCEPTED", nextAttemptAt: null } as const;
    await acme.write((tx) => tx.updateMessageDeliveries([accepted]));
    const list = (status: StoredMessageDelivery["status"]) =>
      runStep(storage.reader(acme.id).messageDeliveriesOf({ passId: "pass" }, { status, page: 0, size: 10 }));
    assert.deepEqual(await list("ACCEPTED"), { items: [accepted], total: 1 });
    assert.deepEqual(await list("PENDING"), { items: [second], total: 1 });
    assert.equal((await list("FAILED")).total, 1);
    assert.deepEqual(await list("SKIPPED"), { items: [], total: 0 });
  },

  "updating a delivery keeps its user, pass, message and creation time, and replaces everything else": async (
    storage,
    acme,
  ) => {
    const [original] = await acme.messageDeliveries([{ ...adaPass, messageId: "msg" }]);
    assert.ok(original);
    const changes = {
      status: "SENDING",
      isUncertain: true,
      isSilent: true,
      attempts: [someMessageAttempt(), someMessageAttempt({ code: null, answer: null })],
      failures: 2,
      nextAttemptAt: null,
      updatedAt: original.updatedAt + 5,
    } as const;
    const update = { ...original, ...changes, userId: "eve", passId: null, messageId: null, createdAt: 0 };
    const missing = { ...update, id: "missing" };
    await acme.write((tx) => tx.updateMessageDeliveries([update, missing]));
    assert.deepEqual(await runStep(storage.reader(acme.id).findMessageDelivery(original.id)), {
      ...original,
      ...changes,
    });
    assert.equal(await runStep(storage.reader(acme.id).findMessageDelivery("missing")), null);
    await storage.transaction("globex", (tx) => tx.updateMessageDeliveries([original]));
    assert.deepEqual(await runStep(storage.reader(acme.id).messageDeliveriesById([original.id, "none"])), [
      { ...original, ...changes },
    ]);
  },

  "recentMailsOf returns when mails of some kinds were created after a time, newest first, ignoring skipped ones":
    async (storage, acme) => {
      await acme.messageDeliveries([
        { ...adaPass, createdAt: 5 },
        { ...adaPass, createdAt: 6, kind: "link", status: "FAILED", nextAttemptAt: null },
        { ...adaPass, createdAt: 7, kind: "message" },
        { ...adaPass, createdAt: 8, status: "SKIPPED", nextAttemptAt: null },
        { ...adaPass, createdAt: 9, passId: "other", status: "ACCEPTED", nextAttemptAt: null },
      ]);
      const countRecent = (owner: MailOwner, since: number) =>
        runStep(storage.reader(acme.id).recentMailsOf(owner, ["pass", "link"], since));
      assert.deepEqual(await countRecent({ passId: "pass" }, 0), [6, 5]);
      assert.deepEqual(await countRecent({ passId: "pass" }, 5), [6]);
      assert.deepEqual(await countRecent({ userId: "ada" }, 4), [9, 6, 5]);
      assert.deepEqual(await countRecent({ userId: "ada" }, 9), []);
      assert.deepEqual(await runStep(storage.reader(acme.id).recentMailsOf({ userId: "ada" }, [], 0)), []);
      assert.deepEqual(
        await runStep(storage.reader("globex").recentMailsOf({ userId: "ada" }, ["pass"], 0)),
        [],
      );
      await acme.messageDeliveries(
        Array.from({ length: 150 }, (_, at) => ({ ...adaPass, createdAt: 10 + at })),
      );
      const newest = Array.from({ length: 100 }, (_, at) => 159 - at);
      assert.deepEqual(await countRecent({ passId: "pass" }, 0), newest);
    },

  "email deliveries count as pending until they are finished": async (storage, acme) => {
    const statuses = ["PENDING", "SENDING", "ACCEPTED", "SKIPPED", "FAILED", "PENDING"] as const;
    const acmeDeliveries = await acme.messageDeliveries(statuses.map((status) => ({ status })));
    await new SuiteOrganization(storage, "globex").messageDeliveries([{}]);
    await acme.messageDeliveries([{ channel: "wallet", status: "SENDING" }]);
    const count = () => runStep(storage.reader(acme.id).countOf("pendingMessageDeliveries"));
    assert.equal(await count(), 3);
    const [first] = acmeDeliveries;
    assert.ok(first);
    await acme.write((tx) => tx.updateMessageDeliveries([{ ...first, status: "ACCEPTED" }]));
    assert.equal(await count(), 2);
  },

  "the oldest finished deliveries are removed, up to a limit": async (storage, acme) => {
    const statuses = ["ACCEPTED", "PENDING", "FAILED", "SENDING", "SKIPPED", "ACCEPTED"] as const;
    await acme.messageDeliveries(statuses.map((status, at) => ({ ...adaPass, status, createdAt: at + 1 })));
    const remove = (before: number, limit: number) =>
      acme.write((tx) => tx.removeMessageDeliveries({ before, limit }));
    const listRemaining = async () => listTimes((await listAll(storage, acme, { userId: "ada" })).items);
    assert.equal(await remove(1, 100), 0);
    assert.equal(await remove(6, 2), 2);
    assert.deepEqual(await listRemaining(), [6, 5, 4, 2]);
    assert.equal(
      await storage.transaction("globex", (tx) => tx.removeMessageDeliveries({ before: 99, limit: 9 })),
      0,
    );
    assert.equal(await remove(6, 2), 1);
    assert.equal(await remove(6, 2), 0);
    assert.deepEqual(await listRemaining(), [6, 4, 2]);
  },

  "all deliveries of a user are removed, including their jobs": async (storage, acme) => {
    const globex = new SuiteOrganization(storage, "globex");
    await acme.mailQueue();
    const [mine, other] = await acme.messageDeliveries([{ ...adaPass }, { userId: "bob" }]);
    assert.ok(mine && other);
    await acme.messageDeliveries([{ ...adaPass, status: "ACCEPTED" }]);
    await globex.messageDeliveries([{ ...adaPass }]);
    for (const each of [mine, other]) await acme.mailJob(each);
    const remove = () => acme.write((tx) => tx.removeMessageDeliveries({ userId: "ada" }));
    assert.equal(await remove(), 2);
    assert.equal(await remove(), 0);
    assert.equal((await listAll(storage, acme, { userId: "ada" })).total, 0);
    assert.equal((await listAll(storage, globex, { userId: "ada" })).total, 1);
    assert.deepEqual(
      (await acme.claimMail()).map(({ deliveryId }) => deliveryId),
      [other.id],
    );
  },

  "a thousand deliveries can be inserted, changed, read and removed in one call each": async (
    storage,
    acme,
  ) => {
    const deliveries = await acme.messageDeliveries(
      Array.from({ length: 1_000 }, (_, at) => ({ ...adaPass, createdAt: at })),
    );
    const changedDeliveries = deliveries.map((each) => ({
      ...each,
      status: "ACCEPTED" as const,
      nextAttemptAt: null,
    }));
    await acme.write((tx) => tx.updateMessageDeliveries(changedDeliveries));
    const ids = changedDeliveries.map(({ id }) => id);
    assert.deepEqual(
      await runStep(storage.reader(acme.id).messageDeliveriesById(ids.toReversed())),
      changedDeliveries,
    );
    assert.deepEqual(
      (await listAll(storage, acme, { passId: "pass" })).items,
      changedDeliveries.toReversed(),
    );
    const selection = { before: 1_000, limit: 1_000 };
    assert.equal(await acme.write((tx) => tx.removeMessageDeliveries(selection)), 1_000);
    assert.deepEqual(await runStep(storage.reader(acme.id).messageDeliveriesById(ids)), []);
  },
};
