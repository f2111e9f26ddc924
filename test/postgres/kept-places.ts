import pg from "pg";
import { createPlace } from "./place.js";

/** A place with its tables made, and a pool on it. */
export interface KeptPlace {
  readonly pool: pg.Pool;
  /** Empties it for the next one to ask. */
  returnPlace(): Promise<void>;
}

/**
 * Places that are made once and emptied between their uses, which takes less time than making others. They stay for the
 * other test files of the worker, and go with the server, or at the end of the run.
 * @param prepare makes what a new place has besides the tables of the library.
 * @param tables those to be emptied; the others refer to them.
 * @param placeFactory gives a place without any tables.
 */
export function createPlacePool(
  prepare: (pool: pg.Pool) => Promise<void>,
  tables: readonly string[] = loyaltyTables,
  placeFactory: () => Promise<{ readonly url: string }> = createPlace,
): () => Promise<KeptPlace> {
  const idle: pg.Pool[] = [];
  // A copy that was broken off leaves how far it came.
  const emptied = [
    ...tables.map((table) => `delete from ${table}`),
    "drop table if exists loyalty_copying",
  ].join("; ");

  async function createPool(): Promise<pg.Pool> {
    const { url } = await placeFactory();
    const pool = new pg.Pool({ connectionString: url, pipeline: true, allowExitOnIdle: true });
    await prepare(pool);
    return pool;
  }

  return async () => {
    const pool = idle.pop() ?? (await createPool());
    const returnPlace = async () => {
      await pool.query(emptied);
      idle.push(pool);
    };
    return { pool, returnPlace: returnPlace };
  };
}

/** The other tables refer to these. */
export const loyaltyTables: readonly string[] = [
  "users",
  "tag_removals",
  "user_tags",
  "templates",
  "purchases",
  "purchase_returns",
  "segment_sets",
  "api_tokens",
  "idempotency_records",
  "cooldowns",
  "people",
  "apps",
  "grants",
  "webhook_endpoints",
  "wallet_queues",
  "wallet_cards",
  "pictures",
  "saved_segments",
  "segment_slices",
  "segment_followers",
  "silent_changes",
  "settings",
  "message_settings",
  "message_deliveries",
  "messages",
  "message_queues",
  "mail_queues",
  "automations",
  "automation_queues",
  "events",
  "day_counts",
  "audit",
  "organizations",
  "user_pieces",
].map((table) => `loyalty_${table}`);
