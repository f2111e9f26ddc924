import type { Step } from "../concurrency/step.js";
import { integer, json, type RowOf, record, text, time } from "./record.js";
/** A customer. `ordinal` is the user's position in the organization's tag sets and segments: dense, from 0, never reused. */
export const userRecord = record("users", ["ordinal"], {
  id: text().fixed(),
  ordinal: integer(),
  email: text().nullable().personal(),
  name: text().nullable().personal(),
  phone: text().nullable().personal(),
  externalId: text().nullable().personal(),
  /** A JSON object as text, stored verbatim: key order and `__proto__` survive. */
  metadata: json().personal(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredUser = RowOf<typeof userRecord>;

/** The folds of the searchable fields, which the caller must compute. */
export interface UserFolds {
  /**
   * The unique key: the fold of the email with its domain in ASCII. `null` (which is exempt from uniqueness) for a user without an
   * email.
   */
  readonly email: string | null;
  /** The fold of the email as entered, which searches match too; `null` if it equals the key. */
  readonly writtenEmail: string | null;
  readonly name: string | null;
  readonly phone: string | null;
  readonly externalId: string | null;
}

/** A user to insert. */
export interface UserToInsert {
  readonly user: StoredUser;
  readonly folds: UserFolds;
}

/** The ordinal of an organization's next user, and the newest user inserted so far. */
export interface UserSequence {
  readonly ordinal: number;
  readonly newest: { readonly id: string; readonly createdAt: number } | null;
}

export interface UserReads {
  findUser(organizationId: string, id: string): Step<StoredUser | null>;
  findUserByExternalId(organizationId: string, externalId: string): Step<StoredUser | null>;
  /** @param emailFold the fold of the address, with its domain in ASCII. */
  findUserByEmail(organizationId: string, emailFold: string): Step<StoredUser | null>;
  /** Returns the users with these ids (at most 1,000), ascending by ordinal. Skips ids that don't exist. */
  usersById(organizationId: string, ids: readonly string[]): Step<StoredUser[]>;
  /** Returns the users who have one of these external ids (at most 1,000), ascending by ordinal. */
  usersByExternalId(organizationId: string, externalIds: readonly string[]): Step<StoredUser[]>;
  /** Returns the users who have one of these emails (at most 1,000, folded as in {@link findUserByEmail}), ascending by ordinal. */
  usersByEmail(organizationId: string, emailFolds: readonly string[]): Step<StoredUser[]>;
  /** Returns the users with an ordinal above `after` (-1 for the start), ascending by ordinal, at most `limit`. */
  listUsers(organizationId: string, after: number, limit: number): Step<StoredUser[]>;
  /** Returns the users with these ordinals (at most 1,000), ascending by ordinal. Skips ordinals without a user. */
  usersByOrdinal(organizationId: string, ordinals: readonly number[]): Step<StoredUser[]>;
}

export interface UserWrites {
  /** Returns the position of the next user. No other transaction of the organization can get a position until this one ends. */
  nextUser(organizationId: string): Step<UserSequence>;
  /**
   * Adds a user with the ordinal that {@link nextUser} returned in this transaction. Its (`createdAt`, id) pair must come after
   * every earlier user's, so that the pairs ascend with the ordinals.
   * @throws {StorageConflict} `email` or `externalId` if another user has it.
   */
  insertUser(organizationId: string, user: StoredUser, folds: UserFolds): Step<void>;
  /**
   * Adds users (at most 1,000) like {@link insertUser}, each with the next ordinal, and stops at the first one whose key an
   * existing or earlier user has.
   * @returns the number of added users, counted from the start of the list.
   */
  insertUsers(organizationId: string, users: readonly UserToInsert[]): Step<number>;
  /**
   * Replaces the user with this id, except `ordinal` and `createdAt`. Returns false if there is none.
   * @throws {StorageConflict} `email` or `externalId` if another user has it.
   */
  updateUser(organizationId: string, user: StoredUser, folds: UserFolds): Step<boolean>;
  /** Removes the user with its tag assignments, passes, stamp entries and subscription. Returns false if there is none. */
  deleteUser(organizationId: string, id: string): Step<boolean>;
}
