import { createHash } from "node:crypto";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { RowTable } from "./row-table.js";

/** A table's row count, and a SHA-256 hash of all values in key order. */
export interface TableChecksum {
  /** The table's name in the database, such as `loyalty_users`. */
  readonly table: string;
  /** The number of rows in the table, across all organizations. */
  readonly rows: number;
  /** The SHA-256 hash of all values in key order, in hexadecimal. */
  readonly checksum: string;
}

export function* computeChecksum(
  dialect: SqlDialect,
  session: ReadSession,
  table: RowTable,
): Step<TableChecksum> {
  const hash = createHash("sha256");
  let count = 0;
  yield* table.each(dialect, session, (rows) => {
    // Databases may differ in column order.
    const columns = Object.keys(rows[0] ?? {}).sort();
    if (count === 0) hash.update(JSON.stringify(columns));
    for (const row of rows) hash.update(JSON.stringify(columns.map((column) => normalizeValue(row[column]))));
    count += rows.length;
  });
  return { table: table.name, rows: count, checksum: hash.digest("hex") };
}

/** Converts a value to a form that is the same in every database. */
function normalizeValue(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
