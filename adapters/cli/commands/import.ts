import { type Command, InvalidArgumentError, Option } from "commander";
import type { ImportProgress, ImportResult } from "../../../src/customers/import/import.js";
import type { Users } from "../../../src/customers/users.js";
import type { ImportUser } from "../../../src/resources/user.js";
import { type Column, columnOf, columnsOf, userOf } from "../csv/csv-columns.js";
import { type CsvSource, openSource, recordsOf } from "../csv/csv-source.js";
import { lineOf, type Progress, progressOf } from "../csv/progress.js";
import { type Database, databaseOption, inOrganization } from "../database/open-database.js";
import { CommandError } from "../terminal/command-error.js";
import { interruptible } from "../terminal/interruption.js";
import { organizationOption } from "../terminal/organization.js";
import { type Output, oneLine } from "../terminal/output.js";

interface ImportCommandOptions {
  readonly database: Database;
  readonly organization: string;
  readonly map: ReadonlyMap<string, Column>;
  readonly ignoreUnknown?: true;
  readonly createTags?: true;
  readonly delimiter: string;
}

/** `loyalty-kit import` */
export function addImport(program: Command, output: Output): void {
  program
    .command("import")
    .description("create and update users from a CSV file in UTF-8; a missing file is created")
    .argument("<file>", "the file, whose first line has the headers; - for standard input")
    .addOption(databaseOption())
    .addOption(organizationOption("whose users"))
    .addOption(
      new Option("--map <header=field>", "what a header stands for; may be given for each")
        .argParser(parseMap)
        .default(new Map(), "by their names"),
    )
    .option("--ignore-unknown", "leave out columns whose header stands for nothing")
    .option("--create-tags", "make the tags that do not exist")
    .addOption(
      new Option("--delimiter <character>", "what separates fields").argParser(parseDelimiter).default(","),
    )
    .addHelpText(
      "after",
      `
Headers, in any case: email, name, phone, externalId, tags (separated by semicolons) and metadata.KEY.
A user who has the row's externalId, or else its email, is updated. Empty cells change nothing.`,
    )
    .action((file: string, options: ImportCommandOptions) => importFile(file, options, output));
}

async function importFile(file: string, options: ImportCommandOptions, output: Output): Promise<void> {
  const { database, organization, map, ignoreUnknown = false, createTags = false, delimiter } = options;
  const source = await openSource(file);
  await interruptible(async (signal) => {
    const records = recordsOf(source, delimiter, signal);
    try {
      const columns = columnsOf(await headersOf(source, records, signal), { map, ignoreUnknown });
      const rows = new CsvRows(records, columns);
      const place = { database, organization, mayBeNew: true };
      const result = await inOrganization(place, ({ users }) =>
        imported(users, rows, createTags, progressOf(source, output), output),
      );
      tell(result, rows.miscounted, output);
      if (signal.aborted) throw interrupted();
      if (rows.problem !== null) throw rows.problem;
      if (result.failed.length > 0) throw new CommandError("some rows failed");
    } finally {
      await records.return();
    }
  });
}

async function headersOf(
  { name }: CsvSource,
  records: AsyncIterator<string[]>,
  signal: AbortSignal,
): Promise<string[]> {
  const first = await records.next();
  if (first.done) throw signal.aborted ? interrupted() : new CommandError(`${name} has no headers`);
  return first.value;
}

function interrupted(): CommandError {
  return new CommandError("interrupted; the same command again imports the rest, too");
}

/** The users of a CSV file. They end where it can't be read on, so that those before are imported and counted. */
class CsvRows implements AsyncIterable<ImportUser> {
  /** Why they ended too early; `null` when they did not. */
  problem: unknown = null;
  /** What is wrong with records that don't fit the headers, by their number. */
  readonly miscounted = new Map<number, string>();

  constructor(
    private readonly records: AsyncIterable<string[]>,
    private readonly columns: readonly Column[],
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<ImportUser, void, undefined> {
    try {
      let number = 0;
      for await (const record of this.records) {
        number += 1;
        if (record.length === this.columns.length) yield userOf(this.columns, record);
        else yield this.failing(number, record);
      }
    } catch (error) {
      this.problem = error;
    }
  }

  /** A row that fails whatever it says: nobody knows which field is under which header. */
  private failing(number: number, { length }: readonly string[]): ImportUser {
    this.miscounted.set(number, `has ${length} fields, not ${this.columns.length}`);
    return { email: "" };
  }
}

async function imported(
  users: Users,
  rows: CsvRows,
  createTags: boolean,
  progress: Progress,
  output: Output,
): Promise<ImportResult> {
  let last: ImportProgress = { rows: 0, created: 0, updated: 0, failed: 0 };
  const onProgress = (now: ImportProgress) => {
    last = now;
    progress.show(now);
  };
  try {
    return await users
      .import(rows, { createTags, mergeMetadata: true, onProgress })
      .finally(() => progress.end());
  } catch (error) {
    output.note(`ended after ${lineOf(last)}`);
    throw error;
  }
}

function tell(
  { created, updated, failed }: ImportResult,
  miscounted: ReadonlyMap<number, string>,
  output: Output,
): void {
  for (const { row, errors } of failed) {
    const told = Object.entries(errors).map(([field, message]) => `${field} ${message}`);
    output.note(`record ${row}: ${miscounted.get(row) ?? oneLine(told.join("; "))}`);
  }
  const rows = created + updated + failed.length;
  output.result(lineOf({ rows, created, updated, failed: failed.length }));
}

/** Adds `HEADER=FIELD` to those given before. */
function parseMap(text: string, before: ReadonlyMap<string, Column>): ReadonlyMap<string, Column> {
  const end = text.lastIndexOf("=");
  const column = columnOf(text.slice(end + 1));
  if (end < 1 || column === null) {
    throw new InvalidArgumentError(
      "Give HEADER=FIELD, the field one of email, name, phone, externalId, tags and metadata.KEY.",
    );
  }
  return new Map([...before, [text.slice(0, end), column]]);
}

function parseDelimiter(text: string): string {
  const delimiter = text === "\\t" ? "\t" : text;
  if (!/^[^"\r\n]$/.test(delimiter)) {
    throw new InvalidArgumentError("Give one character, or \\t for a tab.");
  }
  return delimiter;
}
