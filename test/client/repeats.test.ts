import { isLoyaltyError } from "loyalty-kit";
import { ConnectionError } from "loyalty-kit/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { computeRetryDelayMs } from "../../adapters/http/client/connection.js";
import { collect } from "../kit/collect.js";
import { getErrorDetail, notFound } from "../kit/refusal.js";
import { type Disturbance, loseRequest, loseResponse, openDisturbed, replaceResponse } from "./over-http.js";

const body = { type: "STAMP_CARD", name: "Card", maxStamps: 10 } as const;

describe("a call whose response is lost", () => {
  it("takes effect once and returns its result, if it is a POST", async () => {
    const { client, acme } = openDisturbed([loseResponse, loseResponse]);
    const template = await client.templates.create(body);
    expect(await acme.templates.list()).toEqual([template]);
  });

  it("adds no stamp twice", async () => {
    const { client, acme, requests } = openDisturbed([loseRequest, loseResponse]);
    const { id } = await acme.templates.create(body);
    const pass = await acme.passes.create(id, { user: { email: "ada@example.com" } });
    expect((await client.stamps.add(pass.id, { count: 3 })).currentStamps).toBe(3);
    expect(new Set(requests.map(({ headers }) => new Headers(headers).get("idempotency-key"))).size).toBe(1);
  });

  it.each([502, 503, 504])("also takes effect once if a proxy responds with %s instead", async (status) => {
    const { client, acme } = openDisturbed([
      async (proceed) => {
        await proceed();
        return new Response("<h1>Bad gateway</h1>", { status });
      },
    ]);
    await client.templates.create(body);
    expect(await acme.templates.list()).toHaveLength(1);
  });

  it("is refused as its first attempt was", async () => {
    const { client, acme } = openDisturbed([loseResponse]);
    await acme.tags.create({ name: "VIP" });
    const detail = await getErrorDetail(client.tags.create({ name: "VIP" }));
    expect(detail).toEqual({ code: "user_tag_already_exists", params: ["vip"] });
  });

  it("waits for its first attempt, which may still be running", async () => {
    const keyInUse = replaceResponse(409, {}, '{"code":"idempotency_key_in_use","params":null}');
    const { client, acme } = openDisturbed([loseRequest, keyInUse, keyInUse]);
    const template = await client.templates.create(body);
    expect(await acme.templates.list()).toEqual([template]);
  });

  it("fails with idempotency_key_in_use if its key is already in use at the first attempt", async () => {
    const { client } = openDisturbed([
      replaceResponse(409, {}, '{"code":"idempotency_key_in_use","params":null}'),
    ]);
    const detail = await getErrorDetail(client.templates.create({ ...body, idempotencyKey: "mine" }));
    expect(detail).toEqual({ code: "idempotency_key_in_use", params: null });
  });

  it("succeeds if its first attempt deleted the resource that it names", async () => {
    const { client, acme } = openDisturbed([loseResponse]);
    const { id } = await acme.users.create({ email: "ada@example.com" });
    expect(await client.users.delete(id)).toBeUndefined();
    expect(await getErrorDetail(client.users.delete(id))).toEqual(notFound);
  });

  it("is retried if it updates a resource by the service's own id", async () => {
    const { client, acme } = openDisturbed([loseResponse]);
    const { id } = await acme.users.create({ email: "ada@example.com" });
    expect(await client.users.update(id, { name: "Ada" })).toEqual(await acme.users.get(id));
  });

  it.each<[string, (calls: ReturnType<typeof openDisturbed>["client"]) => Promise<unknown>]>([
    ["a slug", ({ tags }) => tags.delete("vip")],
    ["an external id", ({ users }) => users.delete("1")],
    ["a slug of a user's tag", ({ tags }) => tags.unassign("1", "vip")],
  ])("is not retried if it names a resource by %s, which may mean another one by then", async (_, work) => {
    const { client, acme, requests } = openDisturbed([loseResponse]);
    await acme.users.create({ email: "ada@example.com", externalId: "1" });
    await acme.tags.create({ name: "VIP" });
    await acme.tags.assign("1", "vip");
    await expect(work(client)).rejects.toThrow(ConnectionError);
    expect(requests).toHaveLength(1);
  });

  it("fails after the allowed number of retries, with the cause", async () => {
    const { client, requests } = openDisturbed([loseRequest, loseRequest, loseRequest], { retries: 2 });
    const error = await client.tags.list().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ status: null, cause: new TypeError("fetch failed") });
    expect(requests).toHaveLength(3);
  });
});

describe("a rate-limited call", () => {
  it("is retried even if it names a resource by slug, because it was not processed", async () => {
    const { client, acme } = openDisturbed([replaceResponse(429), replaceResponse(429)]);
    await acme.tags.create({ name: "VIP" });
    await client.tags.delete("vip");
    expect(await acme.tags.list()).toEqual([]);
  });

  it("is not retried if the wait would be long, and fails with rate_limit_exceeded", async () => {
    const limitedBody = '{"code":"rate_limit_exceeded","params":null}';
    const { client, requests } = openDisturbed([
      replaceResponse(429, { "retry-after": "3600" }, limitedBody),
    ]);
    const error = await client.tags.list().catch((cause: unknown) => cause);
    expect(isLoyaltyError(error, "rate_limit_exceeded") && error.status).toBe(429);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["2", 2_000],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
    ["soon", 0],
    ["3600.5", 0],
    [null, 0],
  ])("waits at least as long as %s says, and longer with each retry", (retryAfter, min) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) });
    onTestFinished(() => void vi.useRealTimers());
    const pauses = [0, 1, 2, 6].map((repeats) => computeRetryDelayMs(retryAfter, repeats) ?? Number.NaN);
    for (const ms of pauses) expect(ms).toBeGreaterThanOrEqual(min);
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(8_000);
  });
});

describe("a response that is not the service's", () => {
  it.each<[string, Disturbance]>([
    ["an HTML page from a proxy", replaceResponse(404, {}, "<h1>Not found</h1>")],
    ["a successful HTML page", replaceResponse(200, { "content-type": "text/html" }, "<h1>Welcome</h1>")],
    ["an error with an unknown code", replaceResponse(400, {}, '{"code":"invented"}')],
  ])("is an error with its status: %s", async (_, disturb) => {
    const { client } = openDisturbed([disturb]);
    const error = await client.tags.list().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toHaveProperty("status", expect.any(Number));
  });

  it("is also one after a redirect, which may have changed the method", async () => {
    const redirect: Disturbance = async () =>
      Object.defineProperty(new Response("[]"), "redirected", { value: true });
    const { client } = openDisturbed([redirect], { retries: 0 });
    await expect(client.templates.create(body)).rejects.toThrow(ConnectionError);
  });
});

describe("stopping a client", () => {
  it("ends calls and their pauses with the signal's reason", async () => {
    const stop = new AbortController();
    const hang: Disturbance = (_, { signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    const { client } = openDisturbed([hang, replaceResponse(503)], { signal: stop.signal });
    const calls = [client.tags.list(), client.tags.list()];
    await new Promise((resolve) => setTimeout(resolve, 20));
    stop.abort(new Error("gone"));
    for (const call of [...calls, client.tags.list(), collect(client.users.list())]) {
      await expect(call).rejects.toThrow("gone");
    }
  });

  it("a request that takes too long is sent again", async () => {
    const hang: Disturbance = (_, { signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    const { client, requests } = openDisturbed([hang], { timeout: 500 });
    expect(await client.tags.list()).toEqual([]);
    expect(requests).toHaveLength(2);
  });
});
