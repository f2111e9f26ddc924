import type { Connections } from "./connections.js";
import { runQuery } from "./query.js";

const PATIENCE_MS = 2_000;

/** Cancels a transaction's running statement as soon as a signal is aborted. */
export class Canceling {
  #isOver = false;
  #asked: Promise<unknown> | null = null;

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
    await this.#asked;
  }

  readonly #cancel = (): void => {
    // If canceling fails, the statement runs until it ends or times out.
    this.#canceled().catch(() => undefined);
  };

  async #canceled(): Promise<void> {
    const { connection } = await this.connections.acquire();
    let isUsable = true;
    try {
      // The statement may have ended during the wait for a connection.
      if (this.#isOver) return;
      const statement = { sql: "select pg_cancel_backend($1)", parameters: [this.backend] };
      const asked = runQuery(connection.client, statement, PATIENCE_MS);
      this.#asked = asked.catch(() => undefined);
      await asked;
    } catch {
      isUsable = false;
    } finally {
      connection.release(isUsable);
    }
  }
}
