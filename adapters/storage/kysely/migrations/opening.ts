import type { Migration } from "./migrations.js";

/** Options for migrating the tables when a storage adapter is opened. */
export interface MigrationOptions {
  /**
   * With `auto`, missing tables are created and tables from an earlier release are migrated when the storage adapter is opened. A
   * migration immediately locks out all processes that still run the earlier release. With `never`, nothing is created or changed,
   * and opening the storage adapter fails if the tables are missing or have another release's schema. Default: `auto`.
   */
  readonly migrate?: "auto" | "never";
  /** Called with the schema versions after the tables have been created or migrated. */
  readonly onMigration?: (migration: Migration) => void;
}
