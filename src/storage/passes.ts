import type { Step } from "../base/concurrency/step.js";
import { type ActorFilter, actorColumns } from "./actors.js";
import type { PointChange } from "./points.js";
import { boolean, integer, json, oneOf, type RowOf, record, text, time, type ValuesOf } from "./record.js";
import type { StoredUser } from "./users.js";

export type InstallationStatus = "INSTALLED" | "UNINSTALLED";

/** A user's ID and ordinal, which are needed to read the user's passes. */
export type PassHolder = Pick<StoredUser, "id" | "ordinal">;

export const passRecord = record("walletPasses", ["id"], {
  /** The pass's ID, unique across all organizations. */
  id: text(),
  /** The ID of the user who holds the pass. */
  userId: text(),
  /** The ID of the template that the pass was issued from. */
  templateId: text().refersTo("templates", "id"),
  /** The last path segment of the URL in the QR code; unique within the organization. */
  code: text(),
  /** True for a preview pass, which doesn't count as an issued card in statistics. */
  isPreviewPass: boolean(),
  /** Whether a wallet has the pass (`INSTALLED`) or no longer has it (`UNINSTALLED`), or `null` if it was never in a wallet. */
  installationStatus: oneOf("INSTALLED", "UNINSTALLED").nullable(),
  /** When the pass was issued, in milliseconds since the Unix epoch. Imported passes can keep their original time. */
  createdAt: time(),
  /**
   * When the installation status last changed, in milliseconds since the Unix epoch, or `createdAt` if it never did. Stamping
   * doesn't change this time.
   */
  updatedAt: time(),
});

export interface StoredPass extends RowOf<typeof passRecord> {
  /** The stamp card, or `null` if the pass isn't a stamp card. */
  readonly card: StoredStampCard | null;
}

/** Maximum number of visit times stored per card: one more than the maximum number of visits that a filter can require. */
export const MAX_STORED_VISITS = 11;

/** The columns computed from a pass's stamp entries. */
export const stampCardColumns = {
  /** Number of stamps that fill the card, copied from the template when the pass was issued. */
  maxStamps: integer(),
  /** Number of stamps on the card now, from 0 to `maxStamps` − 1. */
  currentStamps: integer(),
  /** Number of times that the card was filled. */
  timesCompleted: integer(),
  /** Number of rewards that the customer can redeem now. */
  rewardsAvailable: integer(),
  /** Number of stamps that entries have added and purchases have given, less what was reversed and returned. */
  totalStampsCollected: integer(),
  /**
   * The latest time at which stamps were added, in milliseconds since the Unix epoch, or `null` if none ever were. Reversing an
   * addition doesn't change it.
   */
  lastStampAt: time().nullable(),
  /**
   * The times of the newest visits, as JSON text, newest first; at most {@link MAX_STORED_VISITS}. An `added` entry that isn't
   * reversed is a visit, and so is a purchase that has stamps on the card.
   */
  visits: json(),
  /** Number of entries in the ledger. */
  entries: integer(),
};

export type StoredStampCard = ValuesOf<typeof stampCardColumns>;

export const stampEntryRecord = record("stampEntries", ["passId", "sequence"], {
  /** The entry's ID. */
  id: text(),
  /** The ID of the pass that the entry belongs to. */
  passId: text().refersTo("walletPasses", "id"),
  /** The entry's number within its pass: 1, 2, 3, … without gaps. */
  sequence: integer(),
  /** What the entry did, such as add stamps, redeem a reward, or reverse an earlier entry. */
  type: oneOf("added", "removed", "set", "reset", "redeemed", "granted", "reversed", "earned", "returned"),
  /** Number of stamps added by the entry. Negative if it removed stamps, and 0 if it only affected rewards. */
  delta: integer(),
  /** Number of stamps on the card before the entry. */
  stampsBefore: integer(),
  /** Number of stamps on the card after the entry. If the entry filled the card, the stamps that were used up don't count. */
  stampsAfter: integer(),
  /** Number of times that the entry filled the card. Negative if the entry undid completions. */
  completions: integer(),
  /** A note about the entry, or `null` if there is none. */
  note: text().nullable(),
  /** The ID of the entry that this entry reverses, on the same pass. `null` unless this is a `reversed` entry. */
  reverses: text().nullable(),
  /** The source of the purchase that the entry is about, or `null` if it isn't about one. */
  source: text().nullable(),
  /** The receipt of the purchase that the entry is about, or `null` if it isn't about one. */
  receipt: text().nullable(),
  /** True for an entry that an import created. It isn't counted on any day, because the stamps were earned elsewhere. */
  isImported: boolean(),
  ...actorColumns,
  /** When the stamps or rewards changed, in milliseconds since the Unix epoch. Imported entries keep their original time. */
  createdAt: time(),
});

export type StampEntryType = StoredStampEntry["type"];
export type StoredStampEntry = RowOf<typeof stampEntryRecord>;

/** A ledger entry, and whether it has been reversed. */
export interface StampEntryWithReversal extends StoredStampEntry {
  /** Whether a later entry for the same pass reverses this one. Always `false` for a `reversed` entry. */
  readonly isReversed: boolean;
}

/** A new pass and its ledger. */
export interface PassToInsert {
  /** The pass. Its stamp card must already reflect all of the entries. */
  readonly pass: StoredPass;
  /** The ledger entries, in ascending order of `sequence`. Can be empty. */
  readonly entries: readonly StoredStampEntry[];
  /** The points that the pass begins with. Default: the pass has none. */
  readonly points?: PointChange | undefined;
}

export interface PassReads {
  /** Finds a pass by its ID, including preview passes. Returns `null` if the pass doesn't exist or was revoked. */
  findPass(id: string): Step<StoredPass | null>;
  /** Finds a pass by the code in its QR code. Returns `null` if no pass in the organization has the code. */
  findPassByCode(code: string): Step<StoredPass | null>;
  /**
   * Returns the passes with these codes (at most 1,000), without duplicates, in no particular order. Ignores codes that don't
   * exist.
   */
  passesByCode(codes: readonly string[]): Step<StoredPass[]>;
  /** Returns the ordinals of the users who hold these passes (at most 1,000), keyed by pass ID. Ignores passes that don't exist. */
  holdersOf(passIds: readonly string[]): Step<ReadonlyMap<string, number>>;
  /** Returns the passes of these users (at most 1,000), sorted by `createdAt` (oldest first), then by ID. */
  passesOfUsers(users: readonly PassHolder[]): Step<StoredPass[]>;
  /**
   * Lists a pass's ledger entries, highest `sequence` first. Skips the first `offset` entries and returns at most `limit`.
   * @param by the actor. Default: every actor.
   */
  listStampEntries(
    passId: string,
    offset: number,
    limit: number,
    by?: ActorFilter | null,
  ): Step<StoredStampEntry[]>;
  /** Counts the entries in a pass's ledger whose actor matches the filter. */
  countStampEntries(passId: string, by: ActorFilter): Step<number>;
  /** Finds an entry in a pass's ledger by its ID. Returns `null` if this pass has no such entry. */
  findStampEntry(passId: string, entryId: string): Step<StampEntryWithReversal | null>;
}

/** Look-ups across all organizations. */
export interface PassLookUps {
  /**
   * Returns the ID of the organization that has a pass with this code, or `null` if there is no such organization or more than one.
   */
  organizationOfCode(code: string): Step<string | null>;
}

export interface PassWrites {
  /**
   * Adds a pass.
   * @throws {StorageConflict} `code` if another pass in the organization has the same code.
   * @throws an error if the user or template doesn't exist.
   */
  insertPass(pass: StoredPass): Step<void>;
  /**
   * Adds up to 1,000 passes with their ledgers and points.
   * @throws {StorageConflict} `code` if another pass in the organization or in this batch has the same code.
   * @throws an error if a user or template doesn't exist.
   */
  insertPasses(passes: readonly PassToInsert[]): Step<void>;
  /** Sets the installation status and `updatedAt` of the pass with this ID. Returns `false` if there is no such pass. */
  updateInstallation(passId: string, status: InstallationStatus, updatedAt: number): Step<boolean>;
  /** Removes a pass and its stamp entries, points, and purchase effects. Returns `false` if there is no such pass. */
  deletePass(passId: string): Step<boolean>;
  /**
   * Appends an entry to a pass's ledger, and stores `card` as the new state of its stamp card. Doesn't change the pass's
   * `updatedAt`.
   * @throws an error if there is no such pass, or if an earlier entry already reverses the same entry.
   */
  recordStamps(card: StoredStampCard, entry: StoredStampEntry): Step<void>;
  /**
   * Stores `visits` and `lastStampAt` of a stamp card, without an entry. Returns `false` if there is no such pass, or if it isn't a
   * stamp card.
   */
  updateVisits(passId: string, card: Pick<StoredStampCard, "visits" | "lastStampAt">): Step<boolean>;
}
