import { awaitInStep, type Step } from "../../../src/base/concurrency/step.js";
import {
  ALL_ORGANIZATIONS,
  type CooldownReads,
  type CooldownWrites,
} from "../../../src/storage/cooldowns.js";
import {
  type AnyFunction,
  bindFunctions,
  createMethodsClass,
  createReaderClass,
  type Functions,
} from "../../../src/storage/methods.js";
import type {
  HostSupport,
  SnapshotOptions,
  StorageAdapter,
  StorageLookUps,
  StorageReader,
  StorageTransaction,
  TransactionOptions,
} from "../../../src/storage/storage-adapter.js";
import { CommitBuffer, type WriteContext } from "./change/commit-buffer.js";
import { CommitCache, createEmptyState } from "./change/commit-cache.js";
import type { ColumnReadContext } from "./columns/behavior.js";
import { ColumnCache } from "./columns/column-cache.js";
import { registerSqlAccess } from "./copying/sql-access.js";
import { createQueries } from "./queries.js";
import { SegmentCache } from "./segments/segment-cache.js";
import { getRules } from "./session/call-rules.js";
import { toOpenTransaction, toSyncTransaction } from "./session/open-transaction.js";
import type {
  LookUpContext,
  ReadSession,
  Session,
  SharedCommit,
  SharedDatabase,
  SqlDatabase,
} from "./session/session.js";
import type { SqlDialect } from "./sql/dialect.js";

const SEGMENT_CACHE_BYTES = 64 * 1024 * 1024;

const COLUMN_CACHE_BYTES = 128 * 1024 * 1024;

/** Creates a storage adapter for a SQL database whose tables have already been migrated to this release's schema. */
export function sqlStorage<Client>(
  dialect: SqlDialect,
  shared: SharedDatabase<Client>,
): StorageAdapter<Client> {
  const { organizations, chunks, OutsideLookUps, OutsideReader, Reader, Writer } = getPortClasses(dialect);
  const cache = new CommitCache();

  /** The newest commit and its buffer. A commit begins when the previous one has ended. */
  let newestCommit: { readonly commit: SharedCommit; readonly buffer: CommitBuffer } | null = null;

  /** Returns the buffer of a transaction's commit. */
  function getBuffer(session: Session): CommitBuffer {
    const { commit } = session;
    if (commit === null) return new CommitBuffer(organizations, chunks, createEmptyState(), session);
    if (newestCommit?.commit === commit) return newestCommit.buffer;
    const buffer = new CommitBuffer(organizations, chunks, cache.take(commit.stateBefore), session);
    newestCommit = { commit, buffer };
    commit.runBeforeCommit(function* (lastSession) {
      const committed = yield* buffer.writeLast(lastSession);
      // Other transactions in the commit, such as a copy's, write these rows directly, so the buffer's state would be incomplete.
      if (buffer.transactions === commit.size) cache.store(commit.stateAfter, committed);
    });
    return buffer;
  }

  function* runChange<T>(
    session: Session,
    organizationId: string,
    work: (tx: StorageTransaction) => Step<T>,
  ) {
    const buffer = getBuffer(session);
    buffer.begin(session);
    // A transaction may read uncommitted sets, so they must never enter the cache.
    const result = yield* work(new Writer({ session, organizationId, buffer, cache: null, columns: null }));
    yield* buffer.finish();
    return { result, buffer };
  }

  class SqlStorage implements StorageAdapter<Client> {
    readonly all: StorageLookUps;
    readonly #outsideContext: OutsideLookUpContext;

    /** @param cache `null` if uncommitted sets are visible. */
    constructor(
      private readonly database: SqlDatabase,
      private readonly cache: SegmentCache | null,
      private readonly columns: ColumnCache | null,
      readonly hosts: HostSupport<Client> | null,
    ) {
      this.#outsideContext = {
        session: database.session,
        snapshot: (work, queueKey) =>
          database.snapshot((session) => work({ session }), { organizationId: queueKey }),
        getSession: (queueKey) => database.getSession?.(queueKey) ?? database.session,
      };
      this.all = new OutsideLookUps(this.#outsideContext);
    }

    reader(organizationId: string): StorageReader {
      const { getSession } = this.#outsideContext;
      return new OutsideReader({
        session: getSession(organizationId),
        organizationId,
        cache: this.cache,
        columns: this.columns,
        snapshot: (work) => this.#read(organizationId, work),
        getSession,
      });
    }

    snapshot<T>(
      organizationId: string,
      work: (reader: StorageReader) => Step<T>,
      options?: SnapshotOptions,
    ): Promise<T> {
      return this.#read(organizationId, (context) => work(new Reader(context)), options);
    }

    async #read<T>(
      organizationId: string,
      work: (on: ColumnReadContext) => Step<T>,
      options: SnapshotOptions = {},
    ): Promise<T> {
      const { signal } = options;
      signal?.throwIfAborted();
      return this.database.snapshot(
        (snapshotSession) => {
          const session =
            signal === undefined ? snapshotSession : createAbortableSession(snapshotSession, signal);
          return work({ session, organizationId, cache: this.cache, columns: this.columns });
        },
        { ...options, organizationId },
      );
    }

    async transaction<T>(
      organizationId: string,
      work: (tx: StorageTransaction) => Step<T>,
      { isLarge = false, isOutOfTurn = false }: TransactionOptions = {},
    ): Promise<T> {
      const { result, buffer } = await this.database.transaction(
        (session) => runChange(session, organizationId, work),
        { isLarge, organizationId: isOutOfTurn ? undefined : organizationId },
      );
      if (this.cache !== null) for (const change of buffer.drainWrittenSets()) this.cache.applyChange(change);
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
    runManaged: async (work, timeoutMs) => shared.runManaged(work, timeoutMs),
    sync: sync && {
      joining(host) {
        const support = sync.joining(toSyncTransaction(host));
        return {
          snapshot: (organizationId, work) =>
            support.snapshot((session) =>
              work(new Reader({ session, organizationId, cache: null, columns: null })),
            ),
          transaction: (organizationId, work) =>
            support.transaction(function* (session) {
              return (yield* runChange(session, organizationId, work)).result;
            }),
        };
      },
      runBetweenTransactions: sync.runBetweenTransactions,
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

/** Wraps a session so that it throws after the signal is aborted. A statement that has already begun ends first. */
function createAbortableSession(session: ReadSession, signal: AbortSignal): ReadSession {
  return {
    committedState: session.committedState,
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

/** Context for look-ups outside snapshots and transactions. */
interface OutsideLookUpContext extends LookUpContext {
  snapshot<T>(work: (on: LookUpContext) => Step<T>, queueKey: string | undefined): Promise<T>;
  getSession(queueKey: string): ReadSession;
}

/** Context for an organization's reads outside snapshots and transactions. */
interface OutsideReadContext extends ColumnReadContext, OutsideLookUpContext {
  snapshot<T>(work: (on: ColumnReadContext) => Step<T>): Promise<T>;
}

type PortClasses = ReturnType<typeof createPortClasses>;

const classesByDialect = new WeakMap<SqlDialect, PortClasses>();

/**
 * Returns the classes of the storage port for a dialect: the look-ups and the reader outside snapshots, the reader in a snapshot, and
 * the transaction. Beside them are the queries that a transaction's buffer runs. All are created once per process, because opening a
 * file would otherwise take three times as long.
 */
function getPortClasses(dialect: SqlDialect): PortClasses {
  const cached = classesByDialect.get(dialect);
  if (cached !== undefined) return cached;
  const classes = createPortClasses(dialect);
  classesByDialect.set(dialect, classes);
  return classes;
}

function createPortClasses(dialect: SqlDialect) {
  const { organizations, chunks, lookUps, reads, writes } = createQueries(dialect);
  const { locksOrganizations } = dialect;
  const outsideLookUps = runLookUpsOutsideSnapshots(lookUps);
  const inTransaction = bindToTransaction({ ...reads, ...writes }, locksOrganizations);
  return {
    organizations,
    chunks,
    OutsideLookUps: createMethodsClass<StorageLookUps, OutsideLookUpContext>(outsideLookUps),
    OutsideReader: createReaderClass<StorageReader, OutsideReadContext>(
      runOutsideSnapshots(reads),
      outsideLookUps,
    ),
    Reader: createReaderClass<StorageReader, ColumnReadContext>(reads, lookUps),
    Writer: createReaderClass<StorageTransaction, SetWriteContext>(inTransaction, {
      ...bindLookUpsToTransaction(lookUps, locksOrganizations),
      ...bindFunctions<CooldownReads & CooldownWrites, SetWriteContext>(ALL_ORGANIZATIONS, {
        findCooldown: inTransaction.findCooldown,
        putCooldown: inTransaction.putCooldown,
        removeExpiredCooldowns: inTransaction.removeExpiredCooldowns,
        trimCooldowns: inTransaction.trimCooldowns,
      }),
    }),
  };
}

/** Returns the reads in the form that runs outside snapshots. A read whose statements must see one state takes a snapshot. */
function runOutsideSnapshots(
  reads: Functions<PortReads, ColumnReadContext>,
): Functions<PortReads, OutsideReadContext> {
  const entries = Object.entries<AnyFunction<ColumnReadContext>>(reads).map(([name, run]) => [
    name,
    getRules(run).needsSnapshot ? runInSnapshot(run) : run,
  ]);
  // Every function keeps its name and type.
  return Object.fromEntries(entries);
}

function runInSnapshot(run: AnyFunction<ColumnReadContext>): AnyFunction<OutsideReadContext> {
  return function* ({ snapshot }, ...args) {
    return yield* awaitInStep(snapshot((context) => run(context, ...args)));
  };
}

/**
 * Does the same as {@link runOutsideSnapshots} for the look-ups across all organizations.
 */
function runLookUpsOutsideSnapshots(
  lookUps: Functions<StorageLookUps, LookUpContext>,
): Functions<StorageLookUps, OutsideLookUpContext> {
  const entries = Object.entries<AnyFunction<LookUpContext>>(lookUps).map(([name, run]) => [
    name,
    getRules(run).needsSnapshot ? lookUpInSnapshot(run) : lookUpInQueue(run),
  ]);
  // Every function keeps its name and type.
  return Object.fromEntries(entries);
}

function lookUpInSnapshot(run: AnyFunction<LookUpContext>): AnyFunction<OutsideLookUpContext> {
  return function* ({ snapshot }, ...args) {
    return yield* awaitInStep(snapshot((context) => run(context, ...args), findQueueKey(args)));
  };
}

function lookUpInQueue(run: AnyFunction<LookUpContext>): AnyFunction<OutsideLookUpContext> {
  return (context, ...args) => {
    const queueKey = findQueueKey(args);
    return run(queueKey === undefined ? context : { session: context.getSession(queueKey) }, ...args);
  };
}

/**
 * Returns the line in which a look-up waits for a connection. A look-up by a text, such as a token's hash, waits in the text's own
 * line, so that a caller who looks the same thing up again and again waits for itself.
 */
function findQueueKey([first]: readonly unknown[]): string | undefined {
  return typeof first === "string" ? first : undefined;
}

/** The context passed to every function of a transaction. */
type SetWriteContext = WriteContext & ColumnReadContext;

type PortReads = Omit<StorageReader, "all">;

type PortMethods = Omit<StorageTransaction, "all">;

type TransactionFunction = AnyFunction<SetWriteContext>;

/**
 * Returns the port's functions with their locking applied, for use in a transaction. If transactions run in parallel, each call
 * first locks its organization's row, unless the function's rules say otherwise. An organization's transactions therefore run one
 * at a time, and the data they have read stays valid. Locks are always taken in the same order, first the organization and then its
 * rows, so transactions for different organizations never wait for each other. Taking the lock also checks the fence if the
 * transaction hasn't passed it yet.
 */
function bindToTransaction(
  functions: Functions<PortMethods, SetWriteContext>,
  locksOrganizations: boolean,
): Functions<PortMethods, SetWriteContext> {
  const entries = Object.entries<TransactionFunction>(functions).map(([name, run]) => {
    const { locks, readsBuffered } = getRules(run);
    const wrapped = readsBuffered ? runAfterWriting(run) : run;
    if (!locksOrganizations) return [name, wrapped];
    return [name, locks === "organization" ? runAfterLocking(wrapped) : runAfterFenceCheck(wrapped)];
  });
  // Every function keeps its name and type.
  return Object.fromEntries(entries);
}

/** Returns the look-ups for use in a transaction. They lock no organization, but check the fence as other calls do. */
function bindLookUpsToTransaction(
  lookUps: Functions<StorageLookUps, SetWriteContext>,
  locksOrganizations: boolean,
): Functions<StorageLookUps, SetWriteContext> {
  const entries = Object.entries<TransactionFunction>(lookUps).map(([name, run]) => {
    const wrapped = getRules(run).readsBuffered ? runAfterWriting(run) : run;
    return [name, locksOrganizations ? runAfterFenceCheck(wrapped) : wrapped];
  });
  // Every function keeps its name and type.
  return Object.fromEntries(entries);
}

function runAfterWriting(run: TransactionFunction): TransactionFunction {
  return function* (context, ...args) {
    yield* context.buffer.write();
    return yield* run(context, ...args);
  };
}

function runAfterFenceCheck(run: TransactionFunction): TransactionFunction {
  return function* (context, ...args) {
    yield* context.buffer.checkFence();
    return yield* run(context, ...args);
  };
}

function runAfterLocking(run: TransactionFunction): TransactionFunction {
  return function* (context, ...args) {
    yield* context.buffer.lock(context.organizationId);
    return yield* run(context, ...args);
  };
}
