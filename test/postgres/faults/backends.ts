import { randomUUID } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import type { StorageAdapter } from "loyalty-kit";
import { migratePostgres, postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { expect, onTestFinished } from "vitest";
import { createPlace, type Place } from "../place.js";

const conditions = {
  all: "true",
  /** Running a statement that waits for a lock. */
  waiting: "wait_event_type = 'Lock'",
  /** In a transaction, between two statements. */
  pausing: "state = 'idle in transaction'",
};

type BackendState = keyof typeof conditions;

/** Storage in its own place, on a host's pool that only the storage listens to. */
export interface FaultyStorage {
  readonly place: Place;
  readonly pool: pg.Pool;
  readonly storage: StorageAdapter;
  /** A connection that isn't the storage's. */
  readonly other: pg.Client;
  /** Kills the backends of the storage's connections, and waits until they have ended and the pool knows. */
  kill(which?: BackendState): Promise<void>;
  /** Waits until this many of the storage's statements wait for a lock. */
  waitForWaiting(count: number): Promise<void>;
}

/**
 * Opens storage, and closes it after the test.
 * @param options options of the pool.
 * @param setting a server setting for the pool's connections, such as `lock_timeout=500`.
 */
export async function openFaulty(options: pg.PoolConfig = {}, setting?: string): Promise<FaultyStorage> {
  const place = await createPlace();
  await migratePostgres(place.url);
  const name = randomUUID();
  const connectionString = setting === undefined ? place.url : withSetting(place.url, setting);
  const pool = new pg.Pool({ connectionString, application_name: name, ...options });
  const storage = await postgresStorage(pool);
  const other = await connectClient(place.url);
  // A separate connection, because a transaction always sees the same activity.
  const watcher = await connectClient(place.url);
  onTestFinished(async () => {
    await other.end();
    await watcher.end();
    await storage.close();
    await pool.end();
    await place.remove();
  });

  const backends = "pg_stat_activity where application_name = $1";
  return {
    place,
    pool,
    storage,
    other,
    async kill(which = "all") {
      const kill = `select pg_terminate_backend(pid, 10000) as ended from ${backends} and ${conditions[which]}`;
      const { rows } = await watcher.query<{ ended: boolean }>(kill, [name]);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.every(({ ended }) => ended)).toBe(true);
      // The backends sent their last messages before this reply.
      await turn();
    },
    async waitForWaiting(count) {
      const find = `select from ${backends} and ${conditions.waiting}`;
      await expect.poll(async () => (await watcher.query(find, [name])).rowCount, poll).toBe(count);
    },
  };
}

async function connectClient(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

/** Returns the URL with one more server setting for its connections. */
export function withSetting(url: string, setting: string): string {
  const changedUrl = new URL(url);
  const others = changedUrl.searchParams.get("options") ?? "";
  changedUrl.searchParams.set("options", `${others} -c ${setting}`);
  return changedUrl.href;
}

const poll = { interval: 5, timeout: 20_000 };
