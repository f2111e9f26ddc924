import type { Transaction } from "kysely";
import type {
  HostTransaction,
  StorageAdapter,
  StorageReader,
  StorageTransaction,
  TransactionOptions,
} from "../../src/storage/storage-adapter.js";
import { Pending } from "./change/pending.js";
import { WriteSession } from "./change/write-session.js";
import { lockingFirst } from "./in-transaction.js";
import { type Queries, queries } from "./queries.js";
import { SegmentCache } from "./segments/segment-cache.js";
import type { SqlDatabase } from "./session/session.js";
import type { SqlDialect } from "./sql/dialect.js";
import { SqlReader } from "./sql/reader.js";
import { SqlTransaction } from "./sql/transaction.js";

const SEGMENT_CACHE_BYTES = 64 * 1024 * 1024;

type Args<Method extends keyof StorageReader> = Parameters<StorageReader[Method]>;

/** The whole storage port on an SQL database whose tables are those of this release. */
export class SqlStorage extends SqlReader implements StorageAdapter {
  static on(dialect: SqlDialect, database: SqlDatabase): SqlStorage {
    return new SqlStorage(queries(dialect), database, new SegmentCache(SEGMENT_CACHE_BYTES));
  }

  private constructor(
    private readonly queries: Queries,
    private readonly database: SqlDatabase,
    /** Null where uncommitted sets can be seen. */
    private readonly cache: SegmentCache | null,
  ) {
    super(queries.reads, database.session, cache);
  }

  // These need more than one statement, so by themselves they could mix two states.

  override passesOfUsers(...args: Args<"passesOfUsers">) {
    return this.snapshot((reader) => reader.passesOfUsers(...args));
  }

  override usersOfTag(...args: Args<"usersOfTag">) {
    return this.snapshot((reader) => reader.usersOfTag(...args));
  }

  override listContacts(...args: Args<"listContacts">) {
    return this.snapshot((reader) => reader.listContacts(...args));
  }

  override readSegments(...args: Args<"readSegments">) {
    return this.snapshot((reader) => reader.readSegments(...args));
  }

  override verifySegments(...args: Args<"verifySegments">) {
    return this.snapshot((reader) => reader.verifySegments(...args));
  }

  override listEvents(...args: Args<"listEvents">) {
    return this.snapshot((reader) => reader.listEvents(...args));
  }

  snapshot<T>(work: (reader: StorageReader) => Promise<T>): Promise<T> {
    return this.database.snapshot((session) => work(new SqlReader(this.queries.reads, session, this.cache)));
  }

  transaction<T>(work: (tx: StorageTransaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const { reads, writes, organizations, chunks, locksOrganizations } = this.queries;
    return this.database.transaction(async (session) => {
      const pending = new Pending(session, organizations, chunks);
      const tx = new SqlTransaction(reads, writes, new WriteSession(session, pending));
      const result = await work(locksOrganizations ? lockingFirst(tx, pending) : tx);
      await pending.end();
      return result;
    }, options);
  }

  joining(host: HostTransaction): StorageAdapter {
    return new SqlStorage(this.queries, this.database.joining(transactionOf(host)), null);
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

/** A host's Kysely may be a copy of its own, so its classes are not ours. */
function transactionOf(host: HostTransaction): Transaction<unknown> {
  if (isOfKysely(host)) return host;
  throw new TypeError("only an open transaction of Kysely can be joined");
}

function isOfKysely(host: HostTransaction): host is Transaction<unknown> {
  return host?.isTransaction === true && "executeQuery" in host && "withoutPlugins" in host;
}
