import type { CompiledQuery } from "kysely";
import pg from "pg";

/** What runs queries: a pool, or one of its clients. */
export type Queryable = Pick<pg.ClientBase, "query">;

const INT8 = 20;

/** Every integer here is one that a JavaScript number holds; the driver's own way with bigint is to give texts. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format),
};

/**
 * Runs one statement. It prepares none by name: that would be a state of the connection, which a pooler in transaction
 * mode gives to somebody else.
 */
export function ask<Row>(client: Queryable, { sql, parameters }: CompiledQuery<Row>) {
  // A query's type says what its rows are; nothing at run time can.
  return client.query<Row & pg.QueryResultRow>({ text: sql, values: [...parameters], types });
}
