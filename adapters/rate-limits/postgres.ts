import { RateLimiterPostgres } from "rate-limiter-flexible";
import type { RateLimitStore, RateWindow } from "../http/index.js";
import { GatheredCounts } from "./gathered.js";
import { inTime } from "./in-time.js";
import { windowIn } from "./window.js";

const TABLE = "loyalty_rate_limits";

/**
 * Of processes that begin at once one makes the table and the others wait for it. Unlogged, it costs the server the least;
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

/** What is needed of a pool of the package `pg`. */
export interface PostgresClient {
  query(query: { text: string; values?: unknown[]; name?: string }): Promise<unknown>;
}

/**
 * Counts the requests of tokens in a Postgres database, for all processes that use it together. The table
 * `loyalty_rate_limits` is made when it is missing, where the search path finds it.
 *
 * Windows begin and end by the clocks of the processes. A request waits for its counter one second at most.
 * @param pool of the package `pg`. It stays the host's.
 */
export function postgresRateLimits(pool: PostgresClient): RateLimitStore {
  return new PostgresRateLimits(pool);
}

class PostgresRateLimits implements RateLimitStore {
  private limiter: Promise<RateLimiterPostgres> | null = null;
  private readonly gathered = new GatheredCounts(async (key, seconds, requests) =>
    windowIn(await this.opened(), key, seconds, requests),
  );

  constructor(private readonly pool: PostgresClient) {}

  count(key: string, seconds: number): Promise<RateWindow> {
    return inTime(this.gathered.one(key, seconds));
  }

  /** A try that failed is made again by the next request. */
  private opened(): Promise<RateLimiterPostgres> {
    this.limiter ??= this.open().catch((error: unknown) => {
      this.limiter = null;
      throw error;
    });
    return this.limiter;
  }

  private async open(): Promise<RateLimiterPostgres> {
    await this.pool.query({ text: tableStatements });
    return new RateLimiterPostgres({
      storeClient: this.pool,
      storeType: "pool",
      tableName: TABLE,
      tableCreated: true,
      keyPrefix: "",
      points: 1,
      duration: 1,
    });
  }
}
