import type { CompiledQuery } from "kysely";
import { isPromise, type Step } from "../../../../src/base/concurrency/step.js";
import type { OpenTransaction, StatementResult } from "../../../../src/storage/storage-adapter.js";
import type { Fence } from "./admission.js";
import type { Executor } from "./session.js";

/** The operations on a host's transaction that differ between databases. */
export interface HostedDialect {
  /** The fence that checks the schema version after {@link beforeChange}, or `null` if `beforeChange` already checks it. */
  readonly fence: Fence | null;
  /**
   * Prepares the host transaction for a read.
   * @throws if the host transaction can't be used, not even for reads.
   */
  beforeRead(host: OpenTransaction): Step<void>;
  /**
   * Acquires the locks that a change must hold before it reads anything.
   * @throws {TypeError} if no transaction is open.
   */
  beforeChange(host: OpenTransaction): Step<void>;
  /** Returns whether a transaction is open on the host's connection. Called if an earlier transaction might have been lost. */
  isOpen(host: OpenTransaction): Step<boolean>;
  /** Converts the values in a row from the host's driver to the types that the library's own connections return. */
  toRow(row: unknown, query: CompiledQuery<unknown>["query"]): unknown;
  /** Converts an error from the host's driver to a storage port error. */
  toPortError(error: unknown): unknown;
}

/** Runs statements on a host's open transaction. */
export class HostExecutor implements Executor {
  /** Always `false`, because no other tasks may run between a host's synchronous statements. */
  readonly isBlocking = false;
  readonly changeEach = null;

  constructor(
    private readonly host: OpenTransaction,
    private readonly dialect: HostedDialect,
  ) {}

  all<Row>(query: CompiledQuery<Row>): Row[] | Promise<Row[]> {
    // The query's type determines the type of its rows, which can't be checked at run time.
    return this.#run(query, ({ rows }) => rows.map((row) => this.dialect.toRow(row, query.query)) as Row[]);
  }

  change(statement: CompiledQuery<unknown>): number | Promise<number> {
    return this.#run(statement, ({ count }) => count);
  }

  toPortError(error: unknown): unknown {
    return this.dialect.toPortError(error);
  }

  #run<T>(
    { sql, parameters }: CompiledQuery<unknown>,
    convert: (result: StatementResult) => T,
  ): T | Promise<T> {
    // The host may have committed while the call was running.
    if (this.host.isOpen?.() === false) throw createNoTransactionError();
    const result = this.host.query(sql, parameters);
    return isPromise(result) ? result.then(convert) : convert(result);
  }
}

/**
 * Creates the error to throw when the host has no open transaction. Outside a transaction, each statement would be committed on its
 * own.
 */
export function createNoTransactionError(cause?: unknown): TypeError {
  return new TypeError("no transaction is open on this connection: it has ended or was never started", {
    cause,
  });
}
