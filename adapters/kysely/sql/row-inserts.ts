import type { Step } from "../../../src/concurrency/step.js";
import type { Columns, ValuesOf } from "../../../src/storage/record.js";
import type { Session } from "../session/session.js";
import type { TableDefinition } from "./tables.js";

/** Adds rows of one table, however many, in few statements. */
export interface RowInserts<Row> {
  /** @throws the database's error when a row has the key of another one. */
  add(session: Session, organizationId: string, rows: readonly Row[]): Step<void>;
  /**
   * {@link add} for rows whose keys no other has, which need not be waited for.
   * @throws as {@link add}; or a later statement does, or the commit.
   */
  addDeferred(session: Session, organizationId: string, rows: readonly Row[]): Step<void>;
  /** Adds one at a time until one has a key of another row. @returns how many were added: the first ones. */
  addUntilConflict(session: Session, organizationId: string, rows: readonly Row[]): Step<number>;
  /** Adds those whose key nothing has; of two with one key, the first. @returns for each row whether it was added. */
  addIfMissing(session: Session, organizationId: string, rows: readonly Row[]): Step<readonly boolean[]>;
}

/** @param key columns whose values are unique together in an organization. Default: the record's key. */
export type InsertsOfRows = <Own extends Columns, Key extends keyof Own, Beside extends Columns>(
  table: TableDefinition<Own, Key, Beside>,
  key?: readonly (keyof Own & string)[],
) => RowInserts<ValuesOf<Own & Beside>>;
