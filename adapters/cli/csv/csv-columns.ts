import type { ImportCustomer } from "../../../src/cards/passes.js";
import type { ImportUser } from "../../../src/resources/user.js";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";
import { type CardField, cardFields, cardOf } from "./card-cells.js";
import { unguarded } from "./formula-guard.js";

const fields = ["email", "name", "phone", "externalId", "tags"] as const;

/** The parts of a name, which are joined to one in this order. */
const nameParts = ["firstName", "lastName"] as const;

/** What an export adds for people to read, and an import can't set. */
const ignored = ["id", "createdAt", "updatedAt"] as const;

/** Since when somebody is a customer: `createdAt` is what an export says of users here. */
const joinedAt = "joinedAt" as const;

type Field =
  | (typeof fields)[number]
  | (typeof nameParts)[number]
  | (typeof ignored)[number]
  | CardField
  | typeof joinedAt;

/** What a column of a CSV file is for; `null` for nothing. */
export type Column = Field | { readonly metadata: string } | null;

const METADATA = "metadata.";

/** What a header stands for. Case, underscores and spaces don't count, but in the key of a metadata column. */
export function columnOf(header: string): Column {
  if (header.slice(0, METADATA.length).toLowerCase() === METADATA) {
    return { metadata: header.slice(METADATA.length) };
  }
  const name = plain(header);
  return (
    [...fields, ...nameParts, ...ignored, ...cardFields, joinedAt].find((field) => plain(field) === name) ??
    null
  );
}

/** How the columns of a file are to be taken. */
export interface Mapping {
  /** What these headers stand for, whatever they would by their names. */
  readonly map: ReadonlyMap<string, Column>;
  readonly ignoreUnknown: boolean;
}

/**
 * What the columns under these headers are for.
 * @throws {CommandError} on a header that stands for nothing or for the same as another one, and without an email.
 */
export function columnsOf(headers: readonly string[], { map, ignoreUnknown }: Mapping): Column[] {
  const absent = [...map.keys()].filter((header) => !headers.includes(header));
  if (absent.length > 0) throw wrong(`there is no header ${quoted(absent)}; there are ${quoted(headers)}`);

  const columns = headers.map((header) => map.get(header) ?? columnOf(unguarded(header)));
  const unknown = headers.filter((_, at) => columns[at] === null);
  if (unknown.length > 0 && !ignoreUnknown) {
    throw wrong(
      `unknown headers: ${quoted(unknown)}; say what each is by --map HEADER=FIELD, or --ignore-unknown`,
    );
  }
  const names = columns.map((column) => JSON.stringify(column));
  const twice = headers.filter((_, at) => columns[at] !== null && names.indexOf(names[at] ?? "") !== at);
  if (twice.length > 0) throw wrong(`${quoted(twice)} stands for the same as another header`);
  if (columns.includes("name") && nameParts.some((part) => columns.includes(part))) {
    throw wrong("give the name, or its parts firstName and lastName, not both");
  }
  if (!columns.includes("email"))
    throw wrong("no header stands for the email; say which by --map HEADER=email");
  return columns;
}

/** Whether the columns tell of more than users and tags. */
export function hasCards(columns: readonly Column[]): boolean {
  return columns.some((column) => column === joinedAt || cardFields.some((field) => field === column));
}

/** How cells are to be read. */
export interface CellOptions {
  /** What stands between the tags of a cell. */
  readonly tagSeparator: string;
  /** The id of the template that a cell means, or of each card where there is no cell. */
  readonly templateOf: (cell: string | null) => string;
}

/** A record as a customer to import. An empty cell is as absent. @throws {BadCell} */
export function customerOf(
  columns: readonly Column[],
  record: readonly string[],
  { tagSeparator, templateOf }: CellOptions,
): ImportCustomer {
  const user: ImportUser = { email: "" };
  const metadata: [key: string, value: string][] = [];
  const parts = new Map<Field, string>();
  for (const [at, column] of columns.entries()) {
    const text = unguarded(record[at] ?? "");
    if (text === "" || column === null) continue;
    if (typeof column === "object") metadata.push([column.metadata, text]);
    else if (column === "tags") user.tags = tagsOf(text, tagSeparator);
    else if (isOwn(column)) user[column] = text;
    else parts.set(column, text.trim());
  }
  const name = nameParts.map((part) => parts.get(part) ?? "").filter(Boolean);
  if (name.length > 0) user.name = name.join(" ");
  if (metadata.length > 0) user.metadata = Object.fromEntries(metadata);
  const cells = (field: Field) => parts.get(field);
  const born = cells(joinedAt);
  const isCard = cardFields.some((field) => parts.has(field));
  return {
    ...user,
    ...(born !== undefined && { createdAt: born }),
    ...(isCard && { passes: [cardOf(cells, templateOf)] }),
  };
}

type Own = Exclude<(typeof fields)[number], "tags">;

function isOwn(field: Field): field is Own {
  return fields.some((own) => own === field && own !== "tags");
}

function tagsOf(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

function plain(header: string): string {
  return header.toLowerCase().replace(/[_\s]/g, "");
}

function quoted(headers: readonly string[]): string {
  return headers.map((header) => JSON.stringify(header)).join(", ");
}

function wrong(message: string): CommandError {
  return new CommandError(message, WRONG_USAGE);
}
