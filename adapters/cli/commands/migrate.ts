import type { Command } from "commander";
import type { Database } from "../database/database.js";
import { migrated } from "../database/migration-words.js";
import { databaseOption } from "../database/open-database.js";
import type { Output } from "../terminal/output.js";

interface MigrateOptions {
  readonly database: Database;
  readonly print?: true;
}

/** `loyalty-kit migrate` */
export function addMigrate(program: Command, output: Output): void {
  program
    .command("migrate")
    .description("bring a database to the version that this release needs; a missing file is created")
    .addOption(databaseOption())
    .option("--print", "change nothing, and print the SQL that would be run (Postgres)")
    .action(async ({ database, print }: MigrateOptions) => {
      if (print === true) {
        output.result((await database.migrationScript()).trimEnd());
        return;
      }
      const { from, to } = await database.migrate();
      output.result(
        from === to
          ? `${database.name} is at version ${to}, there is nothing to do`
          : migrated(database.name, { from, to }),
      );
    });
}
