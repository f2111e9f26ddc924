import type { Functions } from "../../../src/storage/methods.js";
import type {
  StorageLookUps,
  StorageReader,
  StorageTransaction,
} from "../../../src/storage/storage-adapter.js";
import { apiTokenModule } from "./access/api-tokens.js";
import { appModule } from "./access/apps.js";
import { auditModule } from "./access/audit.js";
import { grantModule } from "./access/grants.js";
import { personModule } from "./access/people.js";
import { automationRunModule } from "./automations/automation-runs.js";
import { automationModule } from "./automations/automations.js";
import { passModule } from "./cards/passes.js";
import { stampModule } from "./cards/stamps.js";
import { templateModule } from "./cards/templates.js";
import { actorReads, actorWrites } from "./change/actors.js";
import type { WriteContext } from "./change/commit-buffer.js";
import { cooldownModule } from "./change/cooldowns.js";
import { dayCountReads, dayCountWrites } from "./change/day-counts.js";
import { eventReads, eventWrites } from "./change/events.js";
import { idempotencyRecordModule } from "./change/idempotency-records.js";
import { createOrganizations } from "./change/organizations.js";
import { settingsModule } from "./change/settings.js";
import { behaviorReads, type ColumnReadContext } from "./columns/behavior.js";
import { contactReads } from "./contacts/contacts.js";
import { assignmentReads, assignmentWrites, tagModule } from "./customers/tags.js";
import { userWrites } from "./customers/user-writes.js";
import { userReads } from "./customers/users.js";
import { jobReads, jobWrites } from "./jobs/jobs.js";
import { mailQueueModule } from "./messages/mail-queues.js";
import { messageDeliveryModule } from "./messages/message-deliveries.js";
import { messageModule } from "./messages/messages.js";
import { subscriptionModule } from "./messages/subscriptions.js";
import { pointModule } from "./purchases/points.js";
import { purchaseModule } from "./purchases/purchases.js";
import { savedSegmentModule } from "./saved-segments/saved-segments.js";
import { segmentFollowerModule } from "./saved-segments/segment-follower.js";
import { createSegmentMembers } from "./saved-segments/segment-members.js";
import { createSegmentChunks } from "./segments/segment-cache.js";
import { createSegmentCheck } from "./segments/segment-check.js";
import { segmentReads } from "./segments/segments.js";
import type { LookUpContext } from "./session/session.js";
import { countReads } from "./sql/counts.js";
import type { SqlDialect } from "./sql/dialect.js";
import { pictureReads, pictureWrites } from "./wallets/pictures.js";
import { walletCardReads, walletCardWrites } from "./wallets/wallet-cards.js";
import { webhookDeliveryReads, webhookDeliveryWrites } from "./webhooks/webhook-deliveries.js";
import { webhookEndpointReads, webhookEndpointWrites } from "./webhooks/webhook-endpoints.js";

export type LookUps = Functions<StorageLookUps, LookUpContext>;
export type Reads = Functions<Omit<StorageReader, "all">, ColumnReadContext>;
export type Writes = Functions<Omit<StorageTransaction, keyof StorageReader>, WriteContext>;

/**
 * Builds the storage port's functions and compiles their queries. Call this once per process and dialect. Each function takes its
 * context as the first argument.
 */
export function createQueries(dialect: SqlDialect) {
  const organizationQueries = createOrganizations(dialect);
  const chunks = createSegmentChunks(dialect);
  const check = createSegmentCheck(dialect, chunks);
  const users = userReads(dialect);
  const segments = segmentReads(dialect);
  const behavior = behaviorReads(dialect, segments);
  const members = createSegmentMembers(dialect);
  const jobs = jobReads(dialect);
  const pictures = pictureReads(dialect);
  const walletCards = walletCardReads(dialect);
  const webhookEndpoints = webhookEndpointReads(dialect);
  const modules = {
    apiTokens: apiTokenModule(dialect),
    apps: appModule(dialect),
    audit: auditModule(dialect),
    automationRuns: automationRunModule(dialect),
    automations: automationModule(dialect),
    grants: grantModule(dialect),
    mailQueues: mailQueueModule(dialect),
    cooldowns: cooldownModule(dialect),
    messageDeliveries: messageDeliveryModule(dialect),
    messages: messageModule(dialect),
    passes: passModule(dialect),
    people: personModule(dialect),
    points: pointModule(dialect),
    purchases: purchaseModule(dialect),
    savedSegments: savedSegmentModule(dialect, members),
    segmentFollower: segmentFollowerModule(dialect),
    settings: settingsModule(dialect),
    stamps: stampModule(dialect),
    subscriptions: subscriptionModule(dialect),
    idempotencyRecords: idempotencyRecordModule(dialect),
    tags: tagModule(dialect),
    templates: templateModule(dialect),
  };
  const reads: Reads = {
    ...users,
    ...contactReads(dialect, { ...segments, ...users }, behavior),
    ...modules.tags.reads,
    ...assignmentReads(dialect, users),
    ...segments,
    ...behavior,
    ...check.reads,
    ...modules.savedSegments.reads,
    ...members.reads,
    ...modules.segmentFollower.reads,
    ...modules.templates.reads,
    ...modules.passes.reads,
    ...modules.stamps.reads,
    ...modules.purchases.reads,
    ...modules.points.reads,
    ...eventReads(dialect),
    ...actorReads(dialect),
    ...dayCountReads(dialect),
    ...modules.settings.reads,
    ...modules.apiTokens.reads,
    ...modules.idempotencyRecords.reads,
    ...modules.apps.reads,
    ...modules.audit.reads,
    ...modules.grants.reads,
    ...modules.cooldowns.reads,
    ...modules.people.reads,
    ...webhookEndpoints.reads,
    ...webhookDeliveryReads(dialect),
    ...pictures.reads,
    ...walletCards.reads,
    ...modules.subscriptions.reads,
    ...modules.mailQueues.reads,
    ...modules.messageDeliveries.reads,
    ...modules.messages.reads,
    ...modules.automations.reads,
    ...modules.automationRuns.reads,
    ...jobs.reads,
    ...countReads(dialect),
  };
  const lookUps: LookUps = {
    ...organizationQueries.lookUps,
    ...modules.tags.lookUps,
    ...modules.segmentFollower.lookUps,
    ...modules.templates.lookUps,
    ...modules.passes.lookUps,
    ...modules.points.lookUps,
    ...modules.apiTokens.lookUps,
    ...modules.apps.lookUps,
    ...modules.grants.lookUps,
    ...modules.people.lookUps,
    ...webhookEndpoints.lookUps,
    ...pictures.lookUps,
    ...walletCards.lookUps,
    ...modules.mailQueues.lookUps,
    ...jobs.lookUps,
  };
  const writes: Writes = {
    ...userWrites(dialect, members),
    ...modules.tags.writes,
    ...assignmentWrites(dialect),
    ...check.writes,
    ...modules.savedSegments.writes,
    ...members.writes,
    ...modules.segmentFollower.writes,
    ...modules.templates.writes,
    ...modules.passes.writes,
    ...modules.stamps.writes,
    ...modules.purchases.writes,
    ...modules.points.writes,
    ...eventWrites(dialect),
    ...actorWrites(dialect),
    ...dayCountWrites(dialect),
    ...modules.settings.writes,
    ...modules.apiTokens.writes,
    ...modules.idempotencyRecords.writes,
    ...modules.apps.writes,
    ...modules.audit.writes,
    ...modules.grants.writes,
    ...modules.cooldowns.writes,
    ...modules.people.writes,
    ...webhookEndpointWrites(dialect),
    ...webhookDeliveryWrites(dialect),
    ...pictureWrites(dialect),
    ...walletCardWrites(dialect),
    ...modules.subscriptions.writes,
    ...modules.mailQueues.writes,
    ...modules.messageDeliveries.writes,
    ...modules.messages.writes,
    ...modules.automations.writes,
    ...modules.automationRuns.writes,
    ...jobWrites(dialect),
  };
  return { organizations: organizationQueries, chunks, lookUps, reads, writes };
}
