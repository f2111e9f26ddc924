import type { ImportCustomer } from "../../../../src/cards/passes.js";
import type { FailedRow } from "../../../../src/customers/import/row.js";
import { parseCard } from "../../csv/cards.js";
import { CellError } from "../../csv/cells.js";
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
import { toSingleLine } from "../terminal/output.js";

/** Maps each CSV header given in `--map` to its column. */
export type HeaderMap = ReadonlyMap<string, CsvColumn>;

/**
 * Returns the column that `--map` assigns to a header. If the header isn't mapped, returns the column with a matching name, or
 * `null` if there is none.
 */
export function findColumn(map: HeaderMap, header: string): CsvColumn {
  return map.get(header) ?? parseHeader(header);
}

/**
 * Returns the column for each header, in the same order. The column for an unknown header is `null`.
 * @param mapping `map` contains the `--map` assignments, which take precedence over the header names. `ignoreUnknown` allows
 *   unknown headers.
 * @throws {CommandError} if a mapped header doesn't exist, a header is unknown and unknown headers aren't allowed, two headers map
 *   to the same column, or no column identifies a customer.
 */
export function matchColumns(
  headers: readonly string[],
  { map, ignoreUnknown }: { readonly map: HeaderMap; readonly ignoreUnknown: boolean },
): CsvColumn[] {
  const missingHeaders = [...map.keys()].filter((header) => !headers.includes(header));
  if (missingHeaders.length > 0)
    throw invalidFieldsError(
      `no such header: ${quoted(missingHeaders)}; the file's headers are ${quoted(headers)}`,
    );

  const columns = headers.map((header) => findColumn(map, header));
  const unknownHeaders = headers.filter((header, index) => columns[index] === null && header !== "");
  if (unknownHeaders.length > 0 && !ignoreUnknown) {
    throw invalidFieldsError(
      `unknown headers: ${quoted(unknownHeaders)}; map each one with --map HEADER=FIELD, or use --ignore-unknown (see import --help for the list of fields)`,
    );
  }
  const fault = findHeaderFault(headers, columns);
  if (fault === null) return columns;
  const message = faultText(fault);
  throw invalidFieldsError(fault.code === "no_key" ? `${message}; map one with --map HEADER=email` : message);
}

const invalidFieldsError = (message: string) => new CommandError(message, USAGE_ERROR_CODE);

/** Options for parsing cells. */
interface CellOptions {
  /** Separator between the tags in a cell. */
  readonly tagSeparator: string;
  /** Whether to ignore cells under unknown headers. */
  readonly ignoreUnknown: boolean;
  readonly dayOrder: DayOrder | null;
  /** Returns the ID of the template that a cell names, or of the template for all cards if there is no cell. */
  readonly findTemplateId: (cell: string | null) => string;
}

/**
 * Reads customers from a CSV file's records. If the file can't be read to the end, iteration stops early without throwing, so the
 * customers read up to that point are still imported and counted.
 */
export class CsvRows {
  /** The error that stopped iteration early, or `null` if the file was read without an error. */
  readError: unknown = null;
  /** Reasons why records couldn't be parsed, keyed by record number. */
  private readonly parseErrors = new Map<number, string>();

  constructor(
    private readonly records: AsyncIterable<CsvRecord>,
    private readonly headers: readonly string[],
    private readonly columns: readonly CsvColumn[],
  ) {}

  async *read(options: CellOptions): AsyncGenerator<ImportCustomer, void, undefined> {
    try {
      let recordNumber = 0;
      for await (const record of this.records) {
        recordNumber += 1;
        yield this.parseCustomer(recordNumber, record.cells, options);
      }
    } catch (error) {
      this.readError = error;
    }
  }

  /** Formats the reason a row failed, using the file's own column headers. */
  formatReason({ row, errors }: FailedRow): string {
    const reasons = Object.entries(errors).map(([path, message]) => `${this.findHeader(path)} ${message}`);
    return this.parseErrors.get(row) ?? toSingleLine(reasons.join("; "));
  }

  private parseCustomer(
    recordNumber: number,
    cells: readonly string[],
    options: CellOptions,
  ): ImportCustomer {
    const { tagSeparator, ignoreUnknown, dayOrder, findTemplateId } = options;
    const fault = recordFault(this.columns, cells, ignoreUnknown);
    if (fault !== null) return this.rejectRow(recordNumber, faultText(fault));
    try {
      const { user, others } = parseUser(this.columns, cells, tagSeparator);
      const joinedAt = others.get("joinedAt");
      const isCard = cardColumns.some((column) => others.has(column));
      return {
        ...user,
        ...parseConsent((column) => others.get(column), dayOrder),
        ...(joinedAt !== undefined && { createdAt: timeIn("joinedAt", joinedAt, dayOrder) }),
        ...(isCard && { passes: [parseCard((column) => others.get(column), findTemplateId, dayOrder)] }),
      };
    } catch (error) {
      if (!(error instanceof CellError)) throw error;
      const advice = error.fault?.code === "day_order_unknown" ? "; use --dates" : "";
      return this.rejectRow(recordNumber, `${this.findHeader(error.column)} ${error.message}${advice}`);
    }
  }

  /** Returns a row that is sure to fail, and remembers why. */
  private rejectRow(recordNumber: number, reason: string): ImportCustomer {
    this.parseErrors.set(recordNumber, toSingleLine(reason));
    return { email: "" };
  }

  /** Returns the header of the cell that a row's field, such as `passes.0.history.1.at`, was read from. */
  private findHeader(path: string): string {
    const column = columnNameByPath.get(path) ?? path.replace(/^passes\.0\./, "");
    const entryIndex = /^history\.(\d+)/.exec(column)?.[1];
    const name = column.split(".")[0];
    const header = this.headers.find((_, index) => this.columns[index] === name) ?? column;
    return entryIndex === undefined ? header : `${header}, entry ${Number(entryIndex) + 1},`;
  }
}

/** Column names keyed by field path, for fields whose names differ from their columns. */
const columnNameByPath: ReadonlyMap<string, string> = new Map([
  ["createdAt", "joinedAt"],
  ["passes.0.templateId", "template"],
  ["passes.0.createdAt", "issuedAt"],
]);
