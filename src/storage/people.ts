import type { Step } from "../concurrency/step.js";
import { roles } from "../roles.js";
import { boolean, list, oneOf, type RowOf, record, text, time } from "./record.js";

/** A browser session of a signed-in person. */
export interface StoredPersonSession {
  readonly id: string;
  /** SHA-256 of the secret in the session cookie, 64 lower-case hexadecimal digits. */
  readonly hash: string;
  /** The browser and operating system for display, such as `Chrome on Windows`. */
  readonly device: string;
  readonly createdAt: number;
  /** The time of last use, which may be up to an hour out of date. */
  readonly lastSeenAt: number;
  readonly expiresAt: number;
}

/** A passkey: a key pair for sign-in, whose private half stays on the person's device or in their password manager. */
export interface StoredPasskey {
  readonly id: string;
  /** The credential id that the device generated, in base64url. */
  readonly credentialId: string;
  /** The public key in COSE format, in base64url. */
  readonly publicKey: string;
  /** The device's signature counter at the last use; 0 for devices without a counter. */
  readonly counter: number;
  /** The person's name for the passkey. */
  readonly name: string;
  readonly createdAt: number;
  /** The time of the last sign-in with it; `null` if never used. */
  readonly lastUsedAt: number | null;
}

/**
 * A staff account. Its sign-in link, sessions and passkeys are part of the row, so they are removed with the account, and
 * concurrent changes to them are serialized by the row.
 */
export const personRecord = record("people", ["id"], {
  id: text(),
  email: text().fixed(),
  /** The lower-cased NFC form of the email, unique within the organization. */
  emailFold: text().fixed(),
  name: text().nullable(),
  role: oneOf(...roles),
  invitedAt: time(),
  /** The time of the last sign-in; `null` if the person has never signed in. */
  lastSignedInAt: time().nullable(),
  /** SHA-256 of the secret in the newest sign-in link, until the link is used; `null` if there is none. */
  linkHash: text().nullable(),
  linkExpiresAt: time().nullable(),
  /** True if the newest link was emailed, false if it was shown to the person who created it. */
  isLinkMailed: boolean(),
  /**
   * The time of the last sign-in with an emailed link, which proves that the person receives email at the address; `null` if never.
   */
  emailProvenAt: time().nullable(),
  /** Oldest first. */
  sessions: list<StoredPersonSession>(),
  /** Oldest first. */
  passkeys: list<StoredPasskey>(),
  createdAt: time().fixed(),
});

export type StoredPerson = RowOf<typeof personRecord>;

/** A person with their organization. */
export interface OwnedPerson {
  readonly organizationId: string;
  readonly person: StoredPerson;
}

export interface PersonReads {
  /** Lists people, oldest first: by `createdAt`, then id. */
  listPeople(organizationId: string): Step<StoredPerson[]>;
  findPerson(organizationId: string, id: string): Step<StoredPerson | null>;
  /**
   * Searches all organizations for a person who is signing in, without locking rows.
   * @param emailFold the fold of the address, with its domain in ASCII.
   * @returns the matching people, at most `limit`: people with a proven address first, then by `lastSignedInAt` (newest first,
   *   `null` last), then by `createdAt` (oldest first), then by organization.
   */
  peopleByEmail(emailFold: string, limit: number): Step<OwnedPerson[]>;
  /** Searches all organizations for a person's id, like {@link peopleByEmail} for an address. Sorted by organization. */
  peopleById(id: string, limit: number): Step<OwnedPerson[]>;
  /** Returns whether any organization has a person. Locks no rows. */
  hasPeople(): Step<boolean>;
}

export interface PersonWrites {
  /** @throws {StorageConflict} `email` if another person of the organization has the same `emailFold`. */
  insertPerson(organizationId: string, person: StoredPerson): Step<void>;
  /** Replaces the person with this id, except `email`, `emailFold` and `createdAt`. Returns false if there is none. */
  updatePerson(organizationId: string, person: StoredPerson): Step<boolean>;
  /** Removes the person. Returns false if there is none. */
  deletePerson(organizationId: string, id: string): Step<boolean>;
}
