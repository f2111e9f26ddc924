import { runSync } from "../../../src/concurrency/run-sync.js";
import type { Step } from "../../../src/concurrency/step.js";
import type { SyncTransaction } from "../../../src/storage/storage-adapter.js";
import type { Admission } from "./admission.js";
import { assertNoneOn } from "./calls-on-host.js";
import type { HostedDialect } from "./host-executor.js";
import { HostedCalls } from "./hosted-calls.js";
import type { ReadSession, Session, SyncDatabase } from "./session.js";

/** A database as the open transaction of a host sees it whose statements are answered at once. */
export class SyncHostedDatabase implements SyncDatabase {
  readonly #calls: HostedCalls;

  /** @param admission is that of the database which the host's transaction is on. */
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
    assertNoneOn(this.host);
    return runSync(call);
  }
}
