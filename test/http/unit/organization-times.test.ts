import { LoyaltyService, scopes } from "loyalty-kit";
import { apiTokens, createHttpApi, type RateLimitOptions } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type Interceptor,
  interceptCalls,
  interceptSnapshots,
  replaceTransactions,
} from "../../kit/intercept-calls.js";

/** A read of a user, or another storage call: its processor time in milliseconds, and what else it waits for. */
interface Look {
  readonly takes: number;
  readonly method?: string;
  readonly waitForSecond?: () => Promise<unknown>;
}

/** Opens an API with one caller per organization, on a processor clock that only this storage call moves. */
async function openScene(look: Look, rateLimits?: RateLimitOptions | false) {
  const looks: string[] = [];
  const { takes, method: lookMethod = "findUser", waitForSecond } = look;
  const advanceDuringLook: Interceptor = function* (method, proceed, _args, organizationId) {
    if (method === lookMethod) {
      looks.push(String(organizationId));
      vi.advanceTimersByTime(takes);
      if (waitForSecond !== undefined) yield waitForSecond();
    }
    return yield* proceed();
  };
  const reads = interceptSnapshots(interceptCalls(memoryStorage(), advanceDuringLook), advanceDuringLook);
  const storage = replaceTransactions(reads, (organizationId, work, options) =>
    reads.transaction(
      organizationId,
      (tx) => work(interceptCalls(tx, advanceDuringLook, organizationId)),
      options,
    ),
  );
  const loyalty = new LoyaltyService({ storage });
  const options = { authenticate: apiTokens(loyalty), ...(rateLimits !== undefined && { rateLimits }) };
  const apis = [createHttpApi(loyalty, options), createHttpApi(loyalty, options)] as const;
  const createCaller = async (id: string, [api] = apis) => {
    const { token } = await loyalty.organization(id).apiTokens.create({ name: "Till", scopes: [...scopes] });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return (path = "/v1/users/somebody", { headers: moreHeaders, ...init }: RequestInit = {}) =>
      api.fetch(
        new Request(`https://api.example${path}`, { headers: { ...headers, ...moreHeaders }, ...init }),
      );
  };
  const [acme, globex] = [await createCaller("acme"), await createCaller("globex")];
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  // All tests share the scheduler, whose time never goes back.
  vi.advanceTimersByTime(10 * Date.now());
  return { loyalty, acme, globex, looks, createCaller, apis };
}

const listStatuses = async (responses: readonly Promise<Response>[]) =>
  (await Promise.all(responses)).map(({ status }) => status);

const timePerOrganization = { milliseconds: 100, seconds: 60 };

describe("the processor time of an organization", () => {
  test("is limited while others are active: over the limit, only its own calls are refused until the window ends", async () => {
    const { acme, globex } = await openScene({ takes: 40 }, { timePerOrganization });
    await globex();
    expect([(await acme()).status, (await acme()).status, (await acme()).status]).toEqual([404, 404, 404]);
    const errorResponse = await acme();
    expect(errorResponse.status).toBe(429);
    expect(await errorResponse.json()).toEqual({ code: "rate_limit_exceeded", params: null });
    expect(errorResponse.headers.get("retry-after")).toBe("60");
    expect(errorResponse.headers.get("ratelimit")).toMatch(/^"default";r=996;/);
    expect((await globex()).status).toBe(404);
    vi.advanceTimersByTime(60_000);
    await globex();
    expect((await acme()).status).toBe(404);
  });

  test("is unlimited while no other organization is active, or has been for a while", async () => {
    const { acme, globex } = await openScene({ takes: 40 }, { timePerOrganization });
    const listStatusesAlone = async () => [
      (await acme()).status,
      (await acme()).status,
      (await acme()).status,
    ];
    expect([await listStatusesAlone(), await listStatusesAlone()].flat()).toEqual(Array(6).fill(404));
    await globex();
    expect((await acme()).status).toBe(429);
    vi.advanceTimersByTime(60_000);
    expect([await listStatusesAlone(), await listStatusesAlone()].flat()).toEqual(Array(6).fill(404));
  });

  test("counts its own work, not what the work waits for", async () => {
    const waitForSecond = () => Promise.resolve().then(() => vi.advanceTimersByTime(1_000));
    const { acme, globex } = await openScene({ takes: 1, waitForSecond }, { timePerOrganization });
    await globex();
    for (let at = 0; at < 10; at += 1) expect((await acme()).status).toBe(404);
  });

  test("includes the events of its changes", async () => {
    const { acme, globex } = await openScene({ takes: 60, method: "appendEvents" }, { timePerOrganization });
    const createTag = async (name: string) =>
      (await acme("/v1/user-tags", { method: "POST", body: JSON.stringify({ name }) })).status;
    await globex();
    expect([await createTag("One"), await createTag("Two"), await createTag("Three")]).toEqual([
      201, 201, 429,
    ]);
  });

  test("includes everything that an export creates", async () => {
    const { loyalty, acme, globex } = await openScene({ takes: 0 }, { timePerOrganization });
    const { templates } = loyalty.organization("acme");
    for (let at = 0; at < 20; at += 1) await templates.create({ name: `Card ${at}`, type: "LOYALTY_CARD" });
    const { stringify } = JSON;
    const stringifySpy = vi.spyOn(JSON, "stringify").mockImplementation((...value) => {
      const text = stringify(...value);
      if (text?.startsWith('{"id":"tpl_')) vi.advanceTimersByTime(10);
      return text;
    });
    onTestFinished(() => stringifySpy.mockRestore());
    await globex();
    await (await acme("/v1/export")).arrayBuffer();
    await globex();
    expect((await acme()).status).toBe(429);
  });

  test("includes all items of a long list", async () => {
    const timePerOrganization = { milliseconds: 1_000, seconds: 60 };
    const { loyalty, acme, globex } = await openScene({ takes: 0 }, { timePerOrganization });
    const { tags } = loyalty.organization("acme");
    for (let at = 0; at <= 100; at += 1) await tags.create({ name: `Tag ${at}` });
    const { stringify } = JSON;
    const stringifySpy = vi.spyOn(JSON, "stringify").mockImplementation((...value) => {
      const text = stringify(...value);
      if (text?.startsWith('{"id":"utag_')) vi.advanceTimersByTime(11);
      return text;
    });
    onTestFinished(() => stringifySpy.mockRestore());
    await globex();
    expect((await acme("/v1/user-tags")).status).toBe(200);
    await globex();
    expect((await acme()).status).toBe(429);
  });

  test("includes recognizing repeated calls and replaying their responses", async () => {
    const { acme, globex } = await openScene({ takes: 0 }, { timePerOrganization });
    const { parse } = JSON;
    const parseSpy = vi.spyOn(JSON, "parse").mockImplementation((...value) => {
      if (value[0].startsWith('{"kind":"result"')) vi.advanceTimersByTime(60);
      return parse(...value);
    });
    onTestFinished(() => parseSpy.mockRestore());
    const headers = { "idempotency-key": "once" };
    const createTag = async () =>
      (await acme("/v1/user-tags", { method: "POST", body: JSON.stringify({ name: "One" }), headers }))
        .status;
    await globex();
    expect([await createTag(), await createTag(), await createTag(), await createTag()]).toEqual([
      201, 201, 201, 429,
    ]);
  });

  test("is counted while a call is running, and new calls are refused in the meantime", async () => {
    let pendingWait: Promise<void> = Promise.resolve();
    const { acme, globex, looks } = await openScene(
      { takes: 60, waitForSecond: () => pendingWait },
      { timePerOrganization },
    );
    await Promise.all([globex(), acme()]);
    let endWait = () => {};
    pendingWait = new Promise((resolve) => {
      endWait = resolve;
    });
    const long = acme();
    await expect.poll(() => looks).toHaveLength(3);
    expect((await acme()).status).toBe(429);
    endWait();
    expect((await long).status).toBe(404);
  });

  test("is shared by all APIs of a service, such as the console's", async () => {
    const { acme, globex, createCaller, apis } = await openScene({ takes: 60 }, { timePerOrganization });
    const other = await createCaller("acme", [apis[1], apis[0]]);
    await globex();
    expect([(await acme()).status, (await other()).status, (await acme()).status]).toEqual([404, 404, 429]);
  });

  test.each([
    ["half of the process's time by default", undefined, 4],
    ["unlimited if its limit is off", { timePerOrganization: false as const }, 10],
    ["unlimited if all rate limits are off", false as const, 10],
  ])("is %s", async (_what, limits, maxStatuses) => {
    const { acme, globex } = await openScene({ takes: 8_000 }, limits);
    await globex();
    const statuses: number[] = [];
    for (let at = 0; at < 10; at += 1) statuses.push((await acme()).status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(maxStatuses);
  });

  test.each([
    { milliseconds: 0, seconds: 60 },
    { milliseconds: 1, seconds: 86_401 },
  ])("can't be %o", async (timePerOrganization) => {
    await expect(openScene({ takes: 1 }, { timePerOrganization })).rejects.toThrow(RangeError);
  });
});

describe("the fair queue of organizations", () => {
  test("prefers a request of an organization without recent requests, however many another one sends", async () => {
    const { acme, globex, looks } = await openScene({ takes: 3 });
    const calls = Array.from({ length: 100 }, () => acme());
    await globex();
    expect(looks.filter((id) => id === "acme").length).toBeLessThan(10);
    expect(await listStatuses(calls)).toEqual(Array(100).fill(404));
  });

  test("applies at the end of a body, before it is parsed", async () => {
    const { acme, globex, looks } = await openScene({ takes: 3 });
    const body = JSON.stringify({ name: "Ada" });
    const calls = Array.from({ length: 100 }, () => acme("/v1/users/somebody", { method: "PATCH", body }));
    await globex("/v1/users/somebody", { method: "PATCH", body });
    expect(looks.filter((id) => id === "acme").length).toBeLessThan(10);
    await Promise.all(calls);
  });

  test("skips a request whose client has left", async () => {
    const { acme, looks } = await openScene({ takes: 3 });
    const abortController = new AbortController();
    const calls = Array.from({ length: 20 }, () =>
      acme("/v1/users/somebody", { signal: abortController.signal }),
    );
    abortController.abort();
    await Promise.allSettled(calls);
    expect(looks.length).toBeLessThan(20);
  });
});
