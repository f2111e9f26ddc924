import type { CompiledQuery } from "kysely";

/** Where a transaction's statements run: a connection here, which answers at once, or one in a thread. */
export interface Executor {
  all<Row>(query: CompiledQuery<Row>): Row[] | Promise<Row[]>;
  change(statement: CompiledQuery<unknown>): number | Promise<number>;
  changeEach(statements: readonly CompiledQuery<unknown>[]): number[] | Promise<number[]>;
  /** Runs a statement without values and rows. */
  execute(sql: string): void | Promise<void>;
}
