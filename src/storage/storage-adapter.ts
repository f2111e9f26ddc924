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
 * The storage port. Every method takes the organization id first (the exceptions say so) and never sees or
 * touches rows of another organization. Times are milliseconds since the Unix epoch. A miss is `null` or
 * `false`, never an error. Texts hold no NUL and no lone surrogate, and come back exactly as they were given.
 * What it keeps of each kind of resource stands in `storage/`. `loyalty-kit/testing` tests these sentences; an adapter
 * that passes it is complete.
 */

/** Reads, of committed rows only outside a transaction; inside, of what the transaction wrote as well. */
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
  /** True when no organization has ever stored anything here. */
  isEmpty(): Step<boolean>;
}

/**
 * Reads and writes that commit together or not at all. After an error other than a conflict all its calls reject, and so does the
 * transaction, even if its work catches the error. A row returned by a `find…` method stays unchanged until the transaction ends,
 * except by the transaction itself. Searches across all organizations don't promise that.
 * A {@link StorageConflict} leaves the transaction usable. Don't run its calls concurrently.
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
  /** True if the transaction may change thousands of rows. The adapter may then run it so that other transactions don't wait. */
  readonly isLarge?: boolean;
  /** The organization that the change belongs to. Where transactions run one at a time, organizations take turns. */
  readonly organizationId?: string;
}

export interface SnapshotOptions {
  /** The organization that is read. Where reads wait for a connection, organizations take turns. */
  readonly organizationId?: string | undefined;
  /** Once it is aborted, no further statement is begun, and reads reject with its reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The organization that is read, where the state may lack what others have committed just now, as a replica's does. What
   * this storage has committed for it is in it all the same.
   */
  readonly mayLagFor?: string | undefined;
}

/** The result of a statement in a host's transaction. */
export interface StatementResult {
  /** The rows as objects by column name; empty for statements without rows. */
  readonly rows: readonly unknown[];
  /** The number of rows that the statement itself changed. */
  readonly count: number;
}

/** A transaction that a host has begun and will end itself: what runs statements in it. */
export interface OpenTransaction {
  /**
   * Runs one statement, with the placeholders of the database itself: `?` on SQLite, `$1` and so on on Postgres.
   * @param parameters numbers, texts, bytes and null; on Postgres lists of those too.
   * @throws the driver's own error, by whose code it is known what became of the transaction.
   *   What it gives otherwise than as a {@link StatementResult} makes the joined call reject with a {TypeError}.
   */
  query(sql: string, parameters: readonly unknown[]): StatementResult | Promise<StatementResult>;
  /**
   * Returns whether the transaction is open, if the driver knows that synchronously; else `null`. With `null`, or without this
   * method, the library asks the database before each change, which takes more statements on SQLite.
   */
  isOpen?(): boolean | null;
}

/** An open transaction with synchronous statements, as in `better-sqlite3`. */
export interface SyncTransaction extends OpenTransaction {
  query(sql: string, parameters: readonly unknown[]): StatementResult;
}

/** A `Transaction` of Kysely. */
export interface KyselyTransaction {
  readonly isTransaction: true;
}

/** A transaction that a host has begun and will end itself. `loyalty-kit/joining` makes one of what other libraries have. */
export type HostTransaction = OpenTransaction | KyselyTransaction;

/** A transaction that the storage has begun for a host, and ends when the host's work has ended. */
export interface ManagedTransaction<Client = unknown> extends OpenTransaction {
  /** The connection of the driver that it is on. It is the host's until the work has ended, and no longer. */
  readonly client: Client;
}

/** @typeParam Client the driver's connection, if it has one. */
export interface StorageAdapter<Client = unknown> extends StorageReader {
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects, with nothing left
   * behind. Transactions that touch the same rows run one at a time. Inside `work` use only `tx`:
   * the adapter itself may wait for the transaction to end, forever; nor wait for the outcome of another transaction,
   * since they may share a commit. After the end, calls of `tx` reject. `work` may run again, from the start, when what
   * it wrote could not be committed; nothing of the first run is left then.
   * @throws what `work` throws; a `storage_unavailable` {@link LoyaltyError} when the database stays busy, or another release
   *   has changed its tables since the storage was opened: then `work` has not run.
   */
  transaction<T>(work: (tx: StorageTransaction) => Step<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs reads that all see one and the same committed state. Inside `work` use only `reader`; after
   * the end, its calls reject.
   * @throws what `work` throws; the signal's reason when it is aborted before the end; `storage_unavailable` as
   *   {@link transaction}.
   */
  snapshot<T>(work: (reader: StorageReader) => Step<T>, options?: SnapshotOptions): Promise<T>;
  /**
   * Identifies the committed state if that is cheap; else returns `null`. If two calls return the same object, no process has
   * committed anything in between, so earlier reads are still valid.
   */
  committedState(): object | null;
  /** Transactions shared with hosts; `null` if the database can't hold rows of hosts. */
  readonly hosts: HostSupport<Client> | null;
  /**
   * Removes overwritten and deleted data from the storage's own files, as long as no other connection reads them. Does nothing
   * within a host's transaction.
   */
  purge(): Promise<void>;
  /**
   * Waits for running calls and releases all resources. Later calls reject with `storage_unavailable`. Closing twice is harmless.
   */
  close(): Promise<void>;
}

/**
 * A storage whose database also holds rows of hosts, which commit together with its own.
 * @typeParam Client the driver's connection, if it has one.
 */
export interface HostSupport<Client = unknown> {
  /**
   * Returns the storage within a transaction that a host has begun on its own connection to the same database. Each `transaction`
   * of it takes effect as a whole or not at all, and commits with the host's. Closing it releases nothing. Writes wait for each
   * other. All calls reject once the host's transaction has failed.
   * @throws {TypeError} if `host` is not such a transaction.
   */
  joining(host: HostTransaction): StorageAdapter;
  /**
   * Runs a managed transaction for a host, on a connection of its own and in turn with the storage's own transactions. It commits
   * when `work` resolves, and rolls back when it rejects or takes longer than `timeoutMs`. `joining` accepts it like a transaction
   * that the host began.
   * @throws what `work` throws; a `storage_unavailable` {@link LoyaltyError} if the database stays busy, or the time is over.
   */
  runManaged<T>(work: (tx: ManagedTransaction<Client>) => Promise<T>, timeoutMs: number): Promise<T>;
  /** Support for transactions with synchronous statements; `null` if no driver of the database has them. */
  readonly sync: SyncHostSupport | null;
}

/** {@link HostSupport} for transactions with synchronous statements. */
export interface SyncHostSupport {
  /**
   * Returns the storage within such a transaction; its calls are synchronous too.
   * @throws {TypeError} if `host` is not such a transaction.
   */
  joining(host: SyncTransaction): SyncStorage;
  /**
   * Runs a task that does not wait while no transaction of the storage itself is under way in this process.
   * @throws what the task throws; `storage_unavailable` if too many wait.
   */
  runBetweenTransactions<T>(task: () => T): Promise<T>;
}

/** A storage within a host's transaction with synchronous statements. */
export interface SyncStorage {
  /**
   * Runs `work` as the `transaction` of {@link StorageAdapter} does, and undoes it to a savepoint when it throws.
   * @throws a `storage_unavailable` {@link LoyaltyError} when another transaction of this process has the lock for writing,
   *   or one of another process has it for longer than the host's connection waits.
   */
  transaction<T>(work: (tx: StorageTransaction) => Step<T>): T;
  /** Reads what the host's transaction sees. */
  snapshot<T>(work: (reader: StorageReader) => Step<T>): T;
}

/**
 * Returns what a storage does for hosts.
 * @throws {TypeError} if it does nothing.
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
 * A write broke a unique constraint. Nothing of it was stored.
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
