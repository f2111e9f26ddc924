import type { Migration } from "./migrations.js";

/** Decides what opening storage does to the tables of its database. */
export interface MigrationOptions {
  /**
   * `auto`, the default, makes missing tables and brings those of a former release to this one, which shuts out processes of
   * that one at once. `never` changes no tables, and makes no file: tables that are not of this release are refused.
   */
  readonly migrate?: "auto" | "never";
  /** Told from which version to which the tables were brought, when they were. */
  readonly onMigration?: (migration: Migration) => void;
}
