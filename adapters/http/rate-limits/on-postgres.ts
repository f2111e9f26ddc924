import { BatchedCalls } from "../../../src/base/concurrency/shared-calls.js";
import { type RateLimitStore, type RateWindow, withCountTimeout } from "./store.js";

const TABLE = "loyalty_rate_limits";

/**
 * Creates the table if it is missing. The lock ensures that processes that start together create it only once. The table is
 * unlogged because this costs the server the least, and if the server crashes, only the counts are lost. If the table is missing,
 * the role must be allowed to create it.
 */
const tableStatements = `do $$ begin
  perform pg_advisory_xact_lock(hashtextextended('${TABLE}', 0));
  if to_regclass('${TABLE}') is null then
    create unlogged table ${TABLE} (
      key varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    );
  end if;
end $$`;

/** The subset of a `pg` pool that the store uses. */
export interface PostgresClient {
  /** Runs a parameterized statement. If `name` is set, `pg` prepares the statement once per connection. */
  query(query: { text: string; values?: unknown[]; name?: string }): Promise<unknown>;
}

/**
 * Creates a store that counts token requests in a Postgres database, so that several processes can share their counts. The store
 * creates the table `loyalty_rate_limits` if the table isn't on the search path.
 *
 * Windows begin and end according to each process's clock. A request waits at most one second to be counted.
 * @param pool a pool from the `pg` package. The host must close it.
 * @example
 * import { apiTokens, createHttpApi, postgresRateLimits } from "loyalty-kit/http";
 * import pg from "pg";
 *
 * const store = postgresRateLimits(new pg.Pool({ connectionString: "postgres://localhost/cafe", max: 2 }));
 * const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), rateLimits: { store } });
 */
export function postgresRateLimits(pool: PostgresClient): RateLimitStore {
  return new PostgresRateLimits(pool);
}

/**
 * SQL condition for whether a window is still open. A window stays open until it expires, except if a clock that ran far ahead
 * began it, because it would otherwise stay open too long.
 */
const isOpenCondition = "kept.expire > $4 and kept.expire - $4 <= 2 * (excluded.expire - $4)";

/** Counts requests for many keys. The keys are sorted, so that two processes never wait for each other's rows. */
const countStatement = `insert into ${TABLE} as kept (key, points, expire)
  select key, points, $4::bigint + ms from unnest($1::text[], $2::integer[], $3::bigint[]) as asked (key, points, ms)
  on conflict (key) do update set
    points = case when ${isOpenCondition} then kept.points + excluded.points else excluded.points end,
    expire = case when ${isOpenCondition} then kept.expire else excluded.expire end
  returning key, points, expire::double precision as ends`;

/**
 * Removes windows some time after they expired. It runs occasionally and skips locked rows, so it never waits for a count and can't
 * deadlock with one.
 */
const removeStatement = `delete from ${TABLE} where key in (
  select key from ${TABLE} where expire < $1 for update skip locked)`;
const RETENTION_MS = 3_600_000;
const CLEANUP_INTERVAL_MS = 300_000;

/** Number of concurrent count statements. Each counts all requests since the previous one. */
const MAX_CONCURRENT_STATEMENTS = 2;

/** A request to count, and the length of the window that it may begin, in seconds. */
interface CountRequest {
  readonly key: string;
  readonly seconds: number;
}

class PostgresRateLimits implements RateLimitStore {
  private table: Promise<unknown> | null = null;
  private lastCleanupAt = Date.now();
  private readonly counts = new BatchedCalls(
    (requests: readonly CountRequest[]) => this.countRequests(requests),
    MAX_CONCURRENT_STATEMENTS,
  );

  constructor(private readonly pool: PostgresClient) {}

  count(key: string, seconds: number): Promise<RateWindow> {
    return withCountTimeout(this.counts.run({ key, seconds }));
  }

  private async countRequests(requests: readonly CountRequest[]): Promise<RateWindow[]> {
    await withCountTimeout(this.ensureTable());
    const now = Date.now();
    this.removeExpired(now);
    const keys = groupByKey(requests);
    const values = [
      keys.map(({ key }) => key),
      keys.map(({ requests }) => requests),
      keys.map(({ seconds }) => seconds * 1_000),
      now,
    ];
    // The statement determines the type of its rows; it can't be checked at run time.
    const result = (await withCountTimeout(
      this.pool.query({ name: TABLE, text: countStatement, values }),
    )) as CountedRows;
    return toWindows(requests, result.rows);
  }

  /** Ensures that the table exists. After a failure, the next request tries again. */
  private ensureTable(): Promise<unknown> {
    this.table ??= this.pool.query({ text: tableStatements }).catch((error: unknown) => {
      this.table = null;
      throw error;
    });
    return this.table;
  }

  /** Removes old windows in the background. A failure is retried later. */
  private removeExpired(now: number): void {
    if (Math.abs(now - this.lastCleanupAt) < CLEANUP_INTERVAL_MS) return;
    this.lastCleanupAt = now;
    this.pool.query({ text: removeStatement, values: [now - RETENTION_MS] }).catch(() => {});
  }
}

interface KeyRequests extends CountRequest {
  requests: number;
}

interface CountedRows {
  /** For each key, the number of requests in its window, and when the window ends, in Unix milliseconds. */
  readonly rows: readonly { readonly key: string; readonly points: number; readonly ends: number }[];
}

/** Returns the number of requests per key, sorted by key. */
function groupByKey(requests: readonly CountRequest[]): KeyRequests[] {
  const keys = new Map<string, KeyRequests>();
  for (const { key, seconds } of requests) {
    const existing = keys.get(key);
    if (existing === undefined) keys.set(key, { key, seconds, requests: 1 });
    else existing.requests += 1;
  }
  return [...keys.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Returns each request's window as of that request. The last request for a key gets the stored number. */
function toWindows(requests: readonly CountRequest[], rows: CountedRows["rows"]): RateWindow[] {
  const now = Date.now();
  const windows = new Map(
    rows.map(({ key, points, ends }) => [key, { requests: points, msLeft: Math.max(ends - now, 0) }]),
  );
  const reversedWindows = requests.toReversed().map(({ key }) => {
    const window = windows.get(key);
    if (window === undefined) throw new Error("the database returned no count for a request");
    const { requests, msLeft } = window;
    window.requests -= 1;
    return { requests, msLeft };
  });
  return reversedWindows.reverse();
}
