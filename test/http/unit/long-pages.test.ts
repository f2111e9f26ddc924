import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { interceptSnapshots } from "../../kit/intercepted.js";

/** An API on a storage whose long reads of events go on until they are let go. */
function scene() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const storage = interceptSnapshots(memoryStorage(), function* (method, proceed, [organizationId]) {
    if (method === "listEvents") {
      begun.push(String(organizationId));
      yield new Promise<void>((end) => ends.push(end));
    }
    return yield* proceed();
  });
  const loyalty = new LoyaltyService({ storage });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), onError: () => {} });
  const caller = async (organizationId: string) => {
    const { token } = await loyalty
      .organization(organizationId)
      .apiTokens.create({ name: "Reader", scopes: ["webhook:manage"] });
    const headers = { authorization: `Bearer ${token}` };
    const ask = (path: string, signal?: AbortSignal) =>
      api.fetch(new Request(`https://api.example${path}`, { headers, ...(signal && { signal }) }));
    // That a token was used is written down, for which this storage waits until nobody reads.
    const { body } = await ask("/v1/events");
    await body?.cancel();
    await settled();
    return ask;
  };
  const answersOf = async (pages: readonly Promise<Response>[]) => {
    const going = setInterval(() => ends.shift()?.(), 0);
    const statuses = (await Promise.all(pages)).map(({ status }) => status);
    clearInterval(going);
    return statuses;
  };
  return { loyalty, caller, begun, answersOf };
}

const long = "/v1/events?limit=1000";

/** They wait for some turns of the event loop. */
async function settled(): Promise<void> {
  for (let at = 0; at < 20; at += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("long pages over HTTP", () => {
  it("are made one at a time for an organization, whose short ones go on, and at once for others", async () => {
    const { caller, begun, answersOf } = scene();
    const [acme, globex] = [await caller("acme"), await caller("globex")];
    const pages = [acme(long), acme("/v1/events?limit=101"), acme(long)];
    await expect.poll(() => begun).toEqual(["acme"]);
    await settled();
    expect((await acme("/v1/events?limit=100")).status).toBe(200);
    pages.push(globex(long));
    await expect.poll(() => begun).toEqual(["acme", "globex"]);
    expect(await answersOf(pages)).toEqual([200, 200, 200, 200]);
    expect(begun).toEqual(["acme", "globex", "acme", "acme"]);
  });

  it("are not made for callers who have gone", async () => {
    const { caller, begun, answersOf } = scene();
    const acme = await caller("acme");
    const pages = [acme(long)];
    await expect.poll(() => begun).toEqual(["acme"]);
    const leaving = new AbortController();
    const left = acme(long, leaving.signal).catch(() => null);
    await settled();
    pages.push(acme(long));
    await settled();
    leaving.abort();
    expect(await answersOf(pages)).toEqual([200, 200]);
    await left;
    expect(begun).toEqual(["acme", "acme"]);
  });

  it("are refused with 429 while 8 large ones of the token wait to be read, unless they turn out short", async () => {
    const { loyalty, caller, answersOf } = scene();
    const metadata = { text: "x".repeat(16_000) };
    for (let at = 0; at < 10; at += 1)
      await loyalty.organization("acme").users.create({ email: `${at}@example.com`, metadata });
    const [acme, other] = [await caller("acme"), await caller("acme")];
    const pages = Array.from({ length: 30 }, () => acme(long));
    const statuses = await answersOf(pages);
    expect(statuses.filter((status) => status === 200)).toHaveLength(8);
    expect(statuses.filter((status) => status === 429)).toHaveLength(22);
    expect(await answersOf([acme(`${long}&types=template.created`), other(long)])).toEqual([200, 200]);
    for (const page of pages) await (await page).body?.cancel();
    expect(await answersOf([acme(long)])).toEqual([200]);
  });

  it("are refused with 503 where 100 of the organization wait, until one of them is made or its caller goes", async () => {
    const { caller, answersOf } = scene();
    const [acme, other] = [await caller("acme"), await caller("acme")];
    const leaving = new AbortController();
    const left = acme(long, leaving.signal).catch(() => null);
    await settled();
    const last = acme(long, leaving.signal).catch(() => null);
    await settled();
    const ofOne = Array.from({ length: 50 }, () => acme(long));
    const ofOther = Array.from({ length: 49 }, () => other(long));
    await settled();
    const refused = await other(long);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: "storage_unavailable" });
    expect(refused.headers.has("ratelimit")).toBe(true);
    leaving.abort();
    await last;
    const pages = [...ofOne, ...ofOther, other(long)];
    expect(await answersOf(pages)).toEqual(Array(100).fill(200));
    await left;
  });
});
