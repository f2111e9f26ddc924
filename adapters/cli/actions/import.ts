import type { ImportOptions } from "../../../src/customers/import/import.js";
import type { ImportProgress, ImportResult } from "../../../src/customers/import/total.js";
import type { Template } from "../../../src/resources/template.js";
import { type Column, hasCards } from "../../csv/columns.js";
import { columnsOf } from "../csv/csv-columns.js";
import { CsvRows } from "../csv/csv-rows.js";
import { type CsvSource, openSource, recordsOf } from "../csv/csv-source.js";
import { lineOf, type Progress, progressOf } from "../csv/progress.js";
import type { Encoding } from "../csv/text-encoding.js";
import type { Database } from "../database/database.js";
import { inOrganization } from "../database/open-database.js";
import { CommandError } from "../terminal/command-error.js";
import { interruptible } from "../terminal/interruption.js";
import type { Output } from "../terminal/output.js";
import { Repeated } from "../terminal/repeated.js";

/** What the command line says of an import. */
export interface ImportCommandOptions {
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

/** Imports a CSV file, and tells of it. */
export async function importFile(file: string, options: ImportCommandOptions, output: Output): Promise<void> {
  const { database, organization, map, ignoreUnknown = false, createTags = false, tagSeparator } = options;
  const { dryRun } = options;
  const tells = options.summary === undefined ? options.events : "summary";
  const form = { encoding: options.encoding ?? null, delimiter: options.delimiter ?? null };
  const source = await openSource(file);
  await interruptible(async (signal) => {
    const records = recordsOf(source, form, signal);
    try {
      const headers = await headersOf(source, records, signal);
      const columns = columnsOf(headers, { map, ignoreUnknown });
      const rows = new CsvRows(records, headers, columns);
      const result = await inOrganization(
        { database, organization },
        async ({ users, passes, templates }) => {
          const templateOf = templateNamed(await templates.list(), options.template ?? null);
          const customers = rows.read({ tagSeparator, templateOf });
          const importing = (progress: ImportOptions) =>
            hasCards(columns) || tells !== true
              ? passes.import(customers, { ...progress, tells })
              : users.import(customers, progress);
          return imported(importing, { createTags, dryRun }, progressOf(source, output), output);
        },
      );
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
