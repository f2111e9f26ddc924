import assert from "node:assert/strict";
import { runStep, type Step } from "../../../../src/base/concurrency/step.js";
import { automationJobs } from "../../../../src/storage/automations.js";
import { mailJobs } from "../../../../src/storage/mail.js";
import type { StorageTransaction } from "../../../../src/storage/storage-adapter.js";
import { readTwice } from "../kit/meanwhile.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { buildUserFolds, hashToken, someStamp, someTagRemoval } from "../kit/records.js";
import { scene, storeScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";

interface Interference {
  readonly look: (tx: StorageTransaction, organizationId: string) => Step<unknown>;
  /** The write that another transaction makes between two reads. */
  readonly write: (acme: SuiteOrganization) => Promise<unknown>;
}

const { ada, bob, vip, coffee, pass } = scene;
const other =
  (write: (tx: StorageTransaction, organizationId: string) => Step<unknown>) => (acme: SuiteOrganization) =>
    acme.write((tx) => write(tx, acme.id));

const updateUser = other((tx) => {
  const changedUser = { ...ada, name: "Countess", email: "countess@example.com", externalId: null };
  return tx.updateUser(changedUser, buildUserFolds(changedUser));
});
const deleteUser = other((tx) => tx.deleteUser(ada.id));
const { card, entry } = someStamp(pass);

const interferences: Readonly<Record<string, Interference>> = {
  "a user that it found isn't changed": {
    look: (tx) => tx.findUser(ada.id),
    write: updateUser,
  },
  "a user that it found isn't deleted": {
    look: (tx) => tx.findUser(ada.id),
    write: deleteUser,
  },
  "a user that it found by email isn't changed": {
    look: (tx) => tx.findUserByEmail("ada@example.com"),
    write: updateUser,
  },
  "a user that it found by external id isn't changed": {
    look: (tx) => tx.findUserByExternalId("customer-1"),
    write: updateUser,
  },
  "an email that it didn't find isn't taken": {
    look: (tx) => tx.findUserByEmail("eve@example.com"),
    write: (acme) => acme.user({ email: "Eve@example.com" }),
  },
  "an external id that it didn't find isn't taken": {
    look: (tx) => tx.findUserByExternalId("customer-9"),
    write: (acme) => acme.user({ externalId: "customer-9" }),
  },
  "a tag that it found isn't changed": {
    look: (tx) => tx.findTag(vip.slug),
    write: other((tx) => tx.updateTag({ ...vip, name: "New" })),
  },
  "a tag that it found isn't deleted": {
    look: (tx) => tx.findTag(vip.slug),
    write: other((tx) => tx.removeTag(someTagRemoval(vip))),
  },
  "a slug that it didn't find isn't taken": {
    look: (tx) => tx.findTag("new"),
    write: (acme) => acme.tag({ slug: "new" }),
  },
  "a template that it found isn't changed": {
    look: (tx) => tx.findTemplate(coffee.id),
    write: other((tx) => tx.updateTemplate({ ...coffee, name: "New" })),
  },
  "a pass that it found isn't marked as installed": {
    look: (tx) => tx.findPass(pass.id),
    write: other((tx) => tx.updateInstallation(pass.id, "INSTALLED", 7)),
  },
  "a pass that it found gets no stamps": {
    look: (tx) => tx.findPass(pass.id),
    write: other((tx) => tx.recordStamps(card, entry)),
  },
  "a pass that it found by code isn't deleted": {
    look: (tx) => tx.findPassByCode(pass.code),
    write: other((tx) => tx.deletePass(pass.id)),
  },
  "a pass that it found isn't deleted with its user": {
    look: (tx) => tx.findPass(pass.id),
    write: deleteUser,
  },
  "an API token that it found isn't touched": {
    look: (tx, organizationId) => tx.findApiToken(scene.tokenOf(organizationId).id),
    write: other((tx, id) => tx.touchApiToken(scene.tokenOf(id).id, 7)),
  },
  "an API token that it found isn't deleted": {
    look: (tx, organizationId) => tx.findApiToken(scene.tokenOf(organizationId).id),
    write: other((tx, id) => tx.deleteApiToken(scene.tokenOf(id).id)),
  },
  "a person that it found isn't changed": {
    look: (tx) => tx.findPerson(scene.person.id),
    write: other((tx) => tx.updatePerson({ ...scene.person, role: "till" })),
  },
  "a person that it found isn't deleted": {
    look: (tx) => tx.findPerson(scene.person.id),
    write: other((tx) => tx.deletePerson(scene.person.id)),
  },
  "an idempotency record that it found isn't replaced": {
    look: (tx) => tx.findIdempotencyRecord(scene.answer.keyHash),
    write: (acme) => acme.answer({ keyHash: scene.answer.keyHash }),
  },
  "an idempotency key for which it found no record gets none": {
    look: (tx) => tx.findIdempotencyRecord(hashToken("new key")),
    write: (acme) => acme.answer({ keyHash: hashToken("new key") }),
  },
  "a subscription that it found isn't changed": {
    look: (tx) => tx.findSubscription(ada.id),
    write: other((tx) => tx.putSubscription({ ...scene.subscription, emailStatus: "UNSUBSCRIBED" })),
  },
  "a subscription that it found isn't removed with its user": {
    look: (tx) => tx.findSubscription(ada.id),
    write: deleteUser,
  },
  "settings that it found aren't changed": {
    look: (tx) => tx.findSettings(),
    write: (acme) => acme.settings({ timeZone: "Asia/Tokyo" }),
  },
  "a segment that it found isn't changed": {
    look: (tx) => tx.findSegment(scene.segment.slug),
    write: other((tx) => tx.updateSegment({ ...scene.segment, name: "New" })),
  },
  "the members of a segment whose follower it found aren't changed": {
    look: function* (tx) {
      const follower = yield* tx.findSegmentFollower();
      return { follower, members: (yield* tx.segmentMembers(scene.segment.id)).from(0, 9) };
    },
    write: other((tx) => tx.changeSegmentMembers(scene.segment.id, [bob.ordinal], true, null)),
  },
  "message settings that it found aren't changed": {
    look: (tx) => tx.findMessageSettings(),
    write: (acme) => acme.messageSettings({ senderName: "New" }),
  },
  "a message delivery that it found isn't changed": {
    look: (tx) => tx.findMessageDelivery(scene.mail.id),
    write: other((tx) => tx.updateMessageDeliveries([{ ...scene.mail, status: "ACCEPTED" }])),
  },
  "a user whose recent mails it read gets no new mails": {
    look: (tx) => tx.recentMailsOf({ userId: ada.id }, ["pass"], 0),
    write: (acme) => acme.messageDeliveries([{ userId: ada.id }]),
  },
  "mails whose queue it locked aren't claimed by another transaction": {
    look: function* (tx) {
      const queue = yield* tx.lockQueue(mailJobs);
      return { queue, mail: yield* tx.findMessageDelivery(scene.mail.id) };
    },
    write: other(function* (tx) {
      yield* tx.lockQueue(mailJobs);
      yield* tx.claimJobs(mailJobs, "pass", { lease: "second", now: 30, until: 40, limit: 9 });
      yield* tx.updateMessageDeliveries([{ ...scene.mail, isUncertain: true }]);
    }),
  },
  "a message that it found isn't changed": {
    look: (tx) => tx.findMessage(scene.message.id),
    write: other((tx) => tx.updateMessage({ ...scene.message, status: "CANCELED" })),
  },
  "a message that it found isn't deleted": {
    look: (tx) => tx.findMessage(scene.message.id),
    write: other((tx) => tx.deleteMessage(scene.message.id)),
  },
  "a user whose recent messages it read gets no new messages": {
    look: (tx) => tx.recentMessagesOf([ada.id], 0),
    write: (acme) => acme.messageDeliveries([{ kind: "message", userId: ada.id, status: "SENDING" }]),
  },
  "an automation that it found isn't changed": {
    look: (tx) => tx.findAutomation(scene.automation.id),
    write: other((tx) => tx.updateAutomation({ ...scene.automation, isEnabled: false })),
  },
  "automation runs whose queue it locked aren't finished by another transaction": {
    look: function* (tx) {
      const queue = yield* tx.lockQueue(automationJobs);
      return { queue, run: yield* tx.findAutomationRun(scene.waitingRun.id) };
    },
    write: other(function* (tx) {
      yield* tx.lockQueue(automationJobs);
      yield* tx.updateAutomationRuns([{ ...scene.waitingRun, status: "DONE", nextAttemptAt: null }]);
    }),
  },
  "the ordinal that nextUser returned isn't given to another transaction": {
    look: (tx) => tx.nextUser(),
    write: (acme) => acme.user(),
  },
};

const everyInterference: Statements = Object.fromEntries(
  Object.entries(interferences).map(([sentence, { look, write }]) => [
    `until the transaction ends, ${sentence}`,
    async (storage, acme) => {
      await storeScene(storage, acme.id);
      const [before, after] = await readTwice<StorageTransaction, unknown>(
        (work) => storage.transaction(acme.id, work),
        (tx) => look(tx, acme.id),
        () => write(acme),
      );
      assert.deepEqual(after, before);
      assert.notDeepEqual(await storage.transaction(acme.id, (tx) => look(tx, acme.id)), before);
    },
  ]),
);

export const takenNames: Statements = {
  ...everyInterference,

  "of several transactions that don't find a slug, one takes it and the others then find it": async (
    storage,
    acme,
  ) => {
    const take = () =>
      storage.transaction(acme.id, function* (tx) {
        const tag = yield* tx.findTag("vip");
        if (tag === null) yield* acme.withTransaction(tx).tag({ slug: "vip" });
        return tag;
      });
    const tags = await Promise.all([take(), take(), take(), take()]);
    assert.equal(tags.filter((tag) => tag === null).length, 1);
    assert.equal((await runStep(storage.reader(acme.id).listTags())).length, 1);
  },
};
