import { type CompiledQuery, type RawBuilder, type SqlBool, sql } from "kysely";
import { CHUNK_BYTES } from "../../../src/storage/bitmap.js";
import { maxBytesWith } from "../segments/chunk-encoding.js";
import { isDueRun, isTriedRun, isWaitingRun } from "../sql/automation-run-filters.js";
import type { SqlDialect } from "../sql/dialect.js";
import { isMessageThatCounts, isOfMessage, isPendingDelivery } from "../sql/message-delivery-filters.js";
import { tables } from "../sql/tables.js";
import { buildTable, type Index, type TableShape } from "./table-builder.js";

/*
 * The columns of a table, their types, its key and what refers to other tables are in its record. What follows is what a record
 * does not say: which rows lie by their key, and what finds them otherwise.
 */

type Kept = typeof tables;
type Shapes = {
  readonly [Name in keyof Kept]: TableShape<
    string & (keyof Kept[Name]["record"]["columns"] | keyof Kept[Name]["beside"])
  >;
};

const ofMessages = isOfMessage(sql.ref("kind"));

/** The row of a queue knows when its organization has work to do. Workers look for that in all organizations. */
const ofQueues = { indexes: { due_at: ofAll("dueAt") } };

/** Jobs of one lane are claimed in the order in which they are due; the first of all lanes stands in the row of the queue. */
function ofJobs<const Subject extends string>(subject: Subject) {
  return {
    isKeyed: true,
    indexes: {
      due: by<"lane" | "nextAttemptAt" | Subject>("lane", "nextAttemptAt", subject),
      first: by("nextAttemptAt"),
      subject: by(subject),
    },
  } as const;
}

/** Makes all tables of this release in an empty database. */
export function firstTables(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns, search } = dialect;
  const shapes: Readonly<Record<string, TableShape<string>>> = buildShapes(dialect);
  return [
    ...Object.entries(tables).flatMap(([name, table]) => buildTable(dialect, table, shapes[name] ?? {})),
    // The processes that serve a database are of no organization, as its version is.
    db.schema
      .createTable("loyalty_servers")
      .addColumn("id", columns.text, (column) => column.primaryKey().notNull())
      .addColumn("key_print", columns.text, (column) => column.notNull())
      .addColumn("seen_at", columns.integer, (column) => column.notNull())
      .compile(),
    ...search.tables,
  ];
}

function buildShapes({ eventPlaces, flips, lateUsers }: SqlDialect): Shapes {
  const isPlaced = eventPlaces.order === "place";
  // With the column in it, though it is the same in all entries, an index is read without the rows.
  const byOrder = <Column extends string>(column: Column): Index<Column | "id" | "late"> =>
    lateUsers === null
      ? { on: [column, "id"] }
      : { on: [column, "id", "late"], condition: lateUsers.isIndexed };

  return {
    // Workers look for work in all organizations.
    organizations: { isKeyed: true, indexes: { newest_event_minute: ofAll("newestEventMinute") } },
    users: {
      isKeyed: true,
      hasLate: lateUsers !== null,
      indexes: {
        id: unique("id"),
        email_fold: where(isThere("email_fold"), unique("emailFold")),
        no_email: where(isMissing("email_fold"), by("id")),
        external_id: unique("externalId"),
        updated_at: byOrder("updatedAt"),
        name_fold: byOrder("nameFold"),
        external_id_fold: byOrder("externalIdFold"),
      },
    },
    userTags: { indexes: { ordinal: unique("ordinal"), slug: unique("slug") } },
    // The set of a tag says who has it. A reference to it would make the database look for assignments where a tag is removed.
    userTagAssignments: { isKeyed: true, unchecked: ["tagOrdinal"] },
    tagRemovals: { restricting: ["targetOrdinal"] },
    segmentSets: { isKeyed: true },
    segmentChunks: {
      check: sql`length(bits) between ${sql.lit(CHUNK_BYTES)} and ${sql.lit(maxBytesWith(flips.maxDeltasFor("")))}`,
    },
    // A page that a link leads to names no organization: the join page a template, the card page a code.
    templates: { indexes: { public: ofAll("id") } },
    walletPasses: {
      restricting: ["templateId"],
      indexes: {
        code: unique("code"),
        of_user: by("userOrdinal"),
        // The stamps are not in it, so that a stamp changes no index.
        of_template: by("templateId"),
        public: ofAll("code"),
      },
    },
    stampEntries: {
      isKeyed: true,
      indexes: {
        reverses: where(isThere("reverses"), unique("passId", "reverses")),
        subject: where(isThere("subject"), by("subject", "passId")),
      },
    },
    // A caller who shows a token names no organization.
    apiTokens: { indexes: { hash: ofAll("hash") } },
    people: {
      indexes: {
        email: unique("emailFold"),
        // A person who signs in names no organization, and neither does a passkey, which has the person's id.
        of_email: ofAll("emailFold", "organizationId"),
        of_id: ofAll("id", "organizationId"),
      },
    },
    events: {
      isPlaced,
      // The place of a row comes last in every index.
      indexes: { subject: where(isThere("subject"), isPlaced ? by("subject") : by("subject", "position")) },
    },
    idempotencyRecords: {
      indexes: {
        created_at: by("createdAt"),
        user: where(isThere("user_id"), by("userId")),
        end_bytes: by("endBytes"),
      },
    },
    cooldowns: { isKeyed: true, indexes: { until: by("until") } },
    // A client that shows its id names no organization.
    apps: { indexes: { id: ofAll("id") } },
    grants: { indexes: { token: where(isThere("token_id"), by("tokenId")), subject: by("subject") } },
    grantTokens: {
      indexes: { of_grant: by("grantId"), expires_at: by("expiresAt"), hash: ofAll("hash") },
    },
    webhookEndpoints: {
      indexes: {
        // Workers look for work in all organizations.
        due_at: where(isMissing("disabled_at"), ofAll("dueAt")),
        position: where(isMissing("disabled_at"), by("position")),
        left: where(sql`disabled_at is not null and position < last_position`, by("id")),
      },
    },
    webhookDeliveries: {
      indexes: {
        created_at: by("endpointId", "createdAt", "id"),
        status: where(sql`status <> 'delivered'`, by("endpointId", "status", "createdAt", "id")),
        due: where(isThere("next_attempt_at"), by("endpointId", "nextAttemptAt", "id")),
        event: where(isThere("next_attempt_at"), by("eventId")),
      },
    },
    webhookAttempts: { isKeyed: true },
    // Pictures are public to everybody who knows their hash.
    pictures: { indexes: { hash: ofAll("hash") } },
    walletQueues: ofQueues,
    walletCards: {
      indexes: {
        template: by("templateId", "passId"),
        message: where(isThere("message_id"), by("messageId", "passId")),
        // Wallets know a pass by its id alone, and devices by theirs.
        pass: ofAll("passId"),
      },
    },
    walletDevices: {
      isKeyed: true,
      indexes: { device: ofAll("deviceId", "platform"), token: ofAll("pushToken", "platform") },
    },
    walletDeliveries: {
      isKeyed: true,
      indexes: { pass: by("passId"), due: by("platform", "nextAttemptAt", "passId") },
    },
    savedSegments: { indexes: { slug: unique("slug") } },
    // A reference to the segment would make the database look through all slices where a segment is removed.
    segmentSlices: { isKeyed: true, unchecked: ["segmentId"] },
    // Workers look for work in all organizations.
    segmentFollowers: { indexes: { next_midnight: ofAll("nextMidnight", "organizationId") } },
    silentChanges: {},
    segmentDays: {},
    settings: { unchecked: ["logo"] },
    subscriptions: {},
    messageSettings: {},
    messageDeliveries: {
      indexes: {
        user: by("userId", "createdAt", "id"),
        pass: by("passId", "createdAt", "id"),
        age: by("createdAt", "id"),
        // Deliveries that have not ended are few, and counted before others are made.
        pending: where(isPendingDelivery(sql.ref("status")), by("channel", "status")),
        recent: where(
          isMessageThatCounts(sql.ref("kind"), sql.ref("status"), sql.ref("is_uncertain")),
          by("userId", "updatedAt"),
        ),
        // A mail about a pass is in none of these.
        message_user: where(ofMessages, unique("messageId", "userId", "channel")),
        message_age: where(ofMessages, by("messageId", "createdAt", "id")),
        message_status: where(ofMessages, by("messageId", "status", "createdAt", "id")),
      },
    },
    mailQueues: {
      indexes: {
        ...ofQueues.indexes,
        // The link of a mail names no organization.
        token: ofAll("token"),
      },
    },
    mailJobs: ofJobs("deliveryId"),
    messages: { indexes: { age: by("createdAt", "id"), status: by("status", "createdAt", "id") } },
    messageAudiences: {},
    messageQueues: ofQueues,
    messageJobs: ofJobs("messageId"),
    automations: {},
    automationVersions: {},
    automationRuns: {
      indexes: {
        occasion: unique("automationId", "userId", "occasion"),
        automation: by("automationId", "createdAt", "id"),
        user: by("userId", "createdAt", "id"),
        age: by("createdAt", "id"),
        due: where(isDueRun(sql.ref("next_attempt_at")), by("automationId", "nextAttemptAt", "id")),
        // Runs that wait are counted before others are made.
        waiting: where(isWaitingRun(sql.ref("status")), by("automationId")),
        tried: where(isTriedRun(sql.ref("status")), by("userId", "updatedAt")),
      },
    },
    automationCompletions: { isKeyed: true, indexes: { user: by("userId") } },
    automationQueues: ofQueues,
    automationJobs: ofJobs("automationId"),
    dayCounts: { isKeyed: true },
    audit: {
      isKeyed: true,
      indexes: { subject: where(isThere("subject"), by("subject", "sequence")) },
    },
  };
}

/** An index of one organization's rows after the other's. */
function by<const Column extends string>(...on: readonly Column[]): Index<Column> {
  return { on };
}

/** Keeps rows of an organization from having all of these columns alike. */
function unique<const Column extends string>(...on: readonly Column[]): Index<Column> {
  return { on, isUnique: true };
}

/** An index for look-ups that know no organization. */
function ofAll<const Column extends string>(...on: readonly Column[]): Index<Column> {
  return { on, isOfAll: true };
}

/** Leaves other rows out of an index. */
function where<Column extends string>(condition: RawBuilder<SqlBool>, index: Index<Column>): Index<Column> {
  return { ...index, condition };
}

function isThere(column: string): RawBuilder<SqlBool> {
  return sql`${sql.ref(column)} is not null`;
}

function isMissing(column: string): RawBuilder<SqlBool> {
  return sql`${sql.ref(column)} is null`;
}
