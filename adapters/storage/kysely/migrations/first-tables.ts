import { type CompiledQuery, type CreateTableBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import { CHUNK_BYTES } from "../../../../src/storage/bitmap.js";
import type { Column, Columns } from "../../../../src/storage/record.js";
import { computeMaxBytes } from "../segments/chunk-encoding.js";
import { isInteger, toSqlName, toSqlTableName } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import {
  countsTowardCap,
  isAttemptedRun,
  isDueRun,
  isMessageDelivery,
  isPendingDelivery,
  isWaitingRun,
} from "../sql/index-conditions.js";
import { type TableDefinition, tables } from "../sql/tables.js";

/*
 * A table's record defines its columns, types, key and references. The shapes below add the indexes, and which tables are stored by
 * key.
 */

type DefinedTables = typeof tables;
type Shapes = {
  readonly [Name in keyof DefinedTables]: TableShape<
    string & (keyof DefinedTables[Name]["record"]["columns"] | keyof DefinedTables[Name]["beside"])
  >;
};

const isMessage = isMessageDelivery(sql.ref("kind"));

/** A queue's row stores when its organization has work. The index lets workers search all organizations. */
const queueShape = { indexes: { due_at: indexAll("dueAt") } };

/** Jobs in a lane are claimed in order of their due time. The queue's row stores the first due time across all lanes. */
function createJobShape<const Subject extends string>(subject: Subject) {
  return {
    isKeyed: true,
    indexes: {
      due: indexBy<"lane" | "nextAttemptAt" | Subject>("lane", "nextAttemptAt", subject),
      first: indexBy("nextAttemptAt"),
      subject: indexBy(subject),
    },
  } as const;
}

/** Builds the statements that create this release's tables in an empty database. */
export function buildInitialTables(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns, search } = dialect;
  const shapes: Readonly<Record<string, TableShape<string>>> = buildShapes(dialect);
  return [
    ...Object.entries(tables).flatMap(([name, table]) => buildTable(dialect, table, shapes[name] ?? {})),
    // Server processes belong to no organization.
    db.schema
      .createTable("loyalty_servers")
      .addColumn("id", columns.text, (column) => column.primaryKey().notNull())
      .addColumn("key_print", columns.text, (column) => column.notNull())
      .addColumn("seen_at", columns.integer, (column) => column.notNull())
      .compile(),
    ...search.tables,
  ];
}

function buildShapes({ eventLocator, chunkDeltas, unindexedUsers }: SqlDialect): Shapes {
  const isPlaced = eventLocator.orderColumn === "place";
  // Including `late`, even though it is the same in all entries, lets the database use the index without reading rows.
  const indexByOrder = <Column extends string>(column: Column): Index<Column | "id" | "late"> =>
    unindexedUsers === null
      ? { on: [column, "id"] }
      : { on: [column, "id", "late"], condition: unindexedUsers.isIndexed };

  return {
    // Workers search all organizations for work.
    organizations: { isKeyed: true, indexes: { newest_event_minute: indexAll("newestEventMinute") } },
    users: {
      isKeyed: true,
      hasLate: unindexedUsers !== null,
      indexes: {
        id: indexUnique("id"),
        email_fold: indexWhere(isNotNull("email_fold"), indexUnique("emailFold")),
        no_email: indexWhere(isNull("email_fold"), indexBy("id")),
        external_id: indexUnique("externalId"),
        updated_at: indexByOrder("updatedAt"),
        name_fold: indexByOrder("nameFold"),
        external_id_fold: indexByOrder("externalIdFold"),
      },
    },
    userTags: { indexes: { ordinal: indexUnique("ordinal"), slug: indexUnique("slug") } },
    // A tag's set lists its users. A foreign key would make the database search for assignments when a tag is removed.
    userTagAssignments: { isKeyed: true, unchecked: ["tagOrdinal"] },
    tagRemovals: { restricting: ["targetOrdinal"] },
    segmentSets: { isKeyed: true },
    segmentChunks: {
      check: sql`length(bits) between ${sql.lit(CHUNK_BYTES)} and ${sql.lit(computeMaxBytes(chunkDeltas.maxDeltasFor("")))}`,
    },
    // Public pages don't know their organization. The sign-up page has only a template ID, and the card page only a code.
    templates: { indexes: { public: indexAll("id") } },
    pastPrograms: {},
    walletPasses: {
      restricting: ["templateId"],
      indexes: {
        code: indexUnique("code"),
        of_user: indexBy("userOrdinal"),
        // Leaves out stamps, so that a stamp changes no index. The ID keeps a template's passes in order.
        of_template: indexBy("templateId", "id"),
        public: indexAll("code"),
      },
    },
    stampEntries: {
      isKeyed: true,
      indexes: {
        reverses: indexWhere(isNotNull("reverses"), indexUnique("passId", "reverses")),
        subject: indexWhere(isNotNull("subject"), indexBy("subject", "passId")),
      },
    },
    pointCards: {
      isKeyed: true,
      // Begins with the organization, so that an organization with millions of expiring points doesn't hide the others.
      indexes: { next_change_at: indexWhere(isNotNull("next_change_at"), indexBy("nextChangeAt", "passId")) },
    },
    // Lots and entries are looked up by pass, where the key is enough: a purchase writes them much more often than it reads them.
    pointLots: { isKeyed: true },
    pointEntries: {
      isKeyed: true,
      indexes: {
        reverses: indexWhere(isNotNull("reverses"), indexUnique("passId", "reverses")),
        subject: indexWhere(isNotNull("subject"), indexBy("subject", "passId")),
      },
    },
    purchases: {
      indexes: {
        // Includes the source, so that the database can count the purchases of a source without reading rows.
        at: indexBy("at", "id", "source"),
        // Has all that segments add up, so that they don't read rows with many lines.
        user: indexWhere(isNotNull("user_id"), indexBy("userId", "at", "id", "currency", "remainingAmount")),
      },
    },
    // A foreign key can refer to a purchase only by its source and receipt.
    purchaseEffects: { isKeyed: true, indexes: { pass: indexBy("passId", "at") } },
    purchaseReturns: {},
    // A caller with a token doesn't name an organization.
    apiTokens: { indexes: { hash: indexAll("hash") } },
    people: {
      indexes: {
        email: indexUnique("emailFold"),
        // Staff who sign in don't name an organization. Neither do passkeys, which contain the staff member's ID.
        of_email: indexAll("emailFold", "organizationId"),
        of_id: indexAll("id", "organizationId"),
      },
    },
    events: {
      isPlaced,
      // If rows have a place, every index implicitly ends with it, so `position` isn't needed.
      indexes: {
        subject: indexWhere(
          isNotNull("subject"),
          isPlaced ? indexBy("subject") : indexBy("subject", "position"),
        ),
      },
    },
    idempotencyRecords: {
      indexes: {
        created_at: indexBy("createdAt"),
        user: indexWhere(isNotNull("user_id"), indexBy("userId")),
        end_bytes: indexBy("endBytes"),
      },
    },
    cooldowns: { isKeyed: true, indexes: { until: indexBy("until") } },
    // An OAuth client that presents its ID doesn't name an organization.
    apps: { indexes: { id: indexAll("id") } },
    grants: {
      indexes: { token: indexWhere(isNotNull("token_id"), indexBy("tokenId")), subject: indexBy("subject") },
    },
    grantTokens: {
      indexes: { of_grant: indexBy("grantId"), expires_at: indexBy("expiresAt"), hash: indexAll("hash") },
    },
    webhookEndpoints: {
      indexes: {
        // Workers search all organizations for work.
        due_at: indexWhere(isNull("disabled_at"), indexAll("dueAt")),
        position: indexWhere(isNull("disabled_at"), indexBy("position")),
        left: indexWhere(sql`disabled_at is not null and position < last_position`, indexBy("id")),
      },
    },
    webhookDeliveries: {
      indexes: {
        created_at: indexBy("endpointId", "createdAt", "id"),
        status: indexWhere(sql`status <> 'delivered'`, indexBy("endpointId", "status", "createdAt", "id")),
        due: indexWhere(isNotNull("next_attempt_at"), indexBy("endpointId", "nextAttemptAt", "id")),
        event: indexWhere(isNotNull("next_attempt_at"), indexBy("eventId")),
      },
    },
    webhookAttempts: { isKeyed: true },
    // Pictures are available to every client that knows their hash.
    pictures: { indexes: { hash: indexAll("hash") } },
    walletQueues: queueShape,
    walletCards: {
      indexes: {
        template: indexBy("templateId", "passId"),
        message: indexWhere(isNotNull("message_id"), indexBy("messageId", "passId")),
        // Wallets identify a pass only by its ID, and a device only by its own ID.
        pass: indexAll("passId"),
      },
    },
    walletDevices: {
      isKeyed: true,
      indexes: { device: indexAll("deviceId", "platform"), token: indexAll("pushToken", "platform") },
    },
    walletDeliveries: {
      isKeyed: true,
      indexes: { pass: indexBy("passId"), due: indexBy("platform", "nextAttemptAt", "passId") },
    },
    savedSegments: { indexes: { slug: indexUnique("slug") } },
    // A foreign key would make the database scan all slices when a segment is removed.
    segmentSlices: { isKeyed: true, unchecked: ["segmentId"] },
    // Workers search all organizations for work.
    segmentFollowers: { indexes: { next_midnight: indexAll("nextMidnight", "organizationId") } },
    silentChanges: {},
    segmentDays: {},
    settings: { unchecked: ["logo"] },
    subscriptions: {},
    messageSettings: {},
    messageDeliveries: {
      indexes: {
        user: indexBy("userId", "createdAt", "id"),
        pass: indexBy("passId", "createdAt", "id"),
        age: indexBy("createdAt", "id"),
        // There are few pending deliveries, and they are counted before new ones are created.
        pending: indexWhere(isPendingDelivery(sql.ref("status")), indexBy("channel", "status")),
        recent: indexWhere(
          countsTowardCap(sql.ref("kind"), sql.ref("status"), sql.ref("is_uncertain")),
          indexBy("userId", "updatedAt"),
        ),
        // Emails about a pass are in none of these indexes.
        message_user: indexWhere(isMessage, indexUnique("messageId", "userId", "channel")),
        message_age: indexWhere(isMessage, indexBy("messageId", "createdAt", "id")),
        message_status: indexWhere(isMessage, indexBy("messageId", "status", "createdAt", "id")),
      },
    },
    mailQueues: {
      indexes: {
        ...queueShape.indexes,
        // Links in emails don't name an organization.
        token: indexAll("token"),
      },
    },
    mailJobs: createJobShape("deliveryId"),
    messages: { indexes: { age: indexBy("createdAt", "id"), status: indexBy("status", "createdAt", "id") } },
    messageAudiences: {},
    messageQueues: queueShape,
    messageJobs: createJobShape("messageId"),
    automations: {},
    automationVersions: {},
    automationRuns: {
      indexes: {
        occasion: indexUnique("automationId", "userId", "occasion"),
        automation: indexBy("automationId", "createdAt", "id"),
        user: indexBy("userId", "createdAt", "id"),
        age: indexBy("createdAt", "id"),
        due: indexWhere(isDueRun(sql.ref("next_attempt_at")), indexBy("automationId", "nextAttemptAt", "id")),
        // Waiting runs are counted before new ones are created.
        waiting: indexWhere(isWaitingRun(sql.ref("status")), indexBy("automationId")),
        tried: indexWhere(isAttemptedRun(sql.ref("status")), indexBy("userId", "updatedAt")),
      },
    },
    automationCompletions: { isKeyed: true, indexes: { user: indexBy("userId") } },
    automationQueues: queueShape,
    automationJobs: createJobShape("automationId"),
    dayCounts: { isKeyed: true },
    audit: {
      isKeyed: true,
      indexes: { subject: indexWhere(isNotNull("subject"), indexBy("subject", "sequence")) },
    },
  };
}

/** An index that begins with the organization. */
function indexBy<const Column extends string>(...on: readonly Column[]): Index<Column> {
  return { on };
}

/** A unique index within an organization. */
function indexUnique<const Column extends string>(...on: readonly Column[]): Index<Column> {
  return { on, isUnique: true };
}

/** An index across all organizations, for lookups that don't know the organization. */
function indexAll<const Column extends string>(...on: readonly Column[]): Index<Column> {
  return { on, isGlobal: true };
}

/** Limits an index to rows that meet a condition. */
function indexWhere<Column extends string>(
  condition: RawBuilder<SqlBool>,
  index: Index<Column>,
): Index<Column> {
  return { ...index, condition };
}

function isNotNull(column: string): RawBuilder<SqlBool> {
  return sql`${sql.ref(column)} is not null`;
}

function isNull(column: string): RawBuilder<SqlBool> {
  return sql`${sql.ref(column)} is null`;
}

/** An index on a table. The first column is the organization's ID, unless the index spans all organizations (`isGlobal`). */
interface Index<Column extends string> {
  readonly on: readonly Column[];
  readonly isUnique?: true;
  readonly isGlobal?: true;
  /** A condition that limits which rows the index includes. Default: all rows. */
  readonly condition?: RawBuilder<SqlBool>;
}

/** The properties of a table that aren't defined by its record. */
interface TableShape<Column extends string> {
  /** Whether the table has small rows that are always looked up by key. */
  readonly isKeyed?: true;
  /** Whether rows are stored in the order of their `place` column instead of by key. */
  readonly isPlaced?: boolean;
  /** Whether the table has a `late` column. See `UnindexedUsers`. */
  readonly hasLate?: boolean;
  /** The columns whose references the database doesn't enforce. */
  readonly unchecked?: readonly Column[];
  /**
   * The columns whose references prevent the referenced row from being deleted. For all other references, deleting the referenced
   * row also deletes the rows that refer to it.
   */
  readonly restricting?: readonly Column[];
  readonly check?: RawBuilder<SqlBool>;
  /** The table's indexes, keyed by the suffix of the index name. */
  readonly indexes?: Readonly<Record<string, Index<Column | "organizationId" | "late">>>;
}

/** Builds the statements that create a record's table and the table's indexes. */
function buildTable(
  dialect: SqlDialect,
  { record, beside }: TableDefinition<Columns, string, Columns>,
  shape: TableShape<string>,
): CompiledQuery<unknown>[] {
  const { db, columns, tableEnd } = dialect;
  const name = toSqlTableName(record);
  const key = ["organization_id", ...record.key.map(toSqlName)];
  // Frequently scanned columns come first, because the database reads a row only up to the column that it needs.
  const orderedColumns: Columns = {
    ...pickColumns(record.columns, record.key),
    ...beside,
    ...record.columns,
  };

  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  if (shape.isPlaced) table = table.addColumn("place", columns.integer, (column) => column.primaryKey());
  table = table.addColumn("organization_id", columns.text, (column) => column.notNull());
  for (const [columnName, column] of Object.entries(orderedColumns)) {
    table = table.addColumn(toSqlName(columnName), pickColumnType(dialect, column), (definition) =>
      column.traits.isNullable ? definition : definition.notNull(),
    );
  }
  if (shape.hasLate) table = table.addColumn("late", columns.integer);
  if (!shape.isPlaced) table = table.addPrimaryKeyConstraint(`${name}_key`, key);
  for (const [columnName, { traits }] of Object.entries(orderedColumns)) {
    if (traits.reference === null || shape.unchecked?.includes(columnName)) continue;
    table = table.addForeignKeyConstraint(
      `${name}_${toSqlName(columnName)}`,
      ["organization_id", toSqlName(columnName)],
      toSqlTableName({ name: traits.reference.table }),
      ["organization_id", toSqlName(traits.reference.column)],
      (definition) => definition.onDelete(shape.restricting?.includes(columnName) ? "restrict" : "cascade"),
    );
  }
  if (shape.check) table = table.addCheckConstraint(`${name}_check`, shape.check);

  const indexes = Object.entries(shape.indexes ?? {}).map(
    ([suffix, { on, isUnique, isGlobal, condition }]) => {
      const indexed = [...(isGlobal ? [] : ["organization_id"]), ...on.map(toSqlName)];
      const index = db.schema.createIndex(`${name}_${suffix}`).on(name).columns(indexed);
      const keyedIndex = isUnique ? index.unique() : index;
      return condition ? keyedIndex.where(condition) : keyedIndex;
    },
  );
  return [table.modifyEnd(shape.isKeyed ? tableEnd.keyed : tableEnd.plain), ...indexes].map((statement) =>
    statement.compile(),
  );
}

function pickColumnType({ columns }: SqlDialect, column: Column) {
  if (column.kind === "bytes") return columns.bytes;
  return isInteger(column) ? columns.integer : columns.text;
}

function pickColumns(columns: Columns, names: readonly string[]): Columns {
  return Object.fromEntries(Object.entries(columns).filter(([name]) => names.includes(name)));
}
