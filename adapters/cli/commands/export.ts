import { open, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { type Command, Option } from "commander";
import { parseDelimiter } from "../csv/delimiter.js";
import { csvText, ndjsonText } from "../csv/export-text.js";
import type { Database } from "../database/database.js";
import { databaseOption, inOrganization } from "../database/open-database.js";
import { CommandError, FAILED } from "../terminal/command-error.js";
import { organizationOption } from "../terminal/organization.js";
import type { Output } from "../terminal/output.js";

interface ExportOptions {
  readonly database: Database;
  readonly organization: string;
  readonly format: "csv" | "ndjson";
  readonly delimiter: string;
  readonly bom?: true;
  readonly output?: string;
}

/** `loyalty-kit export` */
export function addExport(program: Command, output: Output): void {
  program
    .command("export")
    .description("write all users with their tags, oldest first; `import` takes the CSV")
    .addOption(databaseOption())
    .addOption(organizationOption("whose users"))
    .addOption(
      new Option("--format <format>", "csv is for spreadsheets, ndjson has every value as it is")
        .choices(["csv", "ndjson"])
        .default("csv"),
    )
    .addOption(
      new Option("--delimiter <character>", "what separates the fields of csv")
        .argParser(parseDelimiter)
        .default(","),
    )
    .option("--bom", "begin csv with a byte-order mark, by which Excel knows that it is UTF-8")
    .option("--output <file>", "where to, a file that does not exist yet; standard output unless given")
    .action(async ({ format, delimiter, bom, output: file, ...place }: ExportOptions) => {
      await inOrganization(place, async ({ users }) => {
        const text =
          format === "csv" ? csvText(users, { delimiter, hasMark: bom === true }) : ndjsonText(users);
        if (file === undefined) await toStandardOutput(text);
        else await toNewFile(file, text);
      });
      if (file !== undefined) output.note(`exported to ${file}`);
    });
}

async function toStandardOutput(text: AsyncIterable<string>): Promise<void> {
  await pipeline(text, process.stdout, { end: false }).catch((error: unknown) => {
    // A reader that went away, as `| head` does, is no fault.
    if (!isErrorCode(error, "EPIPE")) throw error;
  });
}

/** A file that exists is not touched; one that can't be written to its end is not left behind. */
async function toNewFile(file: string, text: AsyncIterable<string>): Promise<void> {
  const handle = await open(file, "wx").catch((error: unknown) => cantWrite(file, error));
  try {
    await pipeline(text, handle.createWriteStream());
  } catch (error) {
    await rm(file, { force: true });
    cantWrite(file, error);
  }
}

function cantWrite(file: string, error: unknown): never {
  if (isErrorCode(error, "EEXIST")) throw new CommandError(`${file} exists already`);
  if (!(error instanceof Error && "syscall" in error)) throw error;
  throw new CommandError(`can't write ${file}: ${error.message}`, FAILED, { cause: error });
}

function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
