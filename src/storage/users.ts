import type { Step } from "../base/concurrency/step.js";
import { integer, json, type RowOf, record, text, time } from "./record.js";
/**
 * A customer. `ordinal` is the user's index in the organization's tag sets and segments. Ordinals are assigned from 0 without gaps
 * and are never reused.
 */
export const userRecord = record("users", ["ordinal"], {
  /** The user's ID, unique within the organization. */
  id: text().fixed(),
  /** The user's index in tag sets and segments, starting at 0. */
  ordinal: integer(),
  /** The email address, or `null` if the user has none. */
  email: text().nullable(),
  /** The user's name, or `null` if unknown. */
  name: text().nullable(),
  /** The phone number, in any format, or `null` if unknown. */
  phone: text().nullable(),
  /** The host's own ID for the user, unique within the organization, or `null` if the user has none. */
  externalId: text().nullable(),
  /** A JSON object as text, stored verbatim so that key order and a `__proto__` key are preserved. */
  metadata: json(),
  /** When the user was created, in milliseconds since the Unix epoch. Imported users can keep their original time. */
  createdAt: time().fixed(),
  /** When the user was last changed, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

export type StoredUser = RowOf<typeof userRecord>;

/** The folded values of a user's searchable fields. Callers compute these values before they store the user. */
export interface UserFolds {
  /**
   * The folded email address, with its domain in ASCII, or `null` if the user has no email. Must be unique within the organization.
   */
  readonly email: string | null;
  /**
   * The folded form of the email address as it was entered, or `null` if it equals `email`. Stored so that searching for that
   * spelling also finds the user.
   */
  readonly writtenEmail: string | null;
  /** The folded name, used to search and sort users. `null` if the user has no name. */
  readonly name: string | null;
  /** The folded phone number, used to search users. `null` if the user has no phone number. */
  readonly phone: string | null;
  /** The folded external ID, used to search and sort users but not to look them up. `null` if the user has no external ID. */
  readonly externalId: string | null;
}

/** A user to insert, and the folded values of their searchable fields. */
export interface UserToInsert {
  /** The user to insert, with the next unused ordinal. */
  readonly user: StoredUser;
  /** The folded values of the user's searchable fields. */
  readonly folds: UserFolds;
}

/** The ordinal for the organization's next user, and the most recently added user. */
export interface UserSequence {
  /** The ordinal for the organization's next user, starting at 0. */
  readonly ordinal: number;
  /** The ID and creation time of the most recently added user, or `null` if there is none. */
  readonly newest: { readonly id: string; readonly createdAt: number } | null;
}

export interface UserReads {
  /** Finds a user by the ID that the service assigned. Returns `null` if there is none. */
  findUser(id: string): Step<StoredUser | null>;
  /** Finds the user with the external ID that the host assigned. Returns `null` if there is none. */
  findUserByExternalId(externalId: string): Step<StoredUser | null>;
  /**
   * Finds the user who has this email address. Returns `null` if there is none.
   * @param emailFold the folded address, with its domain in ASCII.
   */
  findUserByEmail(emailFold: string): Step<StoredUser | null>;
  /** Returns the users with these IDs (at most 1,000), in ascending order of ordinal. Ignores IDs that don't exist. */
  usersById(ids: readonly string[]): Step<StoredUser[]>;
  /**
   * Returns the users with these external IDs (at most 1,000), in ascending order of ordinal. Ignores external IDs that don't
   * exist.
   */
  usersByExternalId(externalIds: readonly string[]): Step<StoredUser[]>;
  /**
   * Returns the users with these email addresses (at most 1,000), in ascending order of ordinal.
   * @param emailFolds the addresses, folded as for {@link findUserByEmail}.
   */
  usersByEmail(emailFolds: readonly string[]): Step<StoredUser[]>;
  /**
   * Lists up to `limit` users whose ordinal is greater than `after`, in ascending order of ordinal. Pass -1 to start from the
   * beginning.
   */
  listUsers(after: number, limit: number): Step<StoredUser[]>;
  /** Returns the users with these ordinals (at most 1,000), in ascending order of ordinal. Ignores ordinals that no user has. */
  usersByOrdinal(ordinals: readonly number[]): Step<StoredUser[]>;
}

export interface UserWrites {
  /**
   * Returns the organization's user sequence and locks it. Until the transaction ends, other transactions for the organization have
   * to wait when they call this method.
   */
  nextUser(): Step<UserSequence>;
  /**
   * Adds a user with the ordinal that {@link nextUser} returned in this transaction. The user must come after all earlier users
   * when sorted by `createdAt`, then by ID, so that this order matches the order of ordinals.
   * @throws {StorageConflict} `email` or `externalId` if another user has the same value.
   */
  insertUser(user: StoredUser, folds: UserFolds): Step<void>;
  /**
   * Adds users (at most 1,000) like {@link insertUser}, each with the next ordinal. Stops at the first user whose email or external
   * ID is already taken, either in storage or by an earlier user in the array.
   * @returns how many users were added, counted from the start of the array.
   */
  insertUsers(users: readonly UserToInsert[]): Step<number>;
  /**
   * Replaces the stored user with the same ID, but keeps their `ordinal` and `createdAt`. Returns `false` if there is no such user.
   * @throws {StorageConflict} `email` or `externalId` if another user has the same value.
   */
  updateUser(user: StoredUser, folds: UserFolds): Step<boolean>;
  /**
   * Removes a user and their tag assignments, passes, stamp entries, and subscription. Returns `false` if there is no such user.
   */
  deleteUser(id: string): Step<boolean>;
}
