import type Database from "better-sqlite3";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { ManagedTransaction } from "../../../../src/storage/storage-adapter.js";
import { fromBetterSqlite3 } from "../../joining/better-sqlite3.js";
import type { Fence } from "../../kysely/session/admission.js";
import { runManagedWork } from "../../kysely/session/host-calls.js";
import { BusyRetry, tablesVersionQuery, toPortError } from "../connection/connection.js";
import { openFile } from "../driver/driver.js";

/** The database that a managed transaction changes. */
interface ManagedDatabase {
  readonly file: string;
  /** The pragmas to set on the connection. */
  readonly pragmas: readonly string[];
  /** The fence that the transaction must pass before the work runs, or `null` if the tables might not exist yet. */
  readonly fence: Fence | null;
}

/**
 * A connection that is opened for a single managed transaction. It is closed afterward, even if the host still holds a reference to
 * it.
 */
export class ManagedConnection implements ManagedTransaction<Database.Database> {
  readonly client: Database.Database;
  readonly query: ManagedTransaction["query"];

  private constructor(file: string, pragmas: readonly string[]) {
    this.client = openFile(file, { timeout: 0, fileMustExist: true });
    for (const pragma of pragmas) this.client.pragma(pragma);
    this.query = fromBetterSqlite3(this.client).query;
  }

  isOpen(): boolean {
    return this.client.inTransaction;
  }

  /**
   * Runs a host's work in a transaction that holds the write lock, and then commits the transaction.
   * @returns the result of the work.
   */
  static async runTransaction<T>(
    { file, pragmas, fence }: ManagedDatabase,
    work: (tx: ManagedConnection) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> {
    const connection = new ManagedConnection(file, pragmas);
    const { client } = connection;
    try {
      await runStep(new BusyRetry().run(() => client.exec("begin immediate")));
      fence?.assertCurrent(readVersion(client));
      const result = await runManagedWork(connection, () => work(connection), timeoutMs);
      if (!client.inTransaction) throw new TypeError("the host must not end a managed transaction");
      client.exec("commit");
      return result;
    } catch (error) {
      throw toPortError(error);
    } finally {
      // Rolls back an uncommitted transaction.
      client.close();
    }
  }
}

function readVersion(client: Database.Database): number | null {
  return client.prepare<[], number | null>(tablesVersionQuery.sql).pluck().get() ?? null;
}
