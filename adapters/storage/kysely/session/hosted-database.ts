import type { CompiledQuery } from "kysely";
import { runSync } from "../../../../src/base/concurrency/run-sync.js";
import { awaitInStep, runStep, type Step } from "../../../../src/base/concurrency/step.js";
import type { OpenTransaction, SyncTransaction } from "../../../../src/storage/storage-adapter.js";
import type { Admission } from "./admission.js";
import { assertNoOpenCalls, runOnHost } from "./host-calls.js";
import type { HostedDialect } from "./host-executor.js";
import { HostedCalls } from "./hosted-calls.js";
import type { ReadSession, Session, SqlDatabase, SyncDatabase } from "./session.js";

/**
 * A database that is accessed through a host's open transaction. Calls run one at a time, so no call sees another call's partial
 * changes.
 */
export class HostedDatabase implements SqlDatabase {
  readonly session: ReadSession = {
    mark: null,
    all: (query) => this.#query(query),
  };
  readonly #calls: HostedCalls;

  /** @param admission tracks the running calls on the host transaction's database. */
  constructor(
    private readonly host: OpenTransaction,
    dialect: HostedDialect,
    private readonly admission: Admission,
  ) {
    this.#calls = new HostedCalls(host, dialect);
  }

  /** Runs reads in the host's transaction, which sees its own changes. */
  snapshot<T>(work: (session: ReadSession) => Step<T>): Promise<T> {
    return this.#inTurn(() => this.#calls.read(work));
  }

  /** Always returns `null`. The host's changes aren't committed yet, so nothing that is read can be cached. */
  committedState(): null {
    return null;
  }

  /** Does nothing. Files can't be purged inside an open transaction, and purging them is up to the host. */
  async purge(): Promise<void> {}

  transaction<T>(work: (session: Session) => Step<T>): Promise<T> {
    return this.#inTurn(() => this.#calls.change(work));
  }

  async close(): Promise<void> {}

  *#query<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    return yield* awaitInStep(this.snapshot((session) => session.all(query)));
  }

  #inTurn<T>(task: () => Step<T>): Promise<T> {
    return this.admission.admit(() => runOnHost(this.host, () => runStep(task())));
  }
}

/** A database that is accessed through a host's open transaction with synchronous statements. */
export class SyncHostedDatabase implements SyncDatabase {
  readonly #calls: HostedCalls;

  /** @param admission tracks the running calls on the host transaction's database. */
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
