import { isLoyaltyError } from "../../../../src/base/errors.js";
import { parseUrl } from "../../../../src/base/values/url.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { CommandError, USAGE_ERROR_CODE, unwrapAggregateError } from "../terminal/command-error.js";
import type { Database, InspectedDatabase, OpenOptions } from "./database.js";
import { throwCannotOpen } from "./database-error.js";

const loadAdapter = () => import("../../../storage/postgres/index.js");

/**
 * Number of connections for the rate limit counters. Two are enough, because the counters' statements don't wait for each other.
 */
const RATE_LIMIT_CONNECTIONS = 2;

/** A database on a Postgres server, identified by its URL. */
export class PostgresCliDatabase implements Database {
  readonly name: string;
  readonly file = null;

  /** @throws {CommandError} if the URL is invalid. The message doesn't include the URL, because it might contain a password. */
  constructor(
    private readonly url: string,
    option: string,
  ) {
    const redactedUrl = redactUrl(url);
    if (redactedUrl === null) {
      throw new CommandError(
        `${option} is not a valid postgres:// URL; percent-encode @, :, /, ?, # and % in the password`,
        USAGE_ERROR_CODE,
      );
    }
    this.name = redactedUrl;
  }

  async open({ replicas = [], onMigration, ...connections }: OpenOptions = {}): Promise<StorageAdapter> {
    const { postgresStorage } = await loadAdapter();
    const migration = onMigration === undefined ? ({ migrate: "never" } as const) : { onMigration };
    const options = { ...connections, ...migration };
    const storage: Promise<StorageAdapter> =
      replicas.length === 0
        ? postgresStorage(this.url, options)
        : postgresStorage({ primary: this.url, replicas }, options);
    return storage.catch((error) => this.#throwCannotOpen(error));
  }

  /**
   * Opens a rate limit store with its own connections, so counting a request never waits for a connection that is in use by other
   * queries.
   */
  async openRateLimits() {
    const { loadDriver } = await import("../../../storage/postgres/driver.js");
    const { openPool } = await import("../../../storage/postgres/pool.js");
    const { postgresRateLimits } = await import("../../../http/index.js");
    const { validateOptions } = await import("../../../storage/postgres/options.js");
    await loadDriver();
    const pool = openPool(this.url, validateOptions({ poolSize: RATE_LIMIT_CONNECTIONS }));
    return { store: postgresRateLimits(pool), close: () => pool.end() };
  }

  async inspect({ connectTimeoutMs, statementTimeoutMs }: OpenOptions = {}): Promise<InspectedDatabase> {
    const { inspectPostgres } = await import("../../../storage/postgres/inspection.js");
    const options = {
      ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
      ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
    };
    const { serverVersion, serverTime, ...tables } = await inspectPostgres(this.url, options).catch((error) =>
      this.#throwCannotOpen(error),
    );
    return { kind: `Postgres ${serverVersion}`, tables, clockSkewMs: serverTime - Date.now() };
  }

  async migrate() {
    const { migratePostgres } = await loadAdapter();
    return migratePostgres(this.url).catch((error) => this.#throwCannotOpen(error));
  }

  async backup(): Promise<never> {
    throw new CommandError(
      "backup only works with SQLite; for Postgres, use pg_dump or physical backups",
      USAGE_ERROR_CODE,
    );
  }

  async migrationScript(): Promise<string> {
    const { postgresMigrationScript } = await loadAdapter();
    return postgresMigrationScript(this.url).catch((error) => this.#throwCannotOpen(error));
  }

  #throwCannotOpen(error: unknown): never {
    const firstError = unwrapAggregateError(isLoyaltyError(error) ? error.cause : error);
    throwCannotOpen(this.name, firstError instanceof Error ? firstError.message : String(firstError), error);
  }
}

/** Matches an unencoded space or `%`. The driver would then encode the whole URL again and read a different password. */
const unencodedPattern = /\s|%(?![0-9a-f]{2})/i;

/**
 * Matches the scheme, user, password, host with port and database, and parameters. Characters with a special meaning in URLs must
 * be encoded.
 */
const urlPattern = /^(postgres(?:ql)?:\/\/)(?:([^:@/?#]*)(?::[^/?#]*)?@)?([^@?#]*)(?:\?([^@#]*))?$/i;

/**
 * Removes the password from a Postgres URL so that the URL is safe to display.
 * @returns the URL without its password, or `null` if the text isn't a valid Postgres URL or is so ambiguous that part of the
 *   password might remain visible.
 */
export function redactUrl(text: string): string | null {
  const [, scheme = "", user = "", location = "", query = ""] = urlPattern.exec(text) ?? [];
  // Postgres URLs may have no host or several hosts, which other URLs may not.
  const singleHostUrl = text.replace("@/", "@host/").replace(location, location.replace(/,[^/]*/, ""));
  if (scheme === "" || unencodedPattern.test(text) || parseUrl(singleHostUrl) === null) return null;
  const parameters = new URLSearchParams(query);
  // A password after a semicolon belongs to the preceding parameter.
  for (const [name, value] of [...parameters]) if (/pass/i.test(name + value)) parameters.delete(name);
  return [scheme, user && `${user}@`, location, parameters.size > 0 && `?${parameters}`]
    .filter(Boolean)
    .join("");
}
