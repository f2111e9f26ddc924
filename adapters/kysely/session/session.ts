import type { CompiledQuery } from "kysely";
import { isYieldDue, yieldIfDue } from "../../../src/concurrency/event-loop.js";
import {
  awaitInStep,
  failStep,
  isPromise,
  mapStep,
  type Step,
  succeedStep,
} from "../../../src/concurrency/step.js";
import type {
  ManagedTransaction,
  OpenTransaction,
  SnapshotOptions,
  SyncTransaction,
  TransactionOptions,
} from "../../../src/storage/storage-adapter.js";
import type { Fence } from "./admission.js";

/** Runs queries on a connection, or in a transaction on one. */
export interface ReadSession {
  /**
   * Identifies a committed state. Sessions with the same object see the same state, but two objects may stand for the same state.
   * `null` if the state is unknown, or if the session sees uncommitted rows.
   */
  readonly mark: object | null;
  /**
   * Returns the rows of a query.
   * @throws the database's error. This ends a transaction.
   */
  all<Row>(query: CompiledQuery<Row>): Step<Row[]>;
}

/** Context for the port's reads. */
export interface ReadContext {
  readonly session: ReadSession;
}

/** A transaction that may write. */
export interface Session extends ReadSession {
  /**
   * Returns the number of rows that the statement itself changed, without cascades.
   *
   * @throws like {@link all}.
   */
  change(statement: CompiledQuery<unknown>): Step<number>;
  /** Like {@link change} for several statements in order, at most a few thousand. */
  changeEach(statements: readonly CompiledQuery<unknown>[]): Step<number[]>;
  /**
   * Like {@link changeEach}, for statements whose counts aren't needed. They may still be running when the step ends. Then a later
   * statement or the commit throws their errors.
   */
  changeDeferred(statements: readonly CompiledQuery<unknown>[]): Step<void>;
  /** The fence that the transaction must still pass; `null` if it passed at the beginning. */
  readonly fence: Fence | null;
  /** The commit that the transaction shares with others; `null` if it has its own. */
  readonly commit: SharedCommit | null;
  /** @throws the error of a failed statement, even if its caller ignored it. */
  assertNotFailed(): void;
}

/** A commit shared by several transactions that run one at a time. All of them have the same object. */
export interface SharedCommit {
  /** Identifies the committed state before this commit, like {@link ReadSession.mark}. */
  readonly begins: object | null;
  /** Identifies the committed state after this commit. */
  readonly leaves: object;
  /** Number of transactions in this commit so far. */
  readonly size: number;
  /** Runs the step once after all transactions have ended, in the same database transaction. If it fails, so does the commit. */
  runBeforeCommit(step: (session: Session) => Step<void>): void;
}

/** Provides sessions on one database. */
export interface SqlDatabase {
  /** Runs each query by itself, on the newest committed state. */
  readonly session: ReadSession;
  /** Like {@link session}, for queries about one organization. Absent if queries never wait for a connection. */
  sessionOf?(organizationId: string): ReadSession;
  /** Runs reads on a single committed state. The signal also aborts a running statement if the database supports it. */
  snapshot<T>(work: (session: ReadSession) => Step<T>, options?: SnapshotOptions): Promise<T>;
  /**
   * Commits when `work` ends, or rolls back if it throws, and then settles the promise. `work` may wait only for its session,
   * because transactions may share a commit, and another transaction's outcome may have to wait for it. If a shared commit fails,
   * `work` may run again.
   */
  transaction<T>(work: (session: Session) => Step<T>, options?: TransactionOptions): Promise<T>;
  /** Identifies the committed state, like in the storage port. */
  committedState(): object | null;
  /** Purges deleted data from the database's own files. */
  purge(): Promise<void>;
  close(): Promise<void>;
}

/** A database that hosts also use for their own rows. */
export interface SharedDatabase<Client = unknown> extends SqlDatabase {
  joining(host: OpenTransaction): SqlDatabase;
  lend<T>(work: (tx: ManagedTransaction<Client>) => Promise<T>, timeoutMs: number): Promise<T>;
  readonly sync: {
    joining(host: SyncTransaction): SyncDatabase;
    inTurn<T>(task: () => T): Promise<T>;
  } | null;
}

/** A database within a host's open transaction with synchronous statements. */
export interface SyncDatabase {
  snapshot<T>(work: (session: ReadSession) => Step<T>): T;
  transaction<T>(work: (session: Session) => Step<T>): T;
}

/** Returns the only row of a query that finds at most one; `null` if there is none. */
export function findFirst<Row>(session: ReadSession, query: CompiledQuery<Row>): Step<Row | null> {
  return mapStep(session.all(query), ([row]) => row ?? null);
}

/** Runs a statement and returns true if it changed a row. */
export function changesRow(session: Session, statement: CompiledQuery<unknown>): Step<boolean> {
  return mapStep(session.change(statement), (changes) => changes > 0);
}

/** Runs a transaction's statements through a driver. */
export interface Executor {
  /** True if statements block the process and return no promises. Then other tasks may run between statements. */
  readonly isBlocking: boolean;
  all<Row>(query: CompiledQuery<Row>): Row[] | Promise<Row[]>;
  change(statement: CompiledQuery<unknown>): number | Promise<number>;
  /** Like {@link change} for several statements in order; `null` if that isn't faster than one by one. */
  readonly changeEach:
    | ((statements: readonly CompiledQuery<unknown>[]) => number[] | Promise<number[]>)
    | null;
  /** Like {@link changeEach}, but callers needn't wait until it ends. Absent if that isn't faster. */
  readonly changeDeferred?: (statements: readonly CompiledQuery<unknown>[]) => Promise<void>;
  /** Converts an error from the driver to the port's error. */
  toPortError(error: unknown): unknown;
}

/**
 * Runs the statements of one transaction. Each begins when its step is created. It rejects statements after the transaction's end,
 * so that none runs in the next transaction. It also rejects statements after an error, because a write of the port may be half
 * done, and some errors end a transaction.
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

  changeDeferred(statements: readonly CompiledQuery<unknown>[]): Step<void> {
    const { changeDeferred: changeBehind } = this.executor;
    return changeBehind === undefined
      ? mapStep(this.changeEach(statements), () => undefined)
      : this.#inTurn(() => changeBehind(statements));
  }

  assertNotFailed(): void {
    if (this.#failed !== null) throw this.#failed.reason;
  }

  /** Rejects all further statements. */
  end(): void {
    this.#ended = true;
  }

  #inTurn<T>(statement: () => T | Promise<T>): Step<T> {
    return this.executor.isBlocking && isYieldDue() ? this.#later(statement) : this.#run(statement);
  }

  *#later<T>(statement: () => T | Promise<T>): Step<T> {
    yield* yieldIfDue();
    return yield* this.#run(statement);
  }

  *#oneByOne(statements: readonly CompiledQuery<unknown>[]): Step<number[]> {
    const changes: number[] = [];
    for (const statement of statements) changes.push(yield* this.change(statement));
    return changes;
  }

  #run<T>(statement: () => T | Promise<T>): Step<T> {
    if (this.#failed !== null) return failStep(this.#failed.reason);
    if (this.#ended) return failStep(new Error("the transaction is over"));
    try {
      const result = statement();
      return isPromise(result) ? this.#waiting(result) : succeedStep(result);
    } catch (error) {
      return failStep(this.#failure(error));
    }
  }

  *#waiting<T>(result: Promise<T>): Step<T> {
    try {
      return yield* awaitInStep(result);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    const reason = this.executor.toPortError(error);
    this.#failed ??= { reason };
    return reason;
  }
}
