import { type Command, Option } from "commander";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { type Database, formatMigration } from "../database/database.js";
import { createDatabaseLocationOption, createDatabaseOption } from "../database/organization.js";
import { readSecretKeys, secretKeysHelp, toKeyError } from "../server/keys.js";
import { CommandError, FAILURE_CODE, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import { type Output, RepeatedLines, toSingleLine } from "../terminal/output.js";

interface DatabaseOptions {
  readonly database: Database;
}

/** Adds `loyalty-kit migrate`, which migrates a database's tables to this release's schema version. */
export function addMigrate(program: Command, output: Output): void {
  program
    .command("migrate")
    .description(
      "migrate a database to the schema version that this release needs; creates the SQLite file if it doesn't exist",
    )
    .addOption(createDatabaseOption())
    .option("--print", "print the SQL without running it (Postgres only)")
    .action(async ({ database, print }: DatabaseOptions & { readonly print?: true }) => {
      if (print === true) {
        output.result((await database.migrationScript()).trimEnd());
        return;
      }
      const versions = await database.migrate();
      const isUpToDate = versions.from === versions.to;
      const upToDateMessage = `${database.name} is up to date at version ${versions.to}`;
      output.result(isUpToDate ? upToDateMessage : formatMigration(database.name, versions));
    });
}

/** Adds `loyalty-kit backup`, which copies a database to a file while the database is in use. */
export function addBackup(program: Command, output: Output): void {
  program
    .command("backup")
    .description("back up a SQLite database, even while it's in use, and verify the copy")
    .argument("<file>", "backup file to create; must not exist yet")
    .addOption(createDatabaseOption())
    .addOption(createWithPendingOption())
    .action(async (file: string, { database, withPending }: DatabaseOptions & PendingOptions) => {
      await database.backup(file, { withPending });
      output.result(`copied ${database.name} to ${file}`);
    });
}

interface PendingOptions {
  readonly withPending: boolean;
}

interface CopyOptions extends PendingOptions {
  readonly from: Database;
  readonly to: Database;
}

function createWithPendingOption(): Option {
  return new Option(
    "--with-pending",
    "leave pending messages pending in the copy (default: cancel them)",
  ).default(false);
}

/** Adds `loyalty-kit copy`, which copies a database to an empty database and then compares the two. */
export function addCopy(program: Command, output: Output): void {
  program
    .command("copy")
    .description(
      "copy a database to an empty, migrated database (SQLite or Postgres) and compare the two; if interrupted, run it again to resume",
    )
    .addOption(
      createDatabaseLocationOption("--from", "database to copy: path to a SQLite file, or a postgres:// URL"),
    )
    .addOption(createDatabaseLocationOption("--to", "empty, migrated database to copy to"))
    .addOption(createWithPendingOption())
    .action(async ({ from, to, withPending }: CopyOptions) => {
      await withOpenDatabase(from, (source) =>
        withOpenDatabase(to, (target) => copyDatabase(source, target, withPending, output)),
      );
      output.result(`copied ${from.name} to ${to.name}`);
    });
}

async function copyDatabase(
  from: StorageAdapter,
  to: StorageAdapter,
  withPending: boolean,
  output: Output,
): Promise<void> {
  const { copyStorage } = await import("../../../storage/index.js");
  try {
    for (const { table, rows, checksum } of await copyStorage(from, to, { withPending })) {
      if (rows > 0) output.note(`${table}: ${rows} rows, SHA-256 ${checksum.slice(0, 16)}`);
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new CommandError(`can't copy: ${error.message}`, FAILURE_CODE, { cause: error });
  }
}

interface CheckOptions extends DatabaseOptions {
  readonly organization?: string;
  readonly repair: boolean;
}

/** Adds `loyalty-kit check`, which checks a database for inconsistencies and can recompute data derived from other rows. */
export function addCheck(program: Command, output: Output): void {
  program
    .command("check")
    .description("check a database for inconsistencies")
    .addOption(createDatabaseOption())
    .addOption(new Option("--organization <id>", "check only this organization (default: all)"))
    .addOption(new Option("--repair", "repair incorrect derived data").default(false))
    .action(async ({ database, organization, repair }: CheckOptions) => {
      const { checkStorage } = await import("../../../storage/index.js");
      const options = { repair, ...(organization !== undefined && { organizationId: organization }) };
      const findings = await withOpenDatabase(database, (storage) => checkStorage(storage, options));
      const lines = new RepeatedLines(output);
      for (const { organizationId, kind, about, isRepaired, reason } of findings) {
        const prefix = toSingleLine(`${organizationId}: ${kind}`);
        const outcome = isRepaired ? "repaired" : "is wrong";
        const reasonText = isRepaired || reason === undefined ? "" : `: ${reason}`;
        lines.add(`${prefix} ${outcome}`, toSingleLine(`${prefix}: ${about} ${outcome}${reasonText}`));
      }
      lines.printOmittedCounts("findings");
      const remaining = findings.filter(({ isRepaired }) => !isRepaired).length;
      if (remaining > 0) throw new CommandError(`problems remain: ${remaining}`);
      output.result(
        findings.length === 0 ? "no problems found" : `no problems remain; ${findings.length} repaired`,
      );
    });
}

/** Adds `loyalty-kit seal`, which encrypts stored secrets with the current secret key. */
export function addSeal(program: Command, output: Output): void {
  program
    .command("seal")
    .description(
      "encrypt stored secrets with the first key in LOYALTY_SECRET_KEYS; you don't need to stop servers",
    )
    .addOption(createDatabaseOption())
    .addHelpText("after", secretKeysHelp)
    .action(async ({ database }: DatabaseOptions) => {
      const secretKeys = readSecretKeys(process.env);
      if (secretKeys.length === 0) throw new CommandError("LOYALTY_SECRET_KEYS is not set", USAGE_ERROR_CODE);
      const { LoyaltyService } = await import("../../../../src/loyalty-service.js");
      const loyalty = new LoyaltyService({ storage: await database.open(), secretKeys });
      try {
        const { webhookEndpoints, walletCards, mailQueues } = await loyalty.secrets.reseal();
        output.result(
          `encrypted secrets for ${webhookEndpoints} webhook endpoints and ${walletCards} cards, and emails for ${mailQueues} organizations`,
        );
      } catch (error) {
        throw toKeyError(error);
      } finally {
        await loyalty.close();
      }
    });
}

/** Runs work on a database, and closes the database afterward. */
async function withOpenDatabase<T>(
  database: Database,
  work: (storage: StorageAdapter) => Promise<T>,
): Promise<T> {
  const storage = await database.open();
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}
