import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Columns, ValuesOf } from "../../../../src/storage/record.js";
import type { Session } from "../session/session.js";
import type { TableDefinition } from "./tables.js";

/** Inserts any number of rows into one table, combining many rows in one statement where possible. */
export interface RowInserts<Row> {
  /**
   * Inserts the given rows.
   * @throws the database's error if a row's key is already taken.
   */
  add(session: Session, organizationId: string, rows: readonly Row[]): Step<void>;
  /**
   * Inserts rows whose keys are known to be unused. Doesn't necessarily wait for the inserts to finish.
   * @throws the database's error. If the step ends before the inserts have finished, a later statement or the commit throws the
   *   error instead.
   */
  addDeferred(session: Session, organizationId: string, rows: readonly Row[]): Step<void>;
  /**
   * Inserts rows in order and stops at the first row whose key is already taken.
   * @returns the number of rows inserted.
   */
  addUntilConflict(session: Session, organizationId: string, rows: readonly Row[]): Step<number>;
  /**
   * Inserts the rows whose keys are unused. If several of the given rows have the same key, only the first one is inserted.
   * @returns whether each row was inserted, in the order of the rows.
   */
  addIfMissing(session: Session, organizationId: string, rows: readonly Row[]): Step<readonly boolean[]>;
}

/**
 * Creates an inserter for a table.
 * @param key the columns that together identify a row within its organization. Default: the record's key.
 */
export type CreateRowInserts = <Own extends Columns, Key extends keyof Own, Beside extends Columns>(
  table: TableDefinition<Own, Key, Beside>,
  key?: readonly (keyof Own & string)[],
) => RowInserts<ValuesOf<Own & Beside>>;

/** A complete row with the table's stored values. */
export type Row = Readonly<Record<string, unknown>>;

/** Inserts rows copied from another database into the named table, keeping all column values unchanged. */
export type InsertRawRows = (session: Session, table: string, rows: readonly Row[]) => Step<void>;
