import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { ReadSession } from "../session/session.js";
import type { Tables } from "../sql/tables.js";
import type { Row, RowTable } from "./row-table.js";

/** What a table has: how many rows, and the SHA-256 of all of their values in the order of their keys. */
export interface TableChecksum {
  readonly table: string;
  readonly rows: number;
  readonly checksum: string;
}

export function* checksumOf(db: Kysely<Tables>, session: ReadSession, table: RowTable): Step<TableChecksum> {
  const hash = createHash("sha256");
  let count = 0;
  yield* table.each(db, session, (rows) => {
    for (const row of rows) hash.update(`${textOf(row)}\n`);
    count += rows.length;
  });
  return { table: table.name, rows: count, checksum: hash.digest("hex") };
}

/** The same for the same values, whatever the database, whose columns may stand in another order. */
function textOf(row: Row): string {
  const columns = Object.keys(row).sort();
  return JSON.stringify(
    columns.map((column) => {
      const value = row[column];
      return [column, value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value];
    }),
  );
}
