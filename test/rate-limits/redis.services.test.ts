import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LoyaltyService, scopes } from "loyalty-kit";
import { apiTokens, createHttpApi, type RateWindow, redisRateLimits } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createClient } from "redis";
import { describe, expect, onTestFinished, test } from "vitest";
import { findFreePort } from "../kit/free-port.js";

/** Starts the `redis-server` of this machine, as Debian's package installs it. */
async function startRedis() {
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-redis-"));
  const server = spawn("redis-server", ["--port", `${port}`, "--bind", "127.0.0.1", "--save", ""], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closing = once(server, "close");
  const stop = async () => {
    server.kill("SIGKILL");
    await closing;
  };
  onTestFinished(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  for await (const chunk of server.stdout.setEncoding("utf8")) if (/Ready to accept/.test(chunk)) break;
  server.stdout.resume();
  return { url: `redis://127.0.0.1:${port}`, server, stop };
}

async function connectClient(url: string) {
  const client = createClient({ url });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.destroy());
  return client;
}

const listNumbers = (windows: readonly RateWindow[]) =>
  windows.map(({ requests }) => requests).sort((a, b) => a - b);

/** Creates an API with rate limits in Redis, and records the errors that the host's logger receives. */
async function createApi(client: Awaited<ReturnType<typeof connectClient>>) {
  const errors: unknown[] = [];
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const { token } = await loyalty
    .organization("acme")
    .apiTokens.create({ name: "Test", scopes: [...scopes] });
  const { fetch } = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    rateLimits: { perToken: { requests: 3, seconds: 60 }, store: redisRateLimits(client) },
    onError: (error) => errors.push(error),
  });
  const headers = { authorization: `Bearer ${token}` };
  const get = () => fetch(new Request("https://api.example/v1/templates", { headers }));
  return { get, errors };
}

describe("rate limits in Redis", () => {
  test("of several processes never repeat a number", async () => {
    const { url } = await startRedis();
    const stores = await Promise.all([1, 2, 3].map(async () => redisRateLimits(await connectClient(url))));
    const windows = await Promise.all(
      stores.flatMap((store) => Array.from({ length: 50 }, () => store.count("a", 60))),
    );
    expect(listNumbers(windows)).toEqual(Array.from({ length: 150 }, (_, at) => at + 1));
    for (const { msLeft } of windows) {
      expect(msLeft).toBeGreaterThan(50_000);
      expect(msLeft).toBeLessThanOrEqual(60_000);
    }
  });

  test("start a new window when the old one has ended", async () => {
    const client = await connectClient((await startRedis()).url);
    const store = redisRateLimits(client);
    await store.count("a", 60);
    expect(await store.count("a", 60)).toMatchObject({ requests: 2 });
    expect(await client.keys("*")).toEqual(["loyalty_rate_limits:a"]);
    await client.pExpire("loyalty_rate_limits:a", 1);
    await expect.poll(() => client.exists("loyalty_rate_limits:a")).toBe(0);
    const { requests, msLeft } = await store.count("a", 7);
    expect(requests).toBe(1);
    expect(msLeft).toBeGreaterThan(5_000);
    expect(msLeft).toBeLessThanOrEqual(7_000);
  });

  test("let a burst pass until exactly the quota is used up", async () => {
    const { get } = await createApi(await connectClient((await startRedis()).url));
    const answers = await Promise.all(Array.from({ length: 12 }, get));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 3 }, () => 200),
      ...Array.from({ length: 9 }, () => 429),
    ]);
  });

  test("let requests pass while Redis is down, and report it to the host", async () => {
    const redis = await startRedis();
    const { get, errors } = await createApi(await connectClient(redis.url));
    expect((await get()).headers.get("ratelimit")).toContain("r=2");
    await redis.stop();
    for (let count = 0; count < 5; count += 1) expect((await get()).status).toBe(200);
    expect(errors).toHaveLength(5);
  });

  test("let requests pass after a second while Redis doesn't respond", async () => {
    const redis = await startRedis();
    const { get, errors } = await createApi(await connectClient(redis.url));
    await get();
    redis.server.kill("SIGSTOP");
    expect((await get()).status).toBe(200);
    redis.server.kill("SIGCONT");
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining("1000 ms") })]);
  });
});
