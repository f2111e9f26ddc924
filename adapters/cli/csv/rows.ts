import type { ImportCustomer } from "../../../src/cards/passes.js";
import type { FailedRow } from "../../../src/customers/import/row.js";
import { parseCard } from "../../csv/cards.js";
import { CellError } from "../../csv/cell-error.js";
import {
  type CsvColumn,
  cardColumns,
  findHeaderFault,
  parseHeader,
  parseUser,
  recordFault,
} from "../../csv/columns.js";
import { parseConsent } from "../../csv/consents.js";
import { type DayOrder, timeIn } from "../../csv/dates.js";
import { faultText, quoted } from "../../csv/faults.js";
import type { CsvRecord } from "../../csv/parser.js";
import { CommandError, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import { oneLine } from "../terminal/output.js";

/** The columns that `--map` gives to headers. */
export type HeaderMap = ReadonlyMap<string, CsvColumn>;

/** The column that a header stands for, by `--map` or by its name; `null` for nothing. */
export function columnIn(map: HeaderMap, header: string): CsvColumn {
  return map.get(header) ?? parseHeader(header);
}

/**
 * The columns under these headers.
 * @param mapping `map` has the columns of some headers, whatever they would be by their names.
 * @throws {CommandError} on a header that stands for nothing or for the same as another one, and where none is by what a customer is known.
 */
export function matchColumns(
  headers: readonly string[],
  { map, ignoreUnknown }: { readonly map: HeaderMap; readonly ignoreUnknown: boolean },
): CsvColumn[] {
  const absent = [...map.keys()].filter((header) => !headers.includes(header));
  if (absent.length > 0)
    throw invalidFields(`no header ${quoted(absent)}; the headers are ${quoted(headers)}`);

  const columns = headers.map((header) => columnIn(map, header));
  const unknown = headers.filter((header, at) => columns[at] === null && header !== "");
  if (unknown.length > 0 && !ignoreUnknown) {
    throw invalidFields(
      `unknown headers: ${quoted(unknown)}; map each with --map HEADER=FIELD, or use --ignore-unknown; import --help lists the fields`,
    );
  }
  const fault = findHeaderFault(headers, columns);
  if (fault === null) return columns;
  const problem = faultText(fault);
  throw invalidFields(fault.code === "no_key" ? `${problem}; map one with --map HEADER=email` : problem);
}

const invalidFields = (message: string) => new CommandError(message, USAGE_ERROR_CODE);

/** The options by which cells are read. */
interface CellOptions {
  /** The text between the tags of a cell. */
  readonly tagSeparator: string;
  /** Leaves out cells whose header stands for nothing. */
  readonly ignoreUnknown: boolean;
  readonly dayOrder: DayOrder | null;
  /** The id of the template that a cell means, or of each card where there is no cell. */
  readonly templateOf: (cell: string | null) => string;
}

/** The customers of a CSV file. They end where it can't be read on, so that those before are imported and counted. */
export class CsvRows {
  /** The error by which they ended too early; `null` if they did not. */
  problem: unknown = null;
  /** The reasons why records are no rows, by their number. */
  private readonly unreadable = new Map<number, string>();

  constructor(
    private readonly records: AsyncIterable<CsvRecord>,
    private readonly headers: readonly string[],
    private readonly columns: readonly CsvColumn[],
  ) {}

  async *read(cells: CellOptions): AsyncGenerator<ImportCustomer, void, undefined> {
    try {
      let number = 0;
      for await (const record of this.records) {
        number += 1;
        yield this.customer(number, record.cells, cells);
      }
    } catch (error) {
      this.problem = error;
    }
  }

  /** Says why a row has failed, with its columns as the file calls them. */
  formatReason({ row, errors }: FailedRow): string {
    const reasons = Object.entries(errors).map(([path, message]) => `${this.findHeader(path)} ${message}`);
    return this.unreadable.get(row) ?? oneLine(reasons.join("; "));
  }

  private customer(number: number, record: readonly string[], options: CellOptions): ImportCustomer {
    const { tagSeparator, ignoreUnknown, dayOrder, templateOf } = options;
    const fault = recordFault(this.columns, record, ignoreUnknown);
    if (fault !== null) return this.failingRow(number, faultText(fault));
    try {
      const { user, others } = parseUser(this.columns, record, tagSeparator);
      const joinedAt = others.get("joinedAt");
      const isCard = cardColumns.some((column) => others.has(column));
      return {
        ...user,
        ...parseConsent((column) => others.get(column), dayOrder),
        ...(joinedAt !== undefined && { createdAt: timeIn("joinedAt", joinedAt, dayOrder) }),
        ...(isCard && { passes: [parseCard((column) => others.get(column), templateOf, dayOrder)] }),
      };
    } catch (error) {
      if (!(error instanceof CellError)) throw error;
      const advice = error.fault?.code === "day_order_unknown" ? "; use --dates" : "";
      return this.failingRow(number, `${this.findHeader(error.column)} ${error.message}${advice}`);
    }
  }

  /** A row that fails whatever it says. */
  private failingRow(number: number, reason: string): ImportCustomer {
    this.unreadable.set(number, oneLine(reason));
    return { email: "" };
  }

  /** The header over the cell that a field of a row, such as `passes.0.history.1.at`, was read from. */
  private findHeader(path: string): string {
    const column = otherNames.get(path) ?? path.replace(/^passes\.0\./, "");
    const entry = /^history\.(\d+)/.exec(column)?.[1];
    const name = column.split(".")[0];
    const header = this.headers.find((_, at) => this.columns[at] === name) ?? column;
    return entry === undefined ? header : `${header}, entry ${Number(entry) + 1},`;
  }
}

/** The columns of fields that have another name in a row. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["createdAt", "joinedAt"],
  ["passes.0.templateId", "template"],
  ["passes.0.createdAt", "issuedAt"],
]);
