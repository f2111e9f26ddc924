import { randomUUID } from "node:crypto";
import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { afterAll, inject } from "vitest";

/** A schema of its own is as good as a database to find tables in, and sooner made. */
export interface Place {
  readonly url: string;
  remove(): Promise<void>;
}

/** A new place without any tables. */
export async function newPlace(server = inject("postgresUrl")): Promise<Place> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(server);
  await once(server, `create schema ${name}`);
  url.searchParams.set("options", `-c search_path=${name}`);
  return { url: url.href, remove: () => once(server, `drop schema ${name} cascade`) };
}

interface Kept {
  readonly place: Place;
  readonly pool: pg.Pool;
}

/** Places that are not in use. Emptying one takes less time than making another. */
const idle: Kept[] = [];

afterAll(async () => {
  for (const { place, pool } of idle.splice(0)) {
    await pool.end();
    await place.remove();
  }
});

/** Storage without any rows, in a place of its own until it is closed. */
export async function newStorage(): Promise<StorageAdapter> {
  const kept = idle.pop() ?? (await keptPlace());
  const storage = await postgresStorage(kept.pool);
  const close = storage.close.bind(storage);
  let closing: Promise<void> | undefined;
  storage.close = () => {
    closing ??= close().then(async () => {
      await kept.pool.query(emptied);
      idle.push(kept);
    });
    return closing;
  };
  return storage;
}

async function keptPlace(): Promise<Kept> {
  const place = await newPlace();
  return { place, pool: new pg.Pool({ connectionString: place.url, pipeline: true }) };
}

/** Those of the other tables refer to these. */
const emptied = [
  "users",
  "user_tags",
  "templates",
  "segment_sets",
  "api_tokens",
  "events",
  "organizations",
  "user_pieces",
]
  .map((table) => `delete from loyalty_${table};`)
  .join(" ");

/** Runs statements on a connection of their own. */
export async function once(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
