import { apiTokenRecord } from "../../../src/storage/api-tokens.js";
import { appRecord, grantRecord, grantTokenRecord } from "../../../src/storage/apps.js";
import { auditRecord } from "../../../src/storage/audit.js";
import {
  automationCompletionRecord,
  automationJobRecord,
  automationQueueRecord,
  automationRecord,
  automationRunRecord,
  pastAutomationRecord,
} from "../../../src/storage/automations.js";
import { cooldownRecord } from "../../../src/storage/cooldowns.js";
import { countColumns } from "../../../src/storage/day-counts.js";
import { eventRecord } from "../../../src/storage/events.js";
import { idempotencyRecord } from "../../../src/storage/idempotency-records.js";
import {
  mailJobRecord,
  mailQueueRecord,
  messageDeliveryRecord,
  messageSettingsRecord,
} from "../../../src/storage/mail.js";
import {
  messageAudienceRecord,
  messageJobRecord,
  messageQueueRecord,
  messageRecord,
} from "../../../src/storage/messages.js";
import { passRecord, stampCardColumns, stampEntryRecord } from "../../../src/storage/passes.js";
import { personRecord } from "../../../src/storage/people.js";
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
} from "../../../src/storage/record.js";
import {
  segmentDayRecord,
  segmentFollowerRecord,
  segmentRecord,
  segmentSliceRecord,
  silentChangeRecord,
} from "../../../src/storage/saved-segments.js";
import { settingsRecord } from "../../../src/storage/settings.js";
import { subscriptionRecord } from "../../../src/storage/subscriptions.js";
import { assignmentRecord, tagRecord, tagRemovalRecord } from "../../../src/storage/tags.js";
import { templateRecord } from "../../../src/storage/templates.js";
import { userRecord } from "../../../src/storage/users.js";
import {
  pictureRecord,
  walletCardRecord,
  walletDeliveryRecord,
  walletDeviceRecord,
  walletQueueRecord,
} from "../../../src/storage/wallets.js";
import {
  webhookAttemptRecord,
  webhookDeliveryRecord,
  webhookEndpointRecord,
} from "../../../src/storage/webhooks.js";
import type { SqlName, SqlTable } from "./columns.js";

/*
 * The tables as SQL databases have them. Their names begin with `loyalty_`, so that a host can keep its own tables beside
 * them; what follows, and the columns, are the names of the records in snake_case; lists are JSON, booleans 0 or 1, and a
 * `…_fold` is the folded text that searches, sorts and keys go by.
 */

/** A record, and the columns beside its own, which the port does not know. */
export interface TableDefinition<Own extends Columns, Key extends keyof Own, Beside extends Columns> {
  readonly record: TableRecord<Own, Key>;
  readonly beside: Beside;
}

function tableWith<Own extends Columns, Key extends keyof Own, const Beside extends Columns>(
  record: TableRecord<Own, Key>,
  beside: Beside,
): TableDefinition<Own, Key, Beside> {
  return { record, beside };
}

function defineTable<Own extends Columns, Key extends keyof Own>(record: TableRecord<Own, Key>) {
  return tableWith(record, {});
}

/**
 * Holds which numbers the next user, tag and event of an organization get, once it has stored something. The newest event
 * may say more of its position, the open day and the newest user.
 */
const organizationRecord = record("organizations", [], {
  nextUserOrdinal: integer(),
  newestUserId: text().nullable(),
  newestUserCreatedAt: time().nullable(),
  nextTagOrdinal: integer(),
  newestEventPosition: integer(),
  /** The minute of the newest event, which is indexed and so changes rarely. */
  newestEventMinute: integer(),
  /** The counts of the newest day; earlier days are in a table. */
  currentDayCounts: json().nullable(),
  /** The outbox may lack events up to this position, because they were removed, or a change counted without events. */
  incompletePosition: integer(),
  /** The newest time of such an event or change; `null` without any. */
  incompleteUntil: time().nullable(),
  /** The time zone of the settings; `null` without one. */
  timeZone: text().nullable(),
  /** Grows with each transaction that changed a customer in a way that its events do not name. */
  changesWithoutEvent: integer(),
});

const segmentSetRecord = record("segmentSets", ["setId"], {
  /** The ordinal of the tag; 0 for the set of all users. */
  setId: integer(),
  /** Grows with every change of the set. */
  version: integer(),
});

/** Holds a piece of the ordinals of a set. */
const segmentChunkRecord = record("segmentChunks", ["setId", "chunk"], {
  setId: integer().refersTo("segmentSets", "setId"),
  chunk: integer(),
  /** The version of the set when this piece last changed. */
  version: integer(),
  bits: bytes(),
});

const dayCountRecord = record("dayCounts", ["day"], { day: integer(), ...countColumns });

const { userId: _userId, ...passColumns } = passRecord.columns;

/** A pass knows its user by ordinal, and has the columns of its card: all `null` for a pass without stamps. */
const flatPassRecord = record("walletPasses", passRecord.key, {
  ...passColumns,
  ...optional(stampCardColumns),
});

/** Names the claim of a worker, which ends when the delivery is due again; `null` if it isn't claimed. */
const lease = text().nullable();

/** The tables with the data of organizations, referenced ones first. */
export const tables = {
  organizations: defineTable(organizationRecord),
  users: tableWith(userRecord, {
    emailFold: text().nullable(),
    nameFold: text().nullable(),
    externalIdFold: text().nullable(),
    /** All folds of the user in one. */
    searchText: text(),
  }),
  userTags: defineTable(tagRecord),
  userTagAssignments: defineTable(assignmentRecord),
  tagRemovals: defineTable(tagRemovalRecord),
  segmentSets: defineTable(segmentSetRecord),
  segmentChunks: defineTable(segmentChunkRecord),
  templates: defineTable(templateRecord),
  walletPasses: tableWith(flatPassRecord, { userOrdinal: integer().refersTo("users", "ordinal") }),
  stampEntries: defineTable(stampEntryRecord),
  apiTokens: defineTable(apiTokenRecord),
  people: defineTable(personRecord),
  /**
   * `deferredCounters` has the counters that the newest event carries for the organization's row: the current day and the newest
   * user.
   */
  events: tableWith(eventRecord, { deferredCounters: json().nullable() }),
  /** `endBytes` is how much was sealed until and with this one. */
  idempotencyRecords: tableWith(idempotencyRecord, { endBytes: integer() }),
  cooldowns: defineTable(cooldownRecord),
  apps: defineTable(appRecord),
  grants: defineTable(grantRecord),
  grantTokens: defineTable(grantTokenRecord),
  /** `pending` is how many pending deliveries it has, `dueAt` the first `nextAttemptAt` of them. */
  webhookEndpoints: tableWith(webhookEndpointRecord, {
    dueAt: time().nullable().fixed(),
    pending: integer().fixed(),
  }),
  webhookDeliveries: tableWith(webhookDeliveryRecord, { lease }),
  webhookAttempts: defineTable(webhookAttemptRecord),
  pictures: defineTable(pictureRecord),
  /** `dueAt` is the first `nextAttemptAt` of the organization's deliveries. */
  walletQueues: tableWith(walletQueueRecord, { dueAt: time().nullable().fixed() }),
  walletCards: defineTable(walletCardRecord),
  walletDevices: defineTable(walletDeviceRecord),
  walletDeliveries: tableWith(walletDeliveryRecord, { lease }),
  savedSegments: defineTable(segmentRecord),
  segmentSlices: defineTable(segmentSliceRecord),
  segmentFollowers: defineTable(segmentFollowerRecord),
  silentChanges: defineTable(silentChangeRecord),
  segmentDays: defineTable(segmentDayRecord),
  settings: defineTable(settingsRecord),
  subscriptions: defineTable(subscriptionRecord),
  messageSettings: defineTable(messageSettingsRecord),
  messageDeliveries: defineTable(messageDeliveryRecord),
  /** `dueAt` is the first `nextAttemptAt` of the organization's jobs. */
  mailQueues: tableWith(mailQueueRecord, { dueAt: time().nullable().fixed() }),
  mailJobs: tableWith(mailJobRecord, { lease }),
  messages: defineTable(messageRecord),
  messageAudiences: defineTable(messageAudienceRecord),
  /** `dueAt` is the first `nextAttemptAt` of the organization's jobs. */
  messageQueues: tableWith(messageQueueRecord, { dueAt: time().nullable().fixed() }),
  messageJobs: tableWith(messageJobRecord, { lease }),
  automations: defineTable(automationRecord),
  automationVersions: defineTable(pastAutomationRecord),
  automationRuns: defineTable(automationRunRecord),
  automationCompletions: defineTable(automationCompletionRecord),
  /** `dueAt` is the first `nextAttemptAt` of the organization's jobs. */
  automationQueues: tableWith(automationQueueRecord, { dueAt: time().nullable().fixed() }),
  automationJobs: tableWith(automationJobRecord, { lease }),
  dayCounts: defineTable(dayCountRecord),
  audit: defineTable(auditRecord),
};

type DefinedTables = typeof tables;

export type Tables = {
  [Name in keyof DefinedTables as `loyalty_${SqlName<Name>}`]: SqlTable<
    DefinedTables[Name]["record"]["columns"] & DefinedTables[Name]["beside"]
  >;
} & {
  /** A row for each process that serves the database. `key_print` tells keys apart without telling them. */
  loyalty_servers: { id: string; key_print: string; seen_at: number };
  loyalty_migrations: { version: number; applied_at: number };
};

/** The tables, where the name of one is a variable. */
export type AnyTables = Record<string, Record<string, unknown>>;
