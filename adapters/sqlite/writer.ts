import type { Session } from "../kysely/session.js";
import { BusyRetry } from "./busy.js";
import type { Connection } from "./connection.js";
import { TransactionSession } from "./transaction-session.js";
import { Turns } from "./turns.js";

/** Runs transactions that may write: one at a time here, and none while another process runs one. */
export class Writer {
  readonly #turns = new Turns();
  readonly #retry = new BusyRetry();
  #break: Promise<unknown> = Promise.resolve();

  constructor(private readonly connection: Connection) {}

  /** @throws what `work` throws; what SQLite throws; `storage_unavailable` when the file stays busy for 10 s. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const asked = performance.now();
    return this.#turns.take(async () => {
      await this.#break;
      // The lock is taken before the first read, so that nothing read can have changed when it is written.
      await this.#retry.run(() => this.connection.execute("begin immediate"), asked);
      const session = new TransactionSession(this.connection, null);
      try {
        const result = await work(session);
        session.assertSound();
        this.connection.execute("commit");
        return result;
      } catch (error) {
        this.#rollback();
        throw error;
      } finally {
        session.end();
        // Nothing above waits for anything, so without a break a row of transactions would let nothing else run:
        // no request, no timer, and no other process.
        this.#break = new Promise((resolve) => setImmediate(resolve));
      }
    });
  }

  /** Refuses further transactions and waits for those that came before. */
  close(): Promise<void> {
    return this.#turns.close();
  }

  #rollback(): void {
    // After some errors SQLite has done it already, and another try would hide the error.
    if (this.connection.inTransaction) this.connection.execute("rollback");
  }
}
