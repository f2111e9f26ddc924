import { createHash } from "node:crypto";
import type { Step } from "../../../src/concurrency/step.js";
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { RowTable } from "./row-table.js";

/** The number of a table's rows, and the SHA-256 of all their values in the order of their keys. */
export interface TableChecksum {
  readonly table: string;
  readonly rows: number;
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
    // Columns may stand in another order in another database.
    const columns = Object.keys(rows[0] ?? {}).sort();
    if (count === 0) hash.update(JSON.stringify(columns));
    for (const row of rows) hash.update(JSON.stringify(columns.map((column) => normalizeValue(row[column]))));
    count += rows.length;
  });
  return { table: table.name, rows: count, checksum: hash.digest("hex") };
}

/** The same for the same value, whatever the database. */
function normalizeValue(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
