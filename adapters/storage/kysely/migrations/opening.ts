import type { Migration } from "./migrations.js";

/** Options that control migrations when a storage is opened. */
export interface MigrationOptions {
  /**
   * With `auto`, opening the storage creates missing tables and migrates tables from an earlier release. A migration immediately
   * locks out all processes that still run the earlier release. With `never`, opening the storage changes no tables and creates no
   * file, and fails unless the tables are from this release. Default: `auto`.
   */
  readonly migrate?: "auto" | "never";
  /** Called after a migration with the old and the new version. */
  readonly onMigration?: (migration: Migration) => void;
}
