import * as z from "zod";
import { timestamp } from "../base/values/clock.js";
import { escapeFormula } from "../base/values/formula-guard.js";
import type { Tenant } from "../kernel/tenant.js";
import type { ExportKind } from "./export-kind.js";
import { exportKinds } from "./export-kinds.js";
import { createZip, type ZippedFile } from "./zip.js";

/** Maximum number of rows per file, chosen because spreadsheet programs can open at most 1,048,576 rows. */
const MAX_ROWS_PER_FILE = 1_000_000;

/** Maximum file size in bytes. At 4 GiB a file would need ZIP64, which not every ZIP program supports. */
const MAX_FILE_BYTES = 2 ** 30;

/** Number of rows to encode before yielding to other work. */
const ENCODE_BATCH_SIZE = 1_000;

/** The byte-order mark, by which Excel recognizes UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Streams a ZIP archive of all the data that an organization can export. Each part is generated on demand, as the archive is read.
 */
export async function* createArchive(
  tenant: Tenant,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const startedAt = tenant.now();
  yield* createZip(writeArchiveFiles(tenant, startedAt), startedAt);
}

async function* writeArchiveFiles(
  tenant: Tenant,
  startedAt: number,
): AsyncGenerator<ZippedFile, void, undefined> {
  const files: DescribedFile[] = [];
  for (const kind of exportKinds) {
    yield* writeKindFiles(kind, tenant, (file) => files.push({ ...file, says: kind.description }));
  }
  const pictures: string[] = [];
  yield* writePictureFiles(tenant, (name) => pictures.push(name));
  const manifest = {
    object: "export",
    organizationId: tenant.organizationId,
    begunAt: timestamp(startedAt),
    endedAt: timestamp(tenant.now()),
    files,
    pictures,
    leftOut: excludedTables,
  };
  yield buildTextFile("manifest.json", `${JSON.stringify(manifest, null, 2)}\n`);
  yield buildTextFile("README.txt", buildReadme(manifest));
}

interface DescribedFile extends ExportedFile {
  readonly says: string;
}

interface Manifest {
  readonly organizationId: string;
  readonly begunAt: string;
  readonly endedAt: string;
  readonly files: readonly DescribedFile[];
  readonly pictures: readonly string[];
}

function buildTextFile(name: string, content: string): ZippedFile {
  return {
    name,
    content: (async function* () {
      yield Buffer.from(content);
    })(),
  };
}

function buildReadme({ organizationId, begunAt, endedAt, files, pictures }: Manifest): string {
  return [
    `Full export of ${organizationId}, read from ${begunAt} to ${endedAt}.`,
    "",
    ...files.map(({ name, rows, says }) => `${name}: ${rows} ${rows === 1 ? "row" : "rows"}. ${says}`),
    `pictures: ${pictures.length} of logos and designs`,
    "",
    "Open the .csv files in a spreadsheet: UTF-8, comma-separated. Cells that look like formulas begin with an apostrophe.",
    "The .ndjson files are for programs: each line is a JSON object. Field names match the HTTP API.",
    "Changes during the export may appear in one file and not in another.",
    "Passwords, tokens and secrets are not included; manifest.json lists what is left out, and why.",
    "",
  ].join("\r\n");
}

interface TableExclusion {
  readonly tables: readonly string[];
  readonly because: string;
}

/** Tables excluded from exports, grouped by reason. The archive's manifest includes this list. */
export const excludedTables: readonly TableExclusion[] = [
  { tables: ["grantTokens"], because: "the tokens of apps are secrets" },
  {
    tables: ["idempotencyRecords"],
    because: "saved responses for idempotency keys are encrypted and expire within hours",
  },
  {
    tables: ["walletCards", "mailQueues"],
    because: "the keys of wallets and mail links are secrets",
  },
  {
    tables: [
      "organizations",
      "segmentSets",
      "segmentChunks",
      "segmentSlices",
      "messageAudiences",
      "automationCompletions",
      "pointLots",
    ],
    because: "it is derived from other data",
  },
  {
    tables: [
      "cooldowns",
      "walletQueues",
      "walletDeliveries",
      "mailJobs",
      "messageQueues",
      "messageJobs",
      "automationQueues",
      "segmentFollowers",
      "silentChanges",
      "tagRemovals",
      "automationJobs",
    ],
    because: "pending work of this service",
  },
  {
    tables: ["pastPrograms", "purchaseReturns"],
    because: "earlier programs and the IDs of returns are kept only to correct purchases",
  },
  { tables: ["automationVersions"], because: "earlier versions of automations are kept only for their runs" },
];

const fileExtensions: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
]);

/**
 * Yields the pictures that logos and designs use, each in a file named after its hash.
 * @param onFile called with each file's name.
 */
async function* writePictureFiles(
  tenant: Tenant,
  onFile: (name: string) => void,
): AsyncGenerator<ZippedFile, void, undefined> {
  const pictures = await tenant.read((reader) => reader.listPictures(), true);
  for (const { hash } of pictures) {
    const picture = await tenant.read((reader) => reader.all.findPicture(hash), true);
    // The picture's last use was removed in the meantime.
    if (picture === null) continue;
    const name = `pictures/${hash}.${fileExtensions.get(picture.type) ?? "bin"}`;
    onFile(name);
    yield { name, content: yieldChunk(picture.bytes) };
  }
}

async function* yieldChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield chunk;
}

/** An exported file's name and row count. */
export interface ExportedFile {
  readonly name: string;
  readonly rows: number;
}

interface FileChunk {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

/**
 * Yields the files for a kind's rows, such as `users.csv`. Rows that don't fit into a file continue in the next one, such as
 * `users-2.csv`.
 * @param onFile called with each file's name and row count once the file is complete.
 */
export async function* writeKindFiles(
  kind: ExportKind,
  tenant: Tenant,
  onFile: (file: ExportedFile) => void,
  maxRows = MAX_ROWS_PER_FILE,
): AsyncGenerator<ZippedFile, void, undefined> {
  const chunks = readChunks(kind, tenant);
  const header = kind.format === "csv" ? formatHeader(listCsvColumns(kind.schema)) : "";
  try {
    let next = await chunks.next();
    for (let fileNumber = 1; fileNumber === 1 || !next.done; fileNumber += 1) {
      const name = `${kind.name}${fileNumber === 1 ? "" : `-${fileNumber}`}.${kind.format}`;
      const content = async function* () {
        yield Buffer.from(header);
        let rows = 0;
        for (
          let bytes = 0;
          !next.done && rows < maxRows && bytes < MAX_FILE_BYTES;
          next = await chunks.next()
        ) {
          rows += next.value.rows;
          bytes += next.value.bytes.byteLength;
          yield next.value.bytes;
        }
        onFile({ name, rows });
      };
      yield { name, content: content() };
    }
  } finally {
    await chunks.return();
  }
}

async function* readChunks(kind: ExportKind, tenant: Tenant): AsyncGenerator<FileChunk, void, undefined> {
  const columns = kind.format === "csv" ? listCsvColumns(kind.schema) : null;
  const format = (rows: readonly object[]) =>
    columns === null ? formatJsonLines(rows) : formatRows(columns, rows);
  for await (const rows of kind.readRows(tenant)) {
    for (let start = 0; start < rows.length; start += ENCODE_BATCH_SIZE) {
      const batch = rows.slice(start, start + ENCODE_BATCH_SIZE);
      yield tenant.measureTime(() => ({ bytes: Buffer.from(format(batch)), rows: batch.length }));
    }
  }
}

function formatJsonLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/**
 * Returns the CSV columns for a row schema. Columns are named after the schema's fields, and nested fields are written as
 * `field.part`.
 */
export function listCsvColumns(schema: z.ZodObject, prefix = ""): string[] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    // The field `object` is the same in every row of a file.
    if (name === "object") return [];
    const innerField = field instanceof z.ZodNullable ? field.unwrap() : field;
    return innerField instanceof z.ZodObject
      ? listCsvColumns(innerField, `${prefix}${name}.`)
      : [`${prefix}${name}`];
  });
}

/** Formats the header line, with a byte-order mark at the start so that Excel recognizes the file as UTF-8. */
function formatHeader(columns: readonly string[]): string {
  return `${BYTE_ORDER_MARK}${formatCsvLine(columns)}`;
}

/** Formats rows as CSV lines, escaping any cell that a spreadsheet would run as a formula. */
function formatRows(columns: readonly string[], rows: readonly object[]): string {
  return rows
    .map((row) => formatCsvLine(columns.map((column) => formatCsvCell(readColumn(row, column)))))
    .join("");
}

function formatCsvLine(cells: readonly string[]): string {
  return `${cells.map(quoteCell).join(",")}\r\n`;
}

function quoteCell(text: string): string {
  const cell = escapeFormula(text);
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function readColumn(row: object, column: string): unknown {
  return column.split(".").reduce<unknown>((value, name) => {
    return typeof value === "object" && value !== null ? Reflect.get(value, name) : null;
  }, row);
}

/** Formats a value as a cell. A missing value is empty, a list of strings is joined by semicolons, and an object is JSON. */
function formatCsvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  const isTextList = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isTextList ? value.join(";") : JSON.stringify(value);
}
