import type { Connections } from "./connections.js";
import { runQuery } from "./query.js";

const PATIENCE_MS = 2_000;

/** Cancels the statement of a transaction once its caller has given up. */
export class Canceling {
  #isOver = false;
  #asked: Promise<unknown> | null = null;

  /** @param backend the process of the server that the transaction runs in. */
  constructor(
    private readonly connections: Connections,
    private readonly backend: number,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener("abort", this.#cancel, { once: true });
    if (signal.aborted) this.#cancel();
  }

  /** To be awaited before the connection is given back: what came later would hit the next transaction on it. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.signal.removeEventListener("abort", this.#cancel);
    await this.#asked;
  }

  readonly #cancel = (): void => {
    // The statement then goes on to its end, which its timeout bounds.
    this.#canceled().catch(() => undefined);
  };

  async #canceled(): Promise<void> {
    const { connection } = await this.connections.acquire();
    let isUsable = true;
    try {
      // Waiting for a connection can take longer than the statement.
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
