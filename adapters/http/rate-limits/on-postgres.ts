import { BatchedCalls } from "../../../src/concurrency/task-tracker.js";
import { withCountTimeout } from "./count-timeout.js";
import type { RateLimitStore, RateWindow } from "./store.js";

const TABLE = "loyalty_rate_limits";

/**
 * Makes the table, once where several processes begin together. Unlogged, it costs the server the least;
 * a crash of the server only begins new windows. Without it being there, the role must be allowed to make it.
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

/** The part of a pool of the package `pg` that is used. */
export interface PostgresClient {
  query(query: { text: string; values?: unknown[]; name?: string }): Promise<unknown>;
}

/**
 * Counts the requests of tokens in a Postgres database, for all processes that use it together. The table
 * `loyalty_rate_limits` is made when it is missing, where the search path finds it.
 *
 * Windows begin and end by the clocks of the processes. A request waits for its counter one second at most.
 * @param pool of the package `pg`. It stays the host's.
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

/** An open window goes on, unless it was begun by a clock that is far ahead and would last as long as that is ahead. */
const isOpen = "kept.expire > $4 and kept.expire - $4 <= 2 * (excluded.expire - $4)";

/** Counts requests of many keys, which come in order: so two processes never wait each for a row that the other has. */
const countStatement = `insert into ${TABLE} as kept (key, points, expire)
  select key, points, $4::bigint + ms from unnest($1::text[], $2::integer[], $3::bigint[]) as asked (key, points, ms)
  on conflict (key) do update set
    points = case when ${isOpen} then kept.points + excluded.points else excluded.points end,
    expire = case when ${isOpen} then kept.expire else excluded.expire end
  returning key, points, expire::double precision as ends`;

/** Windows are removed some time after they are over, now and then. That waits for no count, so that none waits for it in turn. */
const removeStatement = `delete from ${TABLE} where key in (
  select key from ${TABLE} where expire < $1 for update skip locked)`;
const KEPT_MS = 3_600_000;
const REMOVED_EVERY_MS = 300_000;

/** Concurrent statements that count; each counts all requests since the previous one. */
const AT_ONCE = 2;

/** A request to count, and the length of the window that it may begin. */
interface CountRequest {
  readonly key: string;
  readonly seconds: number;
}

class PostgresRateLimits implements RateLimitStore {
  private table: Promise<unknown> | null = null;
  private removedAt = Date.now();
  private readonly counts = new BatchedCalls(
    (asked: readonly CountRequest[]) => this.counted(asked),
    AT_ONCE,
  );

  constructor(private readonly pool: PostgresClient) {}

  count(key: string, seconds: number): Promise<RateWindow> {
    return withCountTimeout(this.counts.run({ key, seconds }));
  }

  private async counted(asked: readonly CountRequest[]): Promise<RateWindow[]> {
    await withCountTimeout(this.made());
    const now = Date.now();
    this.removeOver(now);
    const keys = requestsByKey(asked);
    const values = [
      keys.map(({ key }) => key),
      keys.map(({ requests }) => requests),
      keys.map(({ seconds }) => seconds * 1_000),
      now,
    ];
    // The statement says what its rows are; nothing at run time can.
    const counted = (await withCountTimeout(
      this.pool.query({ name: TABLE, text: countStatement, values }),
    )) as CountedRows;
    return toWindows(asked, counted.rows);
  }

  /** A try to make the table that failed is made again by the next requests. */
  private made(): Promise<unknown> {
    this.table ??= this.pool.query({ text: tableStatements }).catch((error: unknown) => {
      this.table = null;
      throw error;
    });
    return this.table;
  }

  /** Not awaited; a failure is retried later. */
  private removeOver(now: number): void {
    if (Math.abs(now - this.removedAt) < REMOVED_EVERY_MS) return;
    this.removedAt = now;
    this.pool.query({ text: removeStatement, values: [now - KEPT_MS] }).catch(() => {});
  }
}

interface KeyRequests extends CountRequest {
  requests: number;
}

interface CountedRows {
  /** The requests in a key's window, and when it ends, in milliseconds. */
  readonly rows: readonly { readonly key: string; readonly points: number; readonly ends: number }[];
}

/** How many requests there are of each key, in the order of the keys. */
function requestsByKey(asked: readonly CountRequest[]): KeyRequests[] {
  const keys = new Map<string, KeyRequests>();
  for (const { key, seconds } of asked) {
    const known = keys.get(key);
    if (known === undefined) keys.set(key, { key, seconds, requests: 1 });
    else known.requests += 1;
  }
  return [...keys.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Each request's window as it was after that request: the last of a key has the number that is stored. */
function toWindows(asked: readonly CountRequest[], rows: CountedRows["rows"]): RateWindow[] {
  const now = Date.now();
  const windows = new Map(
    rows.map(({ key, points, ends }) => [key, { requests: points, msLeft: Math.max(ends - now, 0) }]),
  );
  const backwards = asked.toReversed().map(({ key }) => {
    const window = windows.get(key);
    if (window === undefined) throw new Error("the database did not count a request");
    const { requests, msLeft } = window;
    window.requests -= 1;
    return { requests, msLeft };
  });
  return backwards.reverse();
}
