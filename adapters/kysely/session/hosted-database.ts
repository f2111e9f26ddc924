import type { CompiledQuery } from "kysely";
import { runSync } from "../../../src/concurrency/run-sync.js";
import { awaitInStep, runStep, type Step } from "../../../src/concurrency/step.js";
import type { OpenTransaction, SyncTransaction } from "../../../src/storage/storage-adapter.js";
import type { Admission } from "./admission.js";
import { assertNoOpenCalls, runOnHost } from "./host-calls.js";
import type { HostedDialect } from "./host-executor.js";
import { HostedCalls } from "./hosted-calls.js";
import type { ReadSession, Session, SqlDatabase, SyncDatabase } from "./session.js";

/**
 * A database as the open transaction of a host sees it. Calls run one at a time, so none reads what another one has
 * half done.
 */
export class HostedDatabase implements SqlDatabase {
  readonly session: ReadSession = {
    mark: null,
    all: (query) => this.#query(query),
  };
  readonly #calls: HostedCalls;

  /** @param admission of the database of the host's transaction. */
  constructor(
    private readonly host: OpenTransaction,
    dialect: HostedDialect,
    private readonly admission: Admission,
  ) {
    this.#calls = new HostedCalls(host, dialect);
  }

  /** No state of its own: what the host's transaction sees. */
  snapshot<T>(work: (session: ReadSession) => Step<T>): Promise<T> {
    return this.#inTurn(() => this.#calls.read(work));
  }

  /** Returns `null`: the host's changes are not committed, so nothing may be cached under a state of theirs. */
  committedState(): null {
    return null;
  }

  /** The transaction is open, and the files are the host's affair. */
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

/** A database within a host's open transaction with synchronous statements. */
export class SyncHostedDatabase implements SyncDatabase {
  readonly #calls: HostedCalls;

  /** @param admission of the database of the host's transaction. */
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
