import type { Step } from "../../concurrency/step.js";
import type { Recorder } from "../../events/recording.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredUser } from "../../storage/users.js";
import type { ValidRow } from "./row.js";

/** A row that is right by itself, as far as it tells of the user. */
export type ImportedRow = Pick<ValidRow, "input" | "user">;

/** What rows have besides users and tags, in one transaction. */
export interface RowCompanion {
  /**
   * Looks at a row before anything of it is written.
   * @returns when the user was born, if that is not now.
   * @throws {LoyaltyError} what fails the row.
   */
  check(row: ImportedRow): Step<{ readonly createdAt: number | null }>;
  /** Gives the user what the row that was checked last has. @returns whether there was anything to give. */
  give(user: StoredUser): Step<boolean>;
}

/** Makes the companion of a transaction. */
export type Companions = (tx: StorageTransaction, record: Recorder) => RowCompanion;
