import assert from "node:assert/strict";
import { runStep, type Step } from "../../../../src/base/concurrency/step.js";
import { mailJobs } from "../../../../src/storage/mail.js";
import type { StorageTransaction } from "../../../../src/storage/storage-adapter.js";
import { lookTwice } from "../kit/meanwhile.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { buildUserFolds, hashToken, someStamp, someTagRemoval } from "../kit/records.js";
import { scene, setScene } from "../kit/scene.js";
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

const updateUser = other((tx, id) => {
  const changedUser = { ...ada, name: "Countess", email: "countess@example.com", externalId: null };
  return tx.updateUser(id, changedUser, buildUserFolds(changedUser));
});
const deleteUser = other((tx, id) => tx.deleteUser(id, ada.id));
const { card, entry } = someStamp(pass);

const interferences: Readonly<Record<string, Interference>> = {
  "a found user is not changed": {
    look: (tx, organizationId) => tx.findUser(organizationId, ada.id),
    write: updateUser,
  },
  "a found user is not deleted": {
    look: (tx, organizationId) => tx.findUser(organizationId, ada.id),
    write: deleteUser,
  },
  "a user found by its email is not changed": {
    look: (tx, organizationId) => tx.findUserByEmail(organizationId, "ada@example.com"),
    write: updateUser,
  },
  "a user found by its external id is not changed": {
    look: (tx, organizationId) => tx.findUserByExternalId(organizationId, "customer-1"),
    write: updateUser,
  },
  "an email that was not found is not taken": {
    look: (tx, organizationId) => tx.findUserByEmail(organizationId, "eve@example.com"),
    write: (acme) => acme.user({ email: "Eve@example.com" }),
  },
  "an external id that was not found is not taken": {
    look: (tx, organizationId) => tx.findUserByExternalId(organizationId, "customer-9"),
    write: (acme) => acme.user({ externalId: "customer-9" }),
  },
  "a found tag is not changed": {
    look: (tx, organizationId) => tx.findTag(organizationId, vip.slug),
    write: other((tx, id) => tx.updateTag(id, { ...vip, name: "New" })),
  },
  "a found tag is not deleted": {
    look: (tx, organizationId) => tx.findTag(organizationId, vip.slug),
    write: other((tx, id) => tx.removeTag(id, someTagRemoval(vip))),
  },
  "a slug that was not found is not taken": {
    look: (tx, organizationId) => tx.findTag(organizationId, "new"),
    write: (acme) => acme.tag({ slug: "new" }),
  },
  "a found template is not changed": {
    look: (tx, organizationId) => tx.findTemplate(organizationId, coffee.id),
    write: other((tx, id) => tx.updateTemplate(id, { ...coffee, name: "New" })),
  },
  "a found pass gets no installation": {
    look: (tx, organizationId) => tx.findPass(organizationId, pass.id),
    write: other((tx, id) => tx.updateInstallation(id, pass.id, "INSTALLED", 7)),
  },
  "a found pass gets no stamps": {
    look: (tx, organizationId) => tx.findPass(organizationId, pass.id),
    write: other((tx, id) => tx.recordStamps(id, card, entry)),
  },
  "a pass found by its code is not deleted": {
    look: (tx, organizationId) => tx.findPassByCode(organizationId, pass.code),
    write: other((tx, id) => tx.deletePass(id, pass.id)),
  },
  "a pass of a found user's is not deleted with the user": {
    look: (tx, organizationId) => tx.findPass(organizationId, pass.id),
    write: deleteUser,
  },
  "a found API token is not touched": {
    look: (tx, organizationId) => tx.findApiToken(organizationId, scene.tokenOf(organizationId).id),
    write: other((tx, id) => tx.touchApiToken(id, scene.tokenOf(id).id, 7)),
  },
  "a found API token is not deleted": {
    look: (tx, organizationId) => tx.findApiToken(organizationId, scene.tokenOf(organizationId).id),
    write: other((tx, id) => tx.deleteApiToken(id, scene.tokenOf(id).id)),
  },
  "a found person is not changed": {
    look: (tx, organizationId) => tx.findPerson(organizationId, scene.person.id),
    write: other((tx, id) => tx.updatePerson(id, { ...scene.person, role: "till" })),
  },
  "a found person is not deleted": {
    look: (tx, organizationId) => tx.findPerson(organizationId, scene.person.id),
    write: other((tx, id) => tx.deletePerson(id, scene.person.id)),
  },
  "a found answer is not replaced": {
    look: (tx, organizationId) => tx.findIdempotencyRecord(organizationId, scene.answer.keyHash),
    write: (acme) => acme.answer({ keyHash: scene.answer.keyHash }),
  },
  "a key without an answer gets none": {
    look: (tx, organizationId) => tx.findIdempotencyRecord(organizationId, hashToken("new key")),
    write: (acme) => acme.answer({ keyHash: hashToken("new key") }),
  },
  "a found subscription is not changed": {
    look: (tx, organizationId) => tx.findSubscription(organizationId, ada.id),
    write: other((tx, id) => tx.putSubscription(id, { ...scene.subscription, emailStatus: "UNSUBSCRIBED" })),
  },
  "a found subscription is not removed with its user": {
    look: (tx, organizationId) => tx.findSubscription(organizationId, ada.id),
    write: deleteUser,
  },
  "found settings are not changed": {
    look: (tx, organizationId) => tx.findSettings(organizationId),
    write: (acme) => acme.settings({ timeZone: "Asia/Tokyo" }),
  },
  "a found segment is not changed": {
    look: (tx, organizationId) => tx.findSegment(organizationId, scene.segment.slug),
    write: other((tx, id) => tx.updateSegment(id, { ...scene.segment, name: "New" })),
  },
  "members of a segment whose follower was found are changed by nobody": {
    look: function* (tx, organizationId) {
      const follower = yield* tx.findSegmentFollower(organizationId);
      return { follower, members: (yield* tx.segmentMembers(organizationId, scene.segment.id)).from(0, 9) };
    },
    write: other((tx, id) => tx.changeSegmentMembers(id, scene.segment.id, [bob.ordinal], true, null)),
  },
  "found settings of messages are not changed": {
    look: (tx, organizationId) => tx.findMessageSettings(organizationId),
    write: (acme) => acme.messageSettings({ senderName: "New" }),
  },
  "a found delivery of a message is not changed": {
    look: (tx, organizationId) => tx.findMessageDelivery(organizationId, scene.mail.id),
    write: other((tx, id) => tx.updateMessageDeliveries(id, [{ ...scene.mail, status: "ACCEPTED" }])),
  },
  "a user of whom mails were looked for gets none": {
    look: (tx, organizationId) => tx.recentMailsOf(organizationId, { userId: ada.id }, ["pass"], 0),
    write: (acme) => acme.messageDeliveries([{ userId: ada.id }]),
  },
  "mails whose queue was found are claimed by nobody": {
    look: function* (tx, organizationId) {
      const queue = yield* tx.findMailQueue(organizationId);
      return { queue, mail: yield* tx.findMessageDelivery(organizationId, scene.mail.id) };
    },
    write: other(function* (tx, id) {
      yield* tx.findMailQueue(id);
      yield* tx.claimJobs(id, mailJobs, "pass", { lease: "second", now: 30, until: 40, limit: 9 });
      yield* tx.updateMessageDeliveries(id, [{ ...scene.mail, isUncertain: true }]);
    }),
  },
  "a found message is not changed": {
    look: (tx, organizationId) => tx.findMessage(organizationId, scene.message.id),
    write: other((tx, id) => tx.updateMessage(id, { ...scene.message, status: "CANCELED" })),
  },
  "a found message is not deleted": {
    look: (tx, organizationId) => tx.findMessage(organizationId, scene.message.id),
    write: other((tx, id) => tx.deleteMessage(id, scene.message.id)),
  },
  "a user of whom messages were looked for gets none": {
    look: (tx, organizationId) => tx.recentMessagesOf(organizationId, [ada.id], 0),
    write: (acme) => acme.messageDeliveries([{ kind: "message", userId: ada.id, status: "SENDING" }]),
  },
  "a found automation is not changed": {
    look: (tx, organizationId) => tx.findAutomation(organizationId, scene.automation.id),
    write: other((tx, id) => tx.updateAutomation(id, { ...scene.automation, isEnabled: false })),
  },
  "runs of automations whose queue was found are done by nobody": {
    look: function* (tx, organizationId) {
      const queue = yield* tx.findAutomationQueue(organizationId);
      return { queue, run: yield* tx.findAutomationRun(organizationId, scene.waitingRun.id) };
    },
    write: other(function* (tx, id) {
      yield* tx.findAutomationQueue(id);
      yield* tx.updateAutomationRuns(id, [{ ...scene.waitingRun, status: "DONE", nextAttemptAt: null }]);
    }),
  },
  "the place that nextUser gave is not given to another transaction": {
    look: (tx, organizationId) => tx.nextUser(organizationId),
    write: (acme) => acme.user(),
  },
};

const everyInterference: Statements = Object.fromEntries(
  Object.entries(interferences).map(([sentence, { look, write }]) => [
    `until the transaction ends, ${sentence}`,
    async (storage, acme) => {
      await setScene(storage, acme.id);
      const [before, after] = await lookTwice<StorageTransaction, unknown>(
        (work) => storage.transaction(work),
        (tx) => look(tx, acme.id),
        () => write(acme),
      );
      assert.deepEqual(after, before);
      assert.notDeepEqual(await storage.transaction((tx) => look(tx, acme.id)), before);
    },
  ]),
);

export const takenNames: Statements = {
  ...everyInterference,

  "a slug that was not found can be taken, and then conflicts for the others": async (storage, acme) => {
    const take = () =>
      storage.transaction(function* (tx) {
        const found = yield* tx.findTag(acme.id, "vip");
        if (found === null) yield* acme.within(tx).tag({ slug: "vip" });
        return found;
      });
    const found = await Promise.all([take(), take(), take(), take()]);
    assert.equal(found.filter((tag) => tag === null).length, 1);
    assert.equal((await runStep(storage.listTags(acme.id))).length, 1);
  },
};
