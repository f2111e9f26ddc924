import { CompiledQuery } from "kysely";
import { runSync } from "../../../../src/base/concurrency/event-loop.js";
import { awaitInStep, isPromise, runStep, type Step } from "../../../../src/base/concurrency/step.js";
import type {
  OpenTransaction,
  StatementResult,
  SyncTransaction,
} from "../../../../src/storage/storage-adapter.js";
import type { Admission } from "./admission.js";
import { assertNoOpenCalls, runOnHost } from "./host-calls.js";
import { createNoTransactionError, HostExecutor, type HostedDialect } from "./host-executor.js";
import {
  GuardedSession,
  type ReadSession,
  type Session,
  type SqlDatabase,
  type SyncDatabase,
} from "./session.js";

/** The errors of host transactions that the database rolled back on its own. */
const rollbackErrors = new WeakMap<OpenTransaction, unknown>();

const createSavepoint = CompiledQuery.raw("savepoint loyalty_change");

const releaseSavepoint = CompiledQuery.raw("release savepoint loyalty_change");

const rollBackToSavepoint = CompiledQuery.raw("rollback to savepoint loyalty_change");

/** Runs calls on a host's open transaction. Each call is a {@link Step}, so it can run synchronously or asynchronously. */
class HostedCalls {
  /** The host's transaction, which runs the statements. All calls on the same host share it. */
  readonly #checkedHost: OpenTransaction;

  constructor(
    private readonly host: OpenTransaction,
    private readonly dialect: HostedDialect,
  ) {
    this.#checkedHost = getOrCreateCheckedHost(host);
  }

  *read<T>(work: (session: ReadSession) => Step<T>): Step<T> {
    yield* this.#assertOpen();
    yield* this.dialect.beforeRead(this.#checkedHost);
    const session = this.#createSession();
    try {
      return yield* work(session);
    } finally {
      session.end();
    }
  }

  /** Runs a change in a savepoint, and rolls back to the savepoint if the change fails. */
  *change<T>(work: (session: Session) => Step<T>): Step<T> {
    yield* this.#assertOpen();
    yield* this.dialect.beforeChange(this.#checkedHost);
    yield* this.#createSession().change(createSavepoint);
    const session = this.#createSession();
    try {
      const result = yield* work(session);
      session.assertNotFailed();
      session.end();
      yield* this.#createSession().change(releaseSavepoint);
      return result;
    } catch (error) {
      session.end();
      yield* this.#rollBack(error);
      throw error;
    }
  }

  *#assertOpen(): Step<void> {
    if (rollbackErrors.has(this.host)) {
      if (!(yield* this.dialect.isOpen(this.#checkedHost))) throw rollbackErrors.get(this.host);
      // The host has begun another transaction on the same connection.
      rollbackErrors.delete(this.host);
    }
    if (this.host.isOpen?.() === false) throw createNoTransactionError();
  }

  *#rollBack(reason: unknown): Step<void> {
    try {
      const session = this.#createSession();
      yield* session.change(rollBackToSavepoint);
      yield* session.change(releaseSavepoint);
    } catch {
      // The whole transaction is gone, not only the savepoint. Later statements would run outside any transaction and be committed
      // individually.
      rollbackErrors.set(this.host, reason);
    }
  }

  #createSession(): GuardedSession {
    const { dialect } = this;
    return new GuardedSession(new HostExecutor(this.#checkedHost, dialect), null, null, dialect.fence);
  }
}

/** One per host transaction, so that facts that one call has found out about it are available to later calls. */
const wrappers = new WeakMap<OpenTransaction, OpenTransaction>();

/**
 * Wraps a host's transaction to check its results, because a missing count would look like a conflict with another row. Its calls
 * throw a {TypeError} if the host's `query` returns anything but a result.
 */
function getOrCreateCheckedHost(host: OpenTransaction): OpenTransaction {
  const checkedHost = wrappers.get(host) ?? createCheckedHost(host);
  wrappers.set(host, checkedHost);
  return checkedHost;
}

function createCheckedHost(host: OpenTransaction): OpenTransaction {
  return {
    isOpen: () => host.isOpen?.() ?? null,
    query(sql, parameters) {
      const result = host.query(sql, parameters);
      return isPromise(result) ? result.then(assertResult) : assertResult(result);
    },
  };
}

function assertResult(result: unknown): StatementResult {
  if (isResult(result)) return result;
  const isPgResult = typeof result === "object" && result !== null && "rowCount" in result;
  const hint = isPgResult ? "; for a pg client, use fromPg(client)" : "";
  throw new TypeError(
    `query(sql, parameters) of a joined transaction must return rows (an array of objects) and count (a number)${hint}`,
  );
}

function isResult(result: unknown): result is StatementResult {
  if (typeof result !== "object" || result === null || !("rows" in result && "count" in result)) return false;
  const { rows, count } = result;
  const hasObjectRows = Array.isArray(rows) && (rows.length === 0 || isRow(rows[0]));
  return hasObjectRows && Number.isSafeInteger(count) && Number(count) >= 0;
}

function isRow(row: unknown): boolean {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}

/**
 * A database that is accessed through a host's open transaction. Calls run one at a time, so no call sees another call's partial
 * changes.
 */
export class HostedDatabase implements SqlDatabase {
  readonly session: ReadSession = {
    committedState: null,
    all: (query) => this.#query(query),
  };
  readonly #calls: HostedCalls;

  /** @param admission the tracker for calls that are running on the host transaction's database. */
  constructor(
    private readonly host: OpenTransaction,
    dialect: HostedDialect,
    private readonly admission: Admission,
  ) {
    this.#calls = new HostedCalls(host, dialect);
  }

  /** Runs reads in the host's transaction, so they see the transaction's own changes. */
  snapshot<T>(work: (session: ReadSession) => Step<T>): Promise<T> {
    return this.#enqueue(() => this.#calls.read(work));
  }

  /** Always returns `null`. The host's changes aren't committed yet, so nothing that is read can be cached. */
  committedState(): null {
    return null;
  }

  /** Does nothing. Files can't be purged inside an open transaction, so purging them is up to the host. */
  async purge(): Promise<void> {}

  transaction<T>(work: (session: Session) => Step<T>): Promise<T> {
    return this.#enqueue(() => this.#calls.change(work));
  }

  async close(): Promise<void> {}

  *#query<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    return yield* awaitInStep(this.snapshot((session) => session.all(query)));
  }

  #enqueue<T>(task: () => Step<T>): Promise<T> {
    return this.admission.track(() => runOnHost(this.host, () => runStep(task())));
  }
}

/** A database that is accessed with synchronous statements through a host's open transaction. */
export class SyncHostedDatabase implements SyncDatabase {
  readonly #calls: HostedCalls;

  /** @param admission the tracker for calls that are running on the host transaction's database. */
  constructor(
    private readonly host: SyncTransaction,
    dialect: HostedDialect,
    private readonly admission: Admission,
  ) {
    this.#calls = new HostedCalls(host, dialect);
  }

  snapshot<T>(work: (session: ReadSession) => Step<T>): T {
    return this.#run(this.#calls.read(work));
  }

  transaction<T>(work: (session: Session) => Step<T>): T {
    return this.#run(this.#calls.change(work));
  }

  #run<T>(call: Step<T>): T {
    this.admission.assertOpen();
    assertNoOpenCalls(this.host);
    return runSync(call);
  }
}
