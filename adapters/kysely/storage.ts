import type {
  StorageAdapter,
  StorageReader,
  StorageTransaction,
  TransactionOptions,
} from "../../src/storage.js";
import type { SqlDialect } from "./dialect.js";
import { Pending } from "./pending.js";
import { type Queries, queries } from "./queries.js";
import { SqlReader } from "./reader.js";
import { SegmentCache } from "./segment-cache.js";
import type { SqlDatabase } from "./session.js";
import { SqlTransaction } from "./transaction.js";
import { WriteSession } from "./write-session.js";

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
    private readonly cache: SegmentCache,
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
    const { reads, writes, organizations, chunks } = this.queries;
    return this.database.transaction(async (session) => {
      const pending = new Pending(session, organizations, chunks);
      const result = await work(new SqlTransaction(reads, writes, new WriteSession(session, pending)));
      await pending.write();
      return result;
    }, options);
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
