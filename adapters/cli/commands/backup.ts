import type { Command } from "commander";
import type { Database } from "../database/database.js";
import { databaseOption } from "../database/open-database.js";
import type { Output } from "../terminal/output.js";

/** `loyalty-kit backup` */
export function addBackup(program: Command, output: Output): void {
  program
    .command("backup")
    .description(
      "copy an SQLite database while it is in use; the copy is looked through before it has its name",
    )
    .argument("<file>", "where to, a file that does not exist yet")
    .addOption(databaseOption())
    .action(async (file: string, { database }: { readonly database: Database }) => {
      await database.backup(file);
      output.result(`${database.name} is copied to ${file}`);
    });
}
