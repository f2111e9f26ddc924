import type { CompiledQuery } from "kysely";

/** Runs the statements of a transaction through a driver. */
export interface Executor {
  /** True when it blocks the process and gives no promises: then others get their turns between statements. */
  readonly isBlocking: boolean;
  all<Row>(query: CompiledQuery<Row>): Row[] | Promise<Row[]>;
  change(statement: CompiledQuery<unknown>): number | Promise<number>;
  /** {@link change} for several, in this order; null where that is no quicker than one by one. */
  readonly changeEach:
    | ((statements: readonly CompiledQuery<unknown>[]) => number[] | Promise<number[]>)
    | null;
  /** Returns the error of the port for one of the driver. */
  translated(error: unknown): unknown;
}
