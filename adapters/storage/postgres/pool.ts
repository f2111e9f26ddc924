import { getDriver } from "./driver.js";
import { type DriverPool, FailoverPool } from "./failover-pool.js";
import type { PostgresPool, PostgresPoolClient } from "./host-pool.js";
import type { PostgresSettings } from "./options.js";
import { runQuery } from "./query.js";

/** Matches the scheme and login, the hosts with ports, and the rest of a URL. As in any URL, the last `@` ends the login. */
const urlPattern = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)([/?#].*)?$/i;

const TARGET_PARAMETER = "target_session_attrs";

const serverTests: Readonly<Record<string, (server: ServerState) => boolean>> = {
  any: () => true,
  "read-write": ({ reads }) => !reads,
  "read-only": ({ reads }) => reads,
  primary: ({ standby }) => !standby,
  standby: ({ standby }) => standby,
};

const stateQuery = {
  sql: "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as reads",
  parameters: [],
};

/** Maximum lifetime of a connection, in seconds. It is limited because the host name may later resolve to another server. */
const MAX_LIFETIME_SECONDS = 30 * 60;

/**
 * Opens a pool. The driver must already be loaded.
 * @param url a connection URL, which can list several servers.
 * @throws {TypeError} if `target_session_attrs` has an invalid value.
 */
export function openPool(url: string, settings: PostgresSettings): DriverPool {
  const { urls, suits } = parseConnectionUrl(url);
  const pools = urls.map((each) => createPool(each, suits, settings));
  const [firstPool] = pools;
  return pools.length === 1 && firstPool !== undefined ? firstPool : new FailoverPool(pools);
}

function createPool(url: string, suits: ConnectionTargets["suits"], settings: PostgresSettings): DriverPool {
  const pool = new (getDriver().Pool)({
    connectionString: url,
    max: settings.poolSize,
    fallback_application_name: settings.applicationName,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
    // Sends independent statements without waiting for each other's responses.
    pipeline: true,
    // Detects a server that has disappeared without closing the connection.
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
  timeoutMs: number,
): Promise<void> {
  const { rows } = await runQuery<Parameters<typeof suits>[0]>(client, stateQuery, timeoutMs);
  if (rows.every(suits)) return;
  const error = new Error("the Postgres server doesn't match target_session_attrs");
  // Uses the same error as a server that refuses connections.
  throw Object.assign(error, { code: "08004", severity: "FATAL" });
}

/**
 * Handles a pool's connection errors, which would otherwise crash the process. They can occur on an idle connection, or on one that
 * a host's transaction holds between two statements. Ignoring them is safe, because the next query on the connection throws the
 * error.
 * @returns a function that removes the handlers.
 */
export function handlePoolErrors(pool: PostgresPool): () => void {
  const knownClients = new Set<PostgresPoolClient>();
  const onAcquire = (client: PostgresPoolClient) => {
    if (knownClients.has(client)) return;
    knownClients.add(client);
    client.on("error", ignore);
  };
  const onRemove = (client: PostgresPoolClient) => void knownClients.delete(client);
  pool.on("error", ignore);
  pool.on("acquire", onAcquire);
  pool.on("remove", onRemove);
  return () => {
    pool.off("error", ignore);
    pool.off("acquire", onAcquire);
    pool.off("remove", onRemove);
    for (const client of knownClients) client.off("error", ignore);
    knownClients.clear();
  };
}

function ignore(): void {}

interface ServerState {
  readonly standby: boolean;
  readonly reads: boolean;
}

/** The servers that a connection URL lists, and the test that decides whether a server is acceptable. */
interface ConnectionTargets {
  /** One URL for each host in the connection URL, without the parameters that only libpq supports. */
  readonly urls: readonly string[];
  /**
   * Returns whether a server is acceptable, based on its row from {@link stateQuery}. The property is `null` if every server is
   * acceptable.
   */
  readonly suits: ((server: ServerState) => boolean) | null;
}

/**
 * Parses a connection URL in libpq's format, such as `postgres://a:5432,b:5432/db?target_session_attrs=read-write`.
 * @throws {TypeError} if `target_session_attrs` has an invalid value.
 */
export function parseConnectionUrl(url: string): ConnectionTargets {
  const [, prefix = "", hosts = "", suffix = ""] = urlPattern.exec(url) ?? [];
  const [path = "", query = ""] = suffix.split(/\?(.*)/s, 2);
  const target = new URLSearchParams(query).get(TARGET_PARAMETER);
  if (target === null && !hosts.includes(",")) return { urls: [url], suits: null };
  const suits = Object.hasOwn(serverTests, target ?? "any") ? serverTests[target ?? "any"] : undefined;
  if (suits === undefined) {
    throw new TypeError(`${TARGET_PARAMETER} must be one of ${Object.keys(serverTests).join(", ")}`);
  }
  const otherPairs = query.split("&").filter((pair) => !new URLSearchParams(pair).has(TARGET_PARAMETER));
  const rest = otherPairs.length === 0 ? path : `${path}?${otherPairs.join("&")}`;
  return {
    urls: hosts.split(",").map((host) => `${prefix}${host}${rest}`),
    suits: target === null || target === "any" ? null : suits,
  };
}
