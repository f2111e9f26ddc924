import type { Step } from "../concurrency/step.js";
import { type ActorFilter, actorColumns } from "./actors.js";
import { boolean, integer, json, oneOf, type RowOf, record, text, time, type ValuesOf } from "./record.js";
import type { StoredUser } from "./users.js";

export type InstallationStatus = "INSTALLED" | "UNINSTALLED";

/** Selects the passes of one user, by both of the user's keys. */
export type PassHolder = Pick<StoredUser, "id" | "ordinal">;

export const passRecord = record("walletPasses", ["id"], {
  id: text(),
  userId: text(),
  templateId: text().refersTo("templates", "id"),
  /** The last part of the QR value; unique in the organization. */
  code: text(),
  isPreviewPass: boolean(),
  installationStatus: oneOf("INSTALLED", "UNINSTALLED").nullable(),
  createdAt: time(),
  updatedAt: time(),
});

export interface StoredPass extends RowOf<typeof passRecord> {
  /** `null` for a pass of a template without stamps. */
  readonly card: StoredStampCard | null;
}

/** A card keeps the times of this many visits: of one more than a filter can ask for. */
export const MAX_STORED_VISITS = 11;

/** The state that a pass's stamp entries add up to. */
export const stampCardColumns = {
  maxStamps: integer(),
  currentStamps: integer(),
  timesCompleted: integer(),
  rewardsAvailable: integer(),
  totalStampsCollected: integer(),
  lastStampAt: time().nullable(),
  /** JSON text of the times of the newest `added` entries that are not reversed, newest first, at most {@link MAX_STORED_VISITS}. */
  visits: json(),
  /** The number of entries in the ledger. */
  entries: integer(),
};

export type StoredStampCard = ValuesOf<typeof stampCardColumns>;

export const stampEntryRecord = record("stampEntries", ["passId", "sequence"], {
  id: text(),
  passId: text().refersTo("walletPasses", "id"),
  /** 1 for the first entry of a pass, then 2, 3, … without a gap. */
  sequence: integer(),
  type: oneOf("added", "removed", "set", "reset", "redeemed", "granted", "reversed"),
  delta: integer(),
  stampsBefore: integer(),
  stampsAfter: integer(),
  completions: integer(),
  note: text().nullable().personal(),
  /** The id of the entry of the same pass that a `reversed` one takes back; `null` for every other. */
  reverses: text().nullable(),
  /** True for an entry that an import wrote. No day counts it, because the stamps were given elsewhere. */
  isImported: boolean(),
  ...actorColumns,
  createdAt: time(),
});

export type StampEntryType = StoredStampEntry["type"];
export type StoredStampEntry = RowOf<typeof stampEntryRecord>;

/** A ledger entry, and whether a later entry reverses it. */
export interface StampEntryWithReversal extends StoredStampEntry {
  /** True when a later entry reverses it. */
  readonly isReversed: boolean;
}

/** A pass that is to be stored with the entries that its card adds up from, the first one first. */
export interface PassToInsert {
  readonly pass: StoredPass;
  readonly entries: readonly StoredStampEntry[];
}

export interface PassReads {
  findPass(organizationId: string, id: string): Step<StoredPass | null>;
  findPassByCode(organizationId: string, code: string): Step<StoredPass | null>;
  /** The passes that have one of these codes (at most 1,000), each once, in no order. */
  passesByCode(organizationId: string, codes: readonly string[]): Step<StoredPass[]>;
  /** Looks in all organizations: the one that has a pass with this code; `null` if none has, or more than one. */
  organizationOfCode(code: string): Step<string | null>;
  /** The ordinals of the users who hold these passes (at most 1,000), by the id of the pass. Passes that are not there are left out. */
  holdersOf(organizationId: string, passIds: readonly string[]): Step<ReadonlyMap<string, number>>;
  /** The passes of these users (at most 1,000), oldest first: by `createdAt`, then id. */
  passesOfUsers(organizationId: string, users: readonly PassHolder[]): Step<StoredPass[]>;
  /**
   * The ledger of a pass, newest first (highest `sequence`), from `offset`, at most `limit`.
   * @param by the actor. Default: every actor.
   */
  listStampEntries(
    organizationId: string,
    passId: string,
    offset: number,
    limit: number,
    by?: ActorFilter | null,
  ): Step<StoredStampEntry[]>;
  /** Returns how many entries of a pass these actors have made. */
  countStampEntries(organizationId: string, passId: string, by: ActorFilter): Step<number>;
  /** The entry of this id in the ledger of a pass. */
  findStampEntry(
    organizationId: string,
    passId: string,
    entryId: string,
  ): Step<StampEntryWithReversal | null>;
}

export interface PassWrites {
  /**
   * @throws {StorageConflict} `code` if another pass of the organization has it; an error when there is no such
   *   user or template.
   */
  insertPass(organizationId: string, pass: StoredPass): Step<void>;
  /**
   * Adds passes (at most 1,000) with their ledgers.
   * @throws {StorageConflict} `code` if another pass of the organization, or of these, has one's code; an error when there
   *   is no such user or template.
   */
  insertPasses(organizationId: string, passes: readonly PassToInsert[]): Step<void>;
  /** Sets the installation status and `updatedAt` of the pass of this id. Returns false if there is none. */
  updateInstallation(
    organizationId: string,
    passId: string,
    status: InstallationStatus,
    updatedAt: number,
  ): Step<boolean>;
  /** Removes the pass with its stamp entries. Returns false if there is none. */
  deletePass(organizationId: string, passId: string): Step<boolean>;
  /**
   * Appends the entry to the pass's ledger and makes `card` the pass's state; the pass's `updatedAt` stays.
   * @throws an error if there is no such pass, or an earlier entry reverses the same one.
   */
  recordStamps(organizationId: string, card: StoredStampCard, entry: StoredStampEntry): Step<void>;
}
