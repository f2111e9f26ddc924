import { type Command, InvalidArgumentError, Option } from "commander";
import type { ImportOptions } from "../../../src/customers/import/import.js";
import type { ImportProgress, ImportResult } from "../../../src/customers/import/total.js";
import type { Template } from "../../../src/resources/template.js";
import { type Column, columnOf, columnsOf, hasCards } from "../csv/csv-columns.js";
import { CsvRows } from "../csv/csv-rows.js";
import { type CsvSource, openSource, recordsOf } from "../csv/csv-source.js";
import { parseDelimiter } from "../csv/delimiter.js";
import { lineOf, type Progress, progressOf } from "../csv/progress.js";
import { type Encoding, encodings } from "../csv/text-encoding.js";
import type { Database } from "../database/database.js";
import { databaseOption, inOrganization } from "../database/open-database.js";
import { CommandError } from "../terminal/command-error.js";
import { interruptible } from "../terminal/interruption.js";
import { organizationOption } from "../terminal/organization.js";
import type { Output } from "../terminal/output.js";
import { Repeated } from "../terminal/repeated.js";

interface ImportCommandOptions {
  readonly database: Database;
  readonly organization: string;
  readonly map: ReadonlyMap<string, Column>;
  readonly ignoreUnknown?: true;
  readonly createTags?: true;
  readonly delimiter?: string;
  readonly encoding?: Encoding;
  readonly tagSeparator: string;
  readonly template?: string;
  readonly events: boolean;
  readonly summary?: true;
  readonly dryRun: boolean;
}

/** `loyalty-kit import` */
export function addImport(program: Command, output: Output): void {
  program
    .command("import")
    .description("create and update users from a CSV file; a missing database file is created")
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
      new Option("--delimiter <character>", "what separates fields; found out unless given").argParser(
        parseDelimiter,
      ),
    )
    .addOption(new Option("--encoding <name>", "found out unless given").choices(encodings))
    .addOption(
      new Option("--tag-separator <text>", "what separates the tags in a cell")
        .argParser(parseSeparator)
        .default(";"),
    )
    .option("--template <id or name>", "of the cards of all rows that do not name one")
    .option("--no-events", "tell nobody of what is imported")
    .addOption(
      new Option("--summary", "tell of all by one event, import.completed, in the end").conflicts("events"),
    )
    .option("--dry-run", "write nothing, and tell what an import would", false)
    .addHelpText(
      "after",
      `
Headers, in any case: email, name (or firstName and lastName), phone, externalId, tags and metadata.KEY.
A user who has the row's externalId, or else its email, is updated. Empty cells change nothing.
Cards of another programme: code, template, stamps, completions, rewards, lastStampAt, issuedAt, or history such as
2026-01-05 +3; 2026-02-01 redeem. joinedAt of the customer, whose rows then come oldest first. A card that is there from an import before stays as it is.`,
    )
    .action((file: string, options: ImportCommandOptions) => importFile(file, options, output));
}

async function importFile(file: string, options: ImportCommandOptions, output: Output): Promise<void> {
  const { database, organization, map, ignoreUnknown = false, createTags = false, tagSeparator } = options;
  const { dryRun } = options;
  const tells = options.summary === undefined ? options.events : "summary";
  if (dryRun && !database.exists) throw new CommandError(`there is no database ${database.name}`);
  const form = { encoding: options.encoding ?? null, delimiter: options.delimiter ?? null };
  const source = await openSource(file);
  await interruptible(async (signal) => {
    const records = recordsOf(source, form, signal);
    try {
      const headers = await headersOf(source, records, signal);
      const columns = columnsOf(headers, { map, ignoreUnknown });
      const rows = new CsvRows(records, headers, columns);
      const place = { database, organization, mayBeNew: !dryRun };
      const result = await inOrganization(place, async ({ users, passes, templates }) => {
        const templateOf = templateNamed(await templates.list(), options.template ?? null);
        const customers = rows.read({ tagSeparator, templateOf });
        const importing = (progress: ImportOptions) =>
          hasCards(columns) || tells !== true
            ? passes.import(customers, { ...progress, tells })
            : users.import(customers, progress);
        return imported(importing, { createTags, dryRun }, progressOf(source, output), output);
      });
      tell(result, rows, output);
      if (dryRun) output.note("that is what would be; nothing is written");
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

/** @throws {CommandError} for a template of all rows that there is not. */
function templateNamed(
  templates: readonly Template[],
  ofAll: string | null,
): (cell: string | null) => string {
  const named = (text: string) => {
    const byName = templates.filter(({ name }) => name === text);
    return templates.find(({ id }) => id === text)?.id ?? (byName.length === 1 ? byName[0]?.id : undefined);
  };
  const every = ofAll === null ? "" : named(ofAll);
  if (every === undefined)
    throw new CommandError(`there is no template ${JSON.stringify(ofAll)}, or more than one`);
  return (cell) => (cell === null ? every : (named(cell) ?? cell));
}

async function imported(
  importing: (options: ImportOptions) => Promise<ImportResult>,
  options: Pick<ImportOptions, "createTags" | "dryRun">,
  progress: Progress,
  output: Output,
): Promise<ImportResult> {
  let last: ImportProgress = { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0 };
  const onProgress = (now: ImportProgress) => {
    last = now;
    progress.show(now);
  };
  try {
    return await importing({ ...options, mergeMetadata: true, onProgress }).finally(() => progress.end());
  } catch (error) {
    output.note(`ended after ${lineOf(last)}`);
    throw error;
  }
}

function tell({ failed, ...counts }: ImportResult, rows: CsvRows, output: Output): void {
  const problems = new Repeated(output);
  for (const row of failed) {
    const reason = rows.reasonOf(row);
    problems.tell(reason, `record ${row.row}: ${reason}`);
  }
  problems.end("records");
  const all = counts.created + counts.updated + counts.unchanged + failed.length;
  output.result(lineOf({ rows: all, ...counts, failed: failed.length }));
}

/** Adds `HEADER=FIELD` to those given before. */
function parseMap(text: string, before: ReadonlyMap<string, Column>): ReadonlyMap<string, Column> {
  const end = text.lastIndexOf("=");
  const column = columnOf(text.slice(end + 1));
  if (end < 1 || column === null) {
    throw new InvalidArgumentError(
      "Give HEADER=FIELD, the field one of email, name, firstName, lastName, phone, externalId, tags, metadata.KEY, and those of cards.",
    );
  }
  return new Map([...before, [text.slice(0, end), column]]);
}

function parseSeparator(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must not be empty.");
  return text === "\\t" ? "\t" : text;
}
