import { CompiledQuery } from "kysely";
import { isPromise, type Step } from "../../../../src/base/concurrency/step.js";
import type { OpenTransaction, StatementResult } from "../../../../src/storage/storage-adapter.js";
import { HostExecutor, type HostedDialect, noTransactionError } from "./host-executor.js";
import type { ReadSession, Session } from "./session.js";
import { GuardedSession } from "./session.js";

/** The errors of host transactions that the database rolled back on its own. */
const lost = new WeakMap<OpenTransaction, unknown>();

const begin = CompiledQuery.raw("savepoint loyalty_change");
const end = CompiledQuery.raw("release savepoint loyalty_change");
const undo = CompiledQuery.raw("rollback to savepoint loyalty_change");

/** Runs calls on a host's open transaction. Each call is a {@link Step}, so it can run synchronously or asynchronously. */
export class HostedCalls {
  /** The host's transaction, which runs the statements. All calls on the same host share it. */
  readonly #open: OpenTransaction;

  constructor(
    private readonly host: OpenTransaction,
    private readonly dialect: HostedDialect,
  ) {
    this.#open = checkingResults(host);
  }

  *read<T>(work: (session: ReadSession) => Step<T>): Step<T> {
    yield* this.#assertOpen();
    yield* this.dialect.beforeRead(this.#open);
    const session = this.#newSession();
    try {
      return yield* work(session);
    } finally {
      session.end();
    }
  }

  /** Runs a change in a savepoint, and rolls back to the savepoint if the change fails. */
  *change<T>(work: (session: Session) => Step<T>): Step<T> {
    yield* this.#assertOpen();
    yield* this.dialect.beforeChange(this.#open);
    yield* this.#newSession().change(begin);
    const session = this.#newSession();
    try {
      const result = yield* work(session);
      session.assertNotFailed();
      session.end();
      yield* this.#newSession().change(end);
      return result;
    } catch (error) {
      session.end();
      yield* this.#undo(error);
      throw error;
    }
  }

  *#assertOpen(): Step<void> {
    if (lost.has(this.host)) {
      if (!(yield* this.dialect.isOpen(this.#open))) throw lost.get(this.host);
      // The host has begun another transaction on the same connection.
      lost.delete(this.host);
    }
    if (this.host.isOpen?.() === false) throw noTransactionError();
  }

  *#undo(reason: unknown): Step<void> {
    try {
      const session = this.#newSession();
      yield* session.change(undo);
      yield* session.change(end);
    } catch {
      // The whole transaction is gone, not only the savepoint. Later statements would run outside any transaction and be committed
      // individually.
      lost.set(this.host, reason);
    }
  }

  #newSession(): GuardedSession {
    const { dialect } = this;
    return new GuardedSession(new HostExecutor(this.#open, dialect), null, null, dialect.fence);
  }
}

/** One per host transaction, so that facts that one call has found out about it are available to later calls. */
const made = new WeakMap<OpenTransaction, OpenTransaction>();

/**
 * Wraps a host's transaction to check its results, because a missing count would look like a conflict with another row. Its calls
 * throw a {TypeError} if the host's `query` returns anything but a result.
 */
function checkingResults(host: OpenTransaction): OpenTransaction {
  const checking = made.get(host) ?? checkingAnew(host);
  made.set(host, checking);
  return checking;
}

function checkingAnew(host: OpenTransaction): OpenTransaction {
  return {
    isOpen: () => host.isOpen?.() ?? null,
    query(sql, parameters) {
      const result = host.query(sql, parameters);
      return isPromise(result) ? result.then(assertNoPromise) : assertNoPromise(result);
    },
  };
}

function assertNoPromise(result: unknown): StatementResult {
  if (isResult(result)) return result;
  const isOfPg = typeof result === "object" && result !== null && "rowCount" in result;
  const hint = isOfPg ? ": for a client of pg there is fromPg(client)" : "";
  throw new TypeError(
    `query(sql, parameters) of a joined transaction gives rows, an array of objects, and count, a number${hint}`,
  );
}

function isResult(result: unknown): result is StatementResult {
  if (typeof result !== "object" || result === null || !("rows" in result && "count" in result)) return false;
  const { rows, count } = result;
  const isOfObjects = Array.isArray(rows) && (rows.length === 0 || isRow(rows[0]));
  return isOfObjects && Number.isSafeInteger(count) && Number(count) >= 0;
}

function isRow(row: unknown): boolean {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}
