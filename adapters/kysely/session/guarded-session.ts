import type { CompiledQuery } from "kysely";
import { isTurnDue, turns } from "../../../src/concurrency/event-loop.js";
import { done, failed, isPromise, type Step, wait } from "../../../src/concurrency/step.js";
import type { Executor } from "./executor.js";
import type { Fence } from "./fence.js";
import type { Session, SharedCommit } from "./session.js";

/**
 * The statements of one transaction, each of which begins when its step is made. After the transaction's end none runs,
 * so none can get into the next one; nor after an error: a write of the port may then be half done, and some errors end
 * a transaction by themselves.
 */
export class GuardedSession implements Session {
  #ended = false;
  #failed: { readonly reason: unknown } | null = null;

  constructor(
    private readonly executor: Executor,
    readonly mark: object | null = null,
    readonly commit: SharedCommit | null = null,
    readonly fence: Fence | null = null,
  ) {}

  all<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    return this.#inTurn(() => this.executor.all(query));
  }

  change(statement: CompiledQuery<unknown>): Step<number> {
    return this.#inTurn(() => this.executor.change(statement));
  }

  changeEach(statements: readonly CompiledQuery<unknown>[]): Step<number[]> {
    const { changeEach } = this.executor;
    return changeEach === null ? this.#oneByOne(statements) : this.#inTurn(() => changeEach(statements));
  }

  assertSound(): void {
    if (this.#failed !== null) throw this.#failed.reason;
  }

  /** Refuses statements from now on. */
  end(): void {
    this.#ended = true;
  }

  #inTurn<T>(statement: () => T | Promise<T>): Step<T> {
    return this.executor.isBlocking && isTurnDue() ? this.#later(statement) : this.#run(statement);
  }

  *#later<T>(statement: () => T | Promise<T>): Step<T> {
    yield* turns();
    return yield* this.#run(statement);
  }

  *#oneByOne(statements: readonly CompiledQuery<unknown>[]): Step<number[]> {
    const changes: number[] = [];
    for (const statement of statements) changes.push(yield* this.change(statement));
    return changes;
  }

  #run<T>(statement: () => T | Promise<T>): Step<T> {
    if (this.#failed !== null) return failed(this.#failed.reason);
    if (this.#ended) return failed(new Error("the transaction is over"));
    try {
      const result = statement();
      return isPromise(result) ? this.#waiting(result) : done(result);
    } catch (error) {
      return failed(this.#failure(error));
    }
  }

  *#waiting<T>(result: Promise<T>): Step<T> {
    try {
      return yield* wait(result);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    const reason = this.executor.translated(error);
    this.#failed ??= { reason };
    return reason;
  }
}
