import { type Kysely, sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { ReadSession } from "../session/session.js";
import type { Row } from "../sql/adopted-rows.js";
import type { Tables } from "../sql/tables.js";
import { copiedTables } from "./copied-tables.js";

/** A table as rows that are read and written as they are, in the order of their keys. */
export class RowTable {
  private readonly key: readonly string[];
  private readonly batch: number;

  static readonly all: readonly RowTable[] = Object.entries(copiedTables).map(
    ([name, { key, batch }]) => new RowTable(name, ["organization_id", ...key], batch),
  );

  private constructor(
    readonly name: string,
    key: readonly string[],
    batch: number,
  ) {
    this.key = key;
    this.batch = batch;
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
    return yield* session.all(query.compile(db));
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
