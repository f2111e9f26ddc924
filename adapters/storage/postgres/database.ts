import { setTimeout as sleep } from "node:timers/promises";
import type { CompiledQuery } from "kysely";
import { awaitInStep, runStep, type Step } from "../../../src/base/concurrency/step.js";
import { signals } from "../../../src/base/signals.js";
import type { ManagedTransaction, OpenTransaction } from "../../../src/storage/storage-adapter.js";
import { Admission, type Fence } from "../kysely/session/admission.js";
import { createNoTransactionError, type HostedDialect } from "../kysely/session/host-executor.js";
import { HostedDatabase } from "../kysely/session/hosted-database.js";
import {
  GuardedSession,
  type ReadSession,
  type Session,
  type SharedDatabase,
  type SqlDatabase,
  type SqlSnapshotOptions,
  type SqlTransactionOptions,
} from "../kysely/session/session.js";
import { findIntegerResults } from "../kysely/sql/integer-results.js";
import { ClientTransaction } from "./client-transaction.js";
import type { ConnectionQueue } from "./connection-queue.js";
import type { Connections } from "./connections.js";
import { isOutsideTransaction, isSchemaMismatch, toPortError } from "./errors.js";
import { ManagedClient, type ManagedPgClient } from "./managed-client.js";
import { runQuery } from "./query.js";
import type { Purpose } from "./timeouts.js";

const CANCEL_TIMEOUT_MS = 2_000;

/** The dialect for a transaction that a host has opened with any Postgres driver supported by Kysely. */
export const hostedPostgresDialect: Omit<HostedDialect, "fence"> = {
  *beforeRead() {},
  // Nothing to do, because every change begins by locking its organization.
  *beforeChange() {},
  *isOpen(host) {
    try {
      // Savepoints only exist within a transaction.
      yield* awaitInStep(host.query("savepoint loyalty_look", []));
      yield* awaitInStep(host.query("release savepoint loyalty_look", []));
      return true;
    } catch {
      return false;
    }
  },
  /**
   * Converts integers in a row to numbers. Unless configured otherwise, a host's driver returns bigints as strings, and it may not
   * indicate which values were bigints.
   */
  toRow(row, query) {
    const integers = findIntegerResults(query);
    return Object.fromEntries(
      Object.entries(row ?? {}).map(([name, value]) => [name, integers.has(name) ? toInteger(value) : value]),
    );
  },
  toPortError: (error) =>
    isOutsideTransaction(error) ? createNoTransactionError(error) : toPortError(error),
};

/** Maximum number of times that a conflicting transaction is run. */
const MAX_RUNS = 10;

/** Maximum pause before the second run, in milliseconds. It doubles before each later run. */
const INITIAL_DELAY_MS = 10;

type Outcome<T> =
  | { readonly kind: "done"; readonly result: T }
  | { readonly kind: "failed"; readonly reason: unknown; readonly hasConflict: boolean };

/**
 * Called after each commit.
 * @param organizationId the organization whose data the commit changed, or `undefined` if the commit might have changed any
 *   organization's data.
 * @param position the log position right after the commit, as an LSN.
 */
export type CommitListener = (organizationId: string | undefined, position: string) => void;

/** A database on a Postgres server, accessed through a connection pool. */
export class PostgresDatabase implements SharedDatabase<ManagedPgClient> {
  readonly sync = null;
  readonly #admission = new Admission();
  /** Tracks managed transactions and the calls within them, so that closing the storage can wait for them. */
  readonly #managed = new Admission();
  #closing: Promise<void> | null = null;
  /** The fence that each transaction must pass, or `null` while the tables might not exist yet. */
  #fence: Fence | null = null;

  readonly session: ReadSession = this.getSession(undefined);

  /** @param release a function that releases the connections. Called once, after the last query has finished. */
  constructor(
    private readonly connections: Connections,
    private readonly queues: { readonly changes: ConnectionQueue; readonly reads: ConnectionQueue },
    private readonly release: () => Promise<void>,
    /** Called with the server's log position after each commit. If this is `null`, the position isn't read. */
    private readonly onCommit: CommitListener | null = null,
  ) {}

  /** Sets the fence that each transaction must pass from now on. Before the first call, transactions aren't checked. */
  setFence(fence: Fence): void {
    this.#fence = fence;
  }

  /** Returns a session in which each query waits for the organization's turn before acquiring a connection. */
  getSession(organizationId: string | undefined): ReadSession {
    return { committedState: null, all: (query) => this.#query(query, organizationId) };
  }

  /**
   * Always returns `null`, because determining the committed state would take a round trip to the server, and rereading the rows
   * takes no longer.
   */
  committedState(): null {
    return null;
  }

  /** Does nothing. The server manages its own files, and its vacuum process purges deleted data. */
  async purge(): Promise<void> {}

  /**
   * Runs `work` in a snapshot when the organization's turn comes and a connection is available. Aborting the signal cancels the
   * running statement.
   * @returns the result of `work`.
   */
  snapshot<T>(work: (session: ReadSession) => Step<T>, options: SqlSnapshotOptions = {}): Promise<T> {
    const { signal, organizationId } = options;
    const runRead = async () => unwrapResult(await this.#attempt("snapshot", work, signal));
    return this.#admission.track(() => this.queues.reads.run(organizationId, runRead, { signal }));
  }

  /**
   * Runs `work` in a transaction when the organization's turn comes and a connection is available.
   * @returns the result of `work`, once the transaction has been committed.
   * @throws any error from `work`.
   * @throws {LoyaltyError} `storage_unavailable` if the server can't be reached or is busy, too many of the organization's changes
   *   are waiting, the tables have another release's schema, or the transaction conflicted with other transactions ten times. If
   *   the connection was lost during the commit, the transaction might have been committed anyway.
   */
  transaction<T>(
    work: (session: Session) => Step<T>,
    { isLarge = false, organizationId }: SqlTransactionOptions = {},
  ): Promise<T> {
    const purpose = isLarge ? "large change" : "change";
    return this.#admission.track(() =>
      this.queues.changes.run(organizationId, () => this.#change(purpose, work, organizationId)),
    );
  }

  /**
   * Runs a transaction without time limits.
   * @throws the same errors as {@link transaction}.
   */
  migration<T>(work: (session: Session) => Step<T>): Promise<T> {
    return this.#admission.track(() => this.#change("migration", work));
  }

  joining(host: OpenTransaction): SqlDatabase {
    const admission = host instanceof ManagedClient ? new Admission() : this.#admission;
    return new HostedDatabase(host, { ...hostedPostgresDialect, fence: this.#fence }, admission);
  }

  runManaged<T>(
    work: (tx: ManagedTransaction<ManagedPgClient>) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> {
    const runManaged = () => ManagedClient.runTransaction(this.connections, work, timeoutMs);
    return this.#managed.track(() => this.queues.changes.run(undefined, runManaged));
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all([this.#managed.close(), this.#admission.close()]).then(this.release);
    return this.#closing;
  }

  *#query<Row>(query: CompiledQuery<Row>, organizationId: string | undefined): Step<Row[]> {
    const runRead = () => this.#runSingleQuery(query);
    return yield* awaitInStep(this.#admission.track(() => this.queues.reads.run(organizationId, runRead)));
  }

  async #runSingleQuery<Row>(query: CompiledQuery<Row>): Promise<Row[]> {
    const client = await ClientTransaction.open(this.connections, "snapshot");
    const fence = this.#fence;
    try {
      if (fence?.isBroken) await client.assertTables(fence);
      return await runStep(new GuardedSession(client).all(query));
    } catch (error) {
      if (fence !== null && isSchemaMismatch(error)) await client.assertTables(fence);
      throw error;
    } finally {
      client.release(true);
    }
  }

  async #change<T>(
    purpose: Purpose,
    work: (session: Session) => Step<T>,
    organizationId?: string,
  ): Promise<T> {
    const commit = async (client: ClientTransaction) => {
      if (this.onCommit === null) await client.control("commit");
      else this.onCommit(organizationId, await client.commitWithPosition());
      signals.commit.send(1);
    };
    for (let runs = 1; ; runs += 1) {
      const outcome = await this.#attempt(purpose, work, undefined, commit);
      const mayRunAgain = outcome.kind === "failed" && outcome.hasConflict && runs < MAX_RUNS;
      if (!mayRunAgain) return unwrapResult(outcome);
      await sleep(Math.random() * INITIAL_DELAY_MS * 2 ** (runs - 1));
    }
  }

  async #attempt<T>(
    purpose: Purpose,
    work: (session: Session) => Step<T>,
    signal?: AbortSignal,
    commit = (client: ClientTransaction): Promise<unknown> => client.control("commit"),
  ): Promise<Outcome<T>> {
    const client = await ClientTransaction.open(this.connections, purpose);
    const session = new GuardedSession(client);
    let isUsable = true;
    let canceler: StatementCanceler | null = null;
    try {
      signal?.throwIfAborted();
      const backend = await client.begin(purpose === "migration" ? null : this.#fence);
      if (signal !== undefined) canceler = new StatementCanceler(this.connections, backend, signal);
      const result = await runStep(work(session));
      session.assertNotFailed();
      session.end();
      await canceler?.end();
      await commit(client);
      return { kind: "done", result };
    } catch (reason) {
      session.end();
      await canceler?.end();
      // The other connections were also opened before the server became read-only.
      if (client.isReadOnly) this.connections.discardAll();
      isUsable = !client.isBroken && (await isRolledBack(client));
      const schemaError = isUsable && isSchemaMismatch(reason) ? await this.#findSchemaError(client) : null;
      return { kind: "failed", reason: schemaError ?? reason, hasConflict: client.hasConflict };
    } finally {
      client.release(isUsable);
    }
  }

  /**
   * Returns the error to throw if a table or column is missing because another release has migrated the tables, or `null`
   * otherwise.
   */
  async #findSchemaError(client: ClientTransaction): Promise<unknown> {
    try {
      if (this.#fence !== null) await client.assertTables(this.#fence);
      return null;
    } catch (error) {
      return error;
    }
  }
}

async function isRolledBack(client: ClientTransaction): Promise<boolean> {
  try {
    await client.control("rollback");
    return true;
  } catch {
    // The connection is lost, and the transaction with it.
    return false;
  }
}

function unwrapResult<T>(outcome: Outcome<T>): T {
  if (outcome.kind === "failed") throw outcome.reason;
  return outcome.result;
}

function toInteger(value: unknown): unknown {
  return typeof value === "string" || typeof value === "bigint" ? Number(value) : value;
}

/** Cancels a transaction's running statement as soon as a signal is aborted. */
class StatementCanceler {
  #isOver = false;
  #cancelRequest: Promise<unknown> | null = null;

  /** @param backend the ID of the server process that runs the transaction. */
  constructor(
    private readonly connections: Connections,
    private readonly backend: number,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener("abort", this.#cancel, { once: true });
    if (signal.aborted) this.#cancel();
  }

  /**
   * Stops reacting to the signal. Wait for the returned promise before releasing the connection. Otherwise, a late cancel request
   * could hit the next transaction on the same connection.
   */
  async end(): Promise<void> {
    this.#isOver = true;
    this.signal.removeEventListener("abort", this.#cancel);
    await this.#cancelRequest;
  }

  readonly #cancel = (): void => {
    // If canceling fails, the statement runs until it ends or times out.
    this.#sendCancelRequest().catch(() => undefined);
  };

  async #sendCancelRequest(): Promise<void> {
    const { connection } = await this.connections.acquire();
    let isUsable = true;
    try {
      // The statement may have ended during the wait for a connection.
      if (this.#isOver) return;
      const statement = { sql: "select pg_cancel_backend($1)", parameters: [this.backend] };
      const request = runQuery(connection.client, statement, CANCEL_TIMEOUT_MS);
      this.#cancelRequest = request.catch(() => undefined);
      await request;
    } catch {
      isUsable = false;
    } finally {
      connection.release(isUsable);
    }
  }
}
