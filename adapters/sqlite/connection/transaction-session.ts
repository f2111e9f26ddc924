import type { CompiledQuery } from "kysely";
import { isTurnDue, turns } from "../../../src/concurrency/event-loop.js";
import type { Step } from "../../../src/concurrency/step.js";
import type { Session, SharedCommit } from "../../kysely/session/session.js";
import { StatementGuard } from "../../kysely/session/statement-guard.js";
import { translated } from "./errors.js";
import type { Executor } from "./executor.js";

/** The statements of one transaction, with turns of the event loop in between. */
export class TransactionSession implements Session {
  readonly #guard = new StatementGuard(translated);

  constructor(
    private readonly executor: Executor,
    readonly mark: object | null,
    readonly commit: SharedCommit | null = null,
  ) {}

  all<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    return this.#inTurn(() => this.executor.all(query));
  }

  change(statement: CompiledQuery<unknown>): Step<number> {
    return this.#inTurn(() => this.executor.change(statement));
  }

  changeEach(statements: readonly CompiledQuery<unknown>[]): Step<number[]> {
    return this.#inTurn(() => this.executor.changeEach(statements));
  }

  /** @throws the error of the statement that failed, when one did, though nobody may have heeded it. */
  assertSound(): void {
    this.#guard.assertSound();
  }

  /** Refuses statements from now on. */
  end(): void {
    this.#guard.end();
  }

  #inTurn<T>(statement: () => T | Promise<T>): Step<T> {
    return isTurnDue() ? this.#later(statement) : this.#guard.run(statement);
  }

  *#later<T>(statement: () => T | Promise<T>): Step<T> {
    yield* turns();
    return yield* this.#guard.run(statement);
  }
}
