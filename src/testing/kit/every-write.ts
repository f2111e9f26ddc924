import type { Step } from "../../concurrency/step.js";
import type { StorageReader, StorageTransaction } from "../../storage/storage-adapter.js";
import {
  foldsOf,
  hashOf,
  someAnswer,
  someApiToken,
  someApp,
  someAssignment,
  someAuditEntry,
  someDelivery,
  someEvent,
  someGrant,
  someGrantToken,
  someOutcome,
  somePass,
  somePicture,
  someStamp,
  someTag,
  someTemplate,
  someUser,
  someWalletCard,
  someWalletDelivery,
  someWebhookEndpoint,
} from "./records.js";
import { scene } from "./scene.js";

/** @param owner who has the row that is meant, when it is not the organization that is written to. */
type Write = (tx: StorageTransaction, organizationId: string, owner?: string) => Step<unknown>;

const { ada, bob, vip, regular, coffee, unused, pass, endpoint } = scene;

const emptyQueue = { position: 2, revision: 1, sweeps: [] };

/** One call of each write, doing something to an organization that holds the {@link scene}. */
export const writes: { readonly [Method in Exclude<keyof StorageTransaction, keyof StorageReader>]: Write } =
  {
    nextUser: (tx, organizationId) => tx.nextUser(organizationId),
    insertUser: function* (tx, organizationId) {
      const user = someUser({ ordinal: (yield* tx.nextUser(organizationId)).ordinal, name: "Adam" });
      yield* tx.insertUser(organizationId, user, foldsOf(user));
    },
    insertUsers: function* (tx, organizationId) {
      const { ordinal } = yield* tx.nextUser(organizationId);
      const users = [0, 1].map((at) => someUser({ ordinal: ordinal + at, name: "Adam" }));
      yield* tx.insertUsers(
        organizationId,
        users.map((user) => ({ user, folds: foldsOf(user) })),
      );
    },
    updateUser: (tx, organizationId) => {
      const user = {
        ...ada,
        name: "Countess",
        email: "countess@example.com",
        externalId: null,
        updatedAt: 7,
      };
      return tx.updateUser(organizationId, user, foldsOf(user));
    },
    deleteUser: (tx, organizationId) => tx.deleteUser(organizationId, ada.id),
    insertTag: (tx, organizationId) => tx.insertTag(organizationId, someTag({ slug: "new" })),
    updateTag: (tx, organizationId) => tx.updateTag(organizationId, { ...vip, name: "New", updatedAt: 7 }),
    deleteTag: (tx, organizationId) => tx.deleteTag(organizationId, vip.ordinal),
    assignTag: (tx, organizationId) => tx.assignTag(organizationId, someAssignment(bob, vip)),
    assignTags: (tx, organizationId) =>
      tx.assignTags(organizationId, [someAssignment(bob, regular), someAssignment(ada, regular)]),
    unassignTag: (tx, organizationId) => tx.unassignTag(organizationId, ada.ordinal, vip.ordinal),
    unassignUsers: (tx, organizationId) =>
      tx.unassignUsers(organizationId, vip.ordinal, [bob.ordinal, ada.ordinal]),
    rebuildSegments: (tx, organizationId) => tx.rebuildSegments(organizationId),
    insertTemplate: (tx, organizationId) => tx.insertTemplate(organizationId, someTemplate()),
    updateTemplate: (tx, organizationId) => tx.updateTemplate(organizationId, { ...coffee, name: "New" }),
    deleteTemplate: (tx, organizationId) => tx.deleteTemplate(organizationId, unused.id),
    insertPass: (tx, organizationId) => tx.insertPass(organizationId, somePass(bob, coffee)),
    insertPasses: (tx, organizationId) => {
      const inserted = somePass(bob, coffee);
      const { card, entry } = someStamp(inserted);
      return tx.insertPasses(organizationId, [
        { pass: { ...inserted, card }, entries: [entry] },
        { pass: somePass(ada, coffee), entries: [] },
      ]);
    },
    updateInstallation: (tx, organizationId) =>
      tx.updateInstallation(organizationId, pass.id, "INSTALLED", 7),
    deletePass: (tx, organizationId) => tx.deletePass(organizationId, pass.id),
    recordStamps: (tx, organizationId) => {
      const { card, entry } = someStamp(pass);
      return tx.recordStamps(organizationId, card, entry);
    },
    appendEvents: (tx, organizationId) => tx.appendEvents(organizationId, [someEvent(), someEvent()]),
    removeEvents: (tx, organizationId) =>
      tx.removeEvents(organizationId, { since: 0, atMost: 1 }, { after: 0, limit: 100 }),
    replaceEventData: (tx, organizationId) =>
      tx.replaceEventData(organizationId, [{ id: scene.event.id, data: '{"less":true}', actor: null }]),
    forgetSubjects: (tx, organizationId) => tx.forgetSubjects(organizationId, ["ada"]),
    lockAudit: (tx, organizationId) => tx.lockAudit(organizationId),
    appendAudit: (tx, organizationId) => tx.appendAudit(organizationId, someAuditEntry(3), 100),
    countOnDay: (tx, organizationId) => tx.countOnDay(organizationId, 5, { members: 1, stamps: 2 }),
    insertApiToken: (tx, organizationId) =>
      tx.insertApiToken(organizationId, someApiToken({ hash: hashOf(`${organizationId}, new`) })),
    touchApiToken: (tx, organizationId, owner = organizationId) =>
      tx.touchApiToken(organizationId, scene.tokenOf(owner).id, 7),
    deleteApiToken: (tx, organizationId, owner = organizationId) =>
      tx.deleteApiToken(organizationId, scene.tokenOf(owner).id),
    putAnswer: (tx, organizationId) =>
      tx.putAnswer(organizationId, someAnswer({ keyHash: hashOf("new key") })),
    forgetAnswers: (tx, organizationId) => tx.forgetAnswers(organizationId, ada.id),
    removeAnswersBeyond: (tx, organizationId) => tx.removeAnswersBeyond(organizationId, 0, 100),
    removeAnswers: (tx, organizationId) => tx.removeAnswers(organizationId, scene.answer.createdAt + 1, 100),
    insertApp: (tx, organizationId) => tx.insertApp(organizationId, someApp()),
    updateApp: (tx, organizationId, owner = organizationId) =>
      tx.updateApp(organizationId, { ...scene.appOf(owner), name: "New", updatedAt: 7 }),
    deleteApp: (tx, organizationId, owner = organizationId) =>
      tx.deleteApp(organizationId, scene.appOf(owner).id),
    insertGrant: function* (tx, organizationId) {
      const grant = someGrant(scene.appOf(organizationId));
      const hash = hashOf(`new grant, ${organizationId}`);
      yield* tx.insertGrant(organizationId, grant);
      yield* tx.insertGrantToken(organizationId, someGrantToken(grant, { hash }));
    },
    deleteGrant: (tx, organizationId, owner = organizationId) =>
      tx.deleteGrant(organizationId, scene.grantOf(owner).id),
    insertGrantToken: (tx, organizationId) => {
      const hash = hashOf(`new token, ${organizationId}`);
      return tx.insertGrantToken(organizationId, someGrantToken(scene.grantOf(organizationId), { hash }));
    },
    useGrantToken: (tx, organizationId, owner = organizationId) =>
      tx.useGrantToken(organizationId, scene.accessOf(owner).id, { usedAt: 7, details: "{}" }),
    deleteGrantToken: (tx, organizationId, owner = organizationId) =>
      tx.deleteGrantToken(organizationId, scene.accessOf(owner).id),
    removeGrantTokens: (tx, organizationId) => tx.removeGrantTokens(organizationId, 6, 100),
    insertWebhookEndpoint: (tx, organizationId) =>
      tx.insertWebhookEndpoint(organizationId, someWebhookEndpoint()),
    lockWebhookEndpoint: (tx, organizationId) => tx.lockWebhookEndpoint(organizationId, endpoint.id, true),
    updateWebhookEndpoint: (tx, organizationId) =>
      tx.updateWebhookEndpoint(organizationId, { ...endpoint, description: "New", updatedAt: 7 }),
    deleteWebhookEndpoint: (tx, organizationId) => tx.deleteWebhookEndpoint(organizationId, endpoint.id),
    insertDeliveries: (tx, organizationId) =>
      tx.insertDeliveries(organizationId, endpoint.id, [someDelivery(endpoint), someDelivery(endpoint)]),
    claimDeliveries: (tx, organizationId) =>
      tx.claimDeliveries(organizationId, endpoint.id, { lease: "second", now: 12, until: 30, limit: 100 }),
    recordAttempts: (tx, organizationId) =>
      tx.recordAttempts(organizationId, endpoint.id, "first", [someOutcome(scene.claimed)], 7),
    removeDeliveries: (tx, organizationId) => tx.removeDeliveries(organizationId, endpoint.id, 2, 100),
    insertWalletQueue: (tx, organizationId) => tx.insertWalletQueue(`new ${organizationId}`, emptyQueue),
    lockWalletQueue: (tx, organizationId) => tx.lockWalletQueue(organizationId, true),
    updateWalletQueue: (tx, organizationId) =>
      tx.updateWalletQueue(organizationId, { ...emptyQueue, sweeps: [{ templateId: null, after: "" }] }),
    insertWalletCard: (tx, organizationId) =>
      tx.insertWalletCard(organizationId, someWalletCard({ templateId: coffee.id })),
    updateWalletCards: (tx, organizationId, owner = organizationId) =>
      tx.updateWalletCards(organizationId, [{ ...scene.walletCardOf(owner), revision: 7 }]),
    deleteWalletCard: (tx, organizationId, owner = organizationId) =>
      tx.deleteWalletCard(organizationId, scene.walletCardOf(owner).passId),
    putWalletDevice: (tx, organizationId) =>
      tx.putWalletDevice(organizationId, { ...scene.walletDeviceOf(organizationId), state: "gone" }),
    deleteWalletDevice: (tx, organizationId, owner = organizationId) =>
      tx.deleteWalletDevice(organizationId, scene.walletDeviceOf(owner)),
    putWalletDeliveries: (tx, organizationId) =>
      tx.putWalletDeliveries(organizationId, [
        someWalletDelivery(scene.walletCardOf(organizationId), { platform: "google", nextAttemptAt: 4 }),
      ]),
    claimWalletDeliveries: (tx, organizationId) =>
      tx.claimWalletDeliveries(organizationId, "apple", { lease: "second", now: 20, until: 30, limit: 100 }),
    settleWalletDeliveries: (tx, organizationId, owner = organizationId) => {
      const { passId } = scene.walletCardOf(owner);
      const outcome = { passId, revision: 1, deviceIds: [], nextAttemptAt: null };
      return tx.settleWalletDeliveries(organizationId, "apple", "first", [outcome], 7);
    },
    putPicture: (tx, organizationId) => tx.putPicture(organizationId, somePicture()),
    deletePicture: (tx, organizationId, owner = organizationId) =>
      tx.deletePicture(organizationId, scene.pictureOf(owner).hash),
  };

/** The writes after which the same reads still answer the same. */
export const quietWrites: ReadonlySet<string> = new Set([
  "nextUser",
  "rebuildSegments",
  "lockWebhookEndpoint",
  "lockAudit",
  "insertWalletQueue",
  "lockWalletQueue",
]);
