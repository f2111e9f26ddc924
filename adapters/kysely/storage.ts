import { awaitInStep, type Step } from "../../src/concurrency/step.js";
import { type AnyFunction, createMethodsClass, type Functions } from "../../src/storage/methods.js";
import type {
  HostSupport,
  SnapshotOptions,
  StorageAdapter,
  StorageReader,
  StorageTransaction,
  TransactionOptions,
} from "../../src/storage/storage-adapter.js";
import { CommitBuffer } from "./change/commit-buffer.js";
import { CommitCache, emptyState } from "./change/commit-cache.js";
import { TransactionBuffer } from "./change/transaction-buffer.js";
import type { ReadingColumns } from "./columns/behavior.js";
import { ColumnCache } from "./columns/column-cache.js";
import { registerSqlAccess } from "./copying/sql-access.js";
import { bindToTransaction, type SetWriteContext } from "./in-transaction.js";
import { queries } from "./queries.js";
import { SegmentCache } from "./segments/segment-cache.js";
import { getRules } from "./session/call-rules.js";
import { toOpenTransaction, toSyncTransaction } from "./session/open-transaction.js";
import type { ReadSession, Session, SharedCommit, SharedDatabase, SqlDatabase } from "./session/session.js";
import type { SqlDialect } from "./sql/dialect.js";

const SEGMENT_CACHE_BYTES = 64 * 1024 * 1024;

const COLUMN_CACHE_BYTES = 128 * 1024 * 1024;

/** The arguments that reads outside of snapshots and transactions run on. */
interface ReadOnlyContext extends ReadingColumns {
  snapshot<T>(work: (on: ReadingColumns) => Step<T>, options?: SnapshotOptions): Promise<T>;
  sessionOf(organizationId: string): ReadSession;
}

/** Implements the storage port on an SQL database with the tables of this release. */
export function sqlStorage<Client>(
  dialect: SqlDialect,
  shared: SharedDatabase<Client>,
): StorageAdapter<Client> {
  const { organizations, chunks, reads, writes } = queries(dialect);
  const OutsideReader = createMethodsClass<StorageReader, ReadOnlyContext>(
    outsideSnapshots(reads, shared.sessionOf !== undefined),
  );
  const Reader = createMethodsClass<StorageReader, ReadingColumns>(reads);
  const Writer = createMethodsClass<StorageTransaction, SetWriteContext>(
    bindToTransaction({ ...reads, ...writes }, dialect.locksOrganizations),
  );

  const newest = new CommitCache();

  /** The newest commit and the rows that it has to write. A commit begins when the previous one has ended. */
  let newestCommit: { readonly commit: SharedCommit; readonly unwritten: CommitBuffer } | null = null;

  /** Returns the rows that the commit of a transaction has to write. */
  function unwrittenOf({ commit }: Session): CommitBuffer {
    if (commit === null) return new CommitBuffer(organizations, chunks, emptyState());
    if (newestCommit?.commit === commit) return newestCommit.unwritten;
    const unwritten = new CommitBuffer(organizations, chunks, newest.take(commit.begins));
    newestCommit = { commit, unwritten };
    commit.runBeforeCommit((session) => writtenLast(session, commit, unwritten));
    return unwritten;
  }

  function* writtenLast(session: Session, commit: SharedCommit, unwritten: CommitBuffer): Step<void> {
    const known = yield* unwritten.writeLast(session);
    // Other transactions, for example of a copy, write such rows themselves.
    if (unwritten.transactions === commit.size) newest.note(commit.leaves, known);
  }

  function* changing<T>(session: Session, work: (tx: StorageTransaction) => Step<T>) {
    const unwritten = unwrittenOf(session);
    unwritten.transactions += 1;
    const pending = new TransactionBuffer(session, unwritten);
    // The sets that a transaction reads may be uncommitted, so none may enter the cache.
    const result = yield* work(new Writer({ session, pending, cache: null, columns: null }));
    yield* pending.finish();
    return { result, unwritten };
  }

  class SqlStorage extends OutsideReader implements StorageAdapter<Client> {
    /** @param cache null where uncommitted sets can be seen. */
    constructor(
      private readonly database: SqlDatabase,
      private readonly cache: SegmentCache | null,
      private readonly columns: ColumnCache | null,
      readonly hosts: HostSupport<Client> | null,
    ) {
      super({
        ...{ session: database.session, cache, columns },
        snapshot: (work, options) => this.#reading(work, options),
        sessionOf: (organizationId) => database.sessionOf?.(organizationId) ?? database.session,
      });
    }

    snapshot<T>(work: (reader: StorageReader) => Step<T>, options?: SnapshotOptions): Promise<T> {
      return this.#reading((on) => work(new Reader(on)), options);
    }

    async #reading<T>(work: (on: ReadingColumns) => Step<T>, options: SnapshotOptions = {}): Promise<T> {
      const { signal } = options;
      signal?.throwIfAborted();
      return this.database.snapshot((opened) => {
        const session = signal === undefined ? opened : abortable(opened, signal);
        return work({ session, cache: this.cache, columns: this.columns });
      }, options);
    }

    async transaction<T>(
      work: (tx: StorageTransaction) => Step<T>,
      options?: TransactionOptions,
    ): Promise<T> {
      const { result, unwritten } = await this.database.transaction(
        (session) => changing(session, work),
        options,
      );
      if (this.cache !== null) for (const change of unwritten.drainWrittenSets()) this.cache.advance(change);
      return result;
    }

    committedState(): object | null {
      return this.database.committedState();
    }

    purge(): Promise<void> {
      return this.database.purge();
    }

    close(): Promise<void> {
      return this.database.close();
    }
  }

  const { sync } = shared;
  const joining: HostSupport<Client>["joining"] = (host) =>
    new SqlStorage(shared.joining(toOpenTransaction(host)), null, null, joined);
  /** A storage that is a part of a host's transaction can be a part of another one. */
  const joined: HostSupport<Client> = {
    joining,
    async runManaged() {
      throw new TypeError("a joined transaction has none to lend");
    },
    sync: null,
  };
  const hosts: HostSupport<Client> = {
    joining,
    runManaged: async (work, timeoutMs) => shared.lend(work, timeoutMs),
    sync: sync && {
      joining(host) {
        const joined = sync.joining(toSyncTransaction(host));
        return {
          snapshot: (work) =>
            joined.snapshot((session) => work(new Reader({ session, cache: null, columns: null }))),
          transaction: (work) =>
            joined.transaction(function* (session) {
              return (yield* changing(session, work)).result;
            }),
        };
      },
      runBetweenTransactions: sync.inTurn,
    },
  };
  const storage = new SqlStorage(
    shared,
    new SegmentCache(SEGMENT_CACHE_BYTES),
    new ColumnCache(COLUMN_CACHE_BYTES),
    hosts,
  );
  return registerSqlAccess(storage, { dialect, database: shared });
}

/**
 * Returns the reads as they run outside snapshots: a read that needs several statements of one state takes a snapshot.
 * @param haveTurns whether the reads of each organization queue separately.
 */
function outsideSnapshots(
  reads: Functions<StorageReader, ReadingColumns>,
  haveTurns: boolean,
): Functions<StorageReader, ReadOnlyContext> {
  const all = Object.entries<AnyFunction<ReadingColumns>>(reads).map(([name, run]) => {
    if (getRules(run).isOneState) return [name, inSnapshot(run)];
    return [name, haveTurns ? inTurn(run) : run];
  });
  // The same names, with functions of the same types.
  return Object.fromEntries(all);
}

function inSnapshot(run: AnyFunction<ReadingColumns>): AnyFunction<ReadOnlyContext> {
  return function* ({ snapshot }, ...args) {
    return yield* awaitInStep(snapshot((on) => run(on, ...args), { organizationId: organizationIn(args) }));
  };
}

function inTurn(run: AnyFunction<ReadingColumns>): AnyFunction<ReadOnlyContext> {
  return (on, ...args) => {
    const organizationId = organizationIn(args);
    return run(organizationId === undefined ? on : { ...on, session: on.sessionOf(organizationId) }, ...args);
  };
}

/**
 * Most reads take the organization as their first argument. A few take a hash or an id instead, which then identifies their queue.
 */
function organizationIn([first]: readonly unknown[]): string | undefined {
  return typeof first === "string" ? first : undefined;
}

/** The session, until the signal is aborted: a statement that has begun by then ends first, one way or the other. */
function abortable(session: ReadSession, signal: AbortSignal): ReadSession {
  return {
    mark: session.mark,
    *all(query) {
      signal.throwIfAborted();
      try {
        return yield* session.all(query);
      } finally {
        signal.throwIfAborted();
      }
    },
  };
}
