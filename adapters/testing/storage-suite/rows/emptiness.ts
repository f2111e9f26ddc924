import assert from "node:assert/strict";
import { runStep, type Step } from "../../../../src/base/concurrency/step.js";
import { automationJobs } from "../../../../src/storage/automations.js";
import { mailJobs } from "../../../../src/storage/mail.js";
import { messageJobs } from "../../../../src/storage/messages.js";
import type { StorageTransaction } from "../../../../src/storage/storage-adapter.js";
import { walletJobs } from "../../../../src/storage/wallets.js";
import { somePurchase } from "../kit/purchase-records.js";
import { hashToken, someApp, someTagRemoval } from "../kit/records.js";
import type { Rows } from "../kit/rows.js";
import type { Statements } from "../kit/statements.js";

/** Functions that each add a row without dependencies and return a function that removes it. */
const rows: Readonly<Record<string, (acme: Rows) => Step<(tx: StorageTransaction) => Step<boolean>>>> = {
  user: function* (acme) {
    const { id } = yield* acme.user();
    return (tx) => tx.deleteUser(id);
  },
  tag: function* (acme) {
    const tag = yield* acme.tag();
    return function* (tx) {
      yield* tx.removeTag(someTagRemoval(tag));
      yield* tx.endTagRemoval(tag.ordinal);
      return true;
    };
  },
  template: function* (acme) {
    const { id } = yield* acme.template();
    return (tx) => tx.deleteTemplate(id);
  },
  "day's count": function* (acme) {
    yield* acme.tx.addCounts(5, { stamps: 1 });
    return function* (tx) {
      yield* tx.addCounts(5, { stamps: -1 });
      return true;
    };
  },
  event: function* (acme) {
    yield* acme.events([{}]);
    return function* (tx) {
      const range = { after: 0, limit: 1 };
      return (yield* tx.removeEvents({ since: 0, atMost: 0 }, range)).removed === 1;
    };
  },
  "API token": function* (acme) {
    const { id } = yield* acme.apiToken();
    return (tx) => tx.deleteApiToken(id);
  },
  answer: function* (acme) {
    const { createdAt } = yield* acme.answer();
    return function* (tx) {
      return (yield* tx.removeExpiredIdempotencyRecords(createdAt + 1, 1)) === 1;
    };
  },
  mark: function* (acme) {
    const { until } = yield* acme.mark();
    return function* (tx) {
      return (yield* tx.removeExpiredCooldowns(until + 1, 1)) === 1;
    };
  },
  person: function* (acme) {
    const { id } = yield* acme.person();
    return (tx) => tx.deletePerson(id);
  },
  app: function* (acme) {
    const { id } = yield* acme.app();
    return (tx) => tx.deleteApp(id);
  },
  grant: function* (acme) {
    const { id } = yield* acme.grant(someApp());
    return (tx) => tx.deleteGrant(id);
  },
  "webhook endpoint": function* (acme) {
    const { id } = yield* acme.webhookEndpoint();
    return (tx) => tx.deleteWebhookEndpoint(id);
  },
  "wallet card": function* (acme) {
    const { passId } = yield* acme.walletCard();
    return (tx) => tx.deleteWalletCard(passId);
  },
  "message delivery": function* (acme) {
    const [{ createdAt } = { createdAt: 0 }] = yield* acme.messageDeliveries([{ status: "ACCEPTED" }]);
    return function* (tx) {
      return (yield* tx.removeMessageDeliveries({ before: createdAt + 1, limit: 1 })) === 1;
    };
  },
  message: function* (acme) {
    const { id } = yield* acme.message();
    return (tx) => tx.deleteMessage(id);
  },
  segment: function* (acme) {
    const { id } = yield* acme.segment();
    return (tx) => tx.deleteSegment(id);
  },
  automation: function* (acme) {
    const { id } = yield* acme.automation();
    return (tx) => tx.deleteAutomation(id);
  },
  picture: function* (acme) {
    const { hash } = yield* acme.picture();
    return (tx) => tx.deletePicture(hash);
  },
};

const everyKind: Statements = Object.fromEntries(
  Object.entries(rows).map(([kind, add]) => [
    `a store where an organization has ever stored a ${kind} is not empty`,
    async (storage, acme) => {
      const remove = await acme.write((tx) => add(acme.withTransaction(tx)));
      assert.equal(await runStep(storage.all.isEmpty()), false);
      assert.equal(await acme.write(remove), true);
      assert.equal(await runStep(storage.all.isEmpty()), false);
    },
  ]),
);

export const emptiness: Statements = {
  "a new store is empty, and reading doesn't change that": async (storage, acme) => {
    assert.equal(await runStep(storage.all.isEmpty()), true);
    await runStep(storage.reader(acme.id).listUsers(-1, 10));
    await runStep(storage.reader(acme.id).readTagSets(["vip"]));
    await runStep(storage.reader(acme.id).listEvents(null, 0, 10));
    await runStep(storage.reader(acme.id).newestEventPosition());
    await runStep(storage.reader(acme.id).readDayCounts(0, 10));
    await runStep(storage.reader(acme.id).findIdempotencyRecord(hashToken("key")));
    await runStep(storage.reader(acme.id).findCooldown("mark"));
    await runStep(storage.reader(acme.id).listPeople());
    await runStep(storage.all.peopleByEmail("ada@example.com", 10));
    await runStep(storage.all.peopleById("per_ada", 10));
    await runStep(storage.all.hasPeople());
    await runStep(storage.reader(acme.id).listApps());
    await runStep(storage.reader(acme.id).listGrants());
    await runStep(storage.reader(acme.id).listWebhookEndpoints());
    await runStep(storage.all.endpointsWithDueWork(10, 10, 0));
    await runStep(storage.reader(acme.id).findQueue(walletJobs));
    await runStep(storage.all.queuesWithDueJobs(walletJobs, 10, 10));
    await runStep(storage.all.organizationsWithWallets("", 10));
    await runStep(storage.reader(acme.id).listPictures());
    await runStep(storage.reader(acme.id).listSegments());
    await runStep(storage.reader(acme.id).findSegmentFollower());
    await runStep(storage.all.organizationsWithSavedSegments("", 10));
    await runStep(storage.all.organizationsToFollow(10, 10));
    await runStep(storage.reader(acme.id).silentChanges(10));
    await runStep(storage.reader(acme.id).tagRemovals());
    await runStep(storage.reader(acme.id).holdersOfRemovedTags());
    await runStep(storage.all.organizationsWithTagRemovals(10));
    await runStep(storage.reader(acme.id).findSettings());
    await runStep(storage.reader(acme.id).findMessageSettings());
    await runStep(storage.reader(acme.id).findQueue(mailJobs));
    await runStep(storage.all.organizationsWithDuePoints(10, 10));
    await runStep(storage.reader(acme.id).findQueue(messageJobs));
    await runStep(storage.reader(acme.id).findQueue(automationJobs));
    await runStep(storage.reader(acme.id).listAutomations());
    await runStep(storage.all.queuesWithDueJobs(mailJobs, 10, 10));
    await runStep(storage.reader(acme.id).countDueJobs(mailJobs, "pass", 10, 10));
    await acme.write((tx) => tx.findTag("vip"));
    assert.equal(await runStep(storage.all.isEmpty()), true);
  },

  ...everyKind,

  "a store where an organization has settings, a segment follower, message settings, a mail, message or automation queue, a purchase or a return is not empty":
    async (storage, acme) => {
      const kinds = [
        (tx: Rows) => tx.settings(),
        (tx: Rows) => tx.tx.putSegmentFollower({ position: null, watermark: 1, nextMidnight: 2 }),
        (tx: Rows) => tx.messageSettings(),
        (tx: Rows) => tx.mailQueue(),
        (tx: Rows) => tx.messageQueue(),
        (tx: Rows) => tx.automationQueue(),
        (tx: Rows) => tx.purchase(),
        (tx: Rows) => tx.purchaseReturn(somePurchase()),
      ];
      for (const add of kinds) {
        const rolledBack = acme.write(function* (tx) {
          yield* add(acme.withTransaction(tx));
          assert.equal(yield* tx.all.isEmpty(), false);
          throw new Error("rolled back");
        });
        await assert.rejects(rolledBack, { message: "rolled back" });
        assert.equal(await runStep(storage.all.isEmpty()), true);
      }
    },

  "a store is empty if everything that was stored was rolled back": async (storage, acme) => {
    const rolledBack = acme.write(function* (tx) {
      for (const add of Object.values(rows)) yield* add(acme.withTransaction(tx));
      assert.equal(yield* tx.all.isEmpty(), false);
      throw new Error("rolled back");
    });
    await assert.rejects(rolledBack, { message: "rolled back" });
    assert.equal(await runStep(storage.all.isEmpty()), true);
  },
};
