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
import { cooldowns } from "./change/cooldowns.js";
import { dayCountReads, dayCountWrites } from "./change/day-counts.js";
import { eventReads, eventWrites } from "./change/events.js";
import { idempotencyRecords } from "./change/idempotency-records.js";
import { organizations } from "./change/organizations.js";
import { settingsModule } from "./change/settings.js";
import { behaviorReads, type ReadingColumns } from "./columns/behavior.js";
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
import { segmentFollower } from "./saved-segments/segment-follower.js";
import { segmentMembers } from "./saved-segments/segment-members.js";
import { segmentChunks } from "./segments/segment-cache.js";
import { segmentCheck } from "./segments/segment-check.js";
import { segmentReads } from "./segments/segments.js";
import type { LookUpContext } from "./session/session.js";
import { countReads } from "./sql/counts.js";
import type { SqlDialect } from "./sql/dialect.js";
import { pictureReads, pictureWrites } from "./wallets/pictures.js";
import { walletCardReads, walletCardWrites } from "./wallets/wallet-cards.js";
import { webhookDeliveryReads, webhookDeliveryWrites } from "./webhooks/webhook-deliveries.js";
import { webhookEndpointReads, webhookEndpointWrites } from "./webhooks/webhook-endpoints.js";

export type LookUps = Functions<StorageLookUps, LookUpContext>;
export type Reads = Functions<Omit<StorageReader, "all">, ReadingColumns>;
export type Writes = Functions<Omit<StorageTransaction, keyof StorageReader>, WriteContext>;

/**
 * Builds the storage port's functions and compiles their queries. Call this once per process and dialect. Each function takes its
 * context as the first argument.
 */
export function queries(dialect: SqlDialect) {
  const organizationQueries = organizations(dialect);
  const chunks = segmentChunks(dialect);
  const check = segmentCheck(dialect, chunks);
  const users = userReads(dialect);
  const segments = segmentReads(dialect);
  const behavior = behaviorReads(dialect, segments);
  const members = segmentMembers(dialect);
  const jobs = jobReads(dialect);
  const pictures = pictureReads(dialect);
  const walletCards = walletCardReads(dialect);
  const webhookEndpoints = webhookEndpointReads(dialect);
  const parts = {
    apiTokens: apiTokenModule(dialect),
    apps: appModule(dialect),
    audit: auditModule(dialect),
    automationRuns: automationRunModule(dialect),
    automations: automationModule(dialect),
    grants: grantModule(dialect),
    mailQueues: mailQueueModule(dialect),
    marks: cooldowns(dialect),
    messageDeliveries: messageDeliveryModule(dialect),
    messages: messageModule(dialect),
    passes: passModule(dialect),
    people: personModule(dialect),
    points: pointModule(dialect),
    purchases: purchaseModule(dialect),
    savedSegments: savedSegmentModule(dialect, members),
    segmentFollower: segmentFollower(dialect),
    settings: settingsModule(dialect),
    stamps: stampModule(dialect),
    subscriptions: subscriptionModule(dialect),
    answers: idempotencyRecords(dialect),
    tags: tagModule(dialect),
    templates: templateModule(dialect),
  };
  const reads: Reads = {
    ...users,
    ...contactReads(dialect, { ...segments, ...users }, behavior),
    ...parts.tags.reads,
    ...assignmentReads(dialect, users),
    ...segments,
    ...behavior,
    ...check.reads,
    ...parts.savedSegments.reads,
    ...members.reads,
    ...parts.segmentFollower.reads,
    ...parts.templates.reads,
    ...parts.passes.reads,
    ...parts.stamps.reads,
    ...parts.purchases.reads,
    ...parts.points.reads,
    ...eventReads(dialect),
    ...actorReads(dialect),
    ...dayCountReads(dialect),
    ...parts.settings.reads,
    ...parts.apiTokens.reads,
    ...parts.answers.reads,
    ...parts.apps.reads,
    ...parts.audit.reads,
    ...parts.grants.reads,
    ...parts.marks.reads,
    ...parts.people.reads,
    ...webhookEndpoints.reads,
    ...webhookDeliveryReads(dialect),
    ...pictures.reads,
    ...walletCards.reads,
    ...parts.subscriptions.reads,
    ...parts.mailQueues.reads,
    ...parts.messageDeliveries.reads,
    ...parts.messages.reads,
    ...parts.automations.reads,
    ...parts.automationRuns.reads,
    ...jobs.reads,
    ...countReads(dialect),
  };
  const lookUps: LookUps = {
    ...organizationQueries.lookUps,
    ...parts.tags.lookUps,
    ...parts.segmentFollower.lookUps,
    ...parts.templates.lookUps,
    ...parts.passes.lookUps,
    ...parts.points.lookUps,
    ...parts.apiTokens.lookUps,
    ...parts.apps.lookUps,
    ...parts.grants.lookUps,
    ...parts.people.lookUps,
    ...webhookEndpoints.lookUps,
    ...pictures.lookUps,
    ...walletCards.lookUps,
    ...parts.mailQueues.lookUps,
    ...jobs.lookUps,
  };
  const writes: Writes = {
    ...userWrites(dialect, members),
    ...parts.tags.writes,
    ...assignmentWrites(dialect),
    ...check.writes,
    ...parts.savedSegments.writes,
    ...members.writes,
    ...parts.segmentFollower.writes,
    ...parts.templates.writes,
    ...parts.passes.writes,
    ...parts.stamps.writes,
    ...parts.purchases.writes,
    ...parts.points.writes,
    ...eventWrites(dialect),
    ...actorWrites(dialect),
    ...dayCountWrites(dialect),
    ...parts.settings.writes,
    ...parts.apiTokens.writes,
    ...parts.answers.writes,
    ...parts.apps.writes,
    ...parts.audit.writes,
    ...parts.grants.writes,
    ...parts.marks.writes,
    ...parts.people.writes,
    ...webhookEndpointWrites(dialect),
    ...webhookDeliveryWrites(dialect),
    ...pictureWrites(dialect),
    ...walletCardWrites(dialect),
    ...parts.subscriptions.writes,
    ...parts.mailQueues.writes,
    ...parts.messageDeliveries.writes,
    ...parts.messages.writes,
    ...parts.automations.writes,
    ...parts.automationRuns.writes,
    ...jobWrites(dialect),
  };
  return { organizations: organizationQueries, chunks, lookUps, reads, writes };
}
