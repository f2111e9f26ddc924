import type { Step } from "../../../src/base/concurrency/step.js";
import type {
  HostSupport,
  SnapshotOptions,
  StorageAdapter,
  StorageLookUps,
  StorageReader,
  StorageTransaction,
  TransactionOptions,
} from "../../../src/storage/storage-adapter.js";
import { CommitBuffer } from "./change/commit-buffer.js";
import { CommitCache, emptyState } from "./change/commit-cache.js";
import type { ReadingColumns } from "./columns/behavior.js";
import { ColumnCache } from "./columns/column-cache.js";
import { registerSqlAccess } from "./copying/sql-access.js";
import { getPortClasses, type OutsideLookUpContext } from "./port-classes.js";
import { SegmentCache } from "./segments/segment-cache.js";
import { toOpenTransaction, toSyncTransaction } from "./session/open-transaction.js";
import type { ReadSession, Session, SharedCommit, SharedDatabase, SqlDatabase } from "./session/session.js";
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

  function* runChange<T>(
    session: Session,
    organizationId: string,
    work: (tx: StorageTransaction) => Step<T>,
  ) {
    const buffer = bufferOf(session);
    buffer.begin(session);
    // A transaction may read uncommitted sets, so they must never enter the cache.
    const result = yield* work(new Writer({ session, organizationId, buffer, cache: null, columns: null }));
    yield* buffer.finish();
    return { result, buffer };
  }

  class SqlStorage implements StorageAdapter<Client> {
    readonly all: StorageLookUps;
    readonly #outside: OutsideLookUpContext;

    /** @param cache `null` if uncommitted sets are visible. */
    constructor(
      private readonly database: SqlDatabase,
      private readonly cache: SegmentCache | null,
      private readonly columns: ColumnCache | null,
      readonly hosts: HostSupport<Client> | null,
    ) {
      this.#outside = {
        session: database.session,
        snapshot: (work, line) => database.snapshot((session) => work({ session }), { organizationId: line }),
        sessionOf: (line) => database.sessionOf?.(line) ?? database.session,
      };
      this.all = new OutsideLookUps(this.#outside);
    }

    reader(organizationId: string): StorageReader {
      const { sessionOf } = this.#outside;
      return new OutsideReader({
        session: sessionOf(organizationId),
        organizationId,
        cache: this.cache,
        columns: this.columns,
        snapshot: (work) => this.#read(organizationId, work),
        sessionOf,
      });
    }

    snapshot<T>(
      organizationId: string,
      work: (reader: StorageReader) => Step<T>,
      options?: SnapshotOptions,
    ): Promise<T> {
      return this.#read(organizationId, (on) => work(new Reader(on)), options);
    }

    async #read<T>(
      organizationId: string,
      work: (on: ReadingColumns) => Step<T>,
      options: SnapshotOptions = {},
    ): Promise<T> {
      const { signal } = options;
      signal?.throwIfAborted();
      return this.database.snapshot(
        (snapshotSession) => {
          const session = signal === undefined ? snapshotSession : abortable(snapshotSession, signal);
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
