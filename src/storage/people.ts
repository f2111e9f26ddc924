import type { Step } from "../base/concurrency/step.js";
import { roles } from "../base/scopes.js";
import { boolean, list, oneOf, type RowOf, record, text, time } from "./record.js";

/** A signed-in person's browser session. */
export interface StoredPersonSession {
  /** The session's ID, unique within the person's sessions. */
  readonly id: string;
  /** The SHA-256 hash of the secret in the session cookie, as 64 lowercase hexadecimal digits. */
  readonly hash: string;
  /** The browser and operating system, for display, such as `Chrome on Windows`. */
  readonly device: string;
  /** When the person signed in, in milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** When the session was last used, in milliseconds since the Unix epoch. Can be up to an hour out of date. */
  readonly lastSeenAt: number;
  /** When the session expires, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** A passkey for signing in. Its private key stays on the person's device or in their password manager. */
export interface StoredPasskey {
  /** The passkey's ID, unique within the person's passkeys. */
  readonly id: string;
  /** The ID that the device generated for the credential, in base64url. */
  readonly credentialId: string;
  /** The public key in COSE format, in base64url. */
  readonly publicKey: string;
  /** The device's signature counter when the passkey was last used. 0 for devices without a counter. */
  readonly counter: number;
  /** The name that the person gave the passkey, for display. */
  readonly name: string;
  /** When the passkey was created, in milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** When the person last signed in with the passkey, in milliseconds since the Unix epoch. `null` if never. */
  readonly lastUsedAt: number | null;
}

/**
 * A staff account. Its sign-in link, sessions, and passkeys are stored in the same row. They are removed together with the account,
 * and concurrent changes to them run one at a time.
 */
export const personRecord = record("people", ["id"], {
  /** The person's ID, unique within the organization. */
  id: text(),
  /** The email address of the account. It never changes. */
  email: text().fixed(),
  /** The lower-cased NFC form of the email, unique within the organization. */
  emailFold: text().fixed(),
  /** The person's name, or `null` if unknown. */
  name: text().nullable(),
  /** The role, which determines the person's scopes. */
  role: oneOf(...roles),
  /** When the person was last invited, in milliseconds since the Unix epoch. */
  invitedAt: time(),
  /** The time when the person last signed in, or `null` if never. */
  lastSignedInAt: time().nullable(),
  /** SHA-256 of the secret in the newest sign-in link, or `null` if there is none, or if it has been used. */
  linkHash: text().nullable(),
  /**
   * When the newest sign-in link expires, in milliseconds since the Unix epoch. `null` if there is no link, or if it has been used.
   */
  linkExpiresAt: time().nullable(),
  /** True if the newest sign-in link was emailed; false if it was shown to the person who created it. */
  isLinkMailed: boolean(),
  /**
   * The time when the person last signed in with an emailed link, which proves that they receive email at the address. `null` if
   * never.
   */
  emailProvenAt: time().nullable(),
  /** The sessions, oldest first. */
  sessions: list<StoredPersonSession>(),
  /** The passkeys, oldest first. */
  passkeys: list<StoredPasskey>(),
  /** When the account was created, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
});

export type StoredPerson = RowOf<typeof personRecord>;

/** A person found in a search across all organizations, with the ID of their organization. */
export interface OwnedPerson {
  /** The ID of the organization that the person works for. */
  readonly organizationId: string;
  /** The person's staff account in that organization. */
  readonly person: StoredPerson;
}

export interface PersonReads {
  /** Lists the organization's staff accounts, sorted by `createdAt` (oldest first), then by ID. */
  listPeople(): Step<StoredPerson[]>;
  /** Finds one of the organization's staff accounts by its ID. Returns `null` if there is none. */
  findPerson(id: string): Step<StoredPerson | null>;
}

/** Look-ups across all organizations. */
export interface PersonLookUps {
  /**
   * Finds the people who have this email address, across all organizations. Doesn't lock rows. Used to sign people in.
   * @param emailFold the folded address, with its domain in ASCII.
   * @returns at most `limit` people. People with a verified address come first. Within each group, people are sorted by
   *   `lastSignedInAt` (newest first, `null` last), then by `createdAt` (oldest first), then by organization.
   */
  peopleByEmail(emailFold: string, limit: number): Step<OwnedPerson[]>;
  /** Finds up to `limit` people with this ID across all organizations, sorted by organization. Doesn't lock rows. */
  peopleById(id: string, limit: number): Step<OwnedPerson[]>;
  /** Returns whether any organization has a staff account. Doesn't lock rows. */
  hasPeople(): Step<boolean>;
}

export interface PersonWrites {
  /**
   * Adds a person.
   * @throws {StorageConflict} `email` if another person in the organization has the same `emailFold`.
   */
  insertPerson(person: StoredPerson): Step<void>;
  /**
   * Replaces the stored person with the same ID, but keeps their `email`, `emailFold`, and `createdAt`. Returns `false` if there is
   * no such person.
   */
  updatePerson(person: StoredPerson): Step<boolean>;
  /** Removes a person. Returns `false` if there is no such person. */
  deletePerson(id: string): Step<boolean>;
}
