import assert from "node:assert/strict";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { StoredApiToken } from "../../../../src/storage/api-tokens.js";
import type { StoredApp, StoredGrant, StoredGrantToken } from "../../../../src/storage/apps.js";
import {
  type AutomationLane,
  automationJobs,
  type NewAutomationJob,
  type StoredAutomation,
  type StoredAutomationJob,
  type StoredAutomationQueue,
  type StoredAutomationRun,
} from "../../../../src/storage/automations.js";
import type { StoredCooldown } from "../../../../src/storage/cooldowns.js";
import type { NewEvent, StoredEvent } from "../../../../src/storage/events.js";
import type { StoredIdempotencyRecord } from "../../../../src/storage/idempotency-records.js";
import type { Claim } from "../../../../src/storage/jobs.js";
import {
  mailJobs,
  type NewMailJob,
  type StoredMailJob,
  type StoredMailQueue,
  type StoredMessageDelivery,
  type StoredMessageSettings,
} from "../../../../src/storage/mail.js";
import {
  messageJobs,
  type NewMessageJob,
  type StoredMessage,
  type StoredMessageJob,
  type StoredMessageQueue,
} from "../../../../src/storage/messages.js";
import type { StoredPass, StoredStampEntry } from "../../../../src/storage/passes.js";
import type { StoredPerson } from "../../../../src/storage/people.js";
import type { PointChange, StoredPointEntry, StoredPointLot } from "../../../../src/storage/points.js";
import type {
  StoredPurchase,
  StoredPurchaseEffect,
  StoredPurchaseReturn,
} from "../../../../src/storage/purchases.js";
import type { StoredSegment } from "../../../../src/storage/saved-segments.js";
import type { StoredSettings } from "../../../../src/storage/settings.js";
import type { StorageTransaction } from "../../../../src/storage/storage-adapter.js";
import type { StoredSubscription } from "../../../../src/storage/subscriptions.js";
import type { StoredAssignment, StoredTag } from "../../../../src/storage/tags.js";
import type { StoredPastProgram, StoredTemplate } from "../../../../src/storage/templates.js";
import type { StoredUser } from "../../../../src/storage/users.js";
import {
  type NewWalletDelivery,
  type StoredPicture,
  type StoredWalletCard,
  type StoredWalletDelivery,
  type StoredWalletQueue,
  type WalletPlatform,
  walletJobs,
} from "../../../../src/storage/wallets.js";
import type {
  AttemptOutcome,
  NewDelivery,
  StoredDelivery,
  StoredWebhookEndpoint,
} from "../../../../src/storage/webhooks.js";
import { someAutomation, someAutomationJob, someAutomationRun } from "./automation-records.js";
import {
  someMailJob,
  someMailQueue,
  someMessageDelivery,
  someMessageSettings,
  someSubscription,
} from "./mail-records.js";
import { someMessage, someMessageJob } from "./message-records.js";
import { someEffect, somePastProgram, somePoints, somePurchase, someReturn } from "./purchase-records.js";
import {
  buildUserFolds,
  someApiToken,
  someApp,
  someAssignment,
  someCooldown,
  someDelivery,
  someEvent,
  someGrant,
  someGrantToken,
  someIdempotencyRecord,
  somePass,
  somePerson,
  somePicture,
  someSettings,
  someStamp,
  someTag,
  someTemplate,
  someUser,
  someWalletCard,
  someWalletDelivery,
  someWebhookEndpoint,
  toStoredDelivery,
} from "./records.js";

import { someSegment } from "./segment-records.js";

/** Maximum number of users per call. */
const MAX_USERS = 1_000;

/**
 * Adds new records to one organization in the caller's transaction. Methods with plural names add one record for each set of
 * fields. All methods return the records as stored.
 */
export class Rows {
  constructor(
    readonly id: string,
    readonly tx: StorageTransaction,
  ) {}

  *user(fields: Partial<Omit<StoredUser, "ordinal">> = {}): Step<StoredUser> {
    const { ordinal } = yield* this.tx.nextUser();
    const user = someUser({ ...fields, ordinal });
    yield* this.tx.insertUser(user, buildUserFolds(user));
    return user;
  }

  *users(fields: readonly Partial<Omit<StoredUser, "ordinal">>[]): Step<StoredUser[]> {
    const users: StoredUser[] = [];
    for (let at = 0; at < fields.length; at += MAX_USERS) {
      const { ordinal } = yield* this.tx.nextUser();
      const newUsers = fields
        .slice(at, at + MAX_USERS)
        .map((each, place) => someUser({ ...each, ordinal: ordinal + place }));
      const addedCount = yield* this.tx.insertUsers(
        newUsers.map((user) => ({ user, folds: buildUserFolds(user) })),
      );
      assert.equal(addedCount, newUsers.length);
      users.push(...newUsers);
    }
    return users;
  }

  tag(fields: Partial<StoredTag> = {}): Step<StoredTag> {
    return this.tx.insertTag(someTag(fields));
  }

  assign(user: StoredUser, tag: StoredTag, fields: Partial<StoredAssignment> = {}): Step<StoredAssignment> {
    const assignment = someAssignment(user, tag, fields);
    return this.insertRow(assignment, this.tx.assignTag(assignment));
  }

  template(fields: Partial<StoredTemplate> = {}): Step<StoredTemplate> {
    const template = someTemplate(fields);
    return this.insertRow(template, this.tx.insertTemplate(template));
  }

  pastProgram(template: StoredTemplate, fields: Partial<StoredPastProgram> = {}): Step<StoredPastProgram> {
    const program = somePastProgram(template, fields);
    return this.insertRow(program, this.tx.insertPastProgram(program));
  }

  pass(user: StoredUser, template: StoredTemplate, fields: Partial<StoredPass> = {}): Step<StoredPass> {
    const pass = somePass(user, template, fields);
    return this.insertRow(pass, this.tx.insertPass(pass));
  }

  /** Adds one stamp to the pass's card, along with its ledger entry. */
  *stamp(passId: string, fields: Partial<StoredStampEntry> = {}): Step<StoredStampEntry> {
    const pass = yield* this.tx.findPass(passId);
    if (pass === null) throw new Error(`there is no pass ${passId}`);
    const { card, entry } = someStamp(pass, fields);
    yield* this.tx.recordStamps(card, entry);
    return entry;
  }

  purchase(fields: Partial<StoredPurchase> = {}): Step<StoredPurchase> {
    const purchase = somePurchase(fields);
    return this.insertRow(purchase, this.tx.putPurchase(purchase, null));
  }

  effect(
    purchase: StoredPurchase,
    pass: StoredPass,
    fields: Partial<StoredPurchaseEffect> = {},
  ): Step<StoredPurchaseEffect> {
    const effect = someEffect(purchase, pass, fields);
    return this.insertRow(effect, this.tx.putPurchaseEffect(effect));
  }

  purchaseReturn(
    purchase: StoredPurchase,
    fields: Partial<StoredPurchaseReturn> = {},
  ): Step<StoredPurchaseReturn> {
    const purchaseReturn = someReturn(purchase, fields);
    return this.insertRow(purchaseReturn, this.tx.putPurchaseReturn(purchaseReturn));
  }

  /** Adds ten points to the pass, along with their lot and ledger entry. */
  *points(
    passId: string,
    fields: { readonly entry?: Partial<StoredPointEntry>; readonly lot?: Partial<StoredPointLot> } = {},
  ): Step<PointChange> {
    const change = somePoints(passId, yield* this.tx.findPointCard(passId), fields);
    yield* this.tx.recordPoints(change);
    return change;
  }

  apiToken(fields: Partial<StoredApiToken> = {}): Step<StoredApiToken> {
    const token = someApiToken(fields);
    return this.insertRow(token, this.tx.insertApiToken(token));
  }

  answer(fields: Partial<StoredIdempotencyRecord> = {}): Step<StoredIdempotencyRecord> {
    const record = someIdempotencyRecord(fields);
    return this.insertRow(record, this.tx.putIdempotencyRecord(record));
  }

  mark(fields: Partial<StoredCooldown> = {}): Step<StoredCooldown> {
    const mark = someCooldown(fields);
    return this.insertRow(mark, this.tx.putCooldown(mark));
  }

  person(fields: Partial<StoredPerson> = {}): Step<StoredPerson> {
    const person = somePerson(fields);
    return this.insertRow(person, this.tx.insertPerson(person));
  }

  app(fields: Partial<StoredApp> = {}): Step<StoredApp> {
    const app = someApp(fields);
    return this.insertRow(app, this.tx.insertApp(app));
  }

  /**
   * Adds a grant.
   * @param app the app that receives the grant. It can be registered by another organization.
   */
  grant(app: StoredApp, fields: Partial<StoredGrant> = {}): Step<StoredGrant> {
    const grant = someGrant(app, fields);
    return this.insertRow(grant, this.tx.insertGrant(grant));
  }

  grantToken(grant: StoredGrant, fields: Partial<StoredGrantToken> = {}): Step<StoredGrantToken> {
    const token = someGrantToken(grant, fields);
    return this.insertRow(token, this.tx.insertGrantToken(token));
  }

  *events(fields: readonly Partial<NewEvent>[]): Step<StoredEvent[]> {
    const events = fields.map(someEvent);
    const last = yield* this.tx.appendEvents(events);
    return events.map((event, at) => ({ ...event, position: last - events.length + 1 + at }));
  }

  webhookEndpoint(fields: Partial<StoredWebhookEndpoint> = {}): Step<StoredWebhookEndpoint> {
    const endpoint = someWebhookEndpoint(fields);
    return this.insertRow(endpoint, this.tx.insertWebhookEndpoint(endpoint));
  }

  *deliveries(
    endpoint: StoredWebhookEndpoint,
    fields: readonly Partial<NewDelivery>[],
  ): Step<StoredDelivery[]> {
    const deliveries = fields.map((each) => someDelivery(endpoint, each));
    yield* this.tx.lockWebhookEndpoint(endpoint.id, true);
    yield* this.tx.insertDeliveries(endpoint.id, deliveries);
    return deliveries.map(toStoredDelivery);
  }

  /** Claims all of the endpoint's deliveries that are due at time 10. The claim expires at time 20. */
  *claim(endpoint: StoredWebhookEndpoint, fields: Partial<Claim> = {}): Step<StoredDelivery[]> {
    yield* this.tx.lockWebhookEndpoint(endpoint.id, true);
    return yield* this.tx.claimDeliveries(endpoint.id, someClaim(fields));
  }

  /**
   * Records the outcomes of delivery attempts that {@link claim} began.
   * @returns the IDs of the deliveries whose outcomes were recorded. Deliveries claimed with another lease are left out.
   */
  *record(
    endpoint: StoredWebhookEndpoint,
    outcomes: readonly AttemptOutcome[],
    lease = "first",
    now = 15,
  ): Step<string[]> {
    yield* this.tx.lockWebhookEndpoint(endpoint.id, true);
    return yield* this.tx.recordAttempts(endpoint.id, lease, outcomes, now);
  }

  picture(fields: Partial<StoredPicture> = {}): Step<StoredPicture> {
    const picture = somePicture(fields);
    return this.insertRow(picture, this.tx.putPicture(picture));
  }

  walletQueue(fields: Partial<StoredWalletQueue> = {}): Step<StoredWalletQueue> {
    const queue = { position: 0, revision: 0, sweeps: [], ...fields };
    return this.insertRow(queue, this.tx.insertQueue(walletJobs, queue));
  }

  walletCard(fields: Partial<StoredWalletCard> = {}): Step<StoredWalletCard> {
    const card = someWalletCard(fields);
    return this.insertRow(card, this.tx.insertWalletCard(card));
  }

  walletDelivery(
    card: StoredWalletCard,
    fields: Partial<NewWalletDelivery> = {},
  ): Step<StoredWalletDelivery> {
    const delivery = someWalletDelivery(card, fields);
    return this.insertRow({ ...delivery, attempts: 0 }, this.tx.putJobs(walletJobs, [delivery]));
  }

  /** Claims all wallet deliveries for a platform (by default, Apple) that are due at time 10. The claim expires at time 20. */
  claimWallet(fields: Partial<Claim> = {}, platform: WalletPlatform = "apple"): Step<StoredWalletDelivery[]> {
    return this.tx.claimJobs(walletJobs, platform, someClaim(fields));
  }

  subscription(user: StoredUser, fields: Partial<StoredSubscription> = {}): Step<StoredSubscription> {
    const subscription = someSubscription(user, fields);
    return this.insertRow(subscription, this.tx.putSubscription(subscription));
  }

  settings(fields: Partial<StoredSettings> = {}): Step<StoredSettings> {
    const settings = someSettings(fields);
    return this.insertRow(settings, this.tx.putSettings(settings));
  }

  messageSettings(fields: Partial<StoredMessageSettings> = {}): Step<StoredMessageSettings> {
    const settings = someMessageSettings(fields);
    return this.insertRow(settings, this.tx.putMessageSettings(settings));
  }

  mailQueue(fields: Partial<StoredMailQueue> = {}): Step<StoredMailQueue> {
    const queue = someMailQueue(fields);
    return this.insertRow(queue, this.tx.insertQueue(mailJobs, queue));
  }

  messageDeliveries(fields: readonly Partial<StoredMessageDelivery>[]): Step<StoredMessageDelivery[]> {
    const deliveries = fields.map((each) => someMessageDelivery(each));
    return this.insertRow(deliveries, this.tx.insertMessageDeliveries(deliveries));
  }

  mailJob(delivery: StoredMessageDelivery, fields: Partial<NewMailJob> = {}): Step<StoredMailJob> {
    const job = someMailJob(delivery, fields);
    return this.insertRow({ ...job, attempts: 0 }, this.tx.putJobs(mailJobs, [job]));
  }

  /** Claims all pass emails that are due at time 10. The claim expires at time 20. */
  claimMail(fields: Partial<Claim> = {}): Step<StoredMailJob[]> {
    return this.tx.claimJobs(mailJobs, "pass", someClaim(fields));
  }

  message(fields: Partial<StoredMessage> = {}): Step<StoredMessage> {
    const message = someMessage(fields);
    return this.insertRow(message, this.tx.insertMessage(message));
  }

  messageQueue(fields: Partial<StoredMessageQueue> = {}): Step<StoredMessageQueue> {
    const queue = { testTimes: [], createdAt: 1, ...fields };
    return this.insertRow(queue, this.tx.insertQueue(messageJobs, queue));
  }

  messageJob(message: StoredMessage, fields: Partial<NewMessageJob> = {}): Step<StoredMessageJob> {
    const job = someMessageJob(message, fields);
    return this.insertRow({ ...job, attempts: 0 }, this.tx.putJobs(messageJobs, [job]));
  }

  /** Claims all message jobs that are due at time 10. The claim expires at time 20. */
  claimMessages(fields: Partial<Claim> = {}): Step<StoredMessageJob[]> {
    return this.tx.claimJobs(messageJobs, "message", someClaim(fields));
  }

  segment(fields: Partial<StoredSegment> = {}): Step<StoredSegment> {
    const segment = someSegment(fields);
    return this.insertRow(segment, this.tx.insertSegment(segment));
  }

  automation(fields: Partial<StoredAutomation> = {}): Step<StoredAutomation> {
    const automation = someAutomation(fields);
    return this.insertRow(automation, this.tx.insertAutomation(automation));
  }

  automationQueue(fields: Partial<StoredAutomationQueue> = {}): Step<StoredAutomationQueue> {
    const queue = { position: 0, createdAt: 1, ...fields };
    return this.insertRow(queue, this.tx.insertQueue(automationJobs, queue));
  }

  automationJob(
    automation: StoredAutomation,
    fields: Partial<NewAutomationJob> = {},
  ): Step<StoredAutomationJob> {
    const job = someAutomationJob(automation, fields);
    return this.insertRow({ ...job, attempts: 0 }, this.tx.putJobs(automationJobs, [job]));
  }

  /** Claims all of a lane's automation jobs that are due at time 10. The claim expires at time 20. */
  claimAutomations(fields: Partial<Claim> = {}, lane: AutomationLane = "run"): Step<StoredAutomationJob[]> {
    return this.tx.claimJobs(automationJobs, lane, someClaim(fields));
  }

  /**
   * Adds waiting runs.
   * @returns the IDs of the runs that were added. A run is skipped if the user already has one for the same occasion.
   */
  automationRuns(
    automation: StoredAutomation,
    user: StoredUser,
    fields: readonly Partial<StoredAutomationRun>[],
  ): Step<string[]> {
    const runs = fields.map((each) => someAutomationRun(automation, user, each));
    return this.tx.insertAutomationRuns(runs);
  }

  private *insertRow<Row>(row: Row, insert: Step<void>): Step<Row> {
    yield* insert;
    return row;
  }
}

/** Returns a claim of everything that is due at time 10. It expires at time 20. */
function someClaim(fields: Partial<Claim>): Claim {
  return { lease: "first", now: 10, until: 20, limit: 100, ...fields };
}
