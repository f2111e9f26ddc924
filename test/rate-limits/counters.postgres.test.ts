import { postgresRateLimits, type RateLimitStore, type RateWindow } from "loyalty-kit/http";
import pg from "pg";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createPlace } from "../postgres/place.js";

const places: { end(): Promise<void> }[] = [];
afterAll(async () => {
  for (const place of places) await place.end();
});

/** Creates a schema without tables, and one pool per process on it. */
async function openPools(count: number): Promise<pg.Pool[]> {
  const place = await createPlace();
  const settings = { connectionString: place.url, max: 3, pipeline: true };
  const pools = Array.from({ length: count }, () => new pg.Pool(settings));
  places.push({
    async end() {
      for (const pool of pools) await pool.end();
      await place.remove();
    },
  });
  return pools;
}

const sendBurst = (stores: readonly RateLimitStore[], requests: number, key = "a"): Promise<RateWindow[]> =>
  Promise.all(stores.flatMap((store) => Array.from({ length: requests }, () => store.count(key, 60))));

const listNumbers = (windows: readonly RateWindow[]) =>
  windows.map(({ requests }) => requests).sort((a, b) => a - b);

const countTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe("rate limits in Postgres", () => {
  test("of processes that start at the same time never repeat a number, although none finds a table", async () => {
    const stores = (await openPools(4)).map(postgresRateLimits);
    const windows = await sendBurst(stores, 25);
    expect(listNumbers(windows)).toEqual(countTo(100));
    for (const { msLeft } of windows) {
      expect(msLeft).toBeGreaterThan(50_000);
      expect(msLeft).toBeLessThanOrEqual(60_000);
    }
  });

  test("count concurrent requests for a key in few statements, and number each", async () => {
    const [pool = expect.fail()] = await openPools(1);
    const store = postgresRateLimits(pool);
    await store.count("a", 60);
    const statements = vi.spyOn(pool, "query");
    const windows = await sendBurst([store], 100);
    expect(listNumbers(windows)).toEqual(countTo(101).slice(1));
    // One for the first request, and one for those that arrived in the meantime.
    expect(statements.mock.calls.length).toBeLessThanOrEqual(4);
    statements.mockRestore();
  });

  test("count concurrent requests for many keys in few statements, and number each key separately", async () => {
    const [pool = expect.fail()] = await openPools(1);
    const store = postgresRateLimits(pool);
    await store.count("a", 60);
    const statements = vi.spyOn(pool, "query");
    const keys = Array.from({ length: 50 }, (_, at) => `key ${at}`);
    const windows = await Promise.all(keys.map((key) => sendBurst([store], 4, key)));
    expect(windows.map(listNumbers)).toEqual(keys.map(() => countTo(4)));
    expect(statements.mock.calls.length).toBeLessThanOrEqual(4);
    statements.mockRestore();
  });

  test("of many keys are counted by several processes at the same time, in any order", async () => {
    const stores = (await openPools(4)).map(postgresRateLimits);
    const keyList = Array.from({ length: 100 }, (_, at) => `key ${(at * 37) % 100}`);
    for (let round = 1; round <= 5; round += 1) {
      const turned = stores.map((store, at) => ({
        store,
        keys: at % 2 === 0 ? keyList : keyList.toReversed(),
      }));
      await Promise.all(turned.flatMap(({ store, keys }) => keys.map((key) => store.count(key, 60))));
    }
    for (const key of keyList) expect(await stores[0]?.count(key, 60)).toMatchObject({ requests: 21 });
  });

  test("are removed an hour after their window has ended", async () => {
    const [pool = expect.fail()] = await openPools(1);
    const store = postgresRateLimits(pool);
    await store.count("over", 60);
    await store.count("open", 86_400);
    const later = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 3_700_000);
    await store.count("new", 60);
    later.mockRestore();
    const listKeys = async () => (await pool.query("select key from loyalty_rate_limits order by key")).rows;
    await expect.poll(listKeys).toEqual([{ key: "new" }, { key: "open" }]);
  });

  test("don't last longer for a process whose clock is a day ahead", async () => {
    const [store = expect.fail()] = (await openPools(1)).map(postgresRateLimits);
    const ahead = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 86_400_000);
    await store.count("a", 60);
    ahead.mockRestore();
    const { requests, msLeft } = await store.count("a", 60);
    expect(requests).toBe(1);
    expect(msLeft).toBeGreaterThan(50_000);
    expect(msLeft).toBeLessThanOrEqual(60_000);
    expect(await store.count("a", 60)).toMatchObject({ requests: 2 });
  });

  test("start a new window when the old one has ended, with the length that is then requested", async () => {
    const [pool] = await openPools(1);
    if (pool === undefined) throw new Error("no pool");
    const store = postgresRateLimits(pool);
    await sendBurst([store], 3);
    await sendBurst([store], 2, "b");
    await pool.query("update loyalty_rate_limits set expire = expire - 60000 where key = 'a'");
    const { requests, msLeft } = await store.count("a", 3_600);
    expect(requests).toBe(1);
    expect(msLeft).toBeGreaterThan(3_590_000);
    expect(await store.count("b", 60)).toMatchObject({ requests: 3 });
  });

  test("remain when a process starts later whose role may not create tables", async () => {
    const [owner] = await openPools(1);
    if (owner === undefined) throw new Error("no pool");
    await sendBurst([postgresRateLimits(owner)], 2);
    const { rows } = await owner.query("select current_schema() as schema");
    const schema: string = rows[0].schema;
    const role = `${schema}_reader`;
    await owner.query(`create role ${role}; grant usage on schema ${schema} to ${role};
      grant select, insert, update, delete on loyalty_rate_limits to ${role}`);
    onTestFinished(async () => {
      await owner.query(`drop owned by ${role}; drop role ${role}`);
    });
    const client = await owner.connect();
    try {
      await client.query(`set role ${role}`);
      expect(await postgresRateLimits(client).count("a", 60)).toMatchObject({ requests: 3 });
    } finally {
      await client.query("reset role");
      client.release();
    }
  });

  test("fail if the server doesn't respond within a second, and count again when it does", async () => {
    const [pool, other] = await openPools(2);
    if (pool === undefined || other === undefined) throw new Error("no pool");
    const store = postgresRateLimits(pool);
    await store.count("a", 60);
    const holder = await other.connect();
    await holder.query("begin; lock table loyalty_rate_limits");
    await expect(store.count("a", 60)).rejects.toThrow("1000 ms");
    await holder.query("commit");
    holder.release();
    const { requests } = await store.count("a", 60);
    expect([2, 3]).toContain(requests);
  });

  test("are counted again a second after statements that never get a response", async () => {
    const [pool = expect.fail()] = await openPools(1);
    let unanswered = 0;
    const store = postgresRateLimits({
      query: (query) => {
        if (unanswered === 0) return pool.query(query);
        unanswered -= 1;
        return new Promise(() => {});
      },
    });
    await store.count("a", 60);
    unanswered = 2;
    const stuck = await Promise.allSettled([store.count("a", 60), store.count("a", 60)]);
    expect(stuck.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await store.count("a", 60)).toMatchObject({ requests: 2 });
  });

  test("retry creating their table if that failed", async () => {
    const [pool] = await openPools(1);
    if (pool === undefined) throw new Error("no pool");
    let isDown = true;
    const store = postgresRateLimits({
      query: async (query) => {
        if (isDown) throw new Error("down");
        return pool.query(query);
      },
    });
    await expect(store.count("a", 60)).rejects.toThrow("down");
    isDown = false;
    expect(await store.count("a", 60)).toMatchObject({ requests: 1 });
  });
});
