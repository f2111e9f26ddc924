import pg from "pg";
import { createPlace } from "./place.js";

/** A place with its tables created, and a pool on it. */
export interface PooledPlace {
  readonly pool: pg.Pool;
  /** Empties the place for its next user. */
  returnPlace(): Promise<void>;
}

/**
 * Returns a function that hands out places. They are created once and emptied between uses, which is faster
 * than creating new ones. They stay for other test files of the worker, until the server stops or the run
 * ends.
 * @param prepare adds what a new place needs besides the library's tables.
 * @param tables the tables to empty. The others refer to them.
 * @param placeFactory creates a place without tables.
 */
export function createPlacePool(
  prepare: (pool: pg.Pool) => Promise<void>,
  tables: readonly string[] = loyaltyTables,
  placeFactory: () => Promise<{ readonly url: string }> = createPlace,
): () => Promise<PooledPlace> {
  const idle: pg.Pool[] = [];
  // An interrupted copy leaves its progress in this table.
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

/** The tables to empty. All other tables refer to these. */
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
