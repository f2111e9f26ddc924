import type { ManagedTransaction, StatementResult } from "../../../src/storage/storage-adapter.js";
import { fromPg, type PgClient, type PgResult } from "../joining/pg.js";
import { runManagedWork } from "../kysely/session/host-calls.js";
import type { Connections, PooledConnection } from "./connections.js";
import { toPortError } from "./errors.js";

/** A `pg` client, declared here so that hosts don't need the driver's types. */
export interface ManagedPgClient extends PgClient {
  /** Runs a statement with numbered placeholders (`$1`, `$2`, …) in the transaction and resolves to its result. */
  query(statement: { readonly text: string; readonly values: unknown[] }): Promise<PgResult>;
  query(text: string, values?: unknown[]): Promise<PgResult>;
}

/** A pooled client that a host uses for one managed transaction. */
export class ManagedClient implements ManagedTransaction<ManagedPgClient> {
  #isOver = false;

  private constructor(readonly client: ManagedPgClient) {}

  async query(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    // The client may already be in use by another call.
    if (this.#isOver) throw new TypeError("the managed transaction has ended");
    return fromPg(this.client).query(sql, parameters);
  }

  /**
   * Runs a host's work in a transaction and then commits the transaction. The host must not use the client after the work has
   * finished.
   * @returns the result of the work.
   */
  static async runTransaction<T>(
    connections: Connections,
    work: (tx: ManagedClient) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> {
    const { connection } = await ManagedClient.#acquireConnection(connections);
    // Every `pg` client has this type, but the types of `pg` may not be installed.
    const managedClient = new ManagedClient(connection.client as unknown as ManagedPgClient);
    let isUsable = false;
    try {
      await managedClient.client.query("begin");
      const result = await runManagedWork(managedClient, () => work(managedClient), timeoutMs);
      const { command } = await managedClient.client.query("commit");
      isUsable = true;
      // The server responds with ROLLBACK if a statement has failed, even if the host caught the error.
      if (command === "ROLLBACK") throw new Error("the managed transaction failed and was rolled back");
      return result;
    } catch (error) {
      throw toPortError(connection.loss ?? error);
    } finally {
      managedClient.#isOver = true;
      // Closing the connection rolls back an open transaction, and stops a host that is still using the client.
      connection.release(isUsable);
    }
  }

  static async #acquireConnection(connections: Connections): Promise<PooledConnection> {
    try {
      return await connections.acquire();
    } catch (error) {
      throw toPortError(error);
    }
  }
}
