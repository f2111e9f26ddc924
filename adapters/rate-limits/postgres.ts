import { RateLimiterPostgres } from "rate-limiter-flexible";
import type { RateLimitStore, RateWindow } from "../http/index.js";
import { inTime, windowIn } from "./window.js";

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
 * import { apiTokens, createHttpApi } from "loyalty-kit/http";
 * import { postgresRateLimits } from "loyalty-kit/rate-limits";
 * import pg from "pg";
 *
 * const store = postgresRateLimits(new pg.Pool({ connectionString: "postgres://localhost/cafe", max: 2 }));
 * const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), rateLimits: { store } });
 */
export function postgresRateLimits(pool: PostgresClient): RateLimitStore {
  return new PostgresRateLimits(pool);
}

class PostgresRateLimits implements RateLimitStore {
  private limiter: Promise<RateLimiterPostgres> | null = null;
  private readonly counts = new CoalescedCounts(async (key, seconds, requests) =>
    windowIn(await this.opened(), key, seconds, requests),
  );

  constructor(private readonly pool: PostgresClient) {}

  count(key: string, seconds: number): Promise<RateWindow> {
    return inTime(this.counts.one(key, seconds));
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

/** Counts so many requests at once, and tells of the last of them. */
type Count = (key: string, seconds: number, requests: number) => Promise<RateWindow>;

/** A request that waits to be counted. */
interface Waiting {
  resolve(window: RateWindow): void;
  reject(error: unknown): void;
}

/** Counts together what comes for a key while it is being counted: one statement counts many requests of a busy key. */
class CoalescedCounts {
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(private readonly count: Count) {}

  /** Counts one request. */
  one(key: string, seconds: number): Promise<RateWindow> {
    const id = `${seconds} ${key}`;
    return new Promise((resolve, reject) => {
      const waiting = this.waiting.get(id);
      if (waiting !== undefined) {
        waiting.push({ resolve, reject });
        return;
      }
      this.waiting.set(id, [{ resolve, reject }]);
      void this.follow(id, key, seconds);
    });
  }

  /** Never rejects. */
  private async follow(id: string, key: string, seconds: number): Promise<void> {
    for (;;) {
      const counted = this.waiting.get(id)?.splice(0) ?? [];
      if (counted.length === 0) break;
      try {
        const { requests, msLeft } = await this.count(key, seconds, counted.length);
        for (const [at, { resolve }] of counted.entries()) {
          resolve({ requests: requests - counted.length + 1 + at, msLeft });
        }
      } catch (error) {
        for (const { reject } of counted) reject(error);
      }
    }
    this.waiting.delete(id);
  }
}
