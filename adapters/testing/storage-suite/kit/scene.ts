import type { StoredApiToken } from "../../../../src/storage/api-tokens.js";
import type { StoredApp, StoredGrant, StoredGrantToken } from "../../../../src/storage/apps.js";
import { Bitmap } from "../../../../src/storage/bitmap.js";
import { mailJobs, type StoredMailQueue } from "../../../../src/storage/mail.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import {
  type StoredPicture,
  type StoredWalletCard,
  type StoredWalletDevice,
  walletJobs,
} from "../../../../src/storage/wallets.js";
import { someAutomation, someAutomationRun } from "./automation-records.js";
import {
  someMailJob,
  someMailQueue,
  someMessageAttempt,
  someMessageDelivery,
  someMessageSettings,
  someSubscription,
} from "./mail-records.js";
import { someMessage, someMessageText } from "./message-records.js";
import { someEffect, somePastProgram, somePoints, somePurchase, someReturn } from "./purchase-records.js";
import {
  buildUserFolds,
  hashToken,
  someApiToken,
  someApp,
  someAssignment,
  someAuditEntry,
  someCooldown,
  someDelivery,
  someEvent,
  someGrant,
  someGrantToken,
  someIdempotencyRecord,
  someOutcome,
  somePass,
  somePasskey,
  somePerson,
  somePersonSession,
  somePicture,
  someSettings,
  someStamp,
  someTag,
  someTemplate,
  someUser,
  someWalletCard,
  someWalletDelivery,
  someWalletDevice,
  someWebhookEndpoint,
  toStoredDelivery,
} from "./records.js";
import { Rows } from "./rows.js";
import { someSegment } from "./segment-records.js";

const ada = someUser({
  ordinal: 0,
  email: "Ada@example.com",
  name: "Ada",
  phone: "1",
  externalId: "customer-1",
});
const bob = someUser({ ordinal: 1, name: "Bob" });
const vip = someTag({ slug: "vip", ordinal: 1 });
const regular = someTag({ slug: "regular", ordinal: 2 });
const coffee = someTemplate({ name: "Coffee" });
const unusedTemplate = someTemplate({ name: "Unused" });
const pass = somePass(ada, coffee);
const { card, entry } = someStamp(pass, { subject: "ada" });
const pastProgram = somePastProgram(coffee, { earning: "{}" });
const purchase = somePurchase({
  source: "till",
  receipt: "1",
  userId: ada.id,
  references: [JSON.stringify(["userId", ada.id, ada.id])],
  at: 3,
});
const effect = someEffect(purchase, pass, { units: 10 });
const purchaseReturn = someReturn(purchase, { returnId: "back", lines: "[]" });
const pointChange = somePoints(pass.id, null, {
  entry: { type: "earned", source: "till", receipt: "1", subject: "ada" },
  lot: { purchaseId: purchase.id, expiresAt: 4 },
});
const mark = someCooldown();
const idempotencyRecord = someIdempotencyRecord({ userId: ada.id });
const app = someApp();
const grant = someGrant(app, { subject: "grace" });
const access = someGrantToken(grant);
const code = someGrantToken(grant, { kind: "code", expiresAt: 5 });
const endpoint = someWebhookEndpoint({ types: ["user.created", "pass.created"], position: 2 });
const [delivered, claimed, dueDelivery] = [
  someDelivery(endpoint, { createdAt: 1, nextAttemptAt: 1 }),
  someDelivery(endpoint, { createdAt: 2, nextAttemptAt: 2 }),
  someDelivery(endpoint, { createdAt: 3, nextAttemptAt: 3 }),
];
const event = someEvent({ type: "user.created", actor: '{"kind":"token","id":"akt_1"}', subject: "ada" });
const audit = [someAuditEntry(1), someAuditEntry(2, { subject: "ada", salt: "salt", subjectSeal: "seal" })];
const picture = somePicture();
const walletCard = someWalletCard({ templateId: coffee.id, revision: 1 });
const walletDevice = someWalletDevice(walletCard);
const walletDelivery = someWalletDelivery(walletCard, { nextAttemptAt: 3 });
const subscription = someSubscription(ada, { emailStatus: "SUBSCRIBED", emailAt: 5, emailSource: "api" });
const settings = someSettings({ timeZone: "Asia/Kolkata" });
const messageSettings = someMessageSettings({ senderName: "Coffee", capDays: 7, capMessages: 2 });
const mailQueue = someMailQueue();
const adaPass = { userId: ada.id, passId: pass.id };
const mailed = someMessageDelivery({
  ...adaPass,
  status: "ACCEPTED",
  attempts: [someMessageAttempt(), someMessageAttempt({ code: 250, answer: "OK" })],
  nextAttemptAt: null,
  createdAt: 2,
});
const mail = someMessageDelivery({ ...adaPass, status: "SENDING", nextAttemptAt: null, createdAt: 3 });
const message = someMessage({
  status: "SENDING",
  channels: ["email"],
  texts: [someMessageText()],
  audience: `{"userIds":["${ada.id}"]}`,
  customers: 1,
  recipients: 1,
  pending: 1,
});
const messageDelivery = someMessageDelivery({
  kind: "message",
  messageId: message.id,
  userId: bob.id,
  status: "ACCEPTED",
  nextAttemptAt: null,
  createdAt: 4,
  updatedAt: 9,
});
const segment = someSegment({
  slug: "guests",
  emitsEvents: true,
  filter: `{"operator":"AND","conditions":[{"slug":"vip"}]}`,
});
const automation = someAutomation({ version: 2, isEnabled: true, on: '{"event":"user.created"}' });
const pastAutomation = {
  automationId: automation.id,
  version: 1,
  if: null,
  after: 3,
  do: "[]",
  per: "{}",
  creatorId: "akt_past",
  endedAt: 5,
};
const doneRun = someAutomationRun(automation, bob, { status: "DONE", nextAttemptAt: null, updatedAt: 7 });
const waitingRun = someAutomationRun(automation, ada, { version: 1, nextAttemptAt: 9 });
const automationCompletion = { automationId: automation.id, userId: bob.id, doneAt: 7 };
const person = somePerson({
  email: "Grace@example.com",
  emailFold: "grace@example.com",
  sessions: [somePersonSession()],
  passkeys: [somePasskey()],
});
const events = [event, someEvent({ type: "pass.created" })];

/**
 * Sample rows for an organization, at least one of every kind. Ada has the tag `vip` and a pass with one stamp. Bob has the tag
 * `regular`. The outbox contains a `user.created` and a `pass.created` event. An app has a grant with an access token and an
 * expired code. A webhook endpoint has a finished delivery, a claimed delivery, and a due delivery. There is a picture, and an
 * Apple card with a device and a claimed delivery. Grace is a staff member. Ada has a subscription, an accepted email, and a
 * claimed email. A message is being sent to Ada, and Bob has already received it. Ada is in a saved segment that emits events. An
 * automation has run for Bob and has a waiting run for Ada. A purchase has given Ada's pass ten points, and some of it was returned.
 * Several organizations in one store can each have these rows, because values that must be unique across organizations contain the
 * organization's ID.
 */
export const scene = {
  ada,
  bob,
  vip,
  regular,
  coffee,
  unused: unusedTemplate,
  /** A pass, stored with its stamp. */
  pass: { ...pass, card },
  entry,
  /** Ada's purchase at time 3. */
  purchase,
  /** The purchase's effect on Ada's pass. */
  effect,
  purchaseReturn,
  /** The points that the purchase has given to Ada's pass. They expire at time 4. */
  pointChange,
  answer: idempotencyRecord,
  mark,
  /** A person who has a session and a passkey. */
  person,
  appOf: (organizationId: string): StoredApp => ({ ...app, id: `app of ${organizationId}` }),
  grantOf: (organizationId: string): StoredGrant => ({ ...grant, appId: scene.appOf(organizationId).id }),
  accessOf: (organizationId: string): StoredGrantToken => ({
    ...access,
    hash: hashToken(`access, ${organizationId}`),
  }),
  /** A code that expired at time 5. */
  codeOf: (organizationId: string): StoredGrantToken => ({
    ...code,
    hash: hashToken(`code, ${organizationId}`),
  }),
  endpoint,
  /** A finished delivery that was created at time 1. */
  delivered: toStoredDelivery(delivered),
  /** A delivery that is claimed under the lease `first` from time 10 to time 20. */
  claimed: toStoredDelivery(claimed),
  /** A delivery that is due at time 3. */
  due: toStoredDelivery(dueDelivery),
  /** The first event in the outbox. */
  event,
  pictureOf: (organizationId: string): StoredPicture => ({
    ...picture,
    hash: hashToken(`picture, ${organizationId}`),
  }),
  walletCardOf: (organizationId: string): StoredWalletCard => ({
    ...walletCard,
    passId: `${walletCard.passId} of ${organizationId}`,
  }),
  walletDeviceOf: (organizationId: string): StoredWalletDevice => ({
    ...walletDevice,
    passId: scene.walletCardOf(organizationId).passId,
    deviceId: `device of ${organizationId}`,
    pushToken: `token of ${organizationId}`,
  }),
  subscription,
  settings,
  messageSettings,
  mailQueueOf: (organizationId: string): StoredMailQueue => ({
    ...mailQueue,
    token: `mails of ${organizationId}`,
  }),
  /** Ada's accepted email, created at time 2. */
  mailed,
  /** Ada's claimed email, created at time 3. It is claimed from time 10 to time 20. */
  mail,
  /** A message that is being sent to Ada. Its job is claimed from time 10 to time 20. */
  message,
  /** The message's delivery to Bob, accepted at time 9. */
  messageDelivery,
  /** A segment whose only member is Ada. */
  segment,
  /** An automation in its second version. Its job is claimed from time 10 to time 20. */
  automation,
  /** A run for Bob, completed at time 7. */
  doneRun,
  /** A waiting run for Ada that started with the first version. */
  waitingRun,
  tokenOf: (organizationId: string): StoredApiToken => ({ ...token, hash: hashToken(organizationId) }),
};

const token = someApiToken({ name: "Till" });
const assignments = [someAssignment(ada, vip), someAssignment(bob, regular)];

/** Adds the rows of {@link scene} to an empty organization. */
export function storeScene(storage: StorageAdapter, organizationId: string): Promise<void> {
  return storage.transaction(organizationId, function* (tx) {
    for (const user of [ada, bob]) {
      yield* tx.nextUser();
      yield* tx.insertUser(user, buildUserFolds(user));
    }
    for (const tag of [vip, regular]) yield* tx.insertTag(tag);
    for (const assignment of assignments) yield* tx.assignTag(assignment);
    for (const template of [coffee, unusedTemplate]) yield* tx.insertTemplate(template);
    yield* tx.insertPass(pass);
    yield* tx.recordStamps(card, entry);
    yield* tx.insertPastProgram(pastProgram);
    yield* tx.putPurchase(purchase, null);
    yield* tx.putPurchaseEffect(effect);
    yield* tx.putPurchaseReturn(purchaseReturn);
    yield* tx.recordPoints(pointChange);
    yield* tx.appendEvents(events);
    yield* tx.insertApiToken(scene.tokenOf(organizationId));
    for (const entry of audit) yield* tx.appendAudit(entry, 100);
    yield* tx.putIdempotencyRecord(idempotencyRecord);
    yield* tx.putCooldown(mark);
    yield* tx.insertPerson(person);
    yield* tx.insertApp(scene.appOf(organizationId));
    yield* tx.insertGrant(scene.grantOf(organizationId));
    for (const token of [scene.accessOf(organizationId), scene.codeOf(organizationId)]) {
      yield* tx.insertGrantToken(token);
    }
    yield* tx.insertWebhookEndpoint(endpoint);
    const organization = new Rows(organizationId, tx);
    yield* organization.deliveries(endpoint, [delivered, claimed]);
    yield* organization.claim(endpoint);
    yield* organization.record(endpoint, [someOutcome(scene.delivered)]);
    yield* organization.deliveries(endpoint, [dueDelivery]);
    yield* tx.putPicture(scene.pictureOf(organizationId));
    yield* organization.walletQueue({ position: 2, revision: 1 });
    const organizationCard = scene.walletCardOf(organizationId);
    yield* tx.insertWalletCard(organizationCard);
    yield* tx.putWalletDevice(scene.walletDeviceOf(organizationId));
    yield* tx.putJobs(walletJobs, [{ ...walletDelivery, passId: organizationCard.passId }]);
    yield* organization.claimWallet();
    yield* tx.putSubscription(subscription);
    yield* tx.putSettings(settings);
    yield* tx.putMessageSettings(messageSettings);
    yield* tx.insertQueue(mailJobs, scene.mailQueueOf(organizationId));
    yield* tx.insertMessageDeliveries([mailed, mail, messageDelivery]);
    yield* tx.putJobs(mailJobs, [someMailJob(mail)]);
    yield* organization.claimMail();
    yield* tx.insertMessage(message);
    yield* tx.putMessageAudience(message.id, Bitmap.of([ada.ordinal]));
    yield* organization.messageQueue();
    yield* organization.messageJob(message);
    yield* organization.claimMessages();
    yield* tx.insertSegment(segment);
    yield* tx.putSegmentMembers(segment.id, Bitmap.of([ada.ordinal]));
    yield* tx.putSegmentFollower({ position: 1, watermark: 3, nextMidnight: 4 });
    yield* tx.insertSilentChange({ id: "silent", names: JSON.stringify([ada.id]) });
    yield* tx.changeSegmentMembers(segment.id, [ada.ordinal], false, 2);
    yield* tx.changeSegmentMembers(segment.id, [ada.ordinal], true, 3);
    yield* tx.recordMemberCount(segment.id, 2, 0);
    yield* tx.insertAutomation(automation);
    yield* tx.insertPastAutomation(pastAutomation);
    yield* tx.insertAutomationRuns([doneRun, waitingRun]);
    yield* tx.putAutomationCompletion(automationCompletion);
    yield* organization.automationQueue({ position: 2 });
    yield* organization.automationJob(automation);
    yield* organization.claimAutomations();
  });
}
