import type { CompiledQuery } from "kysely";
import { withTimeout } from "../../src/concurrency/timeout.js";
import { driver } from "./driver.js";
import type { PostgresPoolClient, PostgresQuery } from "./host-pool.js";

/** The rows of a statement, and how many it changed. */
export interface Result<Row> {
  readonly rows: Row[];
  readonly rowCount: number | null;
}

const INT8 = 20;

/** Every integer here is one that a JavaScript number holds; the driver's own way with bigint is to give texts. */
const types: NonNullable<PostgresQuery["types"]> = {
  getTypeParser: (oid, format) => (oid === INT8 ? Number : driver().types.getTypeParser(oid, format)),
};

/**
 * Runs one statement, without a named prepared statement: that would be a state of the connection, which a pooler in transaction
 * mode shares between clients.
 * @param silence how long to wait for the response, in milliseconds; 0 for as long as the connection does.
 */
export async function runQuery<Row>(
  client: PostgresPoolClient,
  { sql, parameters }: Pick<CompiledQuery<Row>, "sql" | "parameters">,
  silence: number,
): Promise<Result<Row>> {
  // A query's type says what its rows are; nothing at run time can.
  const result = client.query({ text: sql, values: parameters.map(bound), types });
  return waitForAnswer(result, silence) as Promise<Result<Row>>;
}

/**
 * Waits for the server's answer. The driver's own limit would end a query whose answer came while the process stood still.
 * @param silence as {@link runQuery} has it.
 * @throws what the driver throws, also when it gives up: then nothing more can be asked on the connection.
 */
export function waitForAnswer<T>(answer: Promise<T>, silence: number): Promise<T> {
  return silence === 0 ? answer : withTimeout(silence, answer, "Query read timeout");
}

/** The driver escapes each element of a list: with 20,000 numbers that would keep the event loop for milliseconds. */
function bound(value: unknown): unknown {
  return Array.isArray(value) && value.every(Number.isInteger) ? `{${value.join()}}` : value;
}
