import type { CompiledQuery } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { OpenTransaction } from "../../../src/storage/storage-adapter.js";
import type { Session } from "./session.js";
import { StatementGuard } from "./statement-guard.js";

/** What differs between the transactions of hosts on different databases. */
export interface HostedDialect {
  /** Gets hold of what a change needs before it reads anything. */
  beforeChange(host: OpenTransaction): Step<void>;
  /** Whether a transaction is open, where one has been lost before. */
  isOpen(host: OpenTransaction): Step<boolean>;
  /** A row with the values as connections of our own give them. */
  rowOf(row: unknown): unknown;
  /** What a caller of the port gets for an error of the host's driver. */
  translated(error: unknown): unknown;
}

/** Statements in the open transaction of a host. */
export class HostedSession implements Session {
  readonly mark = null;
  readonly commit = null;
  readonly #guard: StatementGuard;

  constructor(
    private readonly host: OpenTransaction,
    private readonly dialect: HostedDialect,
  ) {
    this.#guard = new StatementGuard(dialect.translated);
  }

  *all<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    const { rows } = yield* this.#run(query);
    // A query's type says what its rows are; nothing at run time can.
    return rows.map((row) => this.dialect.rowOf(row)) as Row[];
  }

  *change(statement: CompiledQuery<unknown>): Step<number> {
    const { count } = yield* this.#run(statement);
    return count;
  }

  *changeEach(statements: readonly CompiledQuery<unknown>[]): Step<number[]> {
    const changed: number[] = [];
    for (const statement of statements) changed.push(yield* this.change(statement));
    return changed;
  }

  /** @throws the error of the statement that failed, when one did, though nobody may have heeded it. */
  assertSound(): void {
    this.#guard.assertSound();
  }

  /** Refuses statements from now on. */
  end(): void {
    this.#guard.end();
  }

  #run({ sql, parameters }: CompiledQuery<unknown>) {
    return this.#guard.run(() => this.host.query(sql, parameters));
  }
}
