import { randomUUID } from "node:crypto";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startServer } from "./server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of a server that all test files share. */
    readonly postgresUrl: string;
    /** Prefix of the names of this run's places. */
    readonly postgresPlaces: string;
  }
}

/** Starts the server once per test run, and stops it at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  const places = `test_${randomUUID().slice(0, 8)}`;
  project.provide("postgresUrl", server.url);
  project.provide("postgresPlaces", places);
  return async () => {
    if (!server.isOwn) await removeAll(server.url, places);
    await server.stop();
  };
}

/** Removes this run's places from a server that keeps running. */
async function removeAll(url: string, places: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const find = "select nspname as name from pg_namespace where starts_with(nspname, $1)";
  const { rows } = await client.query<{ name: string }>(find, [`${places}_`]);
  for (const { name } of rows) await client.query(`drop schema ${name} cascade`);
  await client.end();
}
