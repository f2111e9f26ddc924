import type { Bitmap } from "./segments/bitmap.js";
import type { AppReads, AppWrites } from "./storage/apps.js";
import type { AnswerReads, AnswerWrites } from "./storage/idempotency.js";
import type { WebhookReads, WebhookWrites } from "./storage/webhooks.js";

/*
 * The storage port. Every method takes the organization id first (the exceptions say so) and never sees or
 * touches rows of another organization. Times are milliseconds since the Unix epoch. A miss is `null` or
 * `false`, never an error. Texts hold no NUL and no lone surrogate, and come back exactly as they were given.
 * `loyalty-kit/testing` tests these sentences; an adapter that passes it is complete.
 */

/** A customer. `ordinal` is the user's dense position in the organization's segments, from 0, never reused. */
export interface StoredUser {
  readonly id: string;
  readonly ordinal: number;
  readonly email: string;
  readonly name: string | null;
  readonly phone: string | null;
  readonly externalId: string | null;
  /** JSON text of an object, kept to the letter: key order and `__proto__` survive. */
  readonly metadata: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The lower-cased NFC form of the searchable fields, computed by the caller; `email` is the unique key. */
export interface UserFolds {
  readonly email: string;
  readonly name: string | null;
  readonly phone: string | null;
  readonly externalId: string | null;
}

export interface StoredTag {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly color: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface StoredAssignment {
  readonly id: string;
  readonly userOrdinal: number;
  readonly tagId: string;
  readonly createdAt: number;
}

export type TemplateType = "STAMP_CARD" | "LOYALTY_CARD";

export interface StoredTemplate {
  readonly id: string;
  readonly name: string;
  readonly type: TemplateType;
  readonly maxStamps: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type InstallationStatus = "INSTALLED" | "UNINSTALLED";

export interface StoredPass {
  readonly id: string;
  readonly userId: string;
  readonly templateId: string;
  /** The last part of the QR value; unique in the organization. */
  readonly code: string;
  readonly isPreviewPass: boolean;
  readonly installationStatus: InstallationStatus | null;
  /** `null` for a pass of a template without stamps. */
  readonly card: StoredCard | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The state that a pass's stamp entries add up to. */
export interface StoredCard {
  readonly maxStamps: number;
  readonly currentStamps: number;
  readonly timesCompleted: number;
  readonly rewardsAvailable: number;
  readonly totalStampsCollected: number;
  readonly lastStampAt: number | null;
  /** How many entries the ledger holds. */
  readonly entries: number;
}

export type StampEntryType = "added" | "removed" | "set" | "reset" | "redeemed";

export interface StoredStampEntry {
  readonly id: string;
  readonly passId: string;
  /** 1 for the first entry of a pass, then 2, 3, … without a gap. */
  readonly sequence: number;
  readonly type: StampEntryType;
  readonly delta: number;
  readonly stampsBefore: number;
  readonly stampsAfter: number;
  readonly completions: number;
  readonly note: string | null;
  readonly createdAt: number;
}

export interface StoredApiToken {
  readonly id: string;
  readonly name: string;
  /** The token's first characters, for people to tell tokens apart. */
  readonly prefix: string;
  /** SHA-256 of the token, 64 lower-case hexadecimal digits; taken to be unique over all organizations. */
  readonly hash: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
}

/** An event as the outbox keeps it. */
export interface StoredEvent {
  /** The event's place among those of its organization: 1, 2, 3, … in the order of the commits, never given twice. */
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly createdAt: number;
  /** JSON text, kept to the letter. */
  readonly data: string;
}

/** An event to come: storage gives it its position. */
export type NewEvent = Omit<StoredEvent, "position">;

/** Which events an outbox keeps: those that are neither too old nor too many. */
export interface EventRetention {
  /** Events before this time may go. */
  readonly since: number;
  /** Events whose position is so many or more below the newest one ever given may go. */
  readonly atMost: number;
}

/** Where the next user of an organization goes: its ordinal, and the newest user ever inserted before it. */
export interface UserSequence {
  readonly ordinal: number;
  readonly newest: { readonly id: string; readonly createdAt: number } | null;
}

export type ContactSortField = "createdAt" | "updatedAt" | "email" | "name" | "externalId";

export interface ContactQuery {
  /** A lower-cased NFC text to find in any one of the folds, literally; `null` finds everybody. */
  readonly search: string | null;
  /** Only users with at least one stamp card of the template within both inclusive bounds. */
  readonly stamps: {
    readonly templateId: string;
    readonly min: number | null;
    readonly max: number | null;
  } | null;
  readonly sort: { readonly field: ContactSortField; readonly direction: "asc" | "desc" };
  readonly offset: number;
  readonly limit: number;
}

/** The bitmaps that a tag filter is evaluated on, all of one committed state. */
export interface SegmentSets {
  /** The ordinals of all users of the organization. */
  readonly users: Bitmap;
  /** The users of each tag by slug. A slug without a tag is missing. */
  readonly tags: ReadonlyMap<string, Bitmap>;
}

/** What a comparison of the bitmaps with users and assignments found. */
export interface SegmentReport {
  /** How many sets were compared: one for each tag, and the one of all users. */
  readonly checked: number;
  /** The slugs of the tags whose set is wrong; `null` stands for the set of all users. */
  readonly wrong: readonly (string | null)[];
}

/** Reads, of committed rows only outside a transaction; inside, of what the transaction wrote as well. */
export interface StorageReader extends AnswerReads, AppReads, WebhookReads {
  findUser(organizationId: string, id: string): Promise<StoredUser | null>;
  findUserByExternalId(organizationId: string, externalId: string): Promise<StoredUser | null>;
  /** @param emailFold the lower-cased NFC form of the address. */
  findUserByEmail(organizationId: string, emailFold: string): Promise<StoredUser | null>;
  /** The users with an ordinal above `after` (-1 for the start), ascending by ordinal, at most `limit`. */
  listUsers(organizationId: string, after: number, limit: number): Promise<StoredUser[]>;
  /** The users of these ordinals, ascending by ordinal; ordinals without a user are left out. At most 1,000. */
  usersByOrdinal(organizationId: string, ordinals: readonly number[]): Promise<StoredUser[]>;
  /**
   * One page of contacts and how many match in all. Texts sort by their fold in code point order, nulls last in
   * both directions, ties by id in the direction of the sort. `createdAt` and `updatedAt` sort by time, then id.
   */
  listContacts(organizationId: string, query: ContactQuery): Promise<{ users: StoredUser[]; total: number }>;

  findTag(organizationId: string, slug: string): Promise<StoredTag | null>;
  /** Oldest first: by `createdAt`, then id. */
  listTags(organizationId: string): Promise<StoredTag[]>;
  /** Oldest assignment first: by the assignment's `createdAt`, then its id. */
  tagsOfUser(organizationId: string, userOrdinal: number): Promise<StoredTag[]>;
  /**
   * The slugs of the tags of these users (at most 1,000) by the user's ordinal, oldest assignment first. A user
   * without tags is missing.
   */
  slugsOfUsers(
    organizationId: string,
    userOrdinals: readonly number[],
  ): Promise<ReadonlyMap<number, readonly string[]>>;
  /** The tag's users with an ordinal above `after` (-1 for the start), ascending by ordinal, at most `limit`. */
  usersOfTag(organizationId: string, tagId: string, after: number, limit: number): Promise<StoredUser[]>;
  /** The sets of these tags and of all users, of one committed state. */
  readSegments(organizationId: string, slugs: readonly string[]): Promise<SegmentSets>;
  /** Compares every set with the users and assignments. Reads the whole organization. */
  verifySegments(organizationId: string): Promise<SegmentReport>;

  findTemplate(organizationId: string, id: string): Promise<StoredTemplate | null>;
  /** Oldest first: by `createdAt`, then id. */
  listTemplates(organizationId: string): Promise<StoredTemplate[]>;
  templateHasPasses(organizationId: string, id: string): Promise<boolean>;

  findPass(organizationId: string, id: string): Promise<StoredPass | null>;
  findPassByCode(organizationId: string, code: string): Promise<StoredPass | null>;
  /** The passes of these users (at most 1,000), oldest first: by `createdAt`, then id. */
  passesOfUsers(organizationId: string, userIds: readonly string[]): Promise<StoredPass[]>;
  /** The ledger of a pass, newest first (highest `sequence`), from `offset`, at most `limit`. */
  listStampEntries(
    organizationId: string,
    passId: string,
    offset: number,
    limit: number,
  ): Promise<StoredStampEntry[]>;

  /**
   * The events of these types with a position above `after` (0 for the start), ascending, at most `limit`. `null` is
   * every type, an empty list none.
   */
  listEvents(
    organizationId: string,
    types: readonly string[] | null,
    after: number,
    limit: number,
  ): Promise<StoredEvent[]>;

  /** The highest position that an event of the organization was ever given; 0 before the first. */
  newestEventPosition(organizationId: string): Promise<number>;

  /** Oldest first: by `createdAt`, then id. */
  listApiTokens(organizationId: string): Promise<StoredApiToken[]>;
  findApiToken(organizationId: string, id: string): Promise<StoredApiToken | null>;
  /** Looks in all organizations, for a caller who is not known yet. */
  findApiTokenByHash(hash: string): Promise<{ organizationId: string; token: StoredApiToken } | null>;

  /** True when no organization has ever stored anything here. */
  isEmpty(): Promise<boolean>;
}

/**
 * Reads and writes that commit together or not at all. After an error that is no conflict its calls reject, and so does
 * the transaction, whatever its work makes of it. A row that a `find…` gave stays as it is until the
 * transaction ends, but for what the transaction itself does to it: no other transaction changes it in between. That does
 * not hold for the looks in all organizations.
 * A {@link StorageConflict} leaves the transaction usable. Don't run its calls side by side.
 */
export interface StorageTransaction extends StorageReader, AnswerWrites, AppWrites, WebhookWrites {
  /** Where the next user goes. Until the transaction ends no other transaction of the organization gets a place. */
  nextUser(organizationId: string): Promise<UserSequence>;
  /**
   * Adds a user at the place that {@link nextUser} gave in this transaction. Its `createdAt`, then its id, come
   * after those of every user placed before it, so (createdAt, id) grows with the ordinal.
   * @throws {StorageConflict} `email` or `externalId` when another user has it.
   */
  insertUser(organizationId: string, user: StoredUser, folds: UserFolds): Promise<void>;
  /**
   * Replaces the user of this id; `ordinal` and `createdAt` stay. False when there is none.
   * @throws {StorageConflict} `email` or `externalId` when another user has it.
   */
  updateUser(organizationId: string, user: StoredUser, folds: UserFolds): Promise<boolean>;
  /** Removes the user with its tag assignments, passes and stamp entries. False when there is none. */
  deleteUser(organizationId: string, id: string): Promise<boolean>;

  /** @throws {StorageConflict} `slug` when another tag has it. */
  insertTag(organizationId: string, tag: StoredTag): Promise<void>;
  /** Replaces the tag of this id; `slug` and `createdAt` stay. False when there is none. */
  updateTag(organizationId: string, tag: StoredTag): Promise<boolean>;
  /** Removes the tag and all its assignments. False when there is none. */
  deleteTag(organizationId: string, tagId: string): Promise<boolean>;
  /** @throws {StorageConflict} `assignment` when the user has the tag; an error when there is no such user or tag. */
  assignTag(organizationId: string, assignment: StoredAssignment): Promise<void>;
  /**
   * Adds those of the assignments (at most 1,000) whose user does not have the tag yet; of two for one user and tag,
   * the first.
   * @returns the added ones, in the order given.
   * @throws an error when there is no such user or tag.
   */
  assignTags(organizationId: string, assignments: readonly StoredAssignment[]): Promise<StoredAssignment[]>;
  /** False when the user does not have the tag. */
  unassignTag(organizationId: string, userOrdinal: number, tagId: string): Promise<boolean>;
  /**
   * Takes the tag from those of these users (at most 1,000) who have it.
   * @returns their ordinals, ascending.
   */
  unassignUsers(organizationId: string, tagId: string, userOrdinals: readonly number[]): Promise<number[]>;
  /** Makes every set anew from the users and assignments. */
  rebuildSegments(organizationId: string): Promise<void>;

  insertTemplate(organizationId: string, template: StoredTemplate): Promise<void>;
  /** Replaces the template of this id; `type` and `createdAt` stay. False when there is none. */
  updateTemplate(organizationId: string, template: StoredTemplate): Promise<boolean>;
  /** Removes a template without passes. False when there is none. @throws when it has passes; it stays then. */
  deleteTemplate(organizationId: string, id: string): Promise<boolean>;

  /**
   * @throws {StorageConflict} `code` when another pass of the organization has it; an error when there is no such
   *   user or template.
   */
  insertPass(organizationId: string, pass: StoredPass): Promise<void>;
  /** Sets the installation status and `updatedAt` of the pass of this id. False when there is none. */
  updateInstallation(
    organizationId: string,
    passId: string,
    status: InstallationStatus,
    updatedAt: number,
  ): Promise<boolean>;
  /** Removes the pass with its stamp entries. False when there is none. */
  deletePass(organizationId: string, passId: string): Promise<boolean>;
  /**
   * Appends the entry to the pass's ledger and makes `card` the pass's state; the pass's `updatedAt` stays.
   * @throws an error when there is no such pass.
   */
  recordStamps(organizationId: string, card: StoredCard, entry: StoredStampEntry): Promise<void>;

  /**
   * Appends to the organization's outbox, in the order given. Until the transaction ends no other transaction of the
   * organization appends, so a reader who has seen a position has seen every lower one that there will ever be.
   * @returns the position of the last one.
   */
  appendEvents(organizationId: string, events: readonly NewEvent[]): Promise<number>;
  /**
   * Looks at the `limit` lowest positions and removes the events that need not be kept.
   * @returns how many were removed.
   */
  removeEvents(organizationId: string, keep: EventRetention, limit: number): Promise<number>;

  insertApiToken(organizationId: string, token: StoredApiToken): Promise<void>;
  /** Sets `lastUsedAt`. False when there is no such token. */
  touchApiToken(organizationId: string, id: string, lastUsedAt: number): Promise<boolean>;
  /** False when there is no such token. */
  deleteApiToken(organizationId: string, id: string): Promise<boolean>;
}

export interface TransactionOptions {
  /** True for one that may change thousands of rows. The adapter may go about it so that it holds up nobody else. */
  readonly isLarge?: boolean;
}

/** A transaction that a host has begun and will end itself, as Kysely's `Transaction` is one. */
export interface HostTransaction {
  readonly isTransaction: true;
}

export interface StorageAdapter extends StorageReader {
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects, with nothing left
   * behind. Transactions that touch the same rows run one after the other. Inside `work` use only `tx`:
   * the adapter itself may wait for the transaction to end, forever; nor wait for the outcome of another transaction,
   * since they may share a commit. After the end, calls of `tx` reject. `work` may run again, from the start, when what
   * it wrote could not be committed; nothing of the first run is left then.
   * @throws what `work` throws; a `storage_unavailable` {@link LoyaltyError} when the database stays busy.
   */
  transaction<T>(work: (tx: StorageTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs reads that all see one and the same committed state. Inside `work` use only `reader`; after
   * the end, its calls reject.
   */
  snapshot<T>(work: (reader: StorageReader) => Promise<T>): Promise<T>;
  /**
   * The same storage as a part of a transaction that a host has begun on a connection of its own to the same database.
   * What each `transaction` of it does is whole or undone, and is committed when the host commits. Closing it releases
   * nothing. Calls that change something wait for each other; all reject once the host's transaction has failed.
   * @throws {TypeError} when it is no such transaction, or this kind of storage has none.
   */
  joining(host: HostTransaction): StorageAdapter;
  /**
   * Waits for what is under way and releases everything. Calls after it reject with
   * `storage_unavailable`. Closing twice is harmless.
   */
  close(): Promise<void>;
}

export type ConflictingKey = "email" | "externalId" | "slug" | "assignment" | "code";

/** A write broke a unique constraint. Nothing of it was stored. */
export class StorageConflict extends Error {
  override readonly name = "StorageConflict";

  constructor(
    readonly key: ConflictingKey,
    options?: ErrorOptions,
  ) {
    super(`another row has this ${key}`, options);
  }
}
