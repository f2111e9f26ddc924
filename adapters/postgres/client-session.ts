import type { CompiledQuery } from "kysely";
import type pg from "pg";
import type { Step } from "../../src/concurrency/step.js";
import type { Session } from "../kysely/session/session.js";
import { StatementGuard } from "../kysely/session/statement-guard.js";
import { isLostRace, translated } from "./errors.js";
import { ask } from "./query.js";

/** The statements of one transaction on a client of a pool. */
export class ClientSession implements Session {
  /** Committed states have no name that could be told in less than a query. */
  readonly mark = null;
  /** True when the transaction is lost because of others, whatever its work made of that. */
  hasLostRace = false;
  /** Why the connection was lost while no query ran. The queries after it tell only that it is lost. */
  #loss: Error | null = null;
  readonly #guard = new StatementGuard((error) => this.#told(error));

  /**
   * Waits for a client of the pool.
   * @throws what callers of the port get for it.
   */
  static on(pool: pg.Pool): Promise<ClientSession> {
    return new Promise((resolve, reject) => {
      // The pool stops listening to the client before it calls back. A promise would let errors in between, which end
      // the process: one packet can bring the end of the query before and that of the connection.
      pool.connect((error, client) => {
        if (client === undefined) reject(translated(error));
        else resolve(new ClientSession(client));
      });
    });
  }

  private constructor(private readonly client: pg.PoolClient) {
    client.on("error", this.#lose);
  }

  /** Runs what begins or ends the transaction. @throws what callers of the port get for it. */
  async control(statement: string): Promise<void> {
    try {
      await this.client.query(statement);
    } catch (error) {
      throw this.#told(error);
    }
  }

  *all<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    return (yield* this.#guard.run(() => ask(this.client, query))).rows;
  }

  *change(statement: CompiledQuery<unknown>): Step<number> {
    return (yield* this.#guard.run(() => ask(this.client, statement))).rowCount ?? 0;
  }

  *changeEach(statements: readonly CompiledQuery<unknown>[]): Step<number[]> {
    // A client that pipelines sends the next before the answer to the one before.
    if (this.client.pipeline) {
      const results = yield* this.#guard.run(() =>
        everyOf(statements.map((statement) => ask(this.client, statement))),
      );
      return results.map(({ rowCount }) => rowCount ?? 0);
    }
    const changes: number[] = [];
    for (const statement of statements) changes.push(yield* this.change(statement));
    return changes;
  }

  /** @throws the error of the statement that failed, when one did, though nobody may have heeded it. */
  assertSound(): void {
    this.#guard.assertSound();
  }

  /** Refuses statements from now on. */
  end(): void {
    this.#guard.end();
  }

  /** Gives the client back, whose connection is closed unless others can use it. */
  release(isUsable: boolean): void {
    this.client.off("error", this.#lose);
    this.client.release(!isUsable);
  }

  readonly #lose = (error: Error): void => {
    this.#loss ??= error;
  };

  #told(error: unknown): unknown {
    this.hasLostRace ||= isLostRace(error);
    return translated(this.#loss ?? error);
  }
}

/** @throws the first error in their order, when all have ended. */
async function everyOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
