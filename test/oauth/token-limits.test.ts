import type { RateLimitStore } from "loyalty-kit/http";
import { expect, it } from "vitest";
import { readError, readTokens, Scene } from "./scene.js";

const perMinute = (requests: number) => ({ requests, seconds: 60 });

/** A store that two processes could share. */
class SharedCounts implements RateLimitStore {
  readonly counts = new Map<string, number>();

  async count(key: string) {
    const requests = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, requests);
    return { requests, msLeft: 1_500 };
  }
}

it("a grant gets a limited number of tokens in a window, regardless of the refresh token", async () => {
  const scene = new Scene({ tokenLimits: { perGrant: perMinute(3) } });
  const app = await scene.createApp();
  const other = await scene.createTokens(app);
  const first = await scene.createTokens(app);
  let { refresh_token } = first;
  for (const _ of [1, 2, 3]) {
    ({ refresh_token } = await readTokens(await scene.refresh(app, refresh_token)));
    scene.clock.move(10_000);
  }
  const response = await scene.refresh(app, refresh_token);
  expect(await readError(response)).toEqual([429, "temporarily_unavailable"]);
  expect(response.headers.get("retry-after")).toBe("30");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect((await scene.refresh(app, other.refresh_token)).status).toBe(200);
  scene.clock.move(30_000);
  expect((await scene.refresh(app, refresh_token)).status).toBe(200);
});

it("an app may send a limited number of requests of any kind in a window, and affects no other app", async () => {
  const scene = new Scene({ tokenLimits: { perApp: perMinute(3) } });
  const [app, other] = [await scene.createApp(), await scene.createApp()];
  const tokens = await scene.createTokens(app);
  expect((await scene.redeem(app, "lkc_made-up")).status).toBe(400);
  expect((await scene.revoke(app, tokens.access_token)).status).toBe(200);
  for (const response of [
    await scene.refresh(app, tokens.refresh_token),
    await scene.revoke(app, tokens.refresh_token),
    await scene.redeem(app, "lkc_made-up"),
  ]) {
    expect(await readError(response)).toEqual([429, "temporarily_unavailable"]);
    expect(response.headers.get("retry-after")).toBe("60");
  }
  expect((await scene.refresh(other, tokens.refresh_token)).status).toBe(400);
  scene.clock.move(60_000);
  expect((await scene.refresh(app, tokens.refresh_token)).status).toBe(200);
});

it("a client that doesn't know an app's secret uses up nothing of its limit", async () => {
  const scene = new Scene({ tokenLimits: { perApp: perMinute(1) } });
  const [app, other] = [await scene.createApp(), await scene.createApp()];
  for (const _ of [1, 2, 3]) {
    const guess = await scene.refresh({ ...app, clientSecret: other.clientSecret }, "lkr_made-up");
    expect(await readError(guess)).toEqual([401, "invalid_client"]);
  }
  expect(await readError(await scene.refresh(app, "lkr_made-up"))).toEqual([400, "invalid_grant"]);
});

it("by default a grant gets 30 tokens a minute", async () => {
  const scene = new Scene({ tokenLimits: {} });
  const app = await scene.createApp();
  const { refresh_token } = await scene.createTokens(app);
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async () => (await scene.refresh(app, refresh_token)).status),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(30);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
});

it("requests are counted in the shared store, by hashed keys", async () => {
  const store = new SharedCounts();
  const scene = new Scene({ tokenLimits: { perApp: perMinute(1), store } });
  const app = await scene.createApp();
  const tokens = await scene.createTokens(app);
  const response = await scene.refresh(app, tokens.refresh_token);
  expect(await readError(response)).toEqual([429, "temporarily_unavailable"]);
  expect(response.headers.get("retry-after")).toBe("2");
  for (const key of store.counts.keys()) expect(key).toMatch(/^[0-9a-f]{64}$/);
});

it("an outage of the store is reported, and no request is refused", async () => {
  const outage = new Error("the counter is gone");
  const errors: unknown[] = [];
  const store: RateLimitStore = { count: () => Promise.reject(outage) };
  const scene = new Scene({
    tokenLimits: { perApp: perMinute(1), perGrant: perMinute(1), store },
    onError: (error) => void errors.push(error),
  });
  const app = await scene.createApp();
  const { refresh_token } = await scene.createTokens(app);
  expect((await scene.refresh(app, refresh_token)).status).toBe(200);
  expect(errors).toEqual([outage, outage, outage]);
});

it("an invalid quota is refused", () => {
  expect(() => new Scene({ tokenLimits: { perApp: perMinute(0) } })).toThrow(RangeError);
});
