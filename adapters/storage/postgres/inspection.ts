import type { CompiledQuery } from "kysely";
import { type Inspection, inspectTables } from "../kysely/inspection.js";
import { postgresDialect } from "./dialect.js";
import { loadDriver } from "./driver.js";
import type { DriverPool } from "./failover-pool.js";
import type { PostgresPoolClient } from "./host-pool.js";
import { type PostgresOptions, validateOptions } from "./options.js";
import { openPool } from "./pool.js";
import { runQuery } from "./query.js";

export interface ServerInspection extends Inspection {
  readonly serverVersion: string;
  /** The time on the server's clock during the inspection, in milliseconds since the Unix epoch. */
  readonly serverTime: number;
}

/**
 * Inspects a server and its tables without changing anything.
 * @throws if the server can't be reached.
 */
export async function inspectPostgres(url: string, options: PostgresOptions = {}): Promise<ServerInspection> {
  const settings = validateOptions({ ...options, poolSize: 1 });
  await loadDriver();
  const pool = openPool(url, settings);
  try {
    const client = await connect(pool);
    try {
      const timeoutMs = settings.statementTimeoutMs;
      const runStatement = async <Row>(query: CompiledQuery<Row>) =>
        (await runQuery<Row>(client, query, timeoutMs)).rows;
      const inspection = await inspectTables(postgresDialect(), runStatement);
      const { rows } = await runQuery<ServerState>(client, serverStateQuery, timeoutMs);
      const { version = "", time = 0 } = rows[0] ?? {};
      return { ...inspection, serverVersion: version, serverTime: time };
    } finally {
      client.release();
    }
  } finally {
    await pool.end();
  }
}

function connect(pool: DriverPool): Promise<PostgresPoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => (client === undefined ? reject(error) : resolve(client)));
  });
}

interface ServerState {
  readonly version: string;
  readonly time: number;
}

const serverStateQuery = {
  sql: "select current_setting('server_version') as version, (extract(epoch from clock_timestamp()) * 1000)::float8 as time",
  parameters: [],
};
