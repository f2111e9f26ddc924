import { stringify } from "csv-stringify/sync";
import { escapeControlsInJson } from "../../../src/base/values/display-text.js";
import type { ExportedUser } from "../../../src/customers/schema.js";
import { exportColumns, formatCell, headerOf } from "./columns.js";
import { CsvFormatError, csvStringifyOptions, escapeFormulas } from "./records.js";

/** Number of users per chunk of text. */
const CHUNK = 500;

/** Maximum number of metadata keys that become columns. */
const MOST_KEYS = 1_000;

/** The users to export. A CSV export reads the users twice, so `list` and `export` must yield the same users. */
export interface ExportedUsers {
  list(): AsyncIterable<Pick<ExportedUser, "metadata">>;
  export(): AsyncIterable<ExportedUser>;
}

/** Yields users as NDJSON text, with one JSON object per line and control characters escaped. */
export function ndjsonText(users: ExportedUsers): AsyncIterable<string> {
  return splitIntoChunks(users.export(), (chunk) =>
    chunk.map((user) => `${escapeControlsInJson(JSON.stringify(user))}\n`).join(""),
  );
}

/** Thrown if the users' metadata has more than 1,000 distinct keys, which is the maximum number of metadata columns. */
export class TooManyColumnsError extends CsvFormatError {}

/**
 * Yields users as CSV text, with a header line, one record per user, and one column for each metadata key in use.
 * @param hasMark whether to start with a byte-order mark, which lets Excel recognize UTF-8.
 * @throws {TooManyColumnsError} if the users' metadata has more than 1,000 distinct keys.
 * @throws {CsvFormatError} if a new metadata key is added to a user during the export.
 */
export async function* csvText(
  users: ExportedUsers,
  { delimiter, hasMark }: { readonly delimiter: string; readonly hasMark: boolean },
): AsyncGenerator<string, void, undefined> {
  const keys = new Set<string>();
  for await (const { metadata } of users.list()) {
    for (const key of Object.keys(metadata)) keys.add(key);
    if (keys.size > MOST_KEYS) {
      throw new TooManyColumnsError(`metadata has more than ${MOST_KEYS} keys, too many for columns`);
    }
  }
  const columns = exportColumns([...keys]);
  const formatCsvLines = (records: readonly string[][]) =>
    stringify(escapeFormulas(records), { delimiter, ...csvStringifyOptions });
  if (hasMark) yield "\uFEFF";
  yield formatCsvLines([columns.map(headerOf)]);
  yield* splitIntoChunks(users.export(), (chunk) => {
    if (chunk.some(({ metadata }) => Object.keys(metadata).some((key) => !keys.has(key)))) {
      throw new CsvFormatError("the keys of the metadata changed during the export; export again");
    }
    return formatCsvLines(chunk.map((user) => columns.map((column) => formatCell(user, column))));
  });
}

async function* splitIntoChunks(
  users: AsyncIterable<ExportedUser>,
  textOfChunk: (users: readonly ExportedUser[]) => string,
): AsyncGenerator<string, void, undefined> {
  let chunk: ExportedUser[] = [];
  for await (const user of users) {
    chunk.push(user);
    if (chunk.length < CHUNK) continue;
    yield textOfChunk(chunk);
    chunk = [];
  }
  if (chunk.length > 0) yield textOfChunk(chunk);
}
