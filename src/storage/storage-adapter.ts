import type { Step } from "../concurrency/step.js";
import { shareAcrossCopies } from "../copies.js";
import type { ActorReads, ActorWrites } from "./actors.js";
import type { ApiTokenReads, ApiTokenWrites } from "./api-tokens.js";
import type { AppReads, AppWrites } from "./apps.js";
import type { AuditReads, AuditWrites } from "./audit.js";
import type { AutomationReads, AutomationWrites } from "./automations.js";
import type { BehaviorReads } from "./behavior.js";
import type { ContactReads } from "./contacts.js";
import type { CooldownReads, CooldownWrites } from "./cooldowns.js";
import type { CountReads } from "./counts.js";
import type { DayCountReads, DayCountWrites } from "./day-counts.js";
import type { EventReads, EventWrites } from "./events.js";
import type { IdempotencyReads, IdempotencyWrites } from "./idempotency-records.js";
import type { JobReads, JobWrites } from "./jobs.js";
import type { MailReads, MailWrites } from "./mail.js";
import type { MessageReads, MessageWrites } from "./messages.js";
import type { PassReads, PassWrites } from "./passes.js";
import type { PersonReads, PersonWrites } from "./people.js";
import type { SavedSegmentReads, SavedSegmentWrites } from "./saved-segments.js";
import type { SettingsReads, SettingsWrites } from "./settings.js";
import type { SubscriptionReads, SubscriptionWrites } from "./subscriptions.js";
import type { TagSetReads, TagSetWrites } from "./tag-sets.js";
import type { TagReads, TagWrites } from "./tags.js";
import type { TemplateReads, TemplateWrites } from "./templates.js";
import type { UserReads, UserWrites } from "./users.js";
import type { WalletReads, WalletWrites } from "./wallets.js";
import type { WebhookReads, WebhookWrites } from "./webhooks.js";

/*
 * The storage port. Every method takes the organization id first (exceptions are documented) and never reads or changes rows of
 * another organization. Times are milliseconds since the Unix epoch. If nothing is found, the result is `null` or `false`, never an
 * error. Strings contain no NUL and no lone surrogates, and are returned exactly as stored. `storage/` defines the rows for each
 * kind of resource. `loyalty-kit/testing` tests this contract; an adapter that passes is complete.
 */

/** Reads. Outside a transaction they see only committed rows; inside, also the transaction's own writes. */
export interface StorageReader
  extends UserReads,
    ContactReads,
    TagReads,
    TagSetReads,
    SavedSegmentReads,
    BehaviorReads,
    TemplateReads,
    PassReads,
    EventReads,
    ActorReads,
    DayCountReads,
    SettingsReads,
    ApiTokenReads,
    PersonReads,
    IdempotencyReads,
    CooldownReads,
    AuditReads,
    AppReads,
    WebhookReads,
    WalletReads,
    SubscriptionReads,
    MailReads,
    MessageReads,
    AutomationReads,
    JobReads,
    CountReads {
  /** Returns true if no organization has ever stored anything here. */
  isEmpty(): Step<boolean>;
}

/**
 * Reads and writes that commit together or not at all. After an error other than a {@link StorageConflict}, all calls reject, and
 * so does the transaction, even if `work` catches the error. A conflict leaves the transaction usable. A row returned by a `find…`
 * method stays unchanged until the transaction ends, except through the transaction itself; searches across all organizations don't
 * guarantee this. Don't run calls concurrently.
 */
export interface StorageTransaction
  extends StorageReader,
    UserWrites,
    TagWrites,
    TagSetWrites,
    SavedSegmentWrites,
    TemplateWrites,
    PassWrites,
    EventWrites,
    ActorWrites,
    DayCountWrites,
    SettingsWrites,
    ApiTokenWrites,
    PersonWrites,
    IdempotencyWrites,
    CooldownWrites,
    AuditWrites,
    AppWrites,
    WebhookWrites,
    WalletWrites,
    SubscriptionWrites,
    MailWrites,
    MessageWrites,
    AutomationWrites,
    JobWrites {}

export interface TransactionOptions {
  /**
   * True if the transaction may change thousands of rows. The adapter may then run it in a way that doesn't block other
   * transactions.
   */
  readonly isLarge?: boolean;
  /** The organization that the change belongs to. If transactions run one at a time, organizations take turns. */
  readonly organizationId?: string;
}

export interface SnapshotOptions {
  /** The organization that is read. If reads queue for a connection, organizations take turns. */
  readonly organizationId?: string | undefined;
  /** Once aborted, no further statements start, and reads reject with the signal's abort reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The organization that is read, if the state may lack other processes' latest commits, as on a replica. It always includes this
   * storage's own commits for the organization.
   */
  readonly mayLagFor?: string | undefined;
}

/** The result of a statement in a host transaction. */
export interface StatementResult {
  /** The rows as objects keyed by column name; empty for statements that return no rows. */
  readonly rows: readonly unknown[];
  /** The number of rows that the statement itself changed. */
  readonly count: number;
}

/** A transaction that a host began and will end itself, with a method to run statements in it. */
export interface OpenTransaction {
  /**
   * Runs one statement, with the database's own placeholders: `?` on SQLite, `$1` and so on on Postgres. If it returns anything
   * other than a {@link StatementResult}, the joined call rejects with a {TypeError}.
   * @param parameters numbers, strings, bytes and null; on Postgres also lists of these.
   * @throws the driver's own error, whose code shows what happened to the transaction.
   */
  query(sql: string, parameters: readonly unknown[]): StatementResult | Promise<StatementResult>;
  /**
   * Returns whether the transaction is open, if the driver knows that synchronously, or else `null`. If it returns `null` or this
   * method is missing, the library asks the database before each change, which takes more statements on SQLite.
   */
  isOpen?(): boolean | null;
}

/** An open transaction with synchronous statements, as with `better-sqlite3`. */
export interface SyncTransaction extends OpenTransaction {
  query(sql: string, parameters: readonly unknown[]): StatementResult;
}

/** A Kysely `Transaction`. */
export interface KyselyTransaction {
  readonly isTransaction: true;
}

/**
 * A transaction that a host began and will end itself. `loyalty-kit/joining` creates one from the transactions of other libraries.
 */
export type HostTransaction = OpenTransaction | KyselyTransaction;

/** A transaction that the storage begins for a host, and ends when the host's work has finished. */
export interface ManagedTransaction<Client = unknown> extends OpenTransaction {
  /** The driver's connection that the transaction uses. The host may use it only until its work has finished. */
  readonly client: Client;
}

/** @typeParam Client the driver's connection, if it has one. */
export interface StorageAdapter<Client = unknown> extends StorageReader {
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back completely when it rejects. Transactions that touch the
   * same rows run one at a time. Inside `work` use only `tx`: calls to the adapter itself may wait forever for this transaction to
   * end. Don't wait for the outcome of another transaction either, since both may share a commit. After the transaction has ended,
   * calls of `tx` reject. `work` may run again from the start if its writes could not be committed; none of the first run's writes
   * remain then.
   * @throws whatever `work` throws; a `storage_unavailable` {@link LoyaltyError} if the database stays busy, or if another release
   *   has changed its tables since the storage was opened, in which case `work` has not run.
   */
  transaction<T>(work: (tx: StorageTransaction) => Step<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs reads that all see the same committed state. Inside `work` use only `reader`; after the snapshot has ended, its calls
   * reject.
   * @throws whatever `work` throws; the signal's abort reason if it is aborted before the end; `storage_unavailable` like
   *   {@link transaction}.
   */
  snapshot<T>(work: (reader: StorageReader) => Step<T>, options?: SnapshotOptions): Promise<T>;
  /**
   * Identifies the committed state if that is cheap, or else returns `null`. If two calls return the same object, no process has
   * committed anything in between, so earlier reads are still valid.
   */
  committedState(): object | null;
  /** Transactions shared with hosts; `null` if the database can't hold host rows. */
  readonly hosts: HostSupport<Client> | null;
  /**
   * Removes overwritten and deleted data from the storage's own files, unless another connection is reading them. Does nothing
   * within a host transaction.
   */
  purge(): Promise<void>;
  /**
   * Waits for running calls and releases all resources. Later calls reject with `storage_unavailable`. Closing twice is harmless.
   */
  close(): Promise<void>;
}

/**
 * A storage whose database can also hold host rows, which commit together with its own.
 * @typeParam Client the driver's connection, if it has one.
 */
export interface HostSupport<Client = unknown> {
  /**
   * Returns the storage within a transaction that a host has begun on its own connection to the same database. Each call of the
   * returned storage's `transaction` takes effect as a whole or not at all, and commits with the host's transaction. Closing the
   * returned storage releases nothing. Writes run one at a time. All calls reject once the host's transaction has failed.
   * @throws {TypeError} if `host` is not such a transaction.
   */
  joining(host: HostTransaction): StorageAdapter;
  /**
   * Runs a managed transaction for a host, on a separate connection, queued together with the storage's own transactions. It
   * commits when `work` resolves, and rolls back when `work` rejects or takes longer than `timeoutMs`. `joining` accepts it like a
   * transaction that the host began.
   * @throws whatever `work` throws; a `storage_unavailable` {@link LoyaltyError} if the database stays busy, or the timeout has
   *   passed.
   */
  runManaged<T>(work: (tx: ManagedTransaction<Client>) => Promise<T>, timeoutMs: number): Promise<T>;
  /** Support for transactions with synchronous statements; `null` if none of the database's drivers supports them. */
  readonly sync: SyncHostSupport | null;
}

/** The counterpart of {@link HostSupport} for transactions with synchronous statements. */
export interface SyncHostSupport {
  /**
   * Returns the storage within a host transaction; its calls are synchronous too.
   * @throws {TypeError} if `host` is not a transaction with synchronous statements.
   */
  joining(host: SyncTransaction): SyncStorage;
  /**
   * Runs a synchronous task while none of the storage's own transactions is open in this process.
   * @throws whatever the task throws; `storage_unavailable` if the queue is full.
   */
  runBetweenTransactions<T>(task: () => T): Promise<T>;
}

/** A storage within a host transaction with synchronous statements. */
export interface SyncStorage {
  /**
   * Runs `work` like `transaction` of {@link StorageAdapter}, and rolls back to a savepoint if it throws.
   * @throws a `storage_unavailable` {@link LoyaltyError} if another transaction in this process holds the write lock, or if one in
   *   another process holds it for longer than the host's connection waits.
   */
  transaction<T>(work: (tx: StorageTransaction) => Step<T>): T;
  /** Reads the state that the host's transaction sees. */
  snapshot<T>(work: (reader: StorageReader) => Step<T>): T;
}

/**
 * Returns a storage's support for host transactions.
 * @throws {TypeError} if it has none.
 */
export function requireHostSupport<Client>({ hosts }: StorageAdapter<Client>): HostSupport<Client> {
  if (hosts === null)
    throw new TypeError(
      "this storage has no transactions to share with a host, as the one in memory: use sqliteStorage or postgresStorage",
    );
  return hosts;
}

/** @throws {TypeError} if the storage can't join transactions with synchronous statements. */
export function requireSyncHostSupport(storage: StorageAdapter): SyncHostSupport {
  const { sync } = requireHostSupport(storage);
  if (sync === null) throw new TypeError("this storage has no synchronous transactions");
  return sync;
}

export type ConflictingKey = "email" | "externalId" | "slug" | "assignment" | "code";

/**
 * Thrown when a write violates a unique constraint. None of the write was stored.
 *
 * @example
 * import { StorageConflict } from "loyalty-kit/storage";
 *
 * // A storage adapter throws it in the place of its driver's error.
 * const conflict = (cause: unknown) => new StorageConflict("email", { cause });
 */
export class StorageConflict extends Error {
  static {
    shareAcrossCopies(StorageConflict, "StorageConflict");
  }

  override readonly name = "StorageConflict";

  constructor(
    readonly key: ConflictingKey,
    options?: ErrorOptions,
  ) {
    super(`another row has this ${key}`, options);
  }
}
