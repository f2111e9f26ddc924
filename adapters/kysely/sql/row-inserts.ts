import type { Step } from "../../../src/concurrency/step.js";
import type { Columns, ValuesOf } from "../../../src/storage/record.js";
import type { Session } from "../session/session.js";
import type { TableDefinition } from "./tables.js";

/** Inserts any number of rows into one table, with few statements. */
export interface RowInserts<Row> {
  /** @throws the database's error if a row's key is already taken. */
  add(session: Session, organizationId: string, rows: readonly Row[]): Step<void>;
  /**
   * Like {@link add}, for rows whose keys are certainly unused. Callers needn't wait until it ends.
   * @throws like {@link add}, or a later statement or the commit throws.
   */
  addDeferred(session: Session, organizationId: string, rows: readonly Row[]): Step<void>;
  /**
   * Inserts rows in order until a row's key is already taken.
   * @returns the number of rows inserted.
   */
  addUntilConflict(session: Session, organizationId: string, rows: readonly Row[]): Step<number>;
  /**
   * Inserts the rows whose keys are unused. If two rows share a key, only the first is inserted.
   * @returns for each row whether it was inserted.
   */
  addIfMissing(session: Session, organizationId: string, rows: readonly Row[]): Step<readonly boolean[]>;
}

/**
 * Prepares inserts into a table.
 * @param key columns that are unique in combination within an organization. Default: the record's key.
 */
export type InsertsOfRows = <Own extends Columns, Key extends keyof Own, Beside extends Columns>(
  table: TableDefinition<Own, Key, Beside>,
  key?: readonly (keyof Own & string)[],
) => RowInserts<ValuesOf<Own & Beside>>;
