import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, type HttpRequest, type RateLimitOptions } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AnonymousRequests } from "../../../adapters/http/anonymous-requests.js";
import { deferLowPriorityWork } from "../../../src/base/concurrency/event-loop.js";

type RespondWithText = (request: HttpRequest) => Promise<string>;

/** Opens an API with a page at `/page` that responds with this text. */
async function openApiWithPage(respond: RespondWithText, rateLimits?: RateLimitOptions | false) {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const { token } = await loyalty
    .organization("acme")
    .apiTokens.create({ name: "Till", scopes: ["user:read"] });
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    // Requests without a response are reported long after their tests.
    onError: () => {},
    addressOf: ({ headers }) => headers.get("x-address"),
    extensions: [
      {
        paths: ["/page", "/link"],
        waiting: ["/link"],
        handle: async (request) => ({ status: 200, headers: {}, body: await respond(request) }),
      },
    ],
    ...(rateLimits !== undefined && { rateLimits }),
  });
  const getPage = (address: string | null, init: RequestInit = {}, path = "/page") =>
    api.fetch(
      new Request(`https://api.example${path}`, {
        ...init,
        headers: { ...init.headers, ...(address !== null && { "x-address": address }) },
      }),
    );
  const getWithToken = (address: string | null) =>
    getPage(address, { headers: { authorization: `Bearer ${token}` } }, "/v1/contacts");
  return { getPage, getWithToken };
}

const waitForever = () => new Promise<never>(() => {});
const waitIterations = async () => {
  for (let at = 0; at < 20; at += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Stops timers, so that requests without a response keep their slots, however long an iteration takes. */
function stopTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

function blockEventLoop(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe("requests from anonymous clients", () => {
  test("are handled at most two at a time per address, without blocking other addresses", async () => {
    let underWay = 0;
    const { getPage } = await openApiWithPage(async ({ address }) => {
      underWay += 1;
      return address === "192.0.2.1" ? waitForever() : "page";
    });
    stopTimers();
    for (let at = 0; at < 100; at += 1) void getPage("192.0.2.1");
    await waitIterations();
    expect(underWay).toBe(2);
    expect((await getPage("192.0.2.2")).status).toBe(200);
    expect((await getPage("2001:db8::1")).status).toBe(200);
  });

  test("from many networks of one /48 count as those of one address", async () => {
    let underWay = 0;
    const { getPage } = await openApiWithPage(async () => {
      underWay += 1;
      return waitForever();
    });
    stopTimers();
    for (let at = 0; at < 100; at += 1) void getPage(`2001:db8:1:${at}::1`);
    await waitIterations();
    expect(underWay).toBe(2);
  });

  test("don't block others while they wait for the rest of a form", async () => {
    const { getPage } = await openApiWithPage(async ({ body }) => {
      if (body.kind === "bytes") for await (const _ of body.chunks);
      return "page";
    });
    for (let at = 0; at < 50; at += 1) {
      const body = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) });
      void getPage(`192.0.2.${at}`, { method: "POST", body, ...{ duplex: "half" } });
    }
    await waitIterations();
    expect((await getPage("198.51.100.1")).status).toBe(200);
  });

  test("are refused while 100 bodies from their client group are incomplete", async () => {
    const { getPage } = await openApiWithPage(async ({ body }) => {
      if (body.kind === "bytes") for await (const _ of body.chunks);
      return "page";
    });
    const openBodies: ReadableStreamDefaultController[] = [];
    const postSlowly = (address: string) => {
      const body = new ReadableStream({
        start(stream) {
          openBodies.push(stream);
          stream.enqueue(new Uint8Array(1));
        },
      });
      return getPage(address, { method: "POST", body, ...{ duplex: "half" } });
    };
    const all = Array.from({ length: 100 }, () => postSlowly("192.0.2.1"));
    for (let at = 0; at < 20; at += 1) await waitIterations();
    expect((await postSlowly("192.0.2.1")).status).toBe(503);
    const other = postSlowly("192.0.2.2");
    for (const stream of openBodies.splice(0)) stream.close();
    for (const { status } of await Promise.all([...all, other])) expect(status).toBe(200);
    const secondPost = postSlowly("192.0.2.1");
    for (const stream of openBodies) stream.close();
    expect((await secondPost).status).toBe(200);
  });

  test("don't block the lookup of a token, even if no client's address is known", async () => {
    const { getPage, getWithToken } = await openApiWithPage(waitForever);
    stopTimers();
    for (let at = 0; at < 600; at += 1) void getPage(null);
    await waitIterations();
    expect((await getPage(null)).status).toBe(503);
    expect((await getWithToken(null)).status).toBe(200);
  });

  test("don't block the lookup of a token, even if they come from many addresses", async () => {
    const { getPage, getWithToken } = await openApiWithPage(waitForever);
    stopTimers();
    for (let at = 0; at < 400; at += 1) void getPage(`192.0.2.${at % 200}`);
    await waitIterations();
    expect((await getWithToken("198.51.100.1")).status).toBe(200);
  });

  test("release their slots when they take long", async () => {
    let underWay = 0;
    const { getPage } = await openApiWithPage(async () => {
      underWay += 1;
      return waitForever();
    });
    for (let at = 0; at < 10; at += 1) void getPage(`192.0.2.${at}`);
    await expect.poll(() => underWay).toBe(10);
  });

  test("occupy no slots while they wait for other servers", async () => {
    let underWay = 0;
    const { getPage } = await openApiWithPage(async () => {
      underWay += 1;
      return waitForever();
    });
    for (let at = 0; at < 50; at += 1) void getPage("192.0.2.1", {}, "/link");
    await waitIterations();
    expect(underWay).toBe(50);
  });

  test("let timers and sockets run in between", async () => {
    let responseCount = 0;
    const { getPage } = await openApiWithPage(async () => {
      blockEventLoop(3);
      responseCount += 1;
      return "page";
    });
    const all = Array.from({ length: 40 }, (_, at) => getPage(`192.0.2.${at}`));
    let max = 0;
    for (let before = 0; responseCount < 40; before = responseCount) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      max = Math.max(max, responseCount - before);
    }
    await Promise.all(all);
    expect(max).toBeLessThan(10);
  });

  test("wait while connections are opened one after the other, for 50 ms at a time", async () => {
    const { getPage } = await openApiWithPage(async () => {
      vi.advanceTimersByTime(3);
      return "done";
    });
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    // All tests share the scheduler, whose time never goes back.
    vi.advanceTimersByTime(10 * Date.now());
    await waitIterations();
    await getPage("192.0.2.0");
    let responseCount = 0;
    const requests = ["192.0.2.1", "192.0.2.2"].map((address) =>
      getPage(address).then(() => (responseCount += 1)),
    );
    const openConnections = async (count: number) => {
      for (let at = 0; at < count; at += 1) {
        deferLowPriorityWork();
        vi.advanceTimersByTime(5);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await openConnections(9);
    expect(responseCount).toBe(0);
    await openConnections(30);
    expect(responseCount).toBe(2);
    await Promise.all(requests);
  });

  test("are handled soon, even if another address sends a new one after each response", async () => {
    let responseCount = 0;
    const { getPage } = await openApiWithPage(async ({ address }) => {
      blockEventLoop(0.2);
      if (address === "192.0.2.1") responseCount += 1;
      return "page";
    });
    let isOver = false;
    const getRepeatedly = async () => {
      while (!isOver) await getPage("192.0.2.1");
    };
    const flood = Array.from({ length: 100 }, getRepeatedly);
    await waitIterations();
    const before: number[] = [];
    for (let at = 0; at < 20; at += 1) {
      const countBefore = responseCount;
      await getPage("192.0.2.2");
      before.push(responseCount - countBefore);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    isOver = true;
    await Promise.all(flood);
    // The requests of a few time slices of 2 ms each.
    expect(Math.max(...before)).toBeLessThan(60);
  });

  test("don't block a caller with a token, except for the first request with it", async () => {
    const { getPage, getWithToken } = await openApiWithPage(waitForever);
    expect((await getWithToken("192.0.2.1")).status).toBe(200);
    for (let at = 0; at < 100; at += 1) void getPage(`192.0.2.${at}`);
    await waitIterations();
    let isAnswered = false;
    void getWithToken("192.0.2.1").then(() => {
      isAnswered = true;
    });
    await waitIterations();
    expect(isAnswered).toBe(true);
  });

  test("include those with a token, unless it was found before", async () => {
    let requestCount = 0;
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const api = createHttpApi(loyalty, {
      authenticate: () => {
        requestCount += 1;
        return waitForever();
      },
      onError: () => {},
    });
    for (let at = 0; at < 100; at += 1) {
      const headers = { authorization: `Bearer token-${at}` };
      void api.fetch(new Request("https://api.example/v1/contacts", { headers }));
    }
    await waitIterations();
    expect(requestCount).toBe(2);
  });

  test("with unknown tokens don't block another token from an address where one was found before", async () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const requestedPaths: string[] = [];
    const api = createHttpApi(loyalty, {
      authenticate: async (token, address) => {
        requestedPaths.push(`${address} ${token}`);
        return token.startsWith("good") ? { organizationId: "acme", scopes: ["user:read"] } : waitForever();
      },
      onError: () => {},
      addressOf: ({ headers }) => headers.get("x-address"),
    });
    const getContacts = async (address: string, token: string) => {
      const headers = { authorization: `Bearer ${token}`, "x-address": address };
      return (await api.fetch(new Request("https://api.example/v1/contacts", { headers }))).status;
    };
    stopTimers();
    expect(await getContacts("198.51.100.1", "good-1")).toBe(200);
    for (let at = 0; at < 200; at += 1) void getContacts(`192.0.2.${at}`, `bad-${at}`);
    await waitIterations();
    expect(await getContacts("198.51.100.1", "good-2")).toBe(200);
    void getContacts("198.51.100.2", "good-3");
    await waitIterations();
    expect(requestedPaths).toHaveLength(6);
    expect(requestedPaths).not.toContain("198.51.100.2 good-3");
  });

  test("skip the queue for at most 10,000 client groups in which a token was found", async () => {
    const requests = new AnonymousRequests(null);
    stopTimers();
    const addressAt = (at: number) => `10.0.${at >> 8}.${at & 255}`;
    for (let at = 0; at < 10_001; at += 1) requests.recordKnownToken(addressAt(at));
    for (let at = 0; at < 4; at += 1) void requests.runQueued(`192.0.2.${at}`, "token", waitForever);
    await waitIterations();
    let isFirstBegun = false;
    void requests.runQueued(addressAt(0), "token", async () => {
      isFirstBegun = true;
    });
    expect(await requests.runQueued(addressAt(1), "token", async () => "known")).toBe("known");
    expect(isFirstBegun).toBe(false);
  });

  test("are limited by the time that they take, per address, and callers with tokens are not affected", async () => {
    const { getPage, getWithToken } = await openApiWithPage(
      async () => {
        blockEventLoop(2);
        return "page";
      },
      { timePerAddress: { milliseconds: 1, seconds: 60 } },
    );
    expect((await getPage("192.0.2.1")).status).toBe(200);
    const errorResponse = await getPage("192.0.2.1");
    expect([errorResponse.status, Number(errorResponse.headers.get("retry-after"))]).toEqual([
      429,
      expect.any(Number),
    ]);
    expect((await getPage("192.0.2.1", { method: "HEAD" }, "/nowhere")).status).toBe(429);
    expect((await getWithToken("192.0.2.1")).status).toBe(200);
    expect((await getPage("192.0.2.2")).status).toBe(200);
  });

  test.each([
    ["whose address is unknown", null, { timePerAddress: { milliseconds: 1, seconds: 60 } }],
    ["of a server without limits", "192.0.2.1", false as const],
  ])("have no such limit for clients %s", async (_who, address, limits) => {
    const { getPage } = await openApiWithPage(async () => {
      blockEventLoop(2);
      return "page";
    }, limits);
    const statuses = [await getPage(address), await getPage(address), await getPage(address)].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([200, 200, 200]);
  });

  test("are refused with a delay if their address was refused before", async () => {
    const { getPage } = await openApiWithPage(async () => "page", {
      perAddress: { requests: 1, seconds: 60 },
    });
    const getWithUnknownToken = () => getPage("192.0.2.1", {}, "/v1/contacts");
    expect([(await getWithUnknownToken()).status]).toEqual([401]);
    let secondStatus: number | null = null;
    void getWithUnknownToken().then(({ status }) => {
      secondStatus = status;
    });
    await waitIterations();
    expect(secondStatus).toBeNull();
    await expect.poll(() => secondStatus).toBe(429);
  });

  test.each([
    { milliseconds: 0, seconds: 60 },
    { milliseconds: 1.5, seconds: 60 },
    { milliseconds: 1, seconds: 0 },
  ])("can't be limited by %o", async (timePerAddress) => {
    await expect(openApiWithPage(async () => "page", { timePerAddress })).rejects.toThrow(RangeError);
  });
});
