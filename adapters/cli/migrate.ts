import type { Command } from "commander";
import { databaseOption, migrateDatabase } from "./database.js";
import type { Output } from "./output.js";

interface MigrateOptions {
  readonly database: string;
}

/** `loyalty-kit migrate` */
export function addMigrate(program: Command, output: Output): void {
  program
    .command("migrate")
    .description("bring a database to the version that this release needs; a missing one is created")
    .addOption(databaseOption())
    .action(async ({ database }: MigrateOptions) => {
      const { from, to } = await migrateDatabase(database);
      output.result(
        from === to
          ? `${database} is at version ${to}, there is nothing to do`
          : `${database} migrated from version ${from} to version ${to}`,
      );
    });
}
