import type { Step } from "../concurrency/step.js";
import { roles } from "../roles.js";
import { boolean, list, oneOf, type RowOf, record, text, time } from "./record.js";

/** A browser in which a person is signed in. */
export interface StoredPersonSession {
  readonly id: string;
  /** SHA-256 of the secret in the browser's cookie, 64 lower-case hexadecimal digits. */
  readonly hash: string;
  /** The browser and its system in words, such as `Chrome on Windows`. */
  readonly device: string;
  readonly createdAt: number;
  /** The time when it was last used; it may be an hour behind. */
  readonly lastSeenAt: number;
  readonly expiresAt: number;
}

/** A key pair by which a person signs in: the private half is in their device, or with who keeps their passwords. */
export interface StoredPasskey {
  readonly id: string;
  /** The id that the device has given it, in base64url. */
  readonly credentialId: string;
  /** Its public half as a COSE key, in base64url. */
  readonly publicKey: string;
  /** The device's signature counter at its last use; 0 for devices without a counter. */
  readonly counter: number;
  /** The person's name for it. */
  readonly name: string;
  readonly createdAt: number;
  /** The time of the last sign-in with it; `null` if never used. */
  readonly lastUsedAt: number | null;
}

/**
 * A staff account. Its sign-in link, sessions and passkeys are part of the row, so they go with the account, and changes of them
 * wait for each other as changes of one row do.
 */
export const personRecord = record("people", ["id"], {
  id: text(),
  email: text().fixed(),
  /** The lower-cased NFC form of the email, unique within the organization. */
  emailFold: text().fixed(),
  name: text().nullable(),
  role: oneOf(...roles),
  invitedAt: time(),
  /** The time when they last signed in; `null` for who never has. */
  lastSignedInAt: time().nullable(),
  /** SHA-256 of the secret in the newest link that was made, until it is used; `null` for none. */
  linkHash: text().nullable(),
  linkExpiresAt: time().nullable(),
  /** True if the newest link was mailed, false if it was shown to the person who created it. */
  isLinkMailed: boolean(),
  /** The time when they last signed in by a mailed link, which proves that they read mail to the address; `null` if never. */
  emailProvenAt: time().nullable(),
  /** Oldest first. */
  sessions: list<StoredPersonSession>(),
  /** Oldest first. */
  passkeys: list<StoredPasskey>(),
  createdAt: time().fixed(),
});

export type StoredPerson = RowOf<typeof personRecord>;

/** A person, and whose they are. */
export interface OwnedPerson {
  readonly organizationId: string;
  readonly person: StoredPerson;
}

export interface PersonReads {
  /** Oldest first: by `createdAt`, then id. */
  listPeople(organizationId: string): Step<StoredPerson[]>;
  findPerson(organizationId: string, id: string): Step<StoredPerson | null>;
  /**
   * Searches all organizations for a person who is signing in, without locking rows.
   * @param emailFold the fold of the address, with its domain in ASCII.
   * @returns the matching people, at most `limit`: proven addresses first, then by the newest `lastSignedInAt` with `null` last,
   *   then by the oldest `createdAt`, then by organization.
   */
  peopleByEmail(emailFold: string, limit: number): Step<OwnedPerson[]>;
  /** Looks for an id in all organizations, as {@link peopleByEmail} does for an address. By organization. */
  peopleById(id: string, limit: number): Step<OwnedPerson[]>;
  /** Returns whether any organization has a person. It keeps none of them from changing that. */
  hasPeople(): Step<boolean>;
}

export interface PersonWrites {
  /** @throws {StorageConflict} `email` if another person of the organization has its `emailFold`. */
  insertPerson(organizationId: string, person: StoredPerson): Step<void>;
  /** Replaces the person of this id; `email`, `emailFold` and `createdAt` stay. Returns false if there is none. */
  updatePerson(organizationId: string, person: StoredPerson): Step<boolean>;
  /** Removes the person. Returns false if there is none. */
  deletePerson(organizationId: string, id: string): Step<boolean>;
}
