import { shareAcrossCopies } from "../../../../src/base/copies.js";

/**
 * Thrown when a database is opened with `migrate: "never"` but its tables are missing or have an earlier release's schema.
 *
 * @example
 * import { NotMigratedError, sqliteStorage } from "loyalty-kit/sqlite";
 *
 * const storage = await sqliteStorage("cafe.db", { migrate: "never" }).catch((error: unknown) => {
 *   if (error instanceof NotMigratedError) console.error(`The tables have version ${error.version}.`);
 *   throw error;
 * });
 */
export class NotMigratedError extends Error {
  static {
    shareAcrossCopies(NotMigratedError, "NotMigratedError");
  }

  override readonly name = "NotMigratedError";

  constructor(
    /** The version of the database's tables, or 0 if there are none. */
    readonly version: number,
    /** The version that this release requires. */
    readonly needed: number,
  ) {
    super(
      version === 0
        ? 'the database has no loyalty-kit tables yet; create them with "loyalty-kit migrate"'
        : `the database is at schema version ${version}, but this release of loyalty-kit needs version ${needed}; ` +
            'migrate it with "loyalty-kit migrate"',
    );
  }
}
