import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, type RateLimitOptions } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { AnonymousQueue, linkQueueLimits } from "../../../adapters/http/rate-limits/anonymous-queue.js";

/** Opens an API with a page and links of one extension. Links that begin with `bad` are invalid. */
async function openApiWithLinks(rateLimits?: RateLimitOptions) {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  onTestFinished(() => loyalty.close());
  let responseCount = 0;
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    addressOf: ({ headers }) => headers.get("x-address"),
    extensions: [
      {
        paths: ["/page", "/links/*"],
        signed: ["/links/*"],
        handle: async ({ url }) => {
          for (const end = performance.now() + 0.2; performance.now() < end; );
          responseCount += 1;
          return { status: url.startsWith("/links/bad") ? 404 : 200, headers: {}, body: null };
        },
      },
    ],
    ...(rateLimits !== undefined && { rateLimits }),
  });
  const getStatus = async (path: string, address = "192.0.2.1") =>
    (await api.fetch(new Request(`https://api.example${path}`, { headers: { "x-address": address } })))
      .status;
  return { getStatus, countResponses: () => responseCount };
}

const timeLimit = { timePerAddress: { milliseconds: 1, seconds: 60 } };

describe("a signed link", () => {
  test("gets a response even if thousands come from one address at the same time", async () => {
    const { getStatus } = await openApiWithLinks(timeLimit);
    const statuses = await Promise.all(
      Array.from({ length: 2_000 }, (_, at) => getStatus(`/links/good${at}`)),
    );
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  test("gets a response whatever else its address has requested, and costs the address nothing", async () => {
    const { getStatus } = await openApiWithLinks(timeLimit);
    for (let at = 0; at < 20; at += 1) await getStatus("/links/good");
    expect(await getStatus("/page")).toBe(200);
    while ((await getStatus("/page")) !== 429);
    expect(await getStatus("/links/good")).toBe(200);
  });

  test("that is invalid counts as an unknown token does, and doesn't block a valid one", async () => {
    const { getStatus } = await openApiWithLinks({ perAddress: { requests: 3, seconds: 60 } });
    const statuses = [];
    for (let at = 0; at < 4; at += 1) statuses.push(await getStatus(`/links/bad${at}`));
    expect(statuses).toEqual([404, 404, 404, 429]);
    expect(await getStatus("/links/good")).toBe(200);
    expect(await getStatus("/links/bad", "192.0.2.2")).toBe(404);
  });

  test("that is invalid counts toward the time of its address", async () => {
    const { getStatus } = await openApiWithLinks(timeLimit);
    for (let at = 0; at < 10; at += 1) await getStatus("/links/bad");
    expect(await getStatus("/page")).toBe(429);
    expect(await getStatus("/page", "192.0.2.2")).toBe(200);
  });

  test("waits in a queue of its own, so that a flood of links blocks no page", async () => {
    const { getStatus, countResponses } = await openApiWithLinks();
    const flood = Array.from({ length: 1_000 }, (_, at) => getStatus(`/links/good${at}`));
    expect(await getStatus("/page", "192.0.2.2")).toBe(200);
    expect(countResponses()).toBeLessThan(200);
    await Promise.all(flood);
  });

  test("waits behind at most 10,000 others of its client group", async () => {
    const queue = new AnonymousQueue(linkQueueLimits);
    const all = Array.from({ length: 10_003 }, () => queue.begin("192.0.2.1"));
    const ends = await Promise.allSettled(all.slice(10_002));
    expect(ends).toMatchObject([{ status: "rejected", reason: { code: "storage_unavailable" } }]);
    for (const task of all.slice(0, 10_002)) void task.then((turn) => turn.pause());
    await Promise.all(all.slice(0, 10_002));
  });
});
