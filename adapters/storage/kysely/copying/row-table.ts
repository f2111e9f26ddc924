import { createHash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Columns } from "../../../../src/storage/record.js";
import { applyDeltas } from "../segments/chunk-encoding.js";
import { findFirst, type ReadSession } from "../session/session.js";
import { toSqlName, toSqlTableName } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { limitRows } from "../sql/limited-delete.js";
import type { Row } from "../sql/row-inserts.js";
import { type TableDefinition, tables } from "../sql/tables.js";

/** Rows per batch, for tables with large rows. */
const batchSizes: ReadonlyMap<string, number> = new Map([
  [tables.segmentChunks.record.name, 64],
  [tables.pictures.record.name, 8],
]);

const DEFAULT_BATCH_SIZE = 1_000;

/**
 * Reads a table's rows in key order, for copying. The target database might not support deltas, so chunks are read with their
 * deltas applied.
 */
export class RowTable {
  readonly name: string;
  readonly key: readonly string[];
  private readonly columns: RawBuilder<unknown>;
  private readonly batchSize: number;

  /**
   * All tables to copy. Each table comes after the tables it refers to. Search indexes aren't included, because they are rebuilt in
   * the target.
   */
  static readonly all: readonly RowTable[] = Object.values(tables).map((table) => new RowTable(table));

  private constructor({ record, beside }: TableDefinition<Columns, string, Columns>) {
    this.name = toSqlTableName(record);
    this.key = ["organization_id", ...record.key.map((column) => toSqlName(column))];
    // A database may have additional columns that mean nothing in another one.
    const columns = ["organizationId", ...Object.keys({ ...record.columns, ...beside })];
    this.columns = sql.join(columns.map((column) => sql.ref(toSqlName(column))));
    this.batchSize = batchSizes.get(record.name) ?? DEFAULT_BATCH_SIZE;
  }

  /** Returns the values of a row's key columns. */
  getKey(row: Row): unknown[] {
    return this.key.map((column) => row[column]);
  }

  /**
   * Returns the batch of rows that comes after a key. Only the last batch can be smaller than the batch size.
   * @param after the key to start after, or `null` to start with the first row.
   */
  *readNext(dialect: SqlDialect, session: ReadSession, after: readonly unknown[] | null): Step<Row[]> {
    const isEventTable = this.name === toSqlTableName(tables.events.record);
    if (isEventTable && dialect.eventLocator.orderColumn === "place")
      return yield* this.#readEvents(dialect, session, after);
    const key = sql.join(this.key.map((column) => sql.ref(column)));
    const afterKey = after === null ? sql`` : sql`where (${key}) > (${sql.join(after)})`;
    const query = sql<Row>`select ${this.columns} from ${sql.table(this.name)} ${afterKey}
      order by ${key} ${limitRows(this.batchSize)}`;
    const rows = yield* session.all(query.compile(dialect.db));
    if (this.name === toSqlTableName(tables.segmentChunks.record)) return rows.map(withAppliedDeltas);
    return rows;
  }

  /** Reads events one organization at a time, because no index covers the event table's key columns. */
  *#readEvents(
    { db, eventLocator }: SqlDialect,
    session: ReadSession,
    after: readonly unknown[] | null,
  ): Step<Row[]> {
    const rows: Row[] = [];
    let [organizationId, position] = after ?? ["", 0];
    while (true) {
      const query = sql<Row>`select ${this.columns} from loyalty_events
        where ${eventLocator.between(sql`${organizationId}`, sql`${position}`, null)}
        order by ${sql.ref(eventLocator.orderColumn)} ${limitRows(this.batchSize - rows.length)}`;
      rows.push(...(yield* session.all(query.compile(db))));
      if (rows.length === this.batchSize) return rows;
      const next = sql<{ id: string }>`select organization_id as id from loyalty_organizations
        where organization_id > ${organizationId} order by organization_id limit 1`;
      const organization = yield* findFirst(session, next.compile(db));
      if (organization === null) return rows;
      [organizationId, position] = [organization.id, 0];
    }
  }

  /** Reads all rows and calls `inspect` with each batch. */
  *forEachBatch(
    dialect: SqlDialect,
    session: ReadSession,
    inspect: (rows: readonly Row[]) => void,
  ): Step<void> {
    for (let after: unknown[] | null = null; ; ) {
      const rows: Row[] = yield* this.readNext(dialect, session, after);
      inspect(rows);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = this.getKey(last);
    }
  }
}

function withAppliedDeltas(row: Row): Row {
  return row.bits instanceof Uint8Array ? { ...row, bits: applyDeltas(row.bits) } : row;
}

/** A table's row count, and a SHA-256 hash of all values in key order. */
export interface TableChecksum {
  /** The table's name in the database, such as `loyalty_users`. */
  readonly table: string;
  /** The number of rows in the table, across all organizations. */
  readonly rows: number;
  /** The SHA-256 hash of all values in key order, in hexadecimal. */
  readonly checksum: string;
}

export function* computeChecksum(
  dialect: SqlDialect,
  session: ReadSession,
  table: RowTable,
): Step<TableChecksum> {
  const hash = createHash("sha256");
  let count = 0;
  yield* table.forEachBatch(dialect, session, (rows) => {
    // Databases may differ in column order.
    const columns = Object.keys(rows[0] ?? {}).sort();
    if (count === 0) hash.update(JSON.stringify(columns));
    for (const row of rows) hash.update(JSON.stringify(columns.map((column) => normalizeValue(row[column]))));
    count += rows.length;
  });
  return { table: table.name, rows: count, checksum: hash.digest("hex") };
}

/** Converts a value to a form that is the same in every database. */
function normalizeValue(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
