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
   * Identifies a committed state: sessions with the same object see the same state. Two objects may stand for the same state.
   * `null` if that is unknown, or if the session sees uncommitted rows.
   */
  readonly mark: object | null;
  /** The rows of a query. @throws what the database throws; a transaction is over then. */
  all<Row>(query: CompiledQuery<Row>): Step<Row[]>;
}

/** The reads of the port run on it. */
export interface ReadContext {
  readonly session: ReadSession;
}

/** A transaction that may write. */
export interface Session extends ReadSession {
  /**
   * Returns how many rows the statement itself changed, without cascades.
   *
   * @throws as {@link all}.
   */
  change(statement: CompiledQuery<unknown>): Step<number>;
  /** {@link change} for several, at most some thousands, in this order. */
  changeEach(statements: readonly CompiledQuery<unknown>[]): Step<number[]>;
  /**
   * {@link changeEach} for statements whose counts aren't needed. They may still be running when the step ends; then a later
   * statement, or the commit, throws their errors.
   */
  changeDeferred(statements: readonly CompiledQuery<unknown>[]): Step<void>;
  /** The fence has still to let the transaction in; `null` if it did so at the beginning. */
  readonly fence: Fence | null;
  /** The commit that the transaction shares with others; `null` if it shares none. */
  readonly commit: SharedCommit | null;
  /** @throws the error of a failed statement, even if its caller ignored it. */
  assertNotFailed(): void;
}

/** A commit that several transactions share, which run one at a time. The same object stands for it in all of them. */
export interface SharedCommit {
  /** Stands for the committed state that it begins with, as {@link ReadSession.mark} does. */
  readonly begins: object | null;
  /** Stands for the state that it leaves, once it is committed. */
  readonly leaves: object;
  /** The number of its transactions so far. */
  readonly size: number;
  /** Runs the step once when all have ended, in the same transaction of the database; when it fails, so does the commit. */
  runBeforeCommit(step: (session: Session) => Step<void>): void;
}

/** Gives sessions on one database. */
export interface SqlDatabase {
  /** Each query by itself, on the newest committed state. */
  readonly session: ReadSession;
  /** {@link session} for queries about one organization; absent where queries wait for no connection. */
  sessionOf?(organizationId: string): ReadSession;
  /** Reads of one and the same committed state. Where the signal can end a statement that has begun, it does. */
  snapshot<T>(work: (session: ReadSession) => Step<T>, options?: SnapshotOptions): Promise<T>;
  /**
   * Commits when `work` has ended, rolls back when it throws, and tells the outcome after that. `work` waits for
   * nothing but its session: transactions may share a commit, so another one's outcome may have to wait for it. It
   * may run again, when such a commit failed.
   */
  transaction<T>(work: (session: Session) => Step<T>, options?: TransactionOptions): Promise<T>;
  /** Identifies the committed state, as in the storage port. */
  committedState(): object | null;
  /** Takes what was removed out of files of its own. */
  purge(): Promise<void>;
  close(): Promise<void>;
}

/** A database that hosts also use for their own rows, with the methods of the storage port. */
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

/** The row of a query that finds at most one. */
export function findFirst<Row>(session: ReadSession, query: CompiledQuery<Row>): Step<Row | null> {
  return mapStep(session.all(query), ([row]) => row ?? null);
}

/** Runs a statement and returns true when it changed a row. */
export function changesRow(session: Session, statement: CompiledQuery<unknown>): Step<boolean> {
  return mapStep(session.change(statement), (changes) => changes > 0);
}

/** Runs the statements of a transaction through a driver. */
export interface Executor {
  /** True when it blocks the process and gives no promises: then others get their turns between statements. */
  readonly isBlocking: boolean;
  all<Row>(query: CompiledQuery<Row>): Row[] | Promise<Row[]>;
  change(statement: CompiledQuery<unknown>): number | Promise<number>;
  /** {@link change} for several, in this order; null where that is no quicker than one by one. */
  readonly changeEach:
    | ((statements: readonly CompiledQuery<unknown>[]) => number[] | Promise<number[]>)
    | null;
  /** {@link changeEach} that need not wait for its end; absent where that is no quicker. */
  readonly changeDeferred?: (statements: readonly CompiledQuery<unknown>[]) => Promise<void>;
  /** Returns the error of the port for one of the driver. */
  toPortError(error: unknown): unknown;
}

/**
 * The statements of one transaction. Each begins when its step is created. None runs after the transaction's end, so that none gets
 * into the next one, and none after an error, because a write of the port may be half done and some errors end a transaction.
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

  /** Refuses statements from now on. */
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
