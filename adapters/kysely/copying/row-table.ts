import { type Kysely, sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import { wholeRows } from "../change/newest-event.js";
import type { ReadSession } from "../session/session.js";
import type { Row } from "../sql/adopted-rows.js";
import { sqlName, sqlTableName } from "../sql/columns.js";
import { type Tables, tables } from "../sql/tables.js";

/** The number of rows in memory at a time, for tables with large rows. */
const batches: ReadonlyMap<string, number> = new Map([
  [tables.segmentChunks.record.name, 64],
  [tables.pictures.record.name, 8],
]);

const MANY = 1_000;

/**
 * A table as rows that are read and written as they are, in the order of their keys. Those of organizations have in them what
 * the newest event says too: where they are copied to, it may say nothing.
 */
export class RowTable {
  readonly name: string;
  readonly key: readonly string[];
  private readonly batch: number;

  /** The tables with what is kept, those that others refer to first. What a search goes by is made anew instead. */
  static readonly all: readonly RowTable[] = Object.values(tables).map(({ record }) => new RowTable(record));

  private constructor(record: { readonly name: string; readonly key: readonly string[] }) {
    this.name = sqlTableName(record);
    this.key = ["organization_id", ...record.key.map((column) => sqlName(column))];
    this.batch = batches.get(record.name) ?? MANY;
  }

  /** The values of a row's key. */
  keyOf(row: Row): unknown[] {
    return this.key.map((column) => row[column]);
  }

  /** The next rows after a key, fewer only at the end. @param after null for the first ones. */
  *next(db: Kysely<Tables>, session: ReadSession, after: readonly unknown[] | null): Step<Row[]> {
    const key = sql.join(this.key.map((column) => sql.ref(column)));
    const isAfter = after === null ? sql`` : sql`where (${key}) > (${sql.join(after)})`;
    const query = sql<Row>`select * from ${sql.table(this.name)} ${isAfter} order by ${key} limit ${this.batch}`;
    const rows = yield* session.all(query.compile(db));
    if (this.name !== sqlTableName(tables.organizations.record)) return rows;
    const whole = wholeRows({ db });
    for (const [at, row] of rows.entries()) {
      rows[at] = { ...row, ...(yield* whole(session, String(row.organization_id))) };
    }
    return rows;
  }

  /** All rows, batch by batch. */
  *each(db: Kysely<Tables>, session: ReadSession, look: (rows: readonly Row[]) => void): Step<void> {
    for (let after: unknown[] | null = null; ; ) {
      const rows: Row[] = yield* this.next(db, session, after);
      look(rows);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = this.keyOf(last);
    }
  }
}
