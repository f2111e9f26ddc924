import type { JsonValue } from "../../../src/base/fields/metadata.js";
import type { ExportedUser, ImportUser } from "../../../src/customers/schema.js";
import { CellError, cellText, trimmed } from "./cells.js";
import type { CsvFault } from "./faults.js";

/** The user fields that a file may contain. */
type WrittenUser = Partial<ExportedUser>;

/** Columns for a user's own fields, which an export writes and an import reads. The functions return the cell's text. */
const ownColumns = {
  email: ({ email }: WrittenUser) => email ?? "",
  name: ({ name }: WrittenUser) => name ?? "",
  phone: ({ phone }: WrittenUser) => phone ?? "",
  externalId: ({ externalId }: WrittenUser) => externalId ?? "",
  tags: ({ tags = [] }: WrittenUser) => tags.join(";"),
};

/** Columns that an export adds after the metadata columns, and that an import ignores. */
const addedColumns = {
  id: ({ id = "" }: WrittenUser) => id,
  createdAt: ({ createdAt = "" }: WrittenUser) => createdAt,
  updatedAt: ({ updatedAt = "" }: WrittenUser) => updatedAt,
};

/** Columns that only an import reads: the parts of a name, and the customer's joining date. */
const readColumns = ["firstName", "lastName", "joinedAt"] as const;

/** The columns for a customer's consent. Imports read them, but exports don't write them. */
export const consentColumns = ["emailConsent", "consentAt", "consentText", "language"] as const;

export type ConsentColumn = (typeof consentColumns)[number];

/** The columns for a card from another loyalty program. Imports read them, but exports don't write them. */
export const cardColumns = [
  "code",
  "template",
  "stamps",
  "completions",
  "rewards",
  "lastStampAt",
  "points",
  "pointsExpireAt",
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

/** The column that a header refers to, or `null` if the header is unknown. */
export type CsvColumn = NamedColumn | { readonly metadata: string } | null;

const METADATA = "metadata.";

const ownNames = Object.keys(ownColumns).filter((name) => isIn(ownColumns, name));
const addedNames = Object.keys(addedColumns).filter((name) => isIn(addedColumns, name));

/** Columns keyed by normalized header, including headers that other programs use. */
const byLetters: ReadonlyMap<string, NamedColumn> = new Map<string, NamedColumn>([
  ...[...ownNames, ...addedNames, ...readColumns, ...consentColumns, ...cardColumns].map(
    (name) => [normalizeHeader(name), name] as const,
  ),
  ["telephone", "phone"],
]);

/**
 * Returns the column that a header refers to, or `null` if the header is unknown. Ignores case, underscores, hyphens, and spaces,
 * except in metadata keys.
 */
export function parseHeader(header: string): CsvColumn {
  if (header.slice(0, METADATA.length).toLowerCase() === METADATA) {
    return { metadata: header.slice(METADATA.length) };
  }
  return byLetters.get(normalizeHeader(header)) ?? null;
}

/** Returns the header that exports write for a column. For a metadata column, this is `metadata.` followed by the key. */
export function headerOf(column: NonNullable<CsvColumn>): string {
  return typeof column === "object" ? `${METADATA}${column.metadata}` : column;
}

/** Returns the columns for a user export, with one column for each of the given metadata keys. */
export function exportColumns(keys: readonly string[]) {
  return [...ownNames, ...keys.map((metadata) => ({ metadata })), ...addedNames];
}

/** Formats a user's value for an export column. Returns an empty string if the user has no value. */
export function formatCell(user: WrittenUser, column: ReturnType<typeof exportColumns>[number]): string {
  if (typeof column !== "object") return { ...ownColumns, ...addedColumns }[column](user);
  const { metadata = {} } = user;
  return Object.hasOwn(metadata, column.metadata) ? formatValue(metadata[column.metadata]) : "";
}

/**
 * Returns the first fault in a file's columns, or `null` if there is none. Possible faults are a duplicate column, a column for the
 * whole name alongside columns for its parts, or no column that identifies customers. Unknown headers aren't faults.
 */
export function findHeaderFault(headers: readonly string[], columns: readonly CsvColumn[]): CsvFault | null {
  const names = columns.map((column) => JSON.stringify(column));
  const duplicates = headers.filter((_, at) => columns[at] !== null && names.indexOf(names[at] ?? "") !== at);
  if (duplicates.length > 0) return { code: "header_twice", headers: duplicates };
  if (columns.includes("name") && (columns.includes("firstName") || columns.includes("lastName"))) {
    return { code: "name_and_parts" };
  }
  return columns.some((column) => isKey(column)) ? null : { code: "no_key" };
}

/** Returns whether the column can identify a customer. */
export function isKey(column: CsvColumn): boolean {
  return column === "email" || column === "phone" || column === "externalId";
}

/** Returns whether the file has columns that a user import can't store: card columns or the `joinedAt` column. */
export function hasCards(columns: readonly CsvColumn[]): boolean {
  return columns.some((column) => column === "joinedAt" || cardColumns.some((name) => name === column));
}

export interface CellForm {
  /** The string that separates tags within a cell. */
  readonly tagSeparator: string;
  /**
   * Whether to ignore cells in columns with unknown headers. If `false`, a record with a non-empty cell in such a column is
   * rejected.
   */
  readonly ignoreUnknown: boolean;
}

/**
 * Returns the reason why a record doesn't fit the columns, or `null` if it fits. Extra cells at the end are allowed if they are
 * empty.
 */
export function recordFault(
  columns: readonly CsvColumn[],
  cells: readonly string[],
  ignoreUnknown: boolean,
): CsvFault | null {
  // With too many or too few cells, it's unknown which cell belongs to which header.
  const isLonger = cells.slice(columns.length).some((cell) => cellText(cell) !== "");
  if (isLonger || cells.length < columns.length) {
    return { code: "miscounted", fields: cells.length, columns: columns.length };
  }
  const text = cells.find((cell, at) => columns[at] === null && cellText(cell) !== "");
  return text === undefined || ignoreUnknown ? null : { code: "no_header", text: cellText(text) };
}

/**
 * Parses a record into a user, and collects the cells that aren't part of the user. Ignores empty cells.
 * @throws {CellError} if a cell contains a spreadsheet error or a number that a spreadsheet rounded.
 */
export function parseUser(
  columns: readonly CsvColumn[],
  record: readonly string[],
  tagSeparator = ";",
): { readonly user: ImportUser; readonly others: ReadonlyMap<NamedColumn, string> } {
  const user: ImportUser = {};
  const metadata: [key: string, value: string][] = [];
  const remainingValues = new Map<NamedColumn, string>();
  for (const [at, column] of columns.entries()) {
    const text = cellText(record[at] ?? "");
    if (text === "" || column === null) continue;
    assertValue(column, text);
    if (typeof column === "object") metadata.push([column.metadata, text]);
    else if (column === "tags") user.tags = splitTags(text, tagSeparator);
    else if (isIn(ownColumns, column)) user[column] = text;
    else remainingValues.set(column, text);
  }
  const name = [remainingValues.get("firstName"), remainingValues.get("lastName")].filter(Boolean);
  if (name.length > 0) user.name = name.join(" ");
  if (metadata.length > 0) user.metadata = Object.fromEntries(metadata);
  return { user, others: remainingValues };
}

/** A long number that a spreadsheet rounded to scientific notation, in any language. */
const roundedNumber = /^[+-]?\d+(?:[.,٫]\d+)?E[+-]\d+$/i;

/** The text that spreadsheets show, in English and German, for a column that is too narrow or a formula that fails. */
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
