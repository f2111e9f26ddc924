import { type Command, Option } from "commander";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import type { Database } from "../database/database.js";
import { databaseOf } from "../database/open-database.js";
import { CommandError, FAILED } from "../terminal/command-error.js";
import type { Output } from "../terminal/output.js";

interface CopyCommandOptions {
  readonly from: Database;
  readonly to: Database;
}

/** `loyalty-kit copy` */
export function addCopy(program: Command, output: Output): void {
  program
    .command("copy")
    .description(
      "copy everything to an empty database of any kind that migrate has made, and compare both; again goes on",
    )
    .addOption(placeOption("--from", "the SQLite file or postgres://… to copy"))
    .addOption(placeOption("--to", "an empty one to copy it to, after migrate"))
    .action(async ({ from, to }: CopyCommandOptions) => {
      const source = await from.open();
      try {
        const target = await to.open();
        try {
          await copy(source, target, output);
        } finally {
          await target.close();
        }
      } finally {
        await source.close();
      }
      output.result(`${from.name} is copied to ${to.name}`);
    });
}

function placeOption(name: string, description: string): Option {
  const parse = (text: string) => databaseOf(text, name);
  return new Option(`${name} <file-or-url>`, `${description} (required)`)
    .argParser(parse)
    .makeOptionMandatory();
}

async function copy(from: StorageAdapter, to: StorageAdapter, output: Output): Promise<void> {
  const { copyStorage } = await import("../../copying/index.js");
  try {
    for (const { table, rows, checksum } of await copyStorage(from, to)) {
      if (rows > 0) output.note(`${table}: ${rows} rows, SHA-256 ${checksum.slice(0, 16)}`);
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new CommandError(`can't copy: ${error.message}`, FAILED, { cause: error });
  }
}
