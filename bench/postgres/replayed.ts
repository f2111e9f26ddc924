import type pg from "pg";
import { openPool } from "./open-pool.js";

interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * What a call asks of the database, in order, to be asked again by hand. The call must not change anything.
 * @param call calls `begin` when what comes before shall not count.
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
        const [asked] = args;
        if (typeof asked === "string") queries.push({ text: asked, values: [] });
        else if (isQuery(asked)) queries.push({ text: asked.text, values: asked.values });
        return query(...args);
      },
    });
  });
  await call(pool, () => queries.splice(0));
  await pool.end();
  return queries;
}

/** Asks all of it on one connection of the pool, and makes nothing of the answers. */
export async function replay(pool: pg.Pool, queries: readonly Query[]): Promise<void> {
  const client = await pool.connect();
  try {
    for (const { text, values } of queries) await client.query(text, [...values]);
  } finally {
    client.release();
  }
}

function isQuery(asked: unknown): asked is Query {
  return typeof asked === "object" && asked !== null && "text" in asked && "values" in asked;
}
