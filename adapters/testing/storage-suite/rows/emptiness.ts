import assert from "node:assert/strict";
import { runStep, type Step } from "../../../../src/base/concurrency/step.js";
import { mailJobs } from "../../../../src/storage/mail.js";
import type { StorageTransaction } from "../../../../src/storage/storage-adapter.js";
import { walletJobs } from "../../../../src/storage/wallets.js";
import { hashToken, someApp, someTagRemoval } from "../kit/records.js";
import type { Rows } from "../kit/rows.js";
import type { Statements } from "../kit/statements.js";

/** Functions that each add a row without dependencies and return a function that removes it. */
const rows: Readonly<Record<string, (acme: Rows) => Step<(tx: StorageTransaction) => Step<boolean>>>> = {
  user: function* (acme) {
    const { id } = yield* acme.user();
    return (tx) => tx.deleteUser(acme.id, id);
  },
  tag: function* (acme) {
    const tag = yield* acme.tag();
    return function* (tx) {
      yield* tx.removeTag(acme.id, someTagRemoval(tag));
      yield* tx.endTagRemoval(acme.id, tag.ordinal);
      return true;
    };
  },
  template: function* (acme) {
    const { id } = yield* acme.template();
    return (tx) => tx.deleteTemplate(acme.id, id);
  },
  "day's count": function* (acme) {
    yield* acme.tx.addCounts(acme.id, 5, { stamps: 1 });
    return function* (tx) {
      yield* tx.addCounts(acme.id, 5, { stamps: -1 });
      return true;
    };
  },
  event: function* (acme) {
    yield* acme.events([{}]);
    return function* (tx) {
      const range = { after: 0, limit: 1 };
      return (yield* tx.removeEvents(acme.id, { since: 0, atMost: 0 }, range)).removed === 1;
    };
  },
  "API token": function* (acme) {
    const { id } = yield* acme.apiToken();
    return (tx) => tx.deleteApiToken(acme.id, id);
  },
  answer: function* (acme) {
    const { createdAt } = yield* acme.answer();
    return function* (tx) {
      return (yield* tx.removeExpiredIdempotencyRecords(acme.id, createdAt + 1, 1)) === 1;
    };
  },
  mark: function* (acme) {
    const { until } = yield* acme.mark();
    return function* (tx) {
      return (yield* tx.removeExpiredCooldowns(acme.id, until + 1, 1)) === 1;
    };
  },
  person: function* (acme) {
    const { id } = yield* acme.person();
    return (tx) => tx.deletePerson(acme.id, id);
  },
  app: function* (acme) {
    const { id } = yield* acme.app();
    return (tx) => tx.deleteApp(acme.id, id);
  },
  grant: function* (acme) {
    const { id } = yield* acme.grant(someApp());
    return (tx) => tx.deleteGrant(acme.id, id);
  },
  "webhook endpoint": function* (acme) {
    const { id } = yield* acme.webhookEndpoint();
    return (tx) => tx.deleteWebhookEndpoint(acme.id, id);
  },
  "wallet card": function* (acme) {
    const { passId } = yield* acme.walletCard();
    return (tx) => tx.deleteWalletCard(acme.id, passId);
  },
  "message delivery": function* (acme) {
    const [{ createdAt } = { createdAt: 0 }] = yield* acme.messageDeliveries([{ status: "ACCEPTED" }]);
    return function* (tx) {
      return (yield* tx.removeMessageDeliveries(acme.id, { before: createdAt + 1, limit: 1 })) === 1;
    };
  },
  message: function* (acme) {
    const { id } = yield* acme.message();
    return (tx) => tx.deleteMessage(acme.id, id);
  },
  segment: function* (acme) {
    const { id } = yield* acme.segment();
    return (tx) => tx.deleteSegment(acme.id, id);
  },
  automation: function* (acme) {
    const { id } = yield* acme.automation();
    return (tx) => tx.deleteAutomation(acme.id, id);
  },
  picture: function* (acme) {
    const { hash } = yield* acme.picture();
    return (tx) => tx.deletePicture(acme.id, hash);
  },
};

const everyKind: Statements = Object.fromEntries(
  Object.entries(rows).map(([kind, add]) => [
    `a store where an organization has ever stored a ${kind} is not empty`,
    async (storage, acme) => {
      const remove = await acme.write((tx) => add(acme.within(tx)));
      assert.equal(await runStep(storage.isEmpty()), false);
      assert.equal(await acme.write(remove), true);
      assert.equal(await runStep(storage.isEmpty()), false);
    },
  ]),
);

export const emptiness: Statements = {
  "a new store is empty, and reading leaves it so": async (storage, acme) => {
    assert.equal(await runStep(storage.isEmpty()), true);
    await runStep(storage.listUsers(acme.id, -1, 10));
    await runStep(storage.readTagSets(acme.id, ["vip"]));
    await runStep(storage.listEvents(acme.id, null, 0, 10));
    await runStep(storage.newestEventPosition(acme.id));
    await runStep(storage.readDayCounts(acme.id, 0, 10));
    await runStep(storage.findIdempotencyRecord(acme.id, hashToken("key")));
    await runStep(storage.findCooldown(acme.id, "mark"));
    await runStep(storage.listPeople(acme.id));
    await runStep(storage.peopleByEmail("ada@example.com", 10));
    await runStep(storage.peopleById("per_ada", 10));
    await runStep(storage.hasPeople());
    await runStep(storage.listApps(acme.id));
    await runStep(storage.listGrants(acme.id));
    await runStep(storage.listWebhookEndpoints(acme.id));
    await runStep(storage.endpointsWithDueWork(10, 10, 0));
    await runStep(storage.findWalletQueue(acme.id));
    await runStep(storage.queuesWithDueJobs(walletJobs, 10, 10));
    await runStep(storage.organizationsWithWallets("", 10));
    await runStep(storage.listPictures(acme.id));
    await runStep(storage.listSegments(acme.id));
    await runStep(storage.findSegmentFollower(acme.id));
    await runStep(storage.organizationsWithSavedSegments("", 10));
    await runStep(storage.organizationsToFollow(10, 10));
    await runStep(storage.silentChanges(acme.id, 10));
    await runStep(storage.tagRemovals(acme.id));
    await runStep(storage.holdersOfRemovedTags(acme.id));
    await runStep(storage.organizationsWithTagRemovals(10));
    await runStep(storage.findSettings(acme.id));
    await runStep(storage.findMessageSettings(acme.id));
    await runStep(storage.findMailQueue(acme.id));
    await runStep(storage.findMessageQueue(acme.id));
    await runStep(storage.findAutomationQueue(acme.id));
    await runStep(storage.listAutomations(acme.id));
    await runStep(storage.queuesWithDueJobs(mailJobs, 10, 10));
    await runStep(storage.countDueJobs(acme.id, mailJobs, "pass", 10, 10));
    await acme.write((tx) => tx.findTag(acme.id, "vip"));
    assert.equal(await runStep(storage.isEmpty()), true);
  },

  ...everyKind,

  "a store where an organization has settings, a follower of segments, settings of messages or a queue of mails, messages or automations is not empty":
    async (storage, acme) => {
      const kinds = [
        (tx: Rows) => tx.settings(),
        (tx: Rows) => tx.tx.putSegmentFollower(tx.id, { position: null, watermark: 1, nextMidnight: 2 }),
        (tx: Rows) => tx.messageSettings(),
        (tx: Rows) => tx.mailQueue(),
        (tx: Rows) => tx.messageQueue(),
        (tx: Rows) => tx.automationQueue(),
      ];
      for (const add of kinds) {
        const rolledBack = acme.write(function* (tx) {
          yield* add(acme.within(tx));
          assert.equal(yield* tx.isEmpty(), false);
          throw new Error("rolled back");
        });
        await assert.rejects(rolledBack, { message: "rolled back" });
        assert.equal(await runStep(storage.isEmpty()), true);
      }
    },

  "a store is empty when all that was stored was rolled back": async (storage, acme) => {
    const rolledBack = acme.write(function* (tx) {
      for (const add of Object.values(rows)) yield* add(acme.within(tx));
      assert.equal(yield* tx.isEmpty(), false);
      throw new Error("rolled back");
    });
    await assert.rejects(rolledBack, { message: "rolled back" });
    assert.equal(await runStep(storage.isEmpty()), true);
  },
};
