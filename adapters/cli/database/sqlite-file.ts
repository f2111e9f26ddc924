import { existsSync } from "node:fs";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { CommandError, FAILED, WRONG_USAGE } from "../terminal/command-error.js";
import type { Database, OpenOptions } from "./database.js";
import { cantOpen, withDriver } from "./driver.js";

const adapter = () => withDriver("better-sqlite3", () => import("../../sqlite/index.js"));

/** The database in an SQLite file, which need not exist yet. */
export class SqliteFile implements Database {
  constructor(readonly name: string) {}

  get exists(): boolean {
    return existsSync(this.name);
  }

  async open({ replicas = [] }: OpenOptions = {}): Promise<StorageAdapter> {
    if (replicas.length > 0) throw new CommandError("--replica-url is for Postgres", WRONG_USAGE);
    const { sqliteStorage } = await adapter();
    return sqliteStorage(this.name).catch((error: unknown) => cantOpen(this.name, reason(error), error));
  }

  async openRateLimits(): Promise<null> {
    return null;
  }

  async migrate() {
    const { migrateSqlite } = await adapter();
    return migrateSqlite(this.name).catch((error: unknown) => cantOpen(this.name, reason(error), error));
  }

  async backup(target: string): Promise<void> {
    const { backupSqlite } = await adapter();
    if (!this.exists) throw new CommandError(`there is no database ${this.name}`);
    await backupSqlite(this.name, target).catch((error: unknown) => {
      throw new CommandError(`can't copy ${this.name} to ${target}: ${reason(error)}`, FAILED, {
        cause: error,
      });
    });
  }

  async migrationScript(): Promise<never> {
    throw new CommandError(
      "--print is for Postgres: an SQLite file is migrated when it is opened",
      WRONG_USAGE,
    );
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // What better-sqlite3 tells when its compiled part is missing or made for another Node.js fills a screen.
  if (/bindings file|NODE_MODULE_VERSION/.test(error.message)) {
    return "the SQLite driver does not fit this Node.js, make it anew: npm rebuild better-sqlite3";
  }
  return error.message;
}
