import type { CompiledQuery } from "kysely";
import { isPromise, type Step } from "../../../src/concurrency/step.js";
import type { OpenTransaction, StatementResult } from "../../../src/storage/storage-adapter.js";
import type { Fence } from "./admission.js";
import type { Executor } from "./session.js";

/** How host transactions differ between databases. */
export interface HostedDialect {
  /** The fence that each change must pass after {@link beforeChange}; `null` if `beforeChange` has checked it. */
  readonly fence: Fence | null;
  /** Throws if the host transaction can't even be used for reads. */
  beforeRead(host: OpenTransaction): Step<void>;
  /**
   * Acquires the locks that a change needs before it reads anything.
   * @throws {TypeError} if no transaction is open.
   */
  beforeChange(host: OpenTransaction): Step<void>;
  /** Returns whether a transaction is open now, after an earlier one was lost. */
  isOpen(host: OpenTransaction): Step<boolean>;
  /** Converts a row to the values that the library's own connections return. */
  rowOf(row: unknown, query: CompiledQuery<unknown>["query"]): unknown;
  /** Converts an error from the host's driver to the port's error. */
  toPortError(error: unknown): unknown;
}

/** Runs statements on a host's open transaction. */
export class HostExecutor implements Executor {
  /** False, because other tasks must not run during a synchronous step of the host. */
  readonly isBlocking = false;
  readonly changeEach = null;

  constructor(
    private readonly host: OpenTransaction,
    private readonly dialect: HostedDialect,
  ) {}

  all<Row>(query: CompiledQuery<Row>): Row[] | Promise<Row[]> {
    // The query's type determines its rows; nothing can check them at run time.
    return this.#run(query, ({ rows }) => rows.map((row) => this.dialect.rowOf(row, query.query)) as Row[]);
  }

  change(statement: CompiledQuery<unknown>): number | Promise<number> {
    return this.#run(statement, ({ count }) => count);
  }

  toPortError(error: unknown): unknown {
    return this.dialect.toPortError(error);
  }

  #run<T>({ sql, parameters }: CompiledQuery<unknown>, to: (result: StatementResult) => T): T | Promise<T> {
    // The host may have committed while the call was running.
    if (this.host.isOpen?.() === false) throw noTransactionError();
    const result = this.host.query(sql, parameters);
    return isPromise(result) ? result.then(to) : to(result);
  }
}

/** Creates the error for a host without an open transaction, where each change would be committed by itself. */
export function noTransactionError(cause?: unknown): TypeError {
  return new TypeError("no transaction is open on this connection: it has ended, or none was begun", {
    cause,
  });
}
