import type { CompiledQuery } from "kysely";
import { isYieldDue, yieldIfDue } from "../../../../src/base/concurrency/event-loop.js";
import { awaitInStep, runStep, type Step } from "../../../../src/base/concurrency/step.js";
import { Admission, type Fence } from "../../kysely/session/admission.js";
import { GuardedSession, type ReadSession } from "../../kysely/session/session.js";
import {
  BusyRetry,
  isBusy,
  isSchemaMismatch,
  type SqliteConnection,
  TablesCheck,
} from "../connection/connection.js";

/** Maximum number of open snapshots. Further snapshots wait. */
const MAX_SNAPSHOTS = 32;

/** A snapshot that is waiting for a free reader. */
interface WaitingSnapshot {
  resolve(reader: Reader): void;
  reject(reason: unknown): void;
}

/**
 * A pool of read-only connections to one file. One connection runs single queries, and each open snapshot has a connection of its
 * own. As a result, neither a writer nor waiting snapshots can delay a single query.
 */
export class Readers {
  readonly #admission = new Admission();
  readonly #snapshotReaders: Reader[] = [];
  /** Idle readers, most recently used last. The last one is reused first, because it has the most in its cache. */
  readonly #idle: Reader[] = [];
  readonly #queue: WaitingSnapshot[] = [];
  #openingCount = 0;

  /** A session that runs each query on its own, outside a snapshot. */
  readonly session: ReadSession = {
    committedState: null,
    all: (query) => this.#query(query),
  };

  /**
   * @param single the reader for single queries.
   * @param open a function that opens an additional reader.
   */
  constructor(
    private readonly single: Reader,
    private readonly open: () => Promise<Reader>,
  ) {}

  /** Returns an object that identifies the committed state, or `null` if the state can't be read without waiting. */
  committedState(): object | null {
    if (this.#admission.isClosed) return null;
    try {
      return this.single.state();
    } catch (error) {
      if (isBusy(error)) return null;
      throw error;
    }
  }

  /**
   * Runs `work` in a snapshot.
   * @returns the result of `work`.
   * @throws any error from `work` or SQLite, or `storage_unavailable` if the file stays busy for 10 s.
   */
  snapshot<T>(work: (session: ReadSession) => Step<T>): Promise<T> {
    return this.#admission.track(() => runStep(this.#withReader((reader) => reader.snapshot(work))));
  }

  /** Rejects further reads, waits for the current ones to finish, and closes the readers. Call it only once. */
  async close(): Promise<void> {
    await this.#admission.close();
    for (const reader of [this.single, ...this.#snapshotReaders]) reader.close();
  }

  *#query<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    const rows = this.#admission.isClosed || isYieldDue() ? null : this.#readImmediately(query);
    return yield* awaitInStep(rows ?? this.#admission.track(() => runStep(this.#runQuery(query))));
  }

  *#runQuery<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    yield* yieldIfDue();
    return yield* this.single.readWithRetry(query);
  }

  /** Runs a query synchronously. Returns `null` if the query would have to wait. */
  #readImmediately<Row>(query: CompiledQuery<Row>): Row[] | null {
    try {
      return this.single.read(query);
    } catch (error) {
      if (isBusy(error)) return null;
      throw error;
    }
  }

  *#withReader<T>(task: (reader: Reader) => Step<T>): Step<T> {
    const reader = this.#idle.pop() ?? (yield* awaitInStep(this.#openReader()));
    try {
      return yield* task(reader);
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#idle.push(reader);
      else next.resolve(reader);
    }
  }

  async #openReader(): Promise<Reader> {
    if (this.#snapshotReaders.length + this.#openingCount >= MAX_SNAPSHOTS) {
      return new Promise((resolve, reject) => this.#queue.push({ resolve, reject }));
    }
    this.#openingCount += 1;
    try {
      const reader = await this.open();
      this.#snapshotReaders.push(reader);
      return reader;
    } catch (error) {
      if (this.#snapshotReaders.length === 0 && this.#openingCount === 1) this.#failAll(error);
      throw error;
    } finally {
      this.#openingCount -= 1;
    }
  }

  /** Rejects all waiting snapshots. Call this if no reader can be opened and none is in use that could serve them later. */
  #failAll(reason: unknown): void {
    for (const { reject } of this.#queue.splice(0)) reject(reason);
  }
}

/** Reads committed rows on its own connection, for one caller at a time. */
export class Reader {
  readonly #retry = new BusyRetry();
  #version = -1;
  /** Identifies the committed state that this reader last saw. Replaced when another connection commits. */
  #stateToken: object = {};

  readonly #tables: TablesCheck;

  /** @param connection the connection to use, which the reader takes ownership of and eventually closes. */
  constructor(
    private readonly connection: SqliteConnection,
    fence: Fence,
  ) {
    this.#tables = new TablesCheck(connection, fence);
  }

  /**
   * Synchronously runs a query against the newest committed state.
   * @throws any SQLite error, even if the file is merely busy.
   * @throws {LoyaltyError} `storage_unavailable` if a check of the tables' schema version has failed.
   */
  read<Row>(query: CompiledQuery<Row>): Row[] {
    // The check takes longer than the query, so it only runs after another check has failed.
    if (this.#tables.shouldCheck) this.#tables.assertCurrent();
    try {
      return this.connection.all(query);
    } catch (error) {
      if (isSchemaMismatch(error)) this.#tables.assertCurrent();
      throw error;
    }
  }

  /**
   * Returns an object that identifies the newest committed state. Returns the same object until the state changes.
   * @throws any SQLite error, even if the file is merely busy.
   */
  state(): object {
    const version = this.connection.dataVersion();
    if (version !== this.#version) this.#stateToken = {};
    this.#version = version;
    return this.#stateToken;
  }

  /**
   * Runs a query against the newest committed state, retrying while the file is busy.
   * @throws any SQLite error, or `storage_unavailable` if the file stays busy for 10 s.
   */
  readWithRetry<Row>(query: CompiledQuery<Row>): Step<Row[]> {
    return this.#retry.run(() => this.read(query));
  }

  /**
   * Runs `work` in a snapshot.
   * @returns the result of `work`.
   * @throws any error from `work` or SQLite, or `storage_unavailable` if the file stays busy for 10 s or the tables have another
   *   release's schema.
   */
  *snapshot<T>(work: (session: ReadSession) => Step<T>): Step<T> {
    const stateToken = yield* this.#retry.run(() => this.#begin());
    const session = new GuardedSession(this.connection, stateToken);
    try {
      return yield* work(session);
    } finally {
      session.end();
      this.#end();
    }
  }

  close(): void {
    this.connection.close();
  }

  /**
   * Begins a snapshot. The first read, not the `begin` statement, determines which state the snapshot shows.
   * @returns the object that identifies that state.
   */
  #begin(): object {
    this.connection.execute("begin");
    try {
      const stateToken = this.state();
      this.#tables.assertCurrent();
      return stateToken;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  #end(): void {
    if (this.connection.inTransaction) this.connection.execute("commit");
  }
}
