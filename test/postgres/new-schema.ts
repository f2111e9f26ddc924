import { randomUUID } from "node:crypto";
import pg from "pg";

/** Runs work with the URL of a new schema on a server, and then drops the schema. */
export async function runInNewSchema(server: string, work: (url: string) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    const schema = `lent_${randomUUID().replaceAll("-", "")}`;
    await client.query(`create schema ${schema}`);
    const url = new URL(server);
    url.searchParams.set("options", `-c search_path=${schema}`);
    await work(url.href).finally(() => client.query(`drop schema ${schema} cascade`));
  } finally {
    await client.end();
  }
}
