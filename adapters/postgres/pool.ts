import { type ConnectionTargets, parseConnectionUrl, stateQuery } from "./connection-url.js";
import { driver } from "./driver.js";
import { type DriverPool, FailoverPool } from "./failover-pool.js";
import type { PostgresPool, PostgresPoolClient } from "./host-pool.js";
import type { PostgresSettings } from "./options.js";
import { runQuery } from "./query.js";

/** How long a connection is used, in seconds, because the host name may resolve to another server later. */
const LIFETIME = 30 * 60;

/** Call it once the driver is loaded. @param url may name several servers. @throws {TypeError} for a `target_session_attrs` that is none. */
export function openPool(url: string, settings: PostgresSettings): DriverPool {
  const { urls, suits } = parseConnectionUrl(url);
  const pools = urls.map((each) => createPool(each, suits, settings));
  const [only] = pools;
  return pools.length === 1 && only !== undefined ? only : new FailoverPool(pools);
}

function createPool(url: string, suits: ConnectionTargets["suits"], settings: PostgresSettings): DriverPool {
  const pool = new (driver().Pool)({
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
    ...(suits !== null && {
      verify: (client, done) => {
        assertSuits(client, suits, settings.connectTimeoutMs).then(() => done(), done);
      },
    }),
  });
  handlePoolErrors(pool);
  return pool;
}

async function assertSuits(
  client: PostgresPoolClient,
  suits: NonNullable<ConnectionTargets["suits"]>,
  silence: number,
): Promise<void> {
  const { rows } = await runQuery<Parameters<typeof suits>[0]>(client, stateQuery, silence);
  if (rows.every(suits)) return;
  const error = new Error("the Postgres server is not what target_session_attrs asks for");
  // This is the error of a server that refuses connections.
  throw Object.assign(error, { code: "08004", severity: "FATAL" });
}

/**
 * Unheard, the error of a connection would end the process: of an idle one, and of one that a host's transaction is on
 * between two statements. The next query throws them anyway.
 * @returns undoes it.
 */
export function handlePoolErrors(pool: PostgresPool): () => void {
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
