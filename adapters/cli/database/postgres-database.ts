import { isLoyaltyError } from "../../../src/errors.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { parseUrl } from "../../../src/values/url.js";
import { CommandError, firstCause, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import type { Database, InspectedDatabase, OpenOptions } from "./database.js";
import { throwCannotOpen } from "./database-error.js";

const adapter = () => import("../../postgres/index.js");

/** Two connections do for a counter, whose statements don't wait for each other. */
const RATE_LIMIT_CONNECTIONS = 2;

/** The database of a server that a postgres:// URL names. */
export class PostgresCommands implements Database {
  readonly name: string;
  readonly file = null;

  /** @throws {CommandError} if it is no URL; the message does not repeat it, since it may hold a password. */
  constructor(
    private readonly url: string,
    option: string,
  ) {
    const shown = redactUrl(url);
    if (shown === null) {
      throw new CommandError(
        `${option} is not a valid postgres:// URL: encode @, :, /, ?, # and % in the password`,
        USAGE_ERROR_CODE,
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
    return opening.catch((error) => this.#cantOpen(error));
  }

  /** The store has connections of its own: a request must not wait for its counter until others are answered. */
  async openRateLimits() {
    const { loadDriver } = await import("../../postgres/driver.js");
    const { openPool } = await import("../../postgres/pool.js");
    const { postgresRateLimits } = await import("../../http/index.js");
    const { validateOptions } = await import("../../postgres/options.js");
    await loadDriver();
    const pool = openPool(this.url, validateOptions({ poolSize: RATE_LIMIT_CONNECTIONS }));
    return { store: postgresRateLimits(pool), close: () => pool.end() };
  }

  async inspect({ connectTimeoutMs, statementTimeoutMs }: OpenOptions = {}): Promise<InspectedDatabase> {
    const { inspectPostgres } = await import("../../postgres/inspection.js");
    const options = {
      ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
      ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
    };
    const { serverVersion, serverTime, ...tables } = await inspectPostgres(this.url, options).catch((error) =>
      this.#cantOpen(error),
    );
    return { kind: `Postgres ${serverVersion}`, tables, aheadMs: serverTime - Date.now() };
  }

  async migrate() {
    const { migratePostgres } = await adapter();
    return migratePostgres(this.url).catch((error) => this.#cantOpen(error));
  }

  async backup(): Promise<never> {
    throw new CommandError(
      "backup is only for SQLite: use pg_dump or physical backups for Postgres",
      USAGE_ERROR_CODE,
    );
  }

  async migrationScript(): Promise<string> {
    const { postgresMigrationScript } = await adapter();
    return postgresMigrationScript(this.url).catch((error) => this.#cantOpen(error));
  }

  #cantOpen(error: unknown): never {
    const first = firstCause(isLoyaltyError(error) ? error.cause : error);
    throwCannotOpen(this.name, first instanceof Error ? first.message : String(first), error);
  }
}

/** Where a space or a `%` isn't encoded, the driver encodes the whole once more, and reads another password. */
const unencoded = /\s|%(?![0-9a-f]{2})/i;

/** Scheme, user, password, host with port and database, parameters. Characters with a meaning in URLs are encoded. */
const form = /^(postgres(?:ql)?:\/\/)(?:([^:@/?#]*)(?::[^/?#]*)?@)?([^@?#]*)(?:\?([^@#]*))?$/i;

/**
 * The URL of a Postgres database as it may be shown: without its password.
 * @returns null when it is no such URL. One that could be taken for another than was meant is none either: its name
 *   would show a part of the password.
 */
export function redactUrl(text: string): string | null {
  const [, scheme = "", user = "", place = "", query = ""] = form.exec(text) ?? [];
  // There are URLs without a host too, or with several, which elsewhere are none.
  const one = text.replace("@/", "@host/").replace(place, place.replace(/,[^/]*/, ""));
  if (scheme === "" || unencoded.test(text) || parseUrl(one) === null) return null;
  const parameters = new URLSearchParams(query);
  // A password behind a semicolon is part of the parameter before it.
  for (const [name, value] of [...parameters]) if (/pass/i.test(name + value)) parameters.delete(name);
  return [scheme, user && `${user}@`, place, parameters.size > 0 && `?${parameters}`]
    .filter(Boolean)
    .join("");
}
