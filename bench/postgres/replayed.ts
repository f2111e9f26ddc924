import type pg from "pg";
import { openPool } from "./open-pool.js";

interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Records the queries of a call, in order, to repeat them by hand. The call must not change anything.
 * @param call calls `begin` when the measured part starts, if it isn't the whole call.
 */
export async function recordQueries(
  url: string,
  call: (pool: pg.Pool, begin: () => void) => Promise<unknown>,
): Promise<readonly Query[]> {
  const queries: Query[] = [];
  const pool = openPool(url, { max: 1 });
  pool.on("connect", (client) => {
    const query: (...args: unknown[]) => unknown = client.query.bind(client);
    Object.assign(client, {
      query(...args: unknown[]) {
        const [argument] = args;
        if (typeof argument === "string") queries.push({ text: argument, values: [] });
        else if (isQuery(argument)) queries.push({ text: argument.text, values: argument.values });
        return query(...args);
      },
    });
  });
  await call(pool, () => queries.splice(0));
  await pool.end();
  return queries;
}

/** Runs all queries on one connection of the pool, and ignores the results. */
export async function replay(pool: pg.Pool, queries: readonly Query[]): Promise<void> {
  const client = await pool.connect();
  try {
    for (const { text, values } of queries) await client.query(text, [...values]);
  } finally {
    client.release();
  }
}

function isQuery(value: unknown): value is Query {
  return typeof value === "object" && value !== null && "text" in value && "values" in value;
}
