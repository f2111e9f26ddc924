import type { JsonValue } from "../../src/resources/fields/metadata.js";
import type { ExportedUser, ImportUser } from "../../src/resources/user.js";
import { CellError } from "./cell-error.js";
import { cellText, trimmed } from "./cells.js";
import type { CsvFault } from "./faults.js";

/** The parts of a user that a file contains. */
type WrittenUser = Partial<ExportedUser>;

/** The columns of a user's own, with the cells that an export writes and an import reads. */
const ownColumns = {
  email: ({ email }: WrittenUser) => email ?? "",
  name: ({ name }: WrittenUser) => name ?? "",
  phone: ({ phone }: WrittenUser) => phone ?? "",
  externalId: ({ externalId }: WrittenUser) => externalId ?? "",
  tags: ({ tags = [] }: WrittenUser) => tags.join(";"),
};

/** Columns that an export writes after the metadata columns, and that an import ignores. */
const addedColumns = {
  id: ({ id = "" }: WrittenUser) => id,
  createdAt: ({ createdAt = "" }: WrittenUser) => createdAt,
  updatedAt: ({ updatedAt = "" }: WrittenUser) => updatedAt,
};

/** Columns that only an import reads: the parts of a name, and the date when the customer joined. */
const readColumns = ["firstName", "lastName", "joinedAt"] as const;

/** The consent columns, which an import reads. */
export const consentColumns = ["emailConsent", "consentAt", "consentText", "language"] as const;

export type ConsentColumn = (typeof consentColumns)[number];

/** The columns of a card of another program, which an import reads. */
export const cardColumns = [
  "code",
  "template",
  "stamps",
  "completions",
  "rewards",
  "lastStampAt",
  "issuedAt",
  "history",
] as const;

export type CardColumn = (typeof cardColumns)[number];

type NamedColumn =
  | keyof typeof ownColumns
  | keyof typeof addedColumns
  | (typeof readColumns)[number]
  | ConsentColumn
  | CardColumn;

/** The meaning of a CSV column; `null` for an unknown one. */
export type CsvColumn = NamedColumn | { readonly metadata: string } | null;

const METADATA = "metadata.";

const ownNames = Object.keys(ownColumns).filter((name) => isIn(ownColumns, name));
const addedNames = Object.keys(addedColumns).filter((name) => isIn(addedColumns, name));

/** The columns by the letters of their headers, and by those in the files of others. */
const byLetters: ReadonlyMap<string, NamedColumn> = new Map<string, NamedColumn>([
  ...[...ownNames, ...addedNames, ...readColumns, ...consentColumns, ...cardColumns].map(
    (name) => [normalizeHeader(name), name] as const,
  ),
  ["telephone", "phone"],
]);

/** The column that a header stands for. Case, underscores, hyphens and spaces don't count, but in the key of a metadata column. */
export function parseHeader(header: string): CsvColumn {
  if (header.slice(0, METADATA.length).toLowerCase() === METADATA) {
    return { metadata: header.slice(METADATA.length) };
  }
  return byLetters.get(normalizeHeader(header)) ?? null;
}

/** The header of a column. */
export function headerOf(column: NonNullable<CsvColumn>): string {
  return typeof column === "object" ? `${METADATA}${column.metadata}` : column;
}

/** The columns of an export of users with these keys of metadata. */
export function exportColumns(keys: readonly string[]) {
  return [...ownNames, ...keys.map((metadata) => ({ metadata })), ...addedNames];
}

/** The cell of a user in a column of an export. */
export function formatCell(user: WrittenUser, column: ReturnType<typeof exportColumns>[number]): string {
  if (typeof column !== "object") return { ...ownColumns, ...addedColumns }[column](user);
  const { metadata = {} } = user;
  return Object.hasOwn(metadata, column.metadata) ? formatValue(metadata[column.metadata]) : "";
}

/** Says what can't be so of the columns of a file; `null` if all is right. Headers that stand for nothing are not looked at. */
export function findHeaderFault(headers: readonly string[], columns: readonly CsvColumn[]): CsvFault | null {
  const names = columns.map((column) => JSON.stringify(column));
  const twice = headers.filter((_, at) => columns[at] !== null && names.indexOf(names[at] ?? "") !== at);
  if (twice.length > 0) return { code: "header_twice", headers: twice };
  if (columns.includes("name") && (columns.includes("firstName") || columns.includes("lastName"))) {
    return { code: "name_and_parts" };
  }
  return columns.some((column) => isKey(column)) ? null : { code: "no_key" };
}

/** Returns whether a customer can be known by a column. */
export function isKey(column: CsvColumn): boolean {
  return column === "email" || column === "phone" || column === "externalId";
}

/** Returns whether the columns are of more than users and tags. */
export function hasCards(columns: readonly CsvColumn[]): boolean {
  return columns.some((column) => column === "joinedAt" || cardColumns.some((name) => name === column));
}

/** The format of the cells of a file. */
export interface CellForm {
  /** The text between the tags of a cell. */
  readonly tagSeparator: string;
  /** Leaves out cells whose header stands for nothing. */
  readonly ignoreUnknown: boolean;
}

/** Why a record can't be read by these columns; `null` if it can. Empty cells behind the last column are left out. */
export function recordFault(
  columns: readonly CsvColumn[],
  cells: readonly string[],
  ignoreUnknown: boolean,
): CsvFault | null {
  // It is unknown which field belongs to which header.
  const isLonger = cells.slice(columns.length).some((cell) => cellText(cell) !== "");
  if (isLonger || cells.length < columns.length) {
    return { code: "miscounted", fields: cells.length, columns: columns.length };
  }
  const text = cells.find((cell, at) => columns[at] === null && cellText(cell) !== "");
  return text === undefined || ignoreUnknown ? null : { code: "no_header", text: cellText(text) };
}

/**
 * Reads a record as a user, and the cells that say more by their columns. An empty cell is as absent.
 * @throws {CellError} for what a spreadsheet shows in place of a value.
 */
export function parseUser(
  columns: readonly CsvColumn[],
  record: readonly string[],
  tagSeparator = ";",
): { readonly user: ImportUser; readonly others: ReadonlyMap<NamedColumn, string> } {
  const user: ImportUser = {};
  const metadata: [key: string, value: string][] = [];
  const others = new Map<NamedColumn, string>();
  for (const [at, column] of columns.entries()) {
    const text = cellText(record[at] ?? "");
    if (text === "" || column === null) continue;
    assertValue(column, text);
    if (typeof column === "object") metadata.push([column.metadata, text]);
    else if (column === "tags") user.tags = splitTags(text, tagSeparator);
    else if (isIn(ownColumns, column)) user[column] = text;
    else others.set(column, text);
  }
  const name = [others.get("firstName"), others.get("lastName")].filter(Boolean);
  if (name.length > 0) user.name = name.join(" ");
  if (metadata.length > 0) user.metadata = Object.fromEntries(metadata);
  return { user, others };
}

/** A long number as spreadsheets show it, in any language. */
const roundedNumber = /^[+-]?\d+(?:[.,٫]\d+)?E[+-]\d+$/i;

/** What spreadsheets show for a column that is too narrow, and for a formula that is wrong, in English and German. */
const spreadsheetError = /^#(?:#{2,}|N\/A|NV|(?:NAME|BEZUG|REF|VALUE|WERT|DIV\/0|NUM|ZAHL|NULL)[?!])$/;

function assertValue(column: NonNullable<CsvColumn>, text: string): void {
  const code = roundedNumber.test(text)
    ? "rounded_number"
    : spreadsheetError.test(text)
      ? "spreadsheet_error"
      : null;
  if (code !== null) throw new CellError(headerOf(column), { code, text });
}

function isIn<Columns extends object>(columns: Columns, name: PropertyKey): name is keyof Columns {
  return Object.hasOwn(columns, name);
}

function splitTags(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map(trimmed)
    .filter((tag) => tag !== "");
}

function formatValue(value: JsonValue = null): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function normalizeHeader(header: string): string {
  return header.toLowerCase().replace(/[-_\s]/g, "");
}
