import { createHash } from "node:crypto";
import { once } from "node:events";
import { LoyaltyService, scopes } from "loyalty-kit";
import {
  apiTokens,
  createHttpApi,
  type HttpApi,
  nodeServer,
  type RateLimitOptions,
  type RateLimitStore,
} from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { toNetwork } from "../../../adapters/http/rate-limits/client-network.js";
import { WindowedRateLimits } from "../../../adapters/http/rate-limits/rate-limits.js";
import { awaitInStep } from "../../../src/base/concurrency/step.js";
import { ManualClock } from "../../kit/manual-clock.js";

/** Creates an API with these limits, and records the errors that the host's logger receives. */
async function createApi(rateLimits?: RateLimitOptions | false) {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const storage = memoryStorage();
  const loyalty = new LoyaltyService({ storage, onError });
  const { token } = await loyalty
    .organization("acme")
    .apiTokens.create({ name: "Test", scopes: [...scopes] });
  const { fetch } = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    onError,
    ...(rateLimits !== undefined && { rateLimits }),
  });
  const getTemplates = async (authorization = `Bearer ${token}`, path = "/v1/templates") => {
    const { status, headers } = await fetch(
      new Request(`https://api.example${path}`, { headers: { authorization } }),
    );
    const limitHeaders = ["ratelimit-policy", "ratelimit", "retry-after"].filter((name) => headers.has(name));
    return {
      status,
      limit: headers.get("ratelimit"),
      policy: headers.get("ratelimit-policy"),
      limitHeaders,
    };
  };
  return { storage, token, errors, getTemplates };
}

describe("the rate limits of an API", () => {
  test("are 1,000 requests a minute per token, and 100 without a valid token, by default", async () => {
    const { getTemplates } = await createApi();
    expect(await getTemplates()).toMatchObject({
      policy: '"default";q=1000;w=60',
      limit: expect.stringMatching(/r=999;/),
    });
    for (let count = 0; count < 100; count += 1) expect((await getTemplates("Bearer x")).status).toBe(401);
    expect((await getTemplates("Bearer x")).status).toBe(429);
    expect((await getTemplates()).status).toBe(200);
  });

  test("may be disabled, and then have no headers", async () => {
    const { getTemplates } = await createApi(false);
    expect(await getTemplates()).toMatchObject({ status: 200, limitHeaders: [] });
    for (let count = 0; count < 101; count += 1) expect((await getTemplates("Bearer x")).status).toBe(401);
  });

  test.each([
    { perToken: { requests: 0, seconds: 60 } },
    { perToken: { requests: 1.5, seconds: 60 } },
    { perToken: { requests: 1, seconds: 86_401 } },
    { perAddress: { requests: 1, seconds: Number.NaN } },
    { perAddress: { requests: 1_000_000_001, seconds: 1 } },
  ])("must be valid: %o", async (rateLimits) => {
    await expect(createApi(rateLimits)).rejects.toThrow(RangeError);
  });

  test("of an organization must be valid; otherwise the general ones apply and the host gets the error", async () => {
    for (const quotaKey of [
      () => ({ requests: -1, seconds: 60 }),
      () => {
        throw new Error("no plan");
      },
    ]) {
      const { getTemplates, errors } = await createApi({ quotaOf: quotaKey });
      expect(await getTemplates()).toMatchObject({ status: 200, policy: '"default";q=1000;w=60' });
      expect(errors).toEqual([expect.any(Error)]);
    }
  });

  test("are also in the headers of an internal error", async () => {
    const { storage, getTemplates, errors } = await createApi();
    const reader = storage.reader.bind(storage);
    const listTemplates = () => awaitInStep(Promise.reject(new Error("broken")));
    storage.reader = (organizationId) => Object.assign(reader(organizationId), { listTemplates });
    expect(await getTemplates()).toMatchObject({ status: 500, limit: expect.stringMatching(/r=999;/) });
    expect(errors).toHaveLength(1);
  });
});

describe("the host's rate limit store", () => {
  test("lets requests pass if it fails, and the error is reported to the host", async () => {
    const cause = new Error("no connection");
    const { getTemplates, errors } = await createApi({ store: { count: () => Promise.reject(cause) } });
    expect(await getTemplates()).toMatchObject({ status: 200, limitHeaders: [] });
    expect(errors).toEqual([cause]);
  });

  test("gets a hash instead of the token, and nothing about anonymous clients", async () => {
    const keys: string[] = [];
    const store: RateLimitStore = {
      async count(key) {
        keys.push(key);
        return { requests: 1, msLeft: 1 };
      },
    };
    const { getTemplates, token } = await createApi({ store });
    await getTemplates();
    await getTemplates("Bearer x");
    const hashes = [token, "organization acme"].map((text) =>
      createHash("sha256").update(text).digest("hex"),
    );
    expect(keys).toEqual(hashes);
  });

  test("whose window is about to end makes the client wait a second", async () => {
    const { getTemplates } = await createApi({
      store: { count: async () => ({ requests: 1_001, msLeft: 0 }) },
    });
    expect(await getTemplates()).toMatchObject({ status: 429, limit: '"default";r=0;t=1' });
  });
});

describe("all tokens of an organization together", () => {
  /** Counts one request of each token. @returns which were refused, and the reported limits. */
  const countByToken = async (
    options: RateLimitOptions,
    tokens: readonly string[],
    organizationId = "acme",
  ) => {
    const limits = new WindowedRateLimits(options, new ManualClock().read, () => {});
    const statuses = [];
    for (const token of tokens) statuses.push(await limits.countToken(token, organizationId));
    return {
      refused: statuses.map(({ isExceeded }) => isExceeded),
      told: statuses.map(({ headers }) => headers.ratelimit),
      limits,
    };
  };
  const createStore = (): RateLimitStore => {
    const counts = new Map<string, number>();
    return {
      async count(key) {
        const requests = (counts.get(key) ?? 0) + 1;
        counts.set(key, requests);
        return { requests, msLeft: 60_000 };
      },
    };
  };
  const perToken = { requests: 2, seconds: 60 };
  const perOrganization = { requests: 3, seconds: 60 };

  test.each([
    ["in memory", () => ({})],
    ["in a store", () => ({ store: createStore() })],
  ])("have a quota, which the headers show once it leaves less, %s", async (_where, getLimits) => {
    const options = { perToken, perOrganization, ...getLimits() };
    const { refused, told, limits } = await countByToken(options, ["a", "b", "c", "d", "e"]);
    expect(refused).toEqual([false, false, false, true, true]);
    expect(told).toEqual([
      '"default";r=1;t=60',
      '"default";r=1;t=60',
      '"organization";r=0;t=60',
      '"organization";r=0;t=60',
      '"organization";r=0;t=60',
    ]);
    expect(await limits.countToken("a", "globex")).toMatchObject({ isExceeded: false });
  });

  test("may send ten times as many requests as one token by default, or an unlimited number", async () => {
    const tokens = Array.from({ length: 21 }, (_, at) => `token-${at}`);
    expect((await countByToken({ perToken }, tokens)).refused.indexOf(true)).toBe(20);
    expect((await countByToken({ perToken, perOrganization: false }, tokens)).refused).not.toContain(true);
  });

  test("lose nothing by the refused requests of one of them", async () => {
    const options = { perToken, perOrganization };
    const { refused } = await countByToken(options, ["a", "a", "a", "a", "a", "b"]);
    expect(refused).toEqual([false, false, true, true, true, false]);
  });

  test("must have a valid quota", () => {
    const options = { perOrganization: { requests: 0, seconds: 60 } };
    expect(() => new WindowedRateLimits(options, Date.now, () => {})).toThrow(RangeError);
  });
});

describe("clients without a valid token", () => {
  const createLimits = (capacity: number, requests = 1) => {
    const clock = new ManualClock();
    const perAddress = { requests, seconds: 60 };
    const limits = new WindowedRateLimits({ perAddress }, clock.read, () => {}, capacity);
    const isRefused = (address: string | null) => limits.countAnonymous(address).isExceeded;
    return { clock, limits, isRefused };
  };

  test("are identified by their IPv4 address or their IPv6 /64", () => {
    expect(toNetwork("203.0.113.7")).toBe("203.0.113.7");
    expect(toNetwork("::ffff:203.0.113.7")).toBe("203.0.113.7");
    expect(toNetwork("::ffff:cb00:7107")).toBe("203.0.113.7");
    expect(toNetwork("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
    expect(toNetwork("2001:0DB8:0001:0002::1")).toBe("2001:db8:1:2::/64");
    expect(toNetwork("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
    for (const none of ["", "unknown", "203.0.113.7:80", "x".repeat(100_000)]) {
      expect(toNetwork(none)).toBeNull();
    }
  });

  test("share the limit of their /64, ten times as much for their /48, and a thousand times for their /32", () => {
    const addressIn = (...parts: readonly number[]) =>
      `2001:db8:${parts.map((part) => part.toString(16)).join(":")}::1`;
    const { isRefused } = createLimits(10_000);
    expect([addressIn(1, 2), "2001:db8:1:2:ffff::9", addressIn(1, 3)].map(isRefused)).toEqual([
      false,
      true,
      false,
    ]);
    const ofShop = Array.from({ length: 20 }, (_, nth) => addressIn(7, nth));
    expect(ofShop.filter((address) => !isRefused(address))).toHaveLength(10);
    expect(isRefused(addressIn(8, 1))).toBe(false);
    const ofProvider = Array.from({ length: 1_100 }, (_, nth) => addressIn(0x1000 + nth, 1));
    // The provider's other clients have used thirteen of a thousand.
    expect(ofProvider.filter((address) => !isRefused(address))).toHaveLength(987);
    expect(isRefused("2001:db9::1")).toBe(false);
  });

  test("are identified by their socket if the server is ours", async () => {
    const addresses: unknown[] = [];
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
    const recordAddress: HttpApi["handle"] = (request) => {
      addresses.push(request.address);
      return api.handle(request);
    };
    const server = nodeServer({ ...api, handle: recordAddress }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    await fetch(`http://127.0.0.1:${Object(server.address()).port}/v1/users`, {
      headers: { "x-forwarded-for": "203.0.113.7" },
    });
    expect(addresses).toEqual(["127.0.0.1"]);
  });

  test("are one client if no address is known", () => {
    const { isRefused } = createLimits(10);
    expect([null, "unknown", null].map(isRefused)).toEqual([false, true, true]);
  });

  test("can't remove a window by opening others, or lock others out", () => {
    const { isRefused, clock } = createLimits(3, 2);
    expect(["10.0.0.1", "10.0.0.1", "10.0.0.1"].map(isRefused)).toEqual([false, false, true]);
    for (let at = 0; at < 100; at += 1) expect(isRefused(`10.0.1.${at}`)).toBe(false);
    expect(["10.0.0.1", "10.0.2.1", "10.0.2.1", "10.0.2.1"].map(isRefused)).toEqual([
      true,
      false,
      false,
      true,
    ]);
    clock.move(60_000);
    expect(isRefused("10.0.0.1")).toBe(false);
  });

  test("use no capacity of tokens", async () => {
    const { limits, isRefused } = createLimits(2);
    await limits.countToken("a", "acme");
    for (let at = 0; at < 10; at += 1) isRefused(`10.0.0.${at}`);
    expect((await limits.countToken("a", "acme")).headers.ratelimit).toContain("r=998");
  });
});
