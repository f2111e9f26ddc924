import type { CompiledQuery } from "kysely";
import { isPromise, type Step } from "../../../src/concurrency/step.js";
import type { OpenTransaction, StatementResult } from "../../../src/storage/storage-adapter.js";
import type { Fence } from "./admission.js";
import type { Executor } from "./session.js";

/** The parts of host transactions that differ between databases. */
export interface HostedDialect {
  /** Each change must still pass this fence after {@link beforeChange}; `null` if `beforeChange` has checked it. */
  readonly fence: Fence | null;
  /** Refuses a host from which not even a read may come. */
  beforeRead(host: OpenTransaction): Step<void>;
  /** Gets hold of what a change needs before it reads anything. @throws {TypeError} where no transaction is open. */
  beforeChange(host: OpenTransaction): Step<void>;
  /** Asks whether a transaction is open, where one has been lost before. */
  isOpen(host: OpenTransaction): Step<boolean>;
  /** A row of a query with the values as connections of our own give them. */
  rowOf(row: unknown, query: CompiledQuery<unknown>["query"]): unknown;
  /** Returns the error of the port for one of the host's driver. */
  toPortError(error: unknown): unknown;
}

/** The open transaction of a host. */
export class HostExecutor implements Executor {
  /** Other work must not run in the middle of a synchronous step of the host. */
  readonly isBlocking = false;
  readonly changeEach = null;

  constructor(
    private readonly host: OpenTransaction,
    private readonly dialect: HostedDialect,
  ) {}

  all<Row>(query: CompiledQuery<Row>): Row[] | Promise<Row[]> {
    // A query's type says what its rows are; nothing at run time can.
    return this.#run(query, ({ rows }) => rows.map((row) => this.dialect.rowOf(row, query.query)) as Row[]);
  }

  change(statement: CompiledQuery<unknown>): number | Promise<number> {
    return this.#run(statement, ({ count }) => count);
  }

  toPortError(error: unknown): unknown {
    return this.dialect.toPortError(error);
  }

  #run<T>({ sql, parameters }: CompiledQuery<unknown>, to: (result: StatementResult) => T): T | Promise<T> {
    // The host may have committed while the call was under way.
    if (this.host.isOpen?.() === false) throw noTransactionError();
    const result = this.host.query(sql, parameters);
    return isPromise(result) ? result.then(to) : to(result);
  }
}

/** Returns the error for a host that has no transaction open, where a change would be committed by itself. */
export function noTransactionError(cause?: unknown): TypeError {
  return new TypeError("no transaction is open on this connection: it has ended, or none was begun", {
    cause,
  });
}
