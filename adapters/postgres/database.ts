import { setTimeout as sleep } from "node:timers/promises";
import type { CompiledQuery } from "kysely";
import { awaitInStep, runStep, type Step } from "../../src/concurrency/step.js";
import { signals } from "../../src/signals.js";
import type {
  ManagedTransaction,
  OpenTransaction,
  SnapshotOptions,
  TransactionOptions,
} from "../../src/storage/storage-adapter.js";
import type { Fence } from "../kysely/session/admission.js";
import { Admission } from "../kysely/session/admission.js";
import { HostedDatabase } from "../kysely/session/hosted-database.js";
import type { ReadSession, Session, SharedDatabase, SqlDatabase } from "../kysely/session/session.js";
import { GuardedSession } from "../kysely/session/session.js";
import { Canceling } from "./canceling.js";
import { ClientTransaction } from "./client-transaction.js";
import type { ConnectionQueue } from "./connection-queue.js";
import type { Connections } from "./connections.js";
import { isSchemaMismatch } from "./errors.js";
import { hosted } from "./hosted.js";
import { ManagedClient, type ManagedPgClient } from "./managed-client.js";
import type { Purpose } from "./timeouts.js";

/** How often a transaction that conflicts with others is run. */
const MOST_RUNS = 10;

/** The longest wait before its second run, in milliseconds; it doubles before each later one. */
const FIRST_WAIT = 10;

type Outcome<T> =
  | { readonly kind: "done"; readonly result: T }
  | { readonly kind: "failed"; readonly reason: unknown; readonly hasLostRace: boolean };

/** @param organizationId `undefined` where the changes may be of any. @param position an LSN. */
export type CommitListener = (organizationId: string | undefined, position: string) => void;

/** A database on a Postgres server, through a pool of connections. */
export class PostgresDatabase implements SharedDatabase<ManagedPgClient> {
  readonly sync = null;
  readonly #admission = new Admission();
  /** Transactions that are lent to hosts, with the calls in them. */
  readonly #lent = new Admission();
  #closing: Promise<void> | null = null;
  /** Null while the tables may still be missing. */
  #fence: Fence | null = null;

  readonly session: ReadSession = this.sessionOf(undefined);

  /** @param release is called once, when the last query is done. */
  constructor(
    private readonly connections: Connections,
    private readonly turns: { readonly changes: ConnectionQueue; readonly reads: ConnectionQueue },
    private readonly release: () => Promise<void>,
    /** Gets the position of the server's log after each commit; `null` spares the commits the read of it. */
    private readonly onCommit: CommitListener | null = null,
  ) {}

  /** From now on, each transaction has to be let in. */
  setFence(fence: Fence): void {
    this.#fence = fence;
  }

  /** Each query waits for a turn of its organization before it takes a connection. */
  sessionOf(organizationId: string | undefined): ReadSession {
    return { mark: null, all: (query) => this.#query(query, organizationId) };
  }

  /** Always null: to read the state takes a round trip, as a new read of rows does. */
  committedState(): null {
    return null;
  }

  /** The files are the server's: its vacuum takes out what was removed. */
  async purge(): Promise<void> {}

  /**
   * Waits for a turn of its organization, before it takes a connection. A signal that is aborted cancels the statement that is
   * under way.
   */
  snapshot<T>(work: (session: ReadSession) => Step<T>, options: SnapshotOptions = {}): Promise<T> {
    const { signal, mayLagFor, organizationId = mayLagFor } = options;
    const read = async () => unwrapResult(await this.#attempt("snapshot", work, signal));
    return this.#admission.admit(() => this.turns.reads.run(organizationId, read, { signal }));
  }

  /**
   * Waits for the turn of its organization, and then takes a connection.
   * @throws what `work` throws; `storage_unavailable` if the server can't be reached or is busy, too many changes of the
   *   organization wait, the tables belong to another release, or conflicts prevented the commit ten times. If the connection was
   *   lost during the commit, it may have committed.
   */
  transaction<T>(
    work: (session: Session) => Step<T>,
    { isLarge = false, organizationId }: TransactionOptions = {},
  ): Promise<T> {
    const purpose = isLarge ? "large change" : "change";
    return this.#admission.admit(() =>
      this.turns.changes.run(organizationId, () => this.#change(purpose, work, organizationId)),
    );
  }

  /** A transaction that takes as long as it takes. @throws as {@link transaction}. */
  migration<T>(work: (session: Session) => Step<T>): Promise<T> {
    return this.#admission.admit(() => this.#change("migration", work));
  }

  joining(host: OpenTransaction): SqlDatabase {
    const admission = host instanceof ManagedClient ? new Admission() : this.#admission;
    return new HostedDatabase(host, { ...hosted, fence: this.#fence }, admission);
  }

  lend<T>(work: (tx: ManagedTransaction<ManagedPgClient>) => Promise<T>, timeoutMs: number): Promise<T> {
    const lent = () => ManagedClient.lend(this.connections, work, timeoutMs);
    return this.#lent.admit(() => this.turns.changes.run(undefined, lent));
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all([this.#lent.close(), this.#admission.close()]).then(this.release);
    return this.#closing;
  }

  *#query<Row>(query: CompiledQuery<Row>, organizationId: string | undefined): Step<Row[]> {
    const ask = () => this.#ask(query);
    return yield* awaitInStep(this.#admission.admit(() => this.turns.reads.run(organizationId, ask)));
  }

  async #ask<Row>(query: CompiledQuery<Row>): Promise<Row[]> {
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
      const mayRunAgain = outcome.kind === "failed" && outcome.hasLostRace && runs < MOST_RUNS;
      if (!mayRunAgain) return unwrapResult(outcome);
      await sleep(Math.random() * FIRST_WAIT * 2 ** (runs - 1));
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
    let canceling: Canceling | null = null;
    try {
      signal?.throwIfAborted();
      const backend = await client.begin(purpose === "migration" ? null : this.#fence);
      if (signal !== undefined) canceling = new Canceling(this.connections, backend, signal);
      const result = await runStep(work(session));
      session.assertNotFailed();
      session.end();
      await canceling?.end();
      await commit(client);
      return { kind: "done", result };
    } catch (reason) {
      session.end();
      await canceling?.end();
      // The others were made when the server could write, too.
      if (client.isReadOnly) this.connections.discardAll();
      isUsable = !client.isSpent && (await isRolledBack(client));
      const refusal = isUsable && isSchemaMismatch(reason) ? await this.#refusalOn(client) : null;
      return { kind: "failed", reason: refusal ?? reason, hasLostRace: client.hasLostRace };
    } finally {
      client.release(isUsable);
    }
  }

  /** Explains a missing table or column, if another release is the reason. */
  async #refusalOn(client: ClientTransaction): Promise<unknown> {
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
    // The connection is lost, and with it the transaction.
    return false;
  }
}

function unwrapResult<T>(outcome: Outcome<T>): T {
  if (outcome.kind === "failed") throw outcome.reason;
  return outcome.result;
}
