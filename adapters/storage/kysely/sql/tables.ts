import { apiTokenRecord } from "../../../../src/storage/api-tokens.js";
import { appRecord, grantRecord, grantTokenRecord } from "../../../../src/storage/apps.js";
import { auditRecord } from "../../../../src/storage/audit.js";
import {
  automationCompletionRecord,
  automationJobRecord,
  automationQueueRecord,
  automationRecord,
  automationRunRecord,
  pastAutomationRecord,
} from "../../../../src/storage/automations.js";
import { cooldownRecord } from "../../../../src/storage/cooldowns.js";
import { countColumns } from "../../../../src/storage/day-counts.js";
import { eventRecord } from "../../../../src/storage/events.js";
import { idempotencyRecord } from "../../../../src/storage/idempotency-records.js";
import {
  mailJobRecord,
  mailQueueRecord,
  messageDeliveryRecord,
  messageSettingsRecord,
} from "../../../../src/storage/mail.js";
import {
  messageAudienceRecord,
  messageJobRecord,
  messageQueueRecord,
  messageRecord,
} from "../../../../src/storage/messages.js";
import { passRecord, stampCardColumns, stampEntryRecord } from "../../../../src/storage/passes.js";
import { personRecord } from "../../../../src/storage/people.js";
import { pointCardRecord, pointEntryRecord, pointLotRecord } from "../../../../src/storage/points.js";
import {
  purchaseEffectRecord,
  purchaseRecord,
  purchaseReturnRecord,
} from "../../../../src/storage/purchases.js";
import {
  bytes,
  type Columns,
  integer,
  json,
  optional,
  record,
  type TableRecord,
  text,
  time,
} from "../../../../src/storage/record.js";
import {
  segmentDayRecord,
  segmentFollowerRecord,
  segmentRecord,
  segmentSliceRecord,
  silentChangeRecord,
} from "../../../../src/storage/saved-segments.js";
import { settingsRecord } from "../../../../src/storage/settings.js";
import { subscriptionRecord } from "../../../../src/storage/subscriptions.js";
import { assignmentRecord, tagRecord, tagRemovalRecord } from "../../../../src/storage/tags.js";
import { pastProgramRecord, templateRecord } from "../../../../src/storage/templates.js";
import { userRecord } from "../../../../src/storage/users.js";
import {
  pictureRecord,
  walletCardRecord,
  walletDeliveryRecord,
  walletDeviceRecord,
  walletQueueRecord,
} from "../../../../src/storage/wallets.js";
import {
  webhookAttemptRecord,
  webhookDeliveryRecord,
  webhookEndpointRecord,
} from "../../../../src/storage/webhooks.js";
import type { SqlName, SqlTable } from "./columns.js";

/*
 * The tables as SQL databases have them. Table names begin with `loyalty_`, so that a host can keep its own tables in the same
 * database. The rest of the name, and the columns, are the record's names in snake_case. Lists are JSON, booleans are 0 or 1, and
 * `…_fold` is the folded text used by searches, sort orders and keys.
 */

/** A table definition: its record, plus any columns that aren't part of the storage port. */
export interface TableDefinition<Own extends Columns, Key extends keyof Own, Beside extends Columns> {
  readonly record: TableRecord<Own, Key>;
  readonly beside: Beside;
}

function defineTableWith<Own extends Columns, Key extends keyof Own, const Beside extends Columns>(
  record: TableRecord<Own, Key>,
  beside: Beside,
): TableDefinition<Own, Key, Beside> {
  return { record, beside };
}

function defineTable<Own extends Columns, Key extends keyof Own>(record: TableRecord<Own, Key>) {
  return defineTableWith(record, {});
}

/** A queue's columns that aren't part of the port: `dueAt` is the earliest `nextAttemptAt` of the organization's jobs. */
export const queueColumns = { dueAt: time().nullable().fixed() };

/** Counters of an organization that has stored something, such as the numbers for its next user, tag and event. */
const organizationRecord = record("organizations", [], {
  nextUserOrdinal: integer(),
  newestUserId: text().nullable(),
  newestUserCreatedAt: time().nullable(),
  nextTagOrdinal: integer(),
  newestEventPosition: integer(),
  /** The minute of the newest event. It is indexed, and changes less often than a time. */
  newestEventMinute: integer(),
  /** Counts of the newest day. Earlier days have a table of their own. */
  currentDayCounts: json().nullable(),
  /** The outbox may lack events up to this position, because events were removed or a change was counted without events. */
  incompletePosition: integer(),
  /** Time of the newest event that was removed or change that was counted without events, or `null` if there is none. */
  incompleteUntil: time().nullable(),
  /** The time zone from the settings, or `null` if it isn't set. */
  timeZone: text().nullable(),
  /** Increases with each transaction that changed a customer without naming the customer in an event. */
  changesWithoutEvent: integer(),
  /**
   * Pairs of set numbers and versions, for sets that were changed lately. A set's version is the higher one of this and its own row's,
   * so that changing a set writes no row but this one.
   */
  setVersions: json().nullable(),
});

const segmentSetRecord = record("segmentSets", ["setId"], {
  /** The tag's ordinal, or 0 for the set of all users. */
  setId: integer(),
  /** Increases with every change of the set. The organization's row may have a higher one. */
  version: integer(),
});

/** A chunk of a set's ordinals. */
const segmentChunkRecord = record("segmentChunks", ["setId", "chunk"], {
  setId: integer().refersTo("segmentSets", "setId"),
  chunk: integer(),
  /** The set's version when this chunk last changed. */
  version: integer(),
  bits: bytes(),
});

const dayCountRecord = record("dayCounts", ["day"], { day: integer(), ...countColumns });

const { userId: _userId, ...passColumns } = passRecord.columns;

/**
 * A pass that refers to its user by ordinal and includes its stamp card's columns, which are all `null` if the pass has no stamp
 * card.
 */
const flatPassRecord = record("walletPasses", passRecord.key, {
  ...passColumns,
  ...optional(stampCardColumns),
});

/** Identifies a worker's claim, which ends when the row is due again. `null` if the row isn't claimed. */
const lease = text().nullable();

/** All tables that contain organization data, ordered so that each table follows the tables it references. */
export const tables = {
  organizations: defineTable(organizationRecord),
  users: defineTableWith(userRecord, {
    emailFold: text().nullable(),
    nameFold: text().nullable(),
    externalIdFold: text().nullable(),
    /** All of the user's folds in one string, for searching. */
    searchText: text(),
  }),
  userTags: defineTable(tagRecord),
  userTagAssignments: defineTable(assignmentRecord),
  tagRemovals: defineTable(tagRemovalRecord),
  segmentSets: defineTable(segmentSetRecord),
  segmentChunks: defineTable(segmentChunkRecord),
  templates: defineTable(templateRecord),
  pastPrograms: defineTable(pastProgramRecord),
  walletPasses: defineTableWith(flatPassRecord, { userOrdinal: integer().refersTo("users", "ordinal") }),
  stampEntries: defineTable(stampEntryRecord),
  pointCards: defineTable(pointCardRecord),
  pointLots: defineTable(pointLotRecord),
  pointEntries: defineTable(pointEntryRecord),
  purchases: defineTable(purchaseRecord),
  purchaseEffects: defineTable(purchaseEffectRecord),
  purchaseReturns: defineTable(purchaseReturnRecord),
  apiTokens: defineTable(apiTokenRecord),
  people: defineTable(personRecord),
  events: defineTable(eventRecord),
  /** `endBytes` is the total size of the sealed content of all records stored so far, including this one. */
  idempotencyRecords: defineTableWith(idempotencyRecord, { endBytes: integer() }),
  cooldowns: defineTable(cooldownRecord),
  apps: defineTable(appRecord),
  grants: defineTable(grantRecord),
  grantTokens: defineTable(grantTokenRecord),
  /** `pending` is the number of the endpoint's pending deliveries, and `dueAt` is their earliest `nextAttemptAt`. */
  webhookEndpoints: defineTableWith(webhookEndpointRecord, {
    dueAt: time().nullable().fixed(),
    pending: integer().fixed(),
  }),
  webhookDeliveries: defineTableWith(webhookDeliveryRecord, { lease }),
  webhookAttempts: defineTable(webhookAttemptRecord),
  pictures: defineTable(pictureRecord),
  walletQueues: defineTableWith(walletQueueRecord, queueColumns),
  walletCards: defineTable(walletCardRecord),
  walletDevices: defineTable(walletDeviceRecord),
  walletDeliveries: defineTableWith(walletDeliveryRecord, { lease }),
  savedSegments: defineTable(segmentRecord),
  segmentSlices: defineTable(segmentSliceRecord),
  segmentFollowers: defineTable(segmentFollowerRecord),
  silentChanges: defineTable(silentChangeRecord),
  segmentDays: defineTable(segmentDayRecord),
  settings: defineTable(settingsRecord),
  subscriptions: defineTable(subscriptionRecord),
  messageSettings: defineTable(messageSettingsRecord),
  messageDeliveries: defineTable(messageDeliveryRecord),
  mailQueues: defineTableWith(mailQueueRecord, queueColumns),
  mailJobs: defineTableWith(mailJobRecord, { lease }),
  messages: defineTable(messageRecord),
  messageAudiences: defineTable(messageAudienceRecord),
  messageQueues: defineTableWith(messageQueueRecord, queueColumns),
  messageJobs: defineTableWith(messageJobRecord, { lease }),
  automations: defineTable(automationRecord),
  automationVersions: defineTable(pastAutomationRecord),
  automationRuns: defineTable(automationRunRecord),
  automationCompletions: defineTable(automationCompletionRecord),
  automationQueues: defineTableWith(automationQueueRecord, queueColumns),
  automationJobs: defineTableWith(automationJobRecord, { lease }),
  dayCounts: defineTable(dayCountRecord),
  audit: defineTable(auditRecord),
};

type DefinedTables = typeof tables;

export type Tables = {
  [Name in keyof DefinedTables as `loyalty_${SqlName<Name>}`]: SqlTable<
    DefinedTables[Name]["record"]["columns"] & DefinedTables[Name]["beside"]
  >;
} & {
  /**
   * One row per process that uses the database. `key_print` is a fingerprint of the process's secret key, so that processes can
   * compare their keys without revealing them.
   */
  loyalty_servers: { id: string; key_print: string; seen_at: number };
  loyalty_migrations: { version: number; applied_at: number };
};

/** Kysely schema type for tables whose names are known only at run time. */
export type AnyTables = Record<string, Record<string, unknown>>;
