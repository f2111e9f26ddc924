import { type Compilable, type CompiledQuery, type RawBuilder, sql } from "kysely";
import { isYieldDue, yieldIfDue } from "../../../../src/base/concurrency/event-loop.js";
import {
  awaitInStep,
  failStep,
  isPromise,
  mapStep,
  type Step,
  succeedStep,
} from "../../../../src/base/concurrency/step.js";
import type {
  ManagedTransaction,
  OpenTransaction,
  SnapshotOptions,
  SyncTransaction,
  TransactionOptions,
} from "../../../../src/storage/storage-adapter.js";
import type { Fence } from "./admission.js";

/** Runs queries on a connection, inside or outside a transaction. */
export interface ReadSession {
  /**
   * Identifies the committed state that the session sees. Two sessions with the same object see the same state. Two sessions with
   * different objects might still see the same state. `null` if the state is unknown or if the session sees uncommitted rows.
   */
  readonly committedState: object | null;
  /**
   * Runs a query and returns its rows.
   * @throws the database's error. In a transaction, no further statements can run after an error.
   */
  all<Row>(query: CompiledQuery<Row>): Step<Row[]>;
}

/** The context passed to the look-ups across all organizations. */
export interface LookUpContext {
  readonly session: ReadSession;
}

/** The context passed to the storage port's read functions. */
export interface ReadContext extends LookUpContext {
  /** The ID of the organization whose rows the functions read. */
  readonly organizationId: string;
}

/** A session in a read-write transaction. */
export interface Session extends ReadSession {
  /**
   * Runs a statement.
   * @returns the number of rows that the statement itself changed, not counting cascades.
   * @throws the database's error. No further statements can run after an error.
   */
  change(statement: CompiledQuery<unknown>): Step<number>;
  /**
   * Runs several statements in order. Pass at most a few thousand statements.
   * @returns the number of rows that each statement changed, as for {@link change}.
   * @throws the database's error. No further statements can run after an error.
   */
  changeEach(statements: readonly CompiledQuery<unknown>[]): Step<number[]>;
  /**
   * Runs several statements in order without returning their counts. Statements can still be running when the step ends. Their
   * errors are then thrown by a later statement or by the commit.
   */
  changeDeferred(statements: readonly CompiledQuery<unknown>[]): Step<void>;
  /**
   * The fence that must check the schema version for this transaction, or `null` if the version was already checked when the
   * transaction began.
   */
  readonly fence: Fence | null;
  /** The commit that this transaction shares with other transactions, or `null` if it has its own commit. */
  readonly commit: SharedCommit | null;
  /**
   * Checks that no statement has failed.
   * @throws the error of a failed statement, even if the caller ignored it.
   */
  assertNotFailed(): void;
}

/** A commit that several transactions share. The transactions run one at a time, and their sessions all refer to this object. */
export interface SharedCommit {
  /** Identifies the committed state before this commit, in the same way as {@link ReadSession.committedState}. */
  readonly stateBefore: object | null;
  /** Identifies the committed state after this commit. */
  readonly stateAfter: object;
  /** Number of transactions that have joined this commit so far. */
  readonly size: number;
  /**
   * Runs a step after all of the commit's transactions have ended, in the same database transaction. If the step fails, so does the
   * commit.
   */
  runBeforeCommit(step: (session: Session) => Step<void>): void;
}

/** How a database runs a transaction. */
export interface SqlTransactionOptions extends Pick<TransactionOptions, "isLarge"> {
  /**
   * The ID of the organization that the change is for, so that organizations take turns. `undefined` for changes out of turn, and
   * for changes of no organization, such as migrations.
   */
  readonly organizationId?: string | undefined;
}

/** How a database runs a snapshot. */
export interface SqlSnapshotOptions extends SnapshotOptions {
  /**
   * The ID of the organization to read from, so that organizations take turns. `undefined` for reads across all organizations.
   */
  readonly organizationId?: string | undefined;
}

/** A SQL database. It provides sessions outside a transaction, on a snapshot, and in a transaction. */
export interface SqlDatabase {
  /** A session outside a transaction. Each query sees the newest committed state. */
  readonly session: ReadSession;
  /**
   * Returns a session like {@link session} for queries about one organization. Its queries wait for a connection in the
   * organization's own queue. Absent if queries never wait for a connection.
   */
  getSession?(organizationId: string): ReadSession;
  /**
   * Runs reads on a snapshot of the committed data. Aborting the signal also stops a running statement if the database supports
   * that.
   */
  snapshot<T>(work: (session: ReadSession) => Step<T>, options?: SqlSnapshotOptions): Promise<T>;
  /**
   * Runs `work` in a transaction. The transaction is committed when `work` returns and rolled back when `work` throws, and the
   * promise settles afterward. Inside `work`, don't wait for another transaction: it might share this transaction's commit, in
   * which case it can't settle until this transaction ends. If a shared commit fails, `work` might run again.
   */
  transaction<T>(work: (session: Session) => Step<T>, options?: SqlTransactionOptions): Promise<T>;
  /** Returns an object that identifies the newest committed state. See the storage port's method with the same name. */
  committedState(): object | null;
  /** Purges deleted data from the database's files. */
  purge(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A database whose transactions can be shared with the host, so that the host's own rows are committed together with the
 * library's.
 */
export interface SharedDatabase<Client = unknown> extends SqlDatabase {
  joining(host: OpenTransaction): SqlDatabase;
  runManaged<T>(work: (tx: ManagedTransaction<Client>) => Promise<T>, timeoutMs: number): Promise<T>;
  readonly sync: {
    joining(host: SyncTransaction): SyncDatabase;
    runBetweenTransactions<T>(task: () => T): Promise<T>;
  } | null;
}

/** A database that is accessed with synchronous statements through a host's open transaction. */
export interface SyncDatabase {
  snapshot<T>(work: (session: ReadSession) => Step<T>): T;
  transaction<T>(work: (session: Session) => Step<T>): T;
}

/**
 * Returns the first row of a query's result, or `null` if the result is empty. Reads all of the result's rows, so the query should
 * select only a few.
 */
export function findFirst<Row>(session: ReadSession, query: CompiledQuery<Row>): Step<Row | null> {
  return mapStep(session.all(query), ([row]) => row ?? null);
}

/** Runs a statement and returns whether it changed any rows. */
export function changeRow(session: Session, statement: CompiledQuery<unknown>): Step<boolean> {
  return mapStep(session.change(statement), (changes) => changes > 0);
}

/** Runs a transaction's statements through a database driver. */
export interface Executor {
  /**
   * Whether statements block the process instead of returning promises. If so, other tasks are given a chance to run between
   * statements.
   */
  readonly isBlocking: boolean;
  all<Row>(query: CompiledQuery<Row>): Row[] | Promise<Row[]>;
  change(statement: CompiledQuery<unknown>): number | Promise<number>;
  /**
   * Runs several statements in order and returns the number of rows that each one changed. `null` if running them one by one is
   * just as fast.
   */
  readonly changeEach:
    | ((statements: readonly CompiledQuery<unknown>[]) => number[] | Promise<number[]>)
    | null;
  /**
   * Runs several statements in order, for callers that don't need to wait for the result. Absent if {@link changeEach} is just as
   * fast.
   */
  readonly changeDeferred?: (statements: readonly CompiledQuery<unknown>[]) => Promise<void>;
  /** Converts an error from the driver to a storage port error. */
  toPortError(error: unknown): unknown;
}

/**
 * Runs one transaction's statements. Each statement begins when its step is created. Once the transaction has ended, further
 * statements are rejected, because they would otherwise run in the connection's next transaction. Statements are also rejected
 * after an error, because a write might be incomplete and some errors end the transaction.
 */
export class GuardedSession implements Session {
  #isEnded = false;
  #firstFailure: { readonly reason: unknown } | null = null;

  constructor(
    private readonly executor: Executor,
    readonly committedState: object | null = null,
    readonly commit: SharedCommit | null = null,
    readonly fence: Fence | null = null,
  ) {}

  all<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    return this.#runOrYield(() => this.executor.all(query));
  }

  change(statement: CompiledQuery<unknown>): Step<number> {
    return this.#runOrYield(() => this.executor.change(statement));
  }

  changeEach(statements: readonly CompiledQuery<unknown>[]): Step<number[]> {
    const { changeEach } = this.executor;
    return changeEach === null
      ? this.#changeOneByOne(statements)
      : this.#runOrYield(() => changeEach(statements));
  }

  changeDeferred(statements: readonly CompiledQuery<unknown>[]): Step<void> {
    const { changeDeferred: changeInBackground } = this.executor;
    return changeInBackground === undefined
      ? mapStep(this.changeEach(statements), () => undefined)
      : this.#runOrYield(() => changeInBackground(statements));
  }

  assertNotFailed(): void {
    if (this.#firstFailure !== null) throw this.#firstFailure.reason;
  }

  /** Marks the transaction as ended. All further statements are rejected. */
  end(): void {
    this.#isEnded = true;
  }

  #runOrYield<T>(statement: () => T | Promise<T>): Step<T> {
    return this.executor.isBlocking && isYieldDue() ? this.#yieldAndRun(statement) : this.#run(statement);
  }

  *#yieldAndRun<T>(statement: () => T | Promise<T>): Step<T> {
    yield* yieldIfDue();
    return yield* this.#run(statement);
  }

  *#changeOneByOne(statements: readonly CompiledQuery<unknown>[]): Step<number[]> {
    const changes: number[] = [];
    for (const statement of statements) changes.push(yield* this.change(statement));
    return changes;
  }

  #run<T>(statement: () => T | Promise<T>): Step<T> {
    if (this.#firstFailure !== null) return failStep(this.#firstFailure.reason);
    if (this.#isEnded) return failStep(new Error("the transaction has ended"));
    try {
      const result = statement();
      return isPromise(result) ? this.#awaitResult(result) : succeedStep(result);
    } catch (error) {
      return failStep(this.#recordFailure(error));
    }
  }

  *#awaitResult<T>(result: Promise<T>): Step<T> {
    try {
      return yield* awaitInStep(result);
    } catch (error) {
      throw this.#recordFailure(error);
    }
  }

  #recordFailure(error: unknown): unknown {
    const reason = this.executor.toPortError(error);
    this.#firstFailure ??= { reason };
    return reason;
  }
}

/** Returns a placeholder for the named value, which must be supplied each time the query runs. */
export type Slot<Values> = <Name extends keyof Values>(name: Name) => RawBuilder<Values[Name]>;

/** Replaces a prepared query's placeholders with values and returns the compiled query, without compiling it again. */
export type Prepared<Values, Row> = (values: Values) => CompiledQuery<Row>;

/** A compiled query, and for each of its parameters either the slot or the constant value. */
interface Template<Values, Row> {
  readonly compiled: CompiledQuery<Row>;
  readonly order: readonly { readonly name: keyof Values | undefined; readonly constant: unknown }[];
}

/** Builds and compiles a query, and records which of its parameters are placeholders. */
export function compileTemplate<Values, Row>(
  build: (slot: Slot<Values>) => Compilable<Row>,
): Template<Values, Row> {
  const names = new Map<unknown, keyof Values>();
  const compiled = build(<Name extends keyof Values>(name: Name) => {
    const placeholder = Object.freeze({});
    names.set(placeholder, name);
    return sql<Values[Name]>`${placeholder}`;
  }).compile();
  const order = compiled.parameters.map((constant) => ({ name: names.get(constant), constant }));
  return { compiled, order };
}

/**
 * Builds and compiles a query once, because compiling costs more than running most queries. The returned function only replaces
 * the placeholders with values.
 */
export function prepare<Values, Row>(build: (slot: Slot<Values>) => Compilable<Row>): Prepared<Values, Row> {
  const { compiled, order } = compileTemplate(build);
  const { query, queryId, sql: text } = compiled;
  return (values) => ({
    query,
    queryId,
    sql: text,
    parameters: order.map(({ name, constant }) => (name === undefined ? constant : values[name])),
  });
}
