import type { Step } from "../concurrency/step.js";
import { integer, json, type RowOf, record, text, time } from "./record.js";
/** A customer. `ordinal` is the user's dense position in the organization's segments, from 0, never reused. */
export const userRecord = record("users", ["ordinal"], {
  id: text().fixed(),
  ordinal: integer(),
  email: text().nullable().personal(),
  name: text().nullable().personal(),
  phone: text().nullable().personal(),
  externalId: text().nullable().personal(),
  /** JSON text of an object, kept to the letter: key order and `__proto__` survive. */
  metadata: json().personal(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredUser = RowOf<typeof userRecord>;

/** The folds of the searchable fields, which the caller computes. */
export interface UserFolds {
  /** The unique key: the fold of the email with its domain in ASCII. `null`, which is not unique, for a user without an email. */
  readonly email: string | null;
  /** The folded email as written; `null` if that equals the key. Searches find it too. */
  readonly writtenEmail: string | null;
  readonly name: string | null;
  readonly phone: string | null;
  readonly externalId: string | null;
}

/** A user that is to be stored. */
export interface UserToInsert {
  readonly user: StoredUser;
  readonly folds: UserFolds;
}

/** The position of an organization's next user: the ordinal, and the newest user inserted so far. */
export interface UserSequence {
  readonly ordinal: number;
  readonly newest: { readonly id: string; readonly createdAt: number } | null;
}

export interface UserReads {
  findUser(organizationId: string, id: string): Step<StoredUser | null>;
  findUserByExternalId(organizationId: string, externalId: string): Step<StoredUser | null>;
  /** @param emailFold the fold of the address, with its domain in ASCII. */
  findUserByEmail(organizationId: string, emailFold: string): Step<StoredUser | null>;
  /** The users with these ids (at most 1,000), ascending by ordinal. Skips ids that don't exist. */
  usersById(organizationId: string, ids: readonly string[]): Step<StoredUser[]>;
  /** The users who have one of these external ids (at most 1,000), ascending by ordinal. */
  usersByExternalId(organizationId: string, externalIds: readonly string[]): Step<StoredUser[]>;
  /** The users who have one of these emails (at most 1,000, as in {@link findUserByEmail}), ascending by ordinal. */
  usersByEmail(organizationId: string, emailFolds: readonly string[]): Step<StoredUser[]>;
  /** The users with an ordinal above `after` (-1 for the start), ascending by ordinal, at most `limit`. */
  listUsers(organizationId: string, after: number, limit: number): Step<StoredUser[]>;
  /** The users of these ordinals, ascending by ordinal; ordinals without a user are left out. At most 1,000. */
  usersByOrdinal(organizationId: string, ordinals: readonly number[]): Step<StoredUser[]>;
}

export interface UserWrites {
  /** Returns the position of the next user. No other transaction of the organization gets a position until this one ends. */
  nextUser(organizationId: string): Step<UserSequence>;
  /**
   * Adds a user with the ordinal that {@link nextUser} returned in this transaction. Its `createdAt`, then its id, come after every
   * earlier user's, so (createdAt, id) grows with the ordinal.
   * @throws {StorageConflict} `email` or `externalId` if another user has it.
   */
  insertUser(organizationId: string, user: StoredUser, folds: UserFolds): Step<void>;
  /**
   * Adds users (at most 1,000) as {@link insertUser} does, each with the next ordinal, until one has a key that an existing or an
   * earlier user has.
   * @returns how many were added: the first ones.
   */
  insertUsers(organizationId: string, users: readonly UserToInsert[]): Step<number>;
  /**
   * Replaces the user of this id; `ordinal` and `createdAt` stay. Returns false if there is none.
   * @throws {StorageConflict} `email` or `externalId` when another user has it.
   */
  updateUser(organizationId: string, user: StoredUser, folds: UserFolds): Step<boolean>;
  /** Removes the user with its tag assignments, passes, stamp entries and subscription. Returns false if there is none. */
  deleteUser(organizationId: string, id: string): Step<boolean>;
}
