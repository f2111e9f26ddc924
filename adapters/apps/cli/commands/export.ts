import { open, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { type Command, Option } from "commander";
import type { Organization } from "../../../../src/organization.js";
import { CsvFormatError } from "../../csv/records.js";
import type { ExportedUsers } from "../../csv/writer.js";
import {
  addOrganizationCommand,
  type CommandTarget,
  parseUserSelector,
  readUsers,
  type UserSelectorOptions,
  withOrganization,
} from "../database/organization.js";
import { CommandError, FAILURE_CODE } from "../terminal/command-error.js";
import { createFilterOption, createSegmentOption } from "../terminal/options.js";
import type { Output } from "../terminal/output.js";
import { parseDelimiter } from "../terminal/values.js";

interface ExportOptions extends CommandTarget, UserSelectorOptions {
  readonly format: "csv" | "ndjson";
  readonly delimiter: string;
  readonly bom?: true;
  readonly output?: string;
  readonly everything?: true;
}

/** Adds `loyalty-kit export`, which exports an organization's users or all of its data. */
export function addExport(program: Command, output: Output): void {
  const description =
    "export users and their tags, oldest first; the import command accepts the exported CSV";
  addOrganizationCommand(program, "export", description)
    .addOption(
      new Option("--format <format>", "output format: csv (for spreadsheets) or ndjson (for exact values)")
        .choices(["csv", "ndjson"])
        .default("csv"),
    )
    .addOption(
      new Option("--delimiter <character>", "CSV field separator").argParser(parseDelimiter).default(","),
    )
    .option("--bom", "add a byte order mark so that Excel reads the CSV as UTF-8")
    .addOption(createFilterOption("export only users who match this JSON filter (default: all)"))
    .addOption(createSegmentOption("export only users in the saved segment with this slug"))
    .option("--output <file>", "file to create (default: write to standard output)")
    .addOption(
      new Option("--everything", "export all data as a ZIP file containing one table per resource").conflicts(
        ["format", "delimiter", "bom", "filter", "segment"],
      ),
    )
    .action(
      async ({ format, delimiter, bom, output: file, filter, segment, ...otherOptions }: ExportOptions) => {
        const { everything, ...target } = otherOptions;
        if (everything) {
          await withOrganization(target, ({ exports }) => writeTo(exports.everything(), file));
          if (file !== undefined) output.note(`exported to ${file}`);
          return;
        }
        const { csvText, ndjsonText, TooManyColumnsError } = await import("../../csv/writer.js");
        await withOrganization(target, async (organization) => {
          const isUnfiltered = filter === undefined && segment === undefined;
          const users = isUnfiltered
            ? organization.users
            : await findUsers(
                organization,
                parseUserSelector({ ...(filter && { filter }), ...(segment && { segment }) }),
              );
          const text =
            format === "csv" ? csvText(users, { delimiter, hasMark: bom === true }) : ndjsonText(users);
          await writeTo(text, file).catch((error: unknown) => {
            if (!(error instanceof CsvFormatError)) throw error;
            const advice = error instanceof TooManyColumnsError ? "; use --format ndjson" : "";
            throw new CommandError(`${error.message}${advice}`, FAILURE_CODE, { cause: error });
          });
        });
        if (file !== undefined) output.note(`exported to ${file}`);
      },
    );
}

/** Returns the users who currently match the filter or belong to the segment. */
async function findUsers(organization: Organization, selector: UserSelectorOptions): Promise<ExportedUsers> {
  const { users } = organization;
  const ids = new Set<string>();
  for await (const { id } of readUsers(organization, selector)) ids.add(id);
  async function* filterUsers<User extends { readonly id: string }>(all: AsyncIterable<User>) {
    for await (const user of all) if (ids.has(user.id)) yield user;
  }
  return { list: () => filterUsers(users.list()), export: () => filterUsers(users.export()) };
}

type Content = AsyncIterable<string | Uint8Array>;

function writeTo(content: Content, file: string | undefined): Promise<void> {
  return file === undefined ? writeToStandardOutput(content) : writeToNewFile(file, content);
}

/** Writes to standard output. Stops early if that fails, because the main program reports the error. */
async function writeToStandardOutput(content: Content): Promise<void> {
  for await (const chunk of content) {
    const error = await new Promise((resolve) => process.stdout.write(chunk, resolve));
    if (error) return;
  }
}

/** Writes to a new file. Never overwrites an existing file, and removes its own file if it can't be written completely. */
async function writeToNewFile(file: string, content: Content): Promise<void> {
  const handle = await open(file, "wx").catch((error: unknown) => throwWriteError(file, error));
  try {
    await pipeline(content, handle.createWriteStream());
  } catch (error) {
    await rm(file, { force: true });
    throwWriteError(file, error);
  }
}

function throwWriteError(file: string, error: unknown): never {
  if (isErrorCode(error, "EEXIST")) throw new CommandError(`${file} already exists`);
  if (!(error instanceof Error && "syscall" in error)) throw error;
  throw new CommandError(`can't write ${file}: ${error.message}`, FAILURE_CODE, { cause: error });
}

function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
