import type { CompiledQuery } from "kysely";
import { run, type Step, wait } from "../../../src/concurrency/step.js";
import type { LentTransaction, OpenTransaction } from "../../../src/storage/storage-adapter.js";
import type { Admission } from "./admission.js";
import { callOn } from "./calls-on-host.js";
import type { HostedDialect } from "./host-executor.js";
import { HostedCalls } from "./hosted-calls.js";
import type { ReadSession, Session, SqlDatabase } from "./session.js";

/**
 * A database as the open transaction of a host sees it. Calls run one after the other, so none reads what another one has
 * half done.
 */
export class HostedDatabase implements SqlDatabase {
  readonly session: ReadSession = {
    mark: null,
    all: (query) => this.#query(query),
  };
  readonly #calls: HostedCalls;

  /** @param admission is that of the database which the host's transaction is on. */
  constructor(
    private readonly host: OpenTransaction,
    private readonly dialect: HostedDialect,
    private readonly admission: Admission,
  ) {
    this.#calls = new HostedCalls(host, dialect);
  }

  /** No state of its own: what the host's transaction sees. */
  snapshot<T>(work: (session: ReadSession) => Step<T>): Promise<T> {
    return this.#inTurn(() => this.#calls.read(work));
  }

  /** What the host has changed is not committed, so nothing may be remembered by it. */
  committedState(): null {
    return null;
  }

  /** The transaction is open, and the files are the host's affair. */
  async purge(): Promise<void> {}

  transaction<T>(work: (session: Session) => Step<T>): Promise<T> {
    return this.#inTurn(() => this.#calls.change(work));
  }

  joining(host: OpenTransaction): SqlDatabase {
    return new HostedDatabase(host, this.dialect, this.admission);
  }

  joiningSync(): never {
    throw new TypeError("only the organization itself can join a synchronous transaction");
  }

  inTurn<T>(_task: () => T): Promise<T> {
    throw new TypeError("a joined transaction has its turn already");
  }

  lend<T>(_work: (tx: LentTransaction) => Promise<T>): Promise<T> {
    throw new TypeError("a joined transaction has none to lend");
  }

  async close(): Promise<void> {}

  *#query<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    return yield* wait(this.snapshot((session) => session.all(query)));
  }

  #inTurn<T>(task: () => Step<T>): Promise<T> {
    return this.admission.admit(() => callOn(this.host, () => run(task())));
  }
}
