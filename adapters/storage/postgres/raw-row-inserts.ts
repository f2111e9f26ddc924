import { type Kysely, sql } from "kysely";
import type { InsertRawRows, Row } from "../kysely/sql/raw-row-inserts.js";
import type { Tables } from "../kysely/sql/tables.js";

/**
 * Creates an inserter that writes all rows with a single statement, passing them as one JSON parameter. Postgres converts the
 * values to the table's column types.
 */
export function insertRawRowsTogether(db: Kysely<Tables>): InsertRawRows {
  return function* (session, table, rows) {
    const names = sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)));
    const of = sql.table(table);
    const json = JSON.stringify(rows.map(readable));
    const added = sql`insert into ${of} (${names}) select ${names} from json_populate_recordset(null::${of}, ${json}::json)`;
    yield* session.change(added.compile(db));
  };
}

/** Converts bytes to Postgres's hex text format. */
function readable(row: Row): Row {
  const isPlain = !Object.values(row).some((value) => value instanceof Uint8Array);
  return isPlain ? row : Object.fromEntries(Object.entries(row).map(([name, value]) => [name, inHex(value)]));
}

function inHex(value: unknown): unknown {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value;
}
