import type { ImportCustomer } from "../../../src/cards/passes.js";
import { cardOf } from "../../csv/cards/card-cells.js";
import { type Column, cardFields, columnOf, problemOf, quoted } from "../../csv/columns.js";
import { unguarded } from "../../csv/formula-guard.js";
import { userOf } from "../../csv/user-cells.js";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";

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
  const problem = problemOf(headers, columns);
  if (problem === null) return columns;
  throw wrong(columns.includes("email") ? problem : `${problem}; say which by --map HEADER=email`);
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
  const { user, others } = userOf(columns, record, tagSeparator);
  const born = others.get("joinedAt");
  const isCard = cardFields.some((field) => others.has(field));
  return {
    ...user,
    ...(born !== undefined && { createdAt: born }),
    ...(isCard && { passes: [cardOf((field) => others.get(field), templateOf)] }),
  };
}

function wrong(message: string): CommandError {
  return new CommandError(message, WRONG_USAGE);
}
