import type { CompiledQuery } from "kysely";
import { StorageConflict } from "../../src/storage.js";
import type { Session } from "../kysely/session.js";
import { translated } from "./errors.js";
import { isTurnDue, turn } from "./pace.js";
import type { Statements } from "./statements.js";

/**
 * The statements of one transaction. After its end none runs, so none can get into the next transaction. After an
 * error that is no conflict none runs either: a write of the port may then be half done, and after some errors
 * SQLite has rolled back by itself, so that a statement would be a transaction of its own.
 */
export class TransactionSession implements Session {
  #ended = false;
  #failed: { readonly reason: unknown } | null = null;

  constructor(
    private readonly statements: Statements,
    readonly mark: object | null,
  ) {}

  async all<Row>(query: CompiledQuery<Row>): Promise<Row[]> {
    while (isTurnDue()) await turn();
    return this.#run(() => this.statements.all(query));
  }

  async change(statement: CompiledQuery<unknown>): Promise<number> {
    while (isTurnDue()) await turn();
    return this.#run(() => this.statements.change(statement));
  }

  async changeEach(statements: readonly CompiledQuery<unknown>[]): Promise<number[]> {
    while (isTurnDue()) await turn();
    return this.#run(() => this.statements.changeEach(statements));
  }

  /** @throws the error of the statement that failed, when one did, though nobody may have heeded it. */
  assertSound(): void {
    if (this.#failed !== null) throw this.#failed.reason;
  }

  /** Refuses statements from now on. */
  end(): void {
    this.#ended = true;
  }

  async #run<T>(statement: () => T | Promise<T>): Promise<T> {
    this.assertSound();
    if (this.#ended) throw new Error("the transaction is over");
    try {
      return await statement();
    } catch (error) {
      const reason = translated(error);
      if (!(reason instanceof StorageConflict)) this.#failed = { reason };
      throw reason;
    }
  }
}
