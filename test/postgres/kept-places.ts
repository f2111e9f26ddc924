import pg from "pg";
import { afterAll } from "vitest";
import { newPlace, type Place } from "./place.js";

/** A place with its tables made, and a pool on it. */
export interface KeptPlace {
  readonly pool: pg.Pool;
  /** Empties it for the next one to ask. */
  giveBack(): Promise<void>;
}

/**
 * Places that are made once and emptied between their uses, which takes less time than making others. They go at the end
 * of the test file.
 * @param prepare makes what a new place has besides the tables of the library.
 * @param tables those to be emptied; the others refer to them.
 */
export function keptPlaces(
  prepare: (pool: pg.Pool) => Promise<void>,
  tables: readonly string[] = loyaltyTables,
): () => Promise<KeptPlace> {
  const all: { readonly place: Place; readonly pool: pg.Pool }[] = [];
  const idle: pg.Pool[] = [];
  const emptied = tables.map((table) => `delete from ${table};`).join(" ");

  afterAll(async () => {
    for (const { place, pool } of all.splice(0)) {
      await pool.end();
      await place.remove();
    }
  });

  async function made(): Promise<pg.Pool> {
    const place = await newPlace();
    const pool = new pg.Pool({ connectionString: place.url, pipeline: true });
    all.push({ place, pool });
    await prepare(pool);
    return pool;
  }

  return async () => {
    const pool = idle.pop() ?? (await made());
    const giveBack = async () => {
      await pool.query(emptied);
      idle.push(pool);
    };
    return { pool, giveBack };
  };
}

/** The other tables refer to these. */
export const loyaltyTables: readonly string[] = [
  "users",
  "user_tags",
  "templates",
  "segment_sets",
  "api_tokens",
  "answers",
  "apps",
  "grants",
  "webhook_endpoints",
  "wallet_queues",
  "wallet_cards",
  "pictures",
  "events",
  "day_counts",
  "organizations",
  "user_pieces",
].map((table) => `loyalty_${table}`);
