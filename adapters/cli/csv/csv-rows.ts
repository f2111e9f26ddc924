import type { ImportCustomer } from "../../../src/cards/passes.js";
import type { FailedRow } from "../../../src/customers/import/row.js";
import { BadCell } from "../../csv/cards/bad-cell.js";
import type { Column } from "../../csv/columns.js";
import { miscounted } from "../../csv/records.js";
import { oneLine } from "../terminal/output.js";
import { type CellOptions, customerOf } from "./csv-columns.js";
import { toldColumn } from "./told-column.js";

/** The users of a CSV file. They end where it can't be read on, so that those before are imported and counted. */
export class CsvRows {
  /** Why they ended too early; `null` when they did not. */
  problem: unknown = null;
  /** What is wrong with records that are no rows, by their number. */
  private readonly unreadable = new Map<number, string>();

  constructor(
    private readonly records: AsyncIterable<string[]>,
    private readonly headers: readonly string[],
    private readonly columns: readonly Column[],
  ) {}

  async *read(cells: CellOptions): AsyncGenerator<ImportCustomer, void, undefined> {
    try {
      let number = 0;
      for await (const record of this.records) {
        number += 1;
        yield this.customer(number, record, cells);
      }
    } catch (error) {
      this.problem = error;
    }
  }

  /** Why a row has failed, with its columns as the file calls them. */
  reasonOf({ row, errors }: FailedRow): string {
    const told = Object.entries(errors).map(([path, message]) => `${this.told(path)} ${message}`);
    return this.unreadable.get(row) ?? oneLine(told.join("; "));
  }

  private customer(number: number, record: readonly string[], cells: CellOptions): ImportCustomer {
    const reason = miscounted(record, this.columns.length);
    if (reason !== null) return this.failing(number, reason);
    try {
      return customerOf(this.columns, record, cells);
    } catch (error) {
      if (!(error instanceof BadCell)) throw error;
      return this.failing(number, oneLine(`${this.told(error.field)} ${error.message}`));
    }
  }

  /** A row that fails whatever it says. */
  private failing(number: number, reason: string): ImportCustomer {
    this.unreadable.set(number, reason);
    return { email: "" };
  }

  private told(path: string): string {
    return toldColumn(path, this.headers, this.columns);
  }
}
