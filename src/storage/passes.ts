import type { Step } from "../base/concurrency/step.js";
import { type ActorFilter, actorColumns } from "./actors.js";
import { boolean, integer, json, oneOf, type RowOf, record, text, time, type ValuesOf } from "./record.js";
import type { StoredUser } from "./users.js";

export type InstallationStatus = "INSTALLED" | "UNINSTALLED";

/** The user whose passes are selected, by ID and ordinal. */
export type PassHolder = Pick<StoredUser, "id" | "ordinal">;

export const passRecord = record("walletPasses", ["id"], {
  id: text(),
  userId: text(),
  templateId: text().refersTo("templates", "id"),
  /** The last path segment of the URL in the QR code; unique within the organization. */
  code: text(),
  isPreviewPass: boolean(),
  installationStatus: oneOf("INSTALLED", "UNINSTALLED").nullable(),
  createdAt: time(),
  updatedAt: time(),
});

export interface StoredPass extends RowOf<typeof passRecord> {
  /** The stamp card, or `null` if the pass's template doesn't take stamps. */
  readonly card: StoredStampCard | null;
}

/** Maximum number of visit times stored per card. It is one more than the number of visits that a filter can ask for. */
export const MAX_STORED_VISITS = 11;

/** The columns computed from a pass's stamp entries. */
export const stampCardColumns = {
  maxStamps: integer(),
  currentStamps: integer(),
  timesCompleted: integer(),
  rewardsAvailable: integer(),
  totalStampsCollected: integer(),
  lastStampAt: time().nullable(),
  /**
   * The times of the newest `added` entries that are not reversed, as JSON text, newest first; at most {@link MAX_STORED_VISITS}.
   */
  visits: json(),
  /** Number of entries in the ledger. */
  entries: integer(),
};

export type StoredStampCard = ValuesOf<typeof stampCardColumns>;

export const stampEntryRecord = record("stampEntries", ["passId", "sequence"], {
  id: text(),
  passId: text().refersTo("walletPasses", "id"),
  /** The entry's number within its pass: 1, 2, 3, … without gaps. */
  sequence: integer(),
  type: oneOf("added", "removed", "set", "reset", "redeemed", "granted", "reversed"),
  delta: integer(),
  stampsBefore: integer(),
  stampsAfter: integer(),
  completions: integer(),
  note: text().nullable().personal(),
  /** The ID of the entry that this entry reverses, on the same pass. `null` unless this is a `reversed` entry. */
  reverses: text().nullable(),
  /** True for an entry that an import created. It isn't counted on any day, because the stamps were earned elsewhere. */
  isImported: boolean(),
  ...actorColumns,
  createdAt: time(),
});

export type StampEntryType = StoredStampEntry["type"];
export type StoredStampEntry = RowOf<typeof stampEntryRecord>;

/** A ledger entry, with whether it has been reversed. */
export interface StampEntryWithReversal extends StoredStampEntry {
  /** Whether a later entry reverses this one. */
  readonly isReversed: boolean;
}

/** A new pass and its ledger entries, oldest first. */
export interface PassToInsert {
  readonly pass: StoredPass;
  readonly entries: readonly StoredStampEntry[];
}

export interface PassReads {
  /** Finds a pass by its id. */
  findPass(organizationId: string, id: string): Step<StoredPass | null>;
  /** Finds a pass by the code in its QR code. */
  findPassByCode(organizationId: string, code: string): Step<StoredPass | null>;
  /**
   * Returns the passes with these codes (at most 1,000), without duplicates, in no particular order. Ignores codes that don't
   * exist.
   */
  passesByCode(organizationId: string, codes: readonly string[]): Step<StoredPass[]>;
  /** Returns the ID of the only organization that has a pass with this code, or `null` if none or several do. */
  organizationOfCode(code: string): Step<string | null>;
  /** Returns the ordinals of the users who hold these passes (at most 1,000), keyed by pass ID. Ignores passes that don't exist. */
  holdersOf(organizationId: string, passIds: readonly string[]): Step<ReadonlyMap<string, number>>;
  /** Returns the passes of these users (at most 1,000), sorted by `createdAt` (oldest first), then by ID. */
  passesOfUsers(organizationId: string, users: readonly PassHolder[]): Step<StoredPass[]>;
  /**
   * Lists a pass's ledger entries, highest `sequence` first. Skips the first `offset` entries and returns at most `limit`.
   * @param by the actor. Default: every actor.
   */
  listStampEntries(
    organizationId: string,
    passId: string,
    offset: number,
    limit: number,
    by?: ActorFilter | null,
  ): Step<StoredStampEntry[]>;
  /** Counts the entries in a pass's ledger whose actor matches the filter. */
  countStampEntries(organizationId: string, passId: string, by: ActorFilter): Step<number>;
  /** Finds the entry with this ID in a pass's ledger. */
  findStampEntry(
    organizationId: string,
    passId: string,
    entryId: string,
  ): Step<StampEntryWithReversal | null>;
}

export interface PassWrites {
  /**
   * Adds a pass.
   * @throws {StorageConflict} `code` if another pass in the organization has the same code.
   * @throws an error if the user or template doesn't exist.
   */
  insertPass(organizationId: string, pass: StoredPass): Step<void>;
  /**
   * Adds passes (at most 1,000) with their ledgers.
   * @throws {StorageConflict} `code` if another pass in the organization or in this batch has the same code.
   * @throws an error if a user or template doesn't exist.
   */
  insertPasses(organizationId: string, passes: readonly PassToInsert[]): Step<void>;
  /** Sets the installation status and `updatedAt` of the pass with this ID. Returns `false` if there is no such pass. */
  updateInstallation(
    organizationId: string,
    passId: string,
    status: InstallationStatus,
    updatedAt: number,
  ): Step<boolean>;
  /** Removes a pass and its stamp entries. Returns `false` if there is no such pass. */
  deletePass(organizationId: string, passId: string): Step<boolean>;
  /**
   * Appends an entry to a pass's ledger, and stores `card` as the new state of its stamp card. Doesn't change the pass's
   * `updatedAt`.
   * @throws an error if there is no such pass, or if an earlier entry already reverses the same entry.
   */
  recordStamps(organizationId: string, card: StoredStampCard, entry: StoredStampEntry): Step<void>;
}
