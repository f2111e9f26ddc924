import type { Migration } from "./migrations.js";

/** Options for migrating the tables when a storage adapter is opened. */
export interface MigrationOptions {
  /**
   * With `auto`, opening the storage creates missing tables and migrates tables from an earlier release. A migration immediately
   * locks out all processes that still run the earlier release. With `never`, opening the storage creates and changes nothing, and
   * fails if the tables are missing or have another release's schema. Default: `auto`.
   */
  readonly migrate?: "auto" | "never";
  /** Called with the schema versions after the tables have been created or migrated. */
  readonly onMigration?: (migration: Migration) => void;
}
