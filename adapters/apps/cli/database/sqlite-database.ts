import { existsSync } from "node:fs";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { PackageMissing } from "../../../setup/load-peer.js";
import { CommandError, FAILURE_CODE, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import type { BackupCommandOptions, Database, InspectedDatabase, OpenOptions } from "./database.js";
import { missingDatabaseError, throwCannotOpen } from "./database-error.js";

const adapter = () => import("../../../storage/sqlite/index.js");

/** A database in an SQLite file. The file might not exist yet. */
export class SqliteCommands implements Database {
  constructor(readonly name: string) {}

  get file(): string {
    return this.name;
  }

  async open({ replicas = [], onMigration }: OpenOptions = {}): Promise<StorageAdapter> {
    if (replicas.length > 0) throw replicasOfFile();
    const { sqliteStorage } = await adapter();
    if (onMigration === undefined) this.#assertThere();
    const migration = onMigration === undefined ? ({ migrate: "never" } as const) : { onMigration };
    return sqliteStorage(this.name, migration).catch((error) => this.#cantOpen(error));
  }

  async openRateLimits(): Promise<null> {
    return null;
  }

  async inspect({ replicas = [] }: OpenOptions = {}): Promise<InspectedDatabase> {
    if (replicas.length > 0) throw replicasOfFile();
    const { inspectDriver, inspectSqlite } = await import("../../../storage/sqlite/inspection.js");
    try {
      const kind = await inspectDriver();
      const tables = existsSync(this.name) ? await inspectSqlite(this.name) : null;
      return { kind, tables, aheadMs: null };
    } catch (error) {
      return this.#cantOpen(error);
    }
  }

  async migrate() {
    const { migrateSqlite } = await adapter();
    return migrateSqlite(this.name).catch((error) => this.#cantOpen(error));
  }

  async backup(target: string, options: BackupCommandOptions): Promise<void> {
    const { backupSqlite } = await adapter();
    this.#assertThere();
    await backupSqlite(this.name, target, options).catch((cause: unknown) => {
      if (cause instanceof PackageMissing) throw cause;
      throw new CommandError(`can't copy ${this.name} to ${target}: ${reason(cause)}`, FAILURE_CODE, {
        cause,
      });
    });
  }

  async migrationScript(): Promise<never> {
    throw new CommandError("--print only works with Postgres", USAGE_ERROR_CODE);
  }

  #assertThere(): void {
    if (!existsSync(this.name)) throw missingDatabaseError(this.name);
  }

  #cantOpen(error: unknown): never {
    throwCannotOpen(this.name, reason(error), error);
  }
}

function replicasOfFile(): CommandError {
  return new CommandError("--replica-url only works with Postgres", USAGE_ERROR_CODE);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
