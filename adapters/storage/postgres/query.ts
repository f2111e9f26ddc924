import type { CompiledQuery } from "kysely";
import { withTimeout } from "../../../src/base/concurrency/timeout.js";
import { getDriver } from "./driver.js";
import type { PostgresPoolClient, PostgresQuery } from "./host-pool.js";

export interface Result<Row> {
  readonly rows: Row[];
  readonly rowCount: number | null;
}

const INT8 = 20;

/**
 * Parses bigints as numbers, because every integer in these tables is safe in JavaScript. By default, the driver returns bigints as
 * strings.
 */
const types: NonNullable<PostgresQuery["types"]> = {
  getTypeParser: (oid, format) => (oid === INT8 ? Number : getDriver().types.getTypeParser(oid, format)),
};

/**
 * Runs an unnamed statement. A named prepared statement would be tied to one server connection, and a pooler in transaction mode
 * shares server connections between clients.
 * @param timeoutMs how long to wait for the response, in milliseconds, or 0 to use the connection's own limit.
 */
export async function runQuery<Row>(
  client: PostgresPoolClient,
  { sql, parameters }: Pick<CompiledQuery<Row>, "sql" | "parameters">,
  timeoutMs: number,
): Promise<Result<Row>> {
  // The type of a query's rows is declared by the query and can't be checked at run time.
  const result = client.query({ text: sql, values: parameters.map(encodeParameter), types });
  return waitForResponse(result, timeoutMs) as Promise<Result<Row>>;
}

/**
 * Waits for the server's response. Unlike the driver's own timeout, this timeout doesn't fail a query whose response arrived
 * while the process was suspended.
 * @param timeoutMs how long to wait, as in {@link runQuery}.
 * @returns the response.
 * @throws the driver's error, or a timeout error. After a timeout, the connection can't be used for further queries.
 */
export function waitForResponse<T>(response: Promise<T>, timeoutMs: number): Promise<T> {
  return timeoutMs === 0 ? response : withTimeout(timeoutMs, response, "Query read timeout");
}

/**
 * Encodes a list of integers as an array literal. The driver would escape each element, which blocks the event loop for
 * milliseconds with 20,000 numbers.
 */
function encodeParameter(value: unknown): unknown {
  return Array.isArray(value) && value.every(Number.isInteger) ? `{${value.join()}}` : value;
}
