import pg from "pg";
import type { PostgresPool, PostgresPoolClient, PostgresQuery } from "./host-pool.js";
import type { PostgresSettings } from "./options.js";

/** After how long a connection is made anew, in seconds: the server behind a name may be another by then. */
const LIFETIME = 30 * 60;

/** A pool of ours, which is to be ended. */
export interface OwnPool extends PostgresPool {
  query(query: PostgresQuery): Promise<unknown>;
  end(): Promise<void>;
}

export function openPool(url: string, settings: PostgresSettings): OwnPool {
  const pool = new pg.Pool({
    connectionString: url,
    max: settings.poolSize,
    fallback_application_name: settings.applicationName,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    maxLifetimeSeconds: LIFETIME,
    // Statements of one kind that don't need each other's answers are sent without waiting for those.
    pipeline: true,
    // A server that has gone without a word is noticed.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  hearErrors(pool);
  return pool;
}

/**
 * Unheard, the error of a connection would end the process: of an idle one, and of one that a host's transaction is on
 * between two statements. The next query tells them anyway.
 * @returns undoes it.
 */
export function hearErrors(pool: PostgresPool): () => void {
  const heard = new Set<PostgresPoolClient>();
  const acquired = (client: PostgresPoolClient) => {
    if (heard.has(client)) return;
    heard.add(client);
    client.on("error", ignore);
  };
  const removed = (client: PostgresPoolClient) => void heard.delete(client);
  pool.on("error", ignore);
  pool.on("acquire", acquired);
  pool.on("remove", removed);
  return () => {
    pool.off("error", ignore);
    pool.off("acquire", acquired);
    pool.off("remove", removed);
    for (const client of heard) client.off("error", ignore);
    heard.clear();
  };
}

function ignore(): void {}
