import type { Step } from "../../../src/concurrency/step.js";
import type { Session } from "../session/session.js";
import type { Tables } from "./tables.js";

/** What a column holds: `integer` is every whole number that is exact in JavaScript. */
export type ColumnType = "text" | "integer";

export type ColumnOf<Table extends keyof Tables> = keyof Tables[Table] & string;

export type RowOf<Table extends keyof Tables, Column extends ColumnOf<Table>> = Readonly<
  Pick<Tables[Table], Column>
>;

/** Adds rows of one table, however many, in few statements. */
export interface RowInserts<Row> {
  /** @throws the database's error when a row has the key of another one. */
  add(session: Session, rows: readonly Row[]): Step<void>;
  /** Adds one after the other until one has a key of another row. @returns how many were added: the first ones. */
  addUntilTaken(session: Session, rows: readonly Row[]): Step<number>;
  /** Adds those whose key nothing has; of two with one key, the first. @returns for each row whether it was added. */
  addMissing(session: Session, rows: readonly Row[]): Step<readonly boolean[]>;
}

/**
 * @param columns all that the rows give.
 * @param key those of them that no two rows of the table have all alike.
 */
export type InsertsOfRows = <Table extends keyof Tables, Column extends ColumnOf<Table>>(
  table: Table,
  columns: Readonly<Record<Column, ColumnType>>,
  key: readonly NoInfer<Column>[],
) => RowInserts<RowOf<Table, Column>>;
