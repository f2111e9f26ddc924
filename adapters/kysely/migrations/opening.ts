import type { Migration } from "./migrations.js";

/** Options for how opening a storage treats the tables in its database. */
export interface MigrationOptions {
  /**
   * `auto`, the default, creates missing tables and migrates tables from an earlier release, which immediately locks out processes
   * running that release. `never` changes no tables and creates no file. Tables from another release are rejected.
   */
  readonly migrate?: "auto" | "never";
  /** Called after a migration, with the old and new version. */
  readonly onMigration?: (migration: Migration) => void;
}
