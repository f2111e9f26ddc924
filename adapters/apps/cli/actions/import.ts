import type { Template } from "../../../../src/cards/schema.js";
import type { ImportOptions } from "../../../../src/customers/import/import.js";
import type { ImportProgress, ImportResult } from "../../../../src/customers/import/import-total.js";
import { CellError, cellText } from "../../csv/cells.js";
import { hasCards } from "../../csv/columns.js";
import type { DayOrder } from "../../csv/dates.js";
import type { Encoding } from "../../csv/encodings.js";
import { createProgress, formatProgress, type Progress } from "../csv/progress.js";
import { CsvRows, findColumn, type HeaderMap, matchColumns } from "../csv/rows.js";
import { openSource, readRecords } from "../csv/source.js";
import { type CommandTarget, withOrganization } from "../database/organization.js";
import { CommandError } from "../terminal/command-error.js";
import { type Output, RepeatedLines } from "../terminal/output.js";

export interface ImportCommandOptions extends CommandTarget {
  readonly map: HeaderMap;
  readonly ignoreUnknown?: true;
  readonly createTags?: true;
  readonly delimiter?: string;
  readonly encoding?: Encoding;
  readonly dates?: DayOrder;
  readonly tagSeparator: string;
  readonly template?: string;
  readonly notify?: true;
  readonly events: boolean;
  readonly summary?: true;
  readonly dryRun: boolean;
}

/** Imports a CSV file, showing progress while it runs, and prints the result. */
export async function importFile(file: string, options: ImportCommandOptions, output: Output): Promise<void> {
  const { map, ignoreUnknown = false, createTags = false, notify, tagSeparator, dryRun } = options;
  const emit = options.summary ? "summary" : options.events ? "all" : "none";
  const format = { encoding: options.encoding ?? null, delimiter: options.delimiter ?? null };
  const source = await openSource(file);
  await runUntilInterrupted(async (signal) => {
    const records = readRecords(source, format, (header) => findColumn(map, header), signal);
    try {
      const { done, value: first } = await records.next();
      if (done)
        throw signal.aborted ? interruptedError() : new CommandError(`${source.name} has no header row`);
      const headers = first.cells.map(cellText);
      const columns = matchColumns(headers, { map, ignoreUnknown });
      const rows = new CsvRows(records, headers, columns);
      const result = await withOrganization(
        options,
        async ({ users, passes, templates }) => {
          const findTemplateId = createTemplateLookup(await templates.list(), options.template ?? null);
          const customers = rows.read({
            tagSeparator,
            ignoreUnknown,
            dayOrder: options.dates ?? null,
            findTemplateId,
          });
          const runImport = (progress: ImportOptions) =>
            hasCards(columns) || emit !== "all"
              ? passes.import(customers, { ...progress, emit, ...(notify && { notify }) })
              : users.import(customers, progress);
          return importRows(runImport, { createTags, dryRun }, createProgress(source, output), output);
        },
        notify === true ? "mails" : "nothing",
      );
      printResult(result, rows, output);
      if (dryRun) output.note("dry run: nothing was written");
      if (signal.aborted) throw interruptedError();
      if (rows.readError !== null) throw rows.readError;
      if (result.failed.length > 0) throw new CommandError("some rows failed");
    } finally {
      await records.return();
    }
  });
}

/** Runs work that the first SIGINT or SIGTERM aborts through the signal. A second one ends the process immediately. */
async function runUntilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  process.once("SIGINT", abort);
  process.once("SIGTERM", abort);
  try {
    return await work(controller.signal);
  } finally {
    process.off("SIGINT", abort);
    process.off("SIGTERM", abort);
  }
}

function interruptedError(): CommandError {
  return new CommandError("interrupted; run the same command again to resume");
}

/**
 * Returns a function that finds the template for a row's cell. The cell is `null` if the row has none.
 * @throws {CommandError} if the template for all rows doesn't exist or its name isn't unique.
 */
function createTemplateLookup(
  templates: readonly Template[],
  defaultTemplate: string | null,
): (cell: string | null) => string {
  const findTemplateId = (text: string) => {
    const byName = templates.filter(({ name }) => name === text);
    return templates.find(({ id }) => id === text)?.id ?? (byName.length === 1 ? byName[0]?.id : undefined);
  };
  const defaultTemplateId = defaultTemplate === null ? null : findTemplateId(defaultTemplate);
  if (defaultTemplateId === undefined)
    throw new CommandError(
      `no template has the ID or unique name ${JSON.stringify(defaultTemplate)}; ${describeAvailableTemplates(templates)}`,
    );
  return (cell) => {
    const templateId = cell === null ? defaultTemplateId : findTemplateId(cell);
    if (templateId === null)
      throw new CellError(
        "template",
        "is missing; specify it in each row that has a card, or use --template",
      );
    if (templateId !== undefined) return templateId;
    throw new CellError("template", `must be a template's ID or unique name, not ${JSON.stringify(cell)}`);
  };
}

/** Lists the first few templates, in case the user has misspelled one. */
function describeAvailableTemplates(templates: readonly Template[]): string {
  if (templates.length === 0) return "create one in the console first";
  const names = templates.slice(0, 5).map(({ name }) => JSON.stringify(name));
  return `${templates.length === names.length ? "available templates:" : "available templates include"} ${names.join(", ")}`;
}

async function importRows(
  runImport: (options: ImportOptions) => Promise<ImportResult>,
  options: Pick<ImportOptions, "createTags" | "dryRun">,
  progress: Progress,
  output: Output,
): Promise<ImportResult> {
  let lastProgress: ImportProgress = { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0 };
  const onProgress = (current: ImportProgress) => {
    lastProgress = current;
    progress.show(current);
  };
  try {
    return await runImport({ ...options, mergeMetadata: true, onProgress }).finally(() => progress.end());
  } catch (error) {
    output.note(`stopped after ${formatProgress(lastProgress)}`);
    throw error;
  }
}

function printResult(
  { failed, consentsSkipped = 0, ...counts }: ImportResult,
  rows: CsvRows,
  output: Output,
): void {
  const problems = new RepeatedLines(output);
  for (const row of failed) {
    const reason = rows.formatReason(row);
    problems.add(reason, `record ${row.row}: ${reason}`);
  }
  problems.printOmittedCounts("records");
  const total = counts.created + counts.updated + counts.unchanged + failed.length;
  if (consentsSkipped > 0) {
    output.note(`consents skipped because the customers later unsubscribed: ${consentsSkipped}`);
  }
  output.result(formatProgress({ rows: total, ...counts, failed: failed.length }));
}
