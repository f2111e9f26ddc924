import type { Step } from "../base/concurrency/step.js";
import { shareAcrossCopies } from "../base/copies.js";
import type { ActorReads, ActorWrites } from "./actors.js";
import type { ApiTokenLookUps, ApiTokenReads, ApiTokenWrites } from "./api-tokens.js";
import type { AppLookUps, AppReads, AppWrites } from "./apps.js";
import type { AuditReads, AuditWrites } from "./audit.js";
import type { AutomationReads, AutomationWrites } from "./automations.js";
import type { BehaviorReads } from "./behavior.js";
import type { ContactReads } from "./contacts.js";
import type { CooldownReads, CooldownWrites } from "./cooldowns.js";
import type { CountReads } from "./counts.js";
import type { DayCountReads, DayCountWrites } from "./day-counts.js";
import type { EventReads, EventWrites } from "./events.js";
import type { IdempotencyReads, IdempotencyWrites } from "./idempotency-records.js";
import type { JobLookUps, JobReads, JobWrites } from "./jobs.js";
import type { MailLookUps, MailReads, MailWrites } from "./mail.js";
import type { MessageReads, MessageWrites } from "./messages.js";
import type { PassLookUps, PassReads, PassWrites } from "./passes.js";
import type { PersonLookUps, PersonReads, PersonWrites } from "./people.js";
import type { PointLookUps, PointReads, PointWrites } from "./points.js";
import type { PurchaseReads, PurchaseWrites } from "./purchases.js";
import type { SavedSegmentLookUps, SavedSegmentReads, SavedSegmentWrites } from "./saved-segments.js";
import type { SettingsReads, SettingsWrites } from "./settings.js";
import type { SubscriptionReads, SubscriptionWrites } from "./subscriptions.js";
import type { TagLookUps, TagReads, TagSetReads, TagSetWrites, TagWrites } from "./tags.js";
import type { TemplateLookUps, TemplateReads, TemplateWrites } from "./templates.js";
import type { UserReads, UserWrites } from "./users.js";
import type { WalletLookUps, WalletReads, WalletWrites } from "./wallets.js";
import type { WebhookLookUps, WebhookReads, WebhookWrites } from "./webhooks.js";

/*
 * The storage port. A reader and a transaction belong to one organization, and never read or change rows of another one. The few
 * look-ups across all organizations are behind `all`. Times are milliseconds since the Unix epoch. If nothing is found, the result
 * is `null` or `false`, never an error. Strings contain no NUL and no lone surrogates, and are returned exactly as stored.
 * `storage/` defines the rows for each kind of resource. `loyalty-kit/testing` tests this contract; an adapter that passes is
 * complete.
 */

/**
 * The look-ups across all organizations, such as the search for the owner of a token. They lock no rows, so what they find can
 * change before the transaction ends.
 */
export interface StorageLookUps
  extends TagLookUps,
    SavedSegmentLookUps,
    TemplateLookUps,
    PassLookUps,
    PointLookUps,
    ApiTokenLookUps,
    PersonLookUps,
    AppLookUps,
    WebhookLookUps,
    WalletLookUps,
    MailLookUps,
    JobLookUps {
  /** Returns `true` if no organization has ever stored any data. */
  isEmpty(): Step<boolean>;
}

/** What a transaction reaches across all organizations: the look-ups, and the cooldowns that apply to all organizations together. */
export interface SharedTransaction extends StorageLookUps, CooldownReads, CooldownWrites {}

/**
 * The read operations of one organization. Outside a transaction, they see only committed rows. Inside a transaction, they also see
 * the transaction's own writes.
 */
export interface StorageReader
  extends UserReads,
    ContactReads,
    TagReads,
    TagSetReads,
    SavedSegmentReads,
    BehaviorReads,
    TemplateReads,
    PassReads,
    PurchaseReads,
    PointReads,
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
  /** The look-ups across all organizations, which see the same rows as this reader. */
  readonly all: StorageLookUps;
}

/**
 * Reads and writes of one organization that either all commit or all roll back. Don't run calls concurrently. After any error except a {@link
 * StorageConflict}, all further calls reject, and so does the transaction, even if `work` catches the error. After a conflict, the
 * transaction can still be used. A row that a `find…` method returns stays unchanged until the transaction ends, unless the
 * transaction itself changes the row. The look-ups of {@link StorageReader.all} don't guarantee this.
 */
export interface StorageTransaction
  extends StorageReader,
    UserWrites,
    TagWrites,
    TagSetWrites,
    SavedSegmentWrites,
    TemplateWrites,
    PassWrites,
    PurchaseWrites,
    PointWrites,
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
    JobWrites {
  /**
   * The look-ups across all organizations, and the cooldowns that apply to all organizations together. These cooldowns belong to no
   * organization, so an organization's cooldown can have the same name.
   */
  readonly all: SharedTransaction;
}

export interface TransactionOptions {
  /**
   * Whether the transaction might change thousands of rows. If so, the adapter can run it in a way that doesn't block other
   * transactions.
   */
  readonly isLarge?: boolean;
  /**
   * Whether the transaction doesn't wait for its turn among the organization's transactions, because it is work in the background,
   * or locks only a queue or an endpoint.
   */
  readonly isOutOfTurn?: boolean;
}

export interface SnapshotOptions {
  /** A signal that, when aborted, prevents further statements from starting and makes reads reject with its abort reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the snapshot may miss other processes' latest commits. If so, the adapter can read from a replica, for example. The
   * snapshot always includes the commits that were made for the organization through this storage adapter.
   */
  readonly mayLag?: boolean | undefined;
}

/** The result of a statement in a host transaction. */
export interface StatementResult {
  /** The rows as objects keyed by column name. Empty for statements that return no rows. */
  readonly rows: readonly unknown[];
  /** Number of rows changed by the statement itself, excluding changes by triggers and cascades. */
  readonly count: number;
}

/** A transaction that the host has begun and will end itself. The library runs statements in it. */
export interface OpenTransaction {
  /**
   * Runs one statement, which uses the database's own placeholders: `?` on SQLite, and `$1`, `$2`, and so on on Postgres. If this
   * method returns anything other than a {@link StatementResult}, the library's call rejects with a `TypeError`.
   * @param parameters numbers, strings, bytes, or `null`. On Postgres, also arrays of these.
   * @throws the driver's own error. The library uses the error's code to determine what happened to the transaction.
   */
  query(sql: string, parameters: readonly unknown[]): StatementResult | Promise<StatementResult>;
  /**
   * Returns whether the transaction is open, or `null` if the driver can't determine this synchronously. If it returns `null` or
   * this method is missing, the library asks the database before each change, which requires additional statements on SQLite.
   */
  isOpen?(): boolean | null;
}

/** An open transaction that runs its statements synchronously, as in `better-sqlite3`. */
export interface SyncTransaction extends OpenTransaction {
  query(sql: string, parameters: readonly unknown[]): StatementResult;
}

/** A Kysely `Transaction`, recognized by `isTransaction`. */
export interface KyselyTransaction {
  /** Always `true`. For a `Kysely` instance that isn't a transaction, it is `false`. */
  readonly isTransaction: true;
}

/**
 * A transaction that the host has begun and will end itself. `loyalty-kit/joining` creates one from another library's transaction.
 */
export type HostTransaction = OpenTransaction | KyselyTransaction;

/** A transaction that the storage adapter begins for the host and ends once the host's work has finished. */
export interface ManagedTransaction<Client = unknown> extends OpenTransaction {
  /** The driver connection that the transaction uses. The host must not use this connection after its work has finished. */
  readonly client: Client;
}

/**
 * A database or comparable store that holds the data of all organizations.
 * @typeParam Client the type of the driver's connection, if it has one.
 */
export interface StorageAdapter<Client = unknown> {
  /** The look-ups across all organizations, outside a transaction. Each sees only committed rows. */
  readonly all: StorageLookUps;
  /**
   * Returns an organization's reads outside a transaction. Each sees the newest committed rows. Adapters that queue reads for a
   * connection let organizations take turns. Creating a reader costs nothing and runs no statement.
   */
  reader(organizationId: string): StorageReader;
  /**
   * Runs `work` in one transaction of an organization, which commits when `work` resolves and rolls back completely when `work` rejects. Transactions
   * that touch the same rows run one at a time. If the writes can't be committed, `work` might run again from the start, and none
   * of the first run's writes remain. Inside `work`, use only `tx`. A call to the adapter itself might wait for this transaction to
   * end, which causes a deadlock. Don't wait for the outcome of another transaction either, because both might share a commit.
   * Calls on `tx` reject once the transaction has ended. Adapters that run one transaction at a time let organizations take turns.
   * @throws whatever `work` throws.
   * @throws {LoyaltyError} `storage_unavailable` if the database stays busy, or if another release has changed its tables since the
   *   storage adapter was opened. In the second case, `work` hasn't run.
   */
  transaction<T>(
    organizationId: string,
    work: (tx: StorageTransaction) => Step<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /**
   * Runs an organization's reads, which all see the same committed state. Inside `work`, use only `reader`, whose calls reject once the snapshot has
   * ended.
   * @throws whatever `work` throws.
   * @throws the signal's abort reason, if the signal is aborted before the reads are done.
   * @throws {LoyaltyError} `storage_unavailable`, under the same conditions as {@link transaction}.
   */
  snapshot<T>(
    organizationId: string,
    work: (reader: StorageReader) => Step<T>,
    options?: SnapshotOptions,
  ): Promise<T>;
  /**
   * Returns an object that identifies the committed state, or `null` if identifying it would be expensive. If two calls return the
   * same object, nothing was committed in between by any process, so the results of earlier reads are still valid.
   */
  committedState(): object | null;
  /** Support for transactions that are shared with the host, or `null` if the database can't hold the host's rows. */
  readonly hosts: HostSupport<Client> | null;
  /**
   * Purges overwritten and deleted data from the storage adapter's own files, unless another connection is reading them. Does
   * nothing in a host transaction.
   */
  purge(): Promise<void>;
  /**
   * Waits for calls in progress, then releases all resources. Later calls reject with `storage_unavailable`. Closing again has no
   * effect.
   */
  close(): Promise<void>;
}

/**
 * Runs transactions that commit the host's rows together with the library's rows. Available if the database can hold both.
 * @typeParam Client the type of the driver's connection, if it has one.
 */
export interface HostSupport<Client = unknown> {
  /**
   * Returns a view of the storage adapter within a transaction that the host has begun on its own connection to the same database.
   * Each `transaction` call on the view takes effect completely or not at all, and commits with the host's transaction. Writes run
   * one at a time. Once the host's transaction has failed, all calls reject. Closing the view releases nothing.
   * @throws {TypeError} if `host` isn't a transaction that this storage adapter can join.
   */
  joining(host: HostTransaction): StorageAdapter;
  /**
   * Runs a managed transaction for the host on a separate connection, in the same queue as the storage adapter's own transactions.
   * It commits when `work` resolves, and rolls back when `work` rejects or takes longer than `timeoutMs` milliseconds. {@link
   * joining} accepts it like a transaction that the host has begun.
   * @throws whatever `work` throws.
   * @throws {LoyaltyError} `storage_unavailable` if the database stays busy or the timeout expires.
   */
  runManaged<T>(work: (tx: ManagedTransaction<Client>) => Promise<T>, timeoutMs: number): Promise<T>;
  /** Support for transactions that run statements synchronously, or `null` if the database has no synchronous driver. */
  readonly sync: SyncHostSupport | null;
}

/** The counterpart to {@link HostSupport} for transactions that run statements synchronously. */
export interface SyncHostSupport {
  /**
   * Returns a synchronous view of the storage adapter within a host transaction.
   * @throws {TypeError} if `host` isn't a transaction that runs statements synchronously.
   */
  joining(host: SyncTransaction): SyncStorage;
  /**
   * Runs a synchronous function while none of the storage adapter's own transactions is open in this process.
   * @returns the function's return value.
   * @throws whatever the function throws.
   * @throws {LoyaltyError} `storage_unavailable` if the queue is full.
   */
  runBetweenTransactions<T>(task: () => T): Promise<T>;
}

/** A synchronous view of a storage adapter within a host transaction. */
export interface SyncStorage {
  /**
   * Runs `work` like {@link StorageAdapter.transaction}, but synchronously. If `work` throws, its changes are rolled back to a
   * savepoint.
   * @throws {LoyaltyError} `storage_unavailable` if another transaction in this process holds the write lock, or if another process
   *   holds it for longer than the host's connection waits.
   */
  transaction<T>(organizationId: string, work: (tx: StorageTransaction) => Step<T>): T;
  /** Runs an organization's reads, which see the same state as the host's transaction. */
  snapshot<T>(organizationId: string, work: (reader: StorageReader) => Step<T>): T;
}

/**
 * Returns the storage adapter's API for host transactions.
 * @throws {TypeError} if the storage adapter doesn't support host transactions.
 */
export function requireHostSupport<Client>({ hosts }: StorageAdapter<Client>): HostSupport<Client> {
  if (hosts === null)
    throw new TypeError(
      "this storage can't share transactions with a host: use sqliteStorage or postgresStorage",
    );
  return hosts;
}

/**
 * Returns the storage adapter's API for host transactions that run statements synchronously.
 * @throws {TypeError} if the storage adapter doesn't support such transactions.
 */
export function requireSyncHostSupport(storage: StorageAdapter): SyncHostSupport {
  const { sync } = requireHostSupport(storage);
  if (sync === null) throw new TypeError("this storage has no synchronous transactions");
  return sync;
}

export type ConflictingKey = "email" | "externalId" | "slug" | "assignment" | "code";

/**
 * Thrown when a write violates a unique constraint. Nothing from that write has been stored.
 * @example
 * import { StorageConflict } from "loyalty-kit/storage";
 *
 * // A storage adapter throws it instead of its driver's error.
 * const conflict = (cause: unknown) => new StorageConflict("email", { cause });
 */
export class StorageConflict extends Error {
  static {
    shareAcrossCopies(StorageConflict, "StorageConflict");
  }

  override readonly name = "StorageConflict";

  constructor(
    /** The field whose value is already taken, or `assignment` if the user already has the tag. */
    readonly key: ConflictingKey,
    options?: ErrorOptions,
  ) {
    super(`another row has this ${key}`, options);
  }
}
