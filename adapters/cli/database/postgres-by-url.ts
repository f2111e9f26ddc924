import { isLoyaltyError } from "../../../src/errors.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";
import type { Database, OpenOptions, OpenRateLimits } from "./database.js";
import { cantOpen, withDriver } from "./driver.js";
import { assertMigrated } from "./migration-words.js";
import { shownUrl } from "./postgres-url.js";

const adapter = () => withDriver("pg", () => import("../../postgres/index.js"));

/** So many do for a counter, whose statements don't wait for each other. */
const RATE_LIMIT_CONNECTIONS = 2;

/** The database of a server that a postgres:// URL names. */
export class PostgresByUrl implements Database {
  readonly name: string;

  /** @throws {CommandError} when it is no URL; the message does not repeat it, since it may hold a password. */
  constructor(
    private readonly url: string,
    option: string,
  ) {
    const shown = shownUrl(url);
    if (shown === null) {
      throw new CommandError(
        `${option} is no postgres:// URL: mind that @, :, /, ?, # and % in a password are encoded`,
        WRONG_USAGE,
      );
    }
    this.name = shown;
  }

  async open({ replicas = [], onMigration, ...connections }: OpenOptions = {}): Promise<StorageAdapter> {
    const { postgresStorage } = await adapter();
    const migration = onMigration === undefined ? ({ migrate: "never" } as const) : { onMigration };
    const options = { ...connections, ...migration };
    const opening: Promise<StorageAdapter> =
      replicas.length === 0
        ? postgresStorage(this.url, options)
        : postgresStorage({ primary: this.url, replicas }, options);
    return opening.catch((error: unknown) => this.#cantOpen(error));
  }

  /** Its connections are its own: a request must not wait for its counter until others are answered. */
  async openRateLimits(): Promise<OpenRateLimits> {
    const { openPool } = await withDriver("pg", () => import("../../postgres/pool.js"));
    const { postgresRateLimits } = await import("../../rate-limits/index.js");
    const { settingsOf } = await import("../../postgres/options.js");
    const pool = openPool(this.url, settingsOf({ poolSize: RATE_LIMIT_CONNECTIONS }));
    return { store: postgresRateLimits(pool), close: () => pool.end() };
  }

  async migrate() {
    const { migratePostgres } = await adapter();
    return migratePostgres(this.url).catch((error: unknown) => this.#cantOpen(error));
  }

  async backup(): Promise<never> {
    throw new CommandError("backup is for SQLite: Postgres has pg_dump and physical backups", WRONG_USAGE);
  }

  async migrationScript(): Promise<string> {
    const { postgresMigrationScript } = await adapter();
    return postgresMigrationScript(this.url).catch((error: unknown) => this.#cantOpen(error));
  }

  #cantOpen(error: unknown): never {
    assertMigrated(this.name, error);
    cantOpen(this.name, reason(error), error);
  }
}

/** What the server or the system told, in one line. */
function reason(error: unknown): string {
  const told = isLoyaltyError(error) ? error.cause : error;
  // What could be reached by no address has one error for each of them, and no message.
  const first: unknown = told instanceof AggregateError ? told.errors[0] : told;
  return first instanceof Error ? first.message : String(first);
}
