import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

/** A schema for one test. It serves as a database, and is created faster. */
export interface Place {
  readonly url: string;
  remove(): Promise<void>;
}

/** Creates a place without tables. */
export async function createPlace(server = inject("postgresUrl")): Promise<Place> {
  const name = `${inject("postgresPlaces")}_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(server);
  await executeOnce(server, `create schema ${name}`);
  url.searchParams.set("options", `-c search_path=${name}`);
  return { url: url.href, remove: () => executeOnce(server, `drop schema ${name} cascade`) };
}

/** Runs statements on a new connection, and closes it. */
export async function executeOnce(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
