import { type Step, wait } from "../../src/concurrency/step.js";
import { methodsOf } from "../../src/storage/methods.js";
import type {
  HostTransaction,
  LentTransaction,
  SnapshotOptions,
  StorageAdapter,
  StorageReader,
  StorageTransaction,
  SyncStorage,
  SyncTransaction,
  TransactionOptions,
} from "../../src/storage/storage-adapter.js";
import { Pending } from "./change/pending.js";
import { Unwritten } from "./change/unwritten.js";
import { placed } from "./copying/places.js";
import { type ChangingSets, inTransaction } from "./in-transaction.js";
import { queries } from "./queries.js";
import { type ReadingSets, SegmentCache } from "./segments/segment-cache.js";
import { openTransactionOf, syncTransactionOf } from "./session/open-transaction.js";
import type { ReadSession, Session, SharedCommit, SqlDatabase } from "./session/session.js";
import type { SqlDialect } from "./sql/dialect.js";

const SEGMENT_CACHE_BYTES = 64 * 1024 * 1024;

type Args<Method extends keyof StorageReader> = Parameters<StorageReader[Method]>;

/** The whole storage port on an SQL database whose tables are those of this release. */
export function sqlStorage<Client>(
  dialect: SqlDialect,
  database: SqlDatabase<Client>,
): StorageAdapter<Client> {
  const { organizations, chunks, reads, writes } = queries(dialect);
  const Reader = methodsOf<StorageReader, ReadingSets>(reads);
  const Writer = methodsOf<StorageTransaction, ChangingSets>(
    inTransaction({ ...reads, ...writes }, dialect.locksOrganizations),
  );

  const ofCommits = new WeakMap<SharedCommit, Unwritten>();

  /** What is to be written by the commit of a transaction. */
  function unwrittenOf({ commit }: Session): Unwritten {
    const known = commit === null ? undefined : ofCommits.get(commit);
    if (known !== undefined) return known;
    const unwritten = new Unwritten(organizations, chunks);
    if (commit !== null) {
      ofCommits.set(commit, unwritten);
      commit.before((session) => unwritten.write(session));
    }
    return unwritten;
  }

  function* changing<T>(session: Session, work: (tx: StorageTransaction) => Step<T>) {
    const unwritten = unwrittenOf(session);
    const pending = new Pending(session, unwritten);
    // What a transaction wrote is not committed, so none of its sets may enter the cache.
    const result = yield* work(new Writer({ session, pending, cache: null }));
    yield* pending.end();
    return { result, unwritten };
  }

  class SqlStorage<Client> extends Reader implements StorageAdapter<Client> {
    /** @param cache null where uncommitted sets can be seen. */
    constructor(
      private readonly database: SqlDatabase<Client>,
      private readonly cache: SegmentCache | null,
    ) {
      super({ session: database.session, cache });
    }

    // These need more than one statement, so by themselves they could mix two states.

    override usersOfTag(...args: Args<"usersOfTag">) {
      return this.ofOneState((reader) => reader.usersOfTag(...args));
    }

    override listContacts(...args: Args<"listContacts">) {
      return this.ofOneState((reader) => reader.listContacts(...args));
    }

    override readSegments(...args: Args<"readSegments">) {
      return this.ofOneState((reader) => reader.readSegments(...args));
    }

    override verifySegments(...args: Args<"verifySegments">) {
      return this.ofOneState((reader) => reader.verifySegments(...args));
    }

    override listEvents(...args: Args<"listEvents">) {
      return this.ofOneState((reader) => reader.listEvents(...args));
    }

    override listEventHeads(...args: Args<"listEventHeads">) {
      return this.ofOneState((reader) => reader.listEventHeads(...args));
    }

    override endpointsToServe(...args: Args<"endpointsToServe">) {
      return this.ofOneState((reader) => reader.endpointsToServe(...args));
    }

    override countedDays(...args: Args<"countedDays">) {
      return this.ofOneState((reader) => reader.countedDays(...args));
    }

    private *ofOneState<T>(work: (reader: StorageReader) => Step<T>): Step<T> {
      return yield* wait(this.snapshot(work));
    }

    async snapshot<T>(work: (reader: StorageReader) => Step<T>, options: SnapshotOptions = {}): Promise<T> {
      const { signal } = options;
      signal?.throwIfAborted();
      return this.database.snapshot((opened) => {
        const session = signal === undefined ? opened : abortable(opened, signal);
        return work(new Reader({ session, cache: this.cache }));
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
      if (this.cache !== null) for (const change of unwritten.takeWritten()) this.cache.advance(change);
      return result;
    }

    committedState(): object | null {
      return this.database.committedState();
    }

    purge(): Promise<void> {
      return this.database.purge();
    }

    joining(host: HostTransaction): StorageAdapter {
      return new SqlStorage(this.database.joining(openTransactionOf(host)), null);
    }

    joiningSync(host: SyncTransaction): SyncStorage {
      const joined = this.database.joiningSync(syncTransactionOf(host));
      return {
        snapshot: (work) => joined.snapshot((session) => work(new Reader({ session, cache: null }))),
        transaction: (work) =>
          joined.transaction(function* (session) {
            return (yield* changing(session, work)).result;
          }),
      };
    }

    inTurn<T>(task: () => T): Promise<T> {
      return this.database.inTurn(task);
    }

    async lend<T>(work: (tx: LentTransaction<Client>) => Promise<T>, timeoutMs: number): Promise<T> {
      return this.database.lend(work, timeoutMs);
    }

    close(): Promise<void> {
      return this.database.close();
    }
  }

  return placed(new SqlStorage(database, new SegmentCache(SEGMENT_CACHE_BYTES)), { dialect, database });
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
