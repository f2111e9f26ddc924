import type { Migration } from "./migrations.js";

/** Decides what opening storage does to the tables of its database. */
export interface MigrationOptions {
  /**
   * `auto`, the default, creates missing tables and migrates the tables of an earlier release, which immediately shuts out
   * processes of that release. `never` changes no tables and creates no file; tables of another release are refused.
   */
  readonly migrate?: "auto" | "never";
  /** Called after a migration, with the versions. */
  readonly onMigration?: (migration: Migration) => void;
}
