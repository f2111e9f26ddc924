import { awaitInStep, type Step } from "../../../src/base/concurrency/step.js";
import { type AnyFunction, createMethodsClass, type Functions } from "../../../src/storage/methods.js";
import type {
  HostSupport,
  SnapshotOptions,
  StorageAdapter,
  StorageReader,
  StorageTransaction,
  TransactionOptions,
} from "../../../src/storage/storage-adapter.js";
import { CommitBuffer, type WriteContext } from "./change/commit-buffer.js";
import { CommitCache, emptyState } from "./change/commit-cache.js";
import type { ReadingColumns } from "./columns/behavior.js";
import { ColumnCache } from "./columns/column-cache.js";
import { registerSqlAccess } from "./copying/sql-access.js";
import { queries } from "./queries.js";
import { SegmentCache } from "./segments/segment-cache.js";
import { getRules } from "./session/call-rules.js";
import { toOpenTransaction, toSyncTransaction } from "./session/open-transaction.js";
import type { ReadSession, Session, SharedCommit, SharedDatabase, SqlDatabase } from "./session/session.js";
import type { SqlDialect } from "./sql/dialect.js";

const SEGMENT_CACHE_BYTES = 64 * 1024 * 1024;

const COLUMN_CACHE_BYTES = 128 * 1024 * 1024;

/** Context for reads outside snapshots and transactions. */
interface ReadOnlyContext extends ReadingColumns {
  snapshot<T>(work: (on: ReadingColumns) => Step<T>, options?: SnapshotOptions): Promise<T>;
  sessionOf(organizationId: string): ReadSession;
}

/** Creates a storage adapter for a SQL database whose tables have already been migrated to this release's schema. */
export function sqlStorage<Client>(
  dialect: SqlDialect,
  shared: SharedDatabase<Client>,
): StorageAdapter<Client> {
  const { organizations, chunks, reads, writes } = queries(dialect);
  const OutsideReader = createMethodsClass<StorageReader, ReadOnlyContext>(
    runOutsideSnapshots(reads, shared.sessionOf !== undefined),
  );
  const Reader = createMethodsClass<StorageReader, ReadingColumns>(reads);
  const Writer = createMethodsClass<StorageTransaction, SetWriteContext>(
    bindToTransaction({ ...reads, ...writes }, dialect.locksOrganizations),
  );

  const cache = new CommitCache();

  /** The newest commit and its buffer. A commit begins when the previous one has ended. */
  let newestCommit: { readonly commit: SharedCommit; readonly buffer: CommitBuffer } | null = null;

  /** Returns the buffer of a transaction's commit. */
  function bufferOf(session: Session): CommitBuffer {
    const { commit } = session;
    if (commit === null) return new CommitBuffer(organizations, chunks, emptyState(), session);
    if (newestCommit?.commit === commit) return newestCommit.buffer;
    const buffer = new CommitBuffer(organizations, chunks, cache.take(commit.begins), session);
    newestCommit = { commit, buffer };
    commit.runBeforeCommit(function* (last) {
      const committed = yield* buffer.writeLast(last);
      // Other transactions in the commit, such as a copy's, write these rows directly, so the buffer's state would be incomplete.
      if (buffer.transactions === commit.size) cache.note(commit.leaves, committed);
    });
    return buffer;
  }

  function* runChange<T>(session: Session, work: (tx: StorageTransaction) => Step<T>) {
    const buffer = bufferOf(session);
    buffer.begin(session);
    // A transaction may read uncommitted sets, so they must never enter the cache.
    const result = yield* work(new Writer({ session, buffer, cache: null, columns: null }));
    yield* buffer.finish();
    return { result, buffer };
  }

  class SqlStorage extends OutsideReader implements StorageAdapter<Client> {
    /** @param cache `null` if uncommitted sets are visible. */
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
      return this.database.snapshot((snapshotSession) => {
        const session = signal === undefined ? snapshotSession : abortable(snapshotSession, signal);
        return work({ session, cache: this.cache, columns: this.columns });
      }, options);
    }

    async transaction<T>(
      work: (tx: StorageTransaction) => Step<T>,
      options?: TransactionOptions,
    ): Promise<T> {
      const { result, buffer } = await this.database.transaction(
        (session) => runChange(session, work),
        options,
      );
      if (this.cache !== null) for (const change of buffer.drainWrittenSets()) this.cache.advance(change);
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
    new SqlStorage(shared.joining(toOpenTransaction(host)), null, null, joinedSupport);
  /** Lets a storage adapter that is joined to one host transaction join another one. */
  const joinedSupport: HostSupport<Client> = {
    joining,
    async runManaged() {
      throw new TypeError("a joined transaction can't run managed transactions");
    },
    sync: null,
  };
  const hosts: HostSupport<Client> = {
    joining,
    runManaged: async (work, timeoutMs) => shared.lend(work, timeoutMs),
    sync: sync && {
      joining(host) {
        const support = sync.joining(toSyncTransaction(host));
        return {
          snapshot: (work) =>
            support.snapshot((session) => work(new Reader({ session, cache: null, columns: null }))),
          transaction: (work) =>
            support.transaction(function* (session) {
              return (yield* runChange(session, work)).result;
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
 * Returns the reads in the form that runs outside snapshots. A read whose statements must see one state takes a snapshot.
 * @param haveTurns whether each organization's reads queue separately.
 */
function runOutsideSnapshots(
  reads: Functions<StorageReader, ReadingColumns>,
  haveTurns: boolean,
): Functions<StorageReader, ReadOnlyContext> {
  const all = Object.entries<AnyFunction<ReadingColumns>>(reads).map(([name, run]) => {
    if (getRules(run).isOneState) return [name, runInSnapshot(run)];
    return [name, haveTurns ? runInTurn(run) : run];
  });
  // Every function keeps its name and type.
  return Object.fromEntries(all);
}

function runInSnapshot(run: AnyFunction<ReadingColumns>): AnyFunction<ReadOnlyContext> {
  return function* ({ snapshot }, ...args) {
    return yield* awaitInStep(snapshot((on) => run(on, ...args), { organizationId: getOrganization(args) }));
  };
}

function runInTurn(run: AnyFunction<ReadingColumns>): AnyFunction<ReadOnlyContext> {
  return (on, ...args) => {
    const organizationId = getOrganization(args);
    return run(organizationId === undefined ? on : { ...on, session: on.sessionOf(organizationId) }, ...args);
  };
}

/**
 * Returns a read's first argument, which determines its queue. It is usually the organization's ID, but a few reads take a hash or
 * another ID instead.
 */
function getOrganization([first]: readonly unknown[]): string | undefined {
  return typeof first === "string" ? first : undefined;
}

/** Wraps a session so that it throws after the signal is aborted. A statement that has already begun ends first. */
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

/** The context passed to every function of a transaction. */
type SetWriteContext = WriteContext & ReadingColumns;

type Run = AnyFunction<SetWriteContext>;

/**
 * Returns the port's functions with their locking applied, for use in a transaction. If transactions run in parallel, each call
 * first locks its organization's row, unless the function's rules say otherwise. An organization's transactions therefore run one
 * at a time, and the data they have read stays valid. Locks are always taken in the same order, first the organization and then its
 * rows, so transactions for different organizations never wait for each other. Taking the lock also checks the fence if the
 * transaction hasn't passed it yet.
 */
function bindToTransaction(
  functions: Functions<StorageTransaction, SetWriteContext>,
  locksOrganizations: boolean,
): Functions<StorageTransaction, SetWriteContext> {
  const all = Object.entries<Run>(functions).map(([name, run]) => {
    const { locks, readsBuffered } = getRules(run);
    const wrapped = readsBuffered ? runAfterWriting(run) : run;
    if (!locksOrganizations) return [name, wrapped];
    return [name, locks === "organization" ? runAfterLocking(wrapped) : runAfterLettingIn(wrapped)];
  });
  // Every function keeps its name and type.
  return Object.fromEntries(all);
}

function runAfterWriting(run: Run): Run {
  return function* (on, ...args) {
    yield* on.buffer.write();
    return yield* run(on, ...args);
  };
}

function runAfterLettingIn(run: Run): Run {
  return function* (on, ...args) {
    yield* on.buffer.checkFence();
    return yield* run(on, ...args);
  };
}

function runAfterLocking(run: Run): Run {
  return function* (on, organizationId, ...rest) {
    yield* on.buffer.lock(organizationId);
    return yield* run(on, organizationId, ...rest);
  };
}
