import type { Migration } from "./migrations.js";

/** Controls how opening a storage migrates the tables. */
export interface MigrationOptions {
  /**
   * With `auto`, opening the storage creates missing tables and migrates tables from an earlier release. A migration immediately
   * locks out all processes that still run the earlier release. With `never`, opening the storage creates and changes nothing, and
   * fails if the tables are missing or from another release. Default: `auto`.
   */
  readonly migrate?: "auto" | "never";
  /** Called after a migration. */
  readonly onMigration?: (migration: Migration) => void;
}
