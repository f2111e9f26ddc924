import { createHash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Columns } from "../../../../src/storage/record.js";
import { withoutDeltas } from "../segments/chunk-encoding.js";
import { findFirst, type ReadSession } from "../session/session.js";
import { sqlName, sqlTableName } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { limited } from "../sql/limited-delete.js";
import type { Row } from "../sql/row-inserts.js";
import { type TableDefinition, tables } from "../sql/tables.js";

/** Rows per batch, for tables with large rows. */
const batches: ReadonlyMap<string, number> = new Map([
  [tables.segmentChunks.record.name, 64],
  [tables.pictures.record.name, 8],
]);

const MANY = 1_000;

/**
 * Reads a table's rows in key order, for copying. The target database might not support deltas, so chunks are read with their
 * deltas applied.
 */
export class RowTable {
  readonly name: string;
  readonly key: readonly string[];
  private readonly columns: RawBuilder<unknown>;
  private readonly batch: number;

  /**
   * All tables to copy. Each table comes after the tables it refers to. Search indexes aren't included, because they are rebuilt in
   * the target.
   */
  static readonly all: readonly RowTable[] = Object.values(tables).map((table) => new RowTable(table));

  private constructor({ record, beside }: TableDefinition<Columns, string, Columns>) {
    this.name = sqlTableName(record);
    this.key = ["organization_id", ...record.key.map((column) => sqlName(column))];
    // A database may have additional columns that mean nothing in another one.
    const columns = ["organizationId", ...Object.keys({ ...record.columns, ...beside })];
    this.columns = sql.join(columns.map((column) => sql.ref(sqlName(column))));
    this.batch = batches.get(record.name) ?? MANY;
  }

  /** Returns the values of a row's key columns. */
  keyOf(row: Row): unknown[] {
    return this.key.map((column) => row[column]);
  }

  /**
   * Returns the batch of rows that comes after a key. Only the last batch can be smaller than the batch size.
   * @param after the key to start after, or `null` to start with the first row.
   */
  *next(dialect: SqlDialect, session: ReadSession, after: readonly unknown[] | null): Step<Row[]> {
    const isOfEvents = this.name === sqlTableName(tables.events.record);
    if (isOfEvents && dialect.eventPlaces.order === "place")
      return yield* this.#events(dialect, session, after);
    const key = sql.join(this.key.map((column) => sql.ref(column)));
    const isAfter = after === null ? sql`` : sql`where (${key}) > (${sql.join(after)})`;
    const query = sql<Row>`select ${this.columns} from ${sql.table(this.name)} ${isAfter}
      order by ${key} ${limited(this.batch)}`;
    const rows = yield* session.all(query.compile(dialect.db));
    if (this.name === sqlTableName(tables.segmentChunks.record)) return rows.map(withWholeBits);
    return rows;
  }

  /** Reads events one organization at a time, because no index covers the event table's key columns. */
  *#events(
    { db, eventPlaces }: SqlDialect,
    session: ReadSession,
    after: readonly unknown[] | null,
  ): Step<Row[]> {
    const rows: Row[] = [];
    let [organizationId, position] = after ?? ["", 0];
    while (true) {
      const query = sql<Row>`select ${this.columns} from loyalty_events
        where ${eventPlaces.between(sql`${organizationId}`, sql`${position}`, null)}
        order by ${sql.ref(eventPlaces.order)} ${limited(this.batch - rows.length)}`;
      rows.push(...(yield* session.all(query.compile(db))));
      if (rows.length === this.batch) return rows;
      const next = sql<{ id: string }>`select organization_id as id from loyalty_organizations
        where organization_id > ${organizationId} order by organization_id limit 1`;
      const organization = yield* findFirst(session, next.compile(db));
      if (organization === null) return rows;
      [organizationId, position] = [organization.id, 0];
    }
  }

  /** Reads all rows and calls `inspect` with each batch. */
  *each(dialect: SqlDialect, session: ReadSession, inspect: (rows: readonly Row[]) => void): Step<void> {
    for (let after: unknown[] | null = null; ; ) {
      const rows: Row[] = yield* this.next(dialect, session, after);
      inspect(rows);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = this.keyOf(last);
    }
  }
}

function withWholeBits(row: Row): Row {
  return row.bits instanceof Uint8Array ? { ...row, bits: withoutDeltas(row.bits) } : row;
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
  yield* table.each(dialect, session, (rows) => {
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
