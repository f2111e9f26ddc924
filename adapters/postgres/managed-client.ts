import type { ManagedTransaction, StatementResult } from "../../src/storage/storage-adapter.js";
import { fromPg, type PgClient, type PgResult } from "../joining/pg.js";
import { runManagedWork } from "../kysely/session/host-calls.js";
import type { Connections, PooledConnection } from "./connections.js";
import { toPortError } from "./errors.js";

/** A client of `pg`, typed without the driver's types. */
export interface ManagedPgClient extends PgClient {
  query(statement: { readonly text: string; readonly values: unknown[] }): Promise<PgResult>;
  query(text: string, values?: unknown[]): Promise<PgResult>;
}

/** A client of the pool that is lent to a host for one transaction. */
export class ManagedClient implements ManagedTransaction<ManagedPgClient> {
  #isOver = false;

  private constructor(readonly client: ManagedPgClient) {}

  async query(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    // Another call may be using the client by now.
    if (this.#isOver) throw new TypeError("the lent transaction is over");
    return fromPg(this.client).query(sql, parameters);
  }

  /** Runs a host's work in a transaction. A host that keeps the client must not use it afterwards. */
  static async lend<T>(
    connections: Connections,
    work: (tx: ManagedClient) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> {
    const { connection } = await ManagedClient.#borrowed(connections);
    // Any client of "pg" is one, whose types may not be there.
    const lent = new ManagedClient(connection.client as unknown as ManagedPgClient);
    let isUsable = false;
    try {
      await lent.client.query("begin");
      const result = await runManagedWork(lent, () => work(lent), timeoutMs);
      const { command } = await lent.client.query("commit");
      isUsable = true;
      // The server answers so when a statement has failed, whatever the host made of that.
      if (command === "ROLLBACK") throw new Error("the lent transaction has failed, and was rolled back");
      return result;
    } catch (error) {
      throw toPortError(connection.loss ?? error);
    } finally {
      lent.#isOver = true;
      // Closing the connection rolls back the open transaction, and stops a host that still uses it.
      connection.release(isUsable);
    }
  }

  static async #borrowed(connections: Connections): Promise<PooledConnection> {
    try {
      return await connections.acquire();
    } catch (error) {
      throw toPortError(error);
    }
  }
}
