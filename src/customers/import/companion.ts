import type { Step } from "../../concurrency/step.js";
import type { Recorder } from "../../events/recording.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredUser } from "../../storage/users.js";
import type { KnownUsers } from "./known-users.js";
import type { ValidRow } from "./row.js";

/** What rows have besides users and tags, in one transaction. */
export interface RowCompanion {
  /** Whether it has something for every row, so that each has to be looked at by itself. */
  readonly isOfEach: boolean;
  /** Looks up together what {@link check} needs of these rows. */
  prepare(rows: readonly ValidRow[], known: KnownUsers): Step<void>;
  /**
   * Looks at a row before anything of it is written.
   * @param known whom the row means.
   * @returns when the user was born, if that is not now.
   * @throws {LoyaltyError} what fails the row.
   */
  check(row: ValidRow, known: StoredUser | null): Step<{ readonly createdAt: number | null }>;
  /**
   * Gives the user what the row that was checked last has, to be written with that of others.
   * @returns whether there was anything to give.
   */
  give(user: StoredUser): boolean;
  /** Whether much is to be written. */
  readonly isFull: boolean;
  /** Writes what users were given, who are there. */
  write(): Step<void>;
}

/** Makes the companion of a transaction. */
export type Companions = (tx: StorageTransaction, record: Recorder) => RowCompanion;
