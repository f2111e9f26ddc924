import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { interceptSnapshots } from "../../kit/intercept-calls.js";

/** Opens an API on a storage whose long reads of events wait until the test ends them. */
function openApi() {
  const startedCalls: string[] = [];
  const ends: (() => void)[] = [];
  const storage = interceptSnapshots(memoryStorage(), function* (method, proceed, _args, organizationId) {
    if (method === "listEvents") {
      startedCalls.push(String(organizationId));
      yield new Promise<void>((end) => ends.push(end));
    }
    return yield* proceed();
  });
  const loyalty = new LoyaltyService({ storage });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), onError: () => {} });
  const createCaller = async (organizationId: string) => {
    const { token } = await loyalty
      .organization(organizationId)
      .apiTokens.create({ name: "Reader", scopes: ["webhook:manage"] });
    const headers = { authorization: `Bearer ${token}` };
    const getPath = (path: string, signal?: AbortSignal) =>
      api.fetch(new Request(`https://api.example${path}`, { headers, ...(signal && { signal }) }));
    // The use of a token is recorded, and this storage writes only while no reader is active.
    const { body } = await getPath("/v1/events");
    await body?.cancel();
    await whenIdle();
    return getPath;
  };
  const listStatuses = async (pages: readonly Promise<Response>[]) => {
    const interval = setInterval(() => ends.shift()?.(), 0);
    const statuses = (await Promise.all(pages)).map(({ status }) => status);
    clearInterval(interval);
    return statuses;
  };
  return { loyalty, createCaller, startedCalls, listStatuses };
}

const long = "/v1/events?limit=1000";

/** Waits for some iterations of the event loop. */
async function whenIdle(): Promise<void> {
  for (let at = 0; at < 20; at += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("long pages over HTTP", () => {
  it("are read one at a time per organization, without blocking its short pages or other organizations", async () => {
    const { createCaller, startedCalls, listStatuses } = openApi();
    const [acme, globex] = [await createCaller("acme"), await createCaller("globex")];
    const pages = [acme(long), acme("/v1/events?limit=101"), acme(long)];
    await expect.poll(() => startedCalls).toEqual(["acme"]);
    await whenIdle();
    expect((await acme("/v1/events?limit=100")).status).toBe(200);
    pages.push(globex(long));
    await expect.poll(() => startedCalls).toEqual(["acme", "globex"]);
    expect(await listStatuses(pages)).toEqual([200, 200, 200, 200]);
    expect(startedCalls).toEqual(["acme", "globex", "acme", "acme"]);
  });

  it("are not read for callers who have disconnected", async () => {
    const { createCaller, startedCalls, listStatuses } = openApi();
    const acme = await createCaller("acme");
    const pages = [acme(long)];
    await expect.poll(() => startedCalls).toEqual(["acme"]);
    const abortController = new AbortController();
    const abortedCall = acme(long, abortController.signal).catch(() => null);
    await whenIdle();
    pages.push(acme(long));
    await whenIdle();
    abortController.abort();
    expect(await listStatuses(pages)).toEqual([200, 200]);
    await abortedCall;
    expect(startedCalls).toEqual(["acme", "acme"]);
  });

  it("are refused with 429 while 8 large ones of the token are unread, unless they turn out to be short", async () => {
    const { loyalty, createCaller, listStatuses } = openApi();
    const metadata = { text: "x".repeat(16_000) };
    for (let at = 0; at < 10; at += 1)
      await loyalty.organization("acme").users.create({ email: `${at}@example.com`, metadata });
    const [acme, other] = [await createCaller("acme"), await createCaller("acme")];
    const pages = Array.from({ length: 30 }, () => acme(long));
    const statuses = await listStatuses(pages);
    expect(statuses.filter((status) => status === 200)).toHaveLength(8);
    expect(statuses.filter((status) => status === 429)).toHaveLength(22);
    expect(await listStatuses([acme(`${long}&types=template.created`), other(long)])).toEqual([200, 200]);
    for (const page of pages) await (await page).body?.cancel();
    expect(await listStatuses([acme(long)])).toEqual([200]);
  });

  it("are refused with 503 while 100 of the organization wait, until one is read or its caller disconnects", async () => {
    const { createCaller, listStatuses } = openApi();
    const [acme, other] = [await createCaller("acme"), await createCaller("acme")];
    const abortController = new AbortController();
    const abortedCall = acme(long, abortController.signal).catch(() => null);
    await whenIdle();
    const last = acme(long, abortController.signal).catch(() => null);
    await whenIdle();
    const acmeCalls = Array.from({ length: 50 }, () => acme(long));
    const globexCalls = Array.from({ length: 49 }, () => other(long));
    await whenIdle();
    const errorResponse = await other(long);
    expect(errorResponse.status).toBe(503);
    expect(await errorResponse.json()).toMatchObject({ code: "storage_unavailable" });
    expect(errorResponse.headers.has("ratelimit")).toBe(true);
    abortController.abort();
    await last;
    const pages = [...acmeCalls, ...globexCalls, other(long)];
    expect(await listStatuses(pages)).toEqual(Array(100).fill(200));
    await abortedCall;
  });
});
