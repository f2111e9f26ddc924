import { LoyaltyService, scopes } from "loyalty-kit";
import { apiTokens, createHttpApi, type RateLimitOptions } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type Interceptor,
  interceptCalls,
  interceptSnapshots,
  replaceTransactions,
} from "../../kit/intercepted.js";

/** A look at a user, or another call of the storage: the milliseconds that it takes of the processor, and what it waits for besides. */
interface Look {
  readonly takes: number;
  readonly method?: string;
  readonly wait?: () => Promise<unknown>;
}

/** Callers of an API, each of its organization, on a clock of the processor that goes on by looks at users alone. */
async function scene(look: Look, rateLimits?: RateLimitOptions | false) {
  const looks: string[] = [];
  const { takes, method: looked = "findUser", wait } = look;
  const looking: Interceptor = function* (method, proceed, [organizationId]) {
    if (method === looked) {
      looks.push(String(organizationId));
      vi.advanceTimersByTime(takes);
      if (wait !== undefined) yield wait();
    }
    return yield* proceed();
  };
  const reads = interceptSnapshots(interceptCalls(memoryStorage(), looking), looking);
  const storage = replaceTransactions(reads, (work, options) =>
    reads.transaction((tx) => work(interceptCalls(tx, looking)), options),
  );
  const loyalty = new LoyaltyService({ storage });
  const options = { authenticate: apiTokens(loyalty), ...(rateLimits !== undefined && { rateLimits }) };
  const apis = [createHttpApi(loyalty, options), createHttpApi(loyalty, options)] as const;
  const callerOf = async (id: string, [api] = apis) => {
    const { token } = await loyalty.organization(id).apiTokens.create({ name: "Till", scopes: [...scopes] });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return (path = "/v1/users/somebody", { headers: more, ...init }: RequestInit = {}) =>
      api.fetch(new Request(`https://api.example${path}`, { headers: { ...headers, ...more }, ...init }));
  };
  const [acme, globex] = [await callerOf("acme"), await callerOf("globex")];
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  // Time never goes back for the turns, which all tests share.
  vi.advanceTimersByTime(10 * Date.now());
  return { loyalty, acme, globex, looks, callerOf, apis };
}

const statusesOf = async (answers: readonly Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ status }) => status);

const timePerOrganization = { milliseconds: 100, seconds: 60 };

describe("the processor time of an organization", () => {
  test("is bounded beside others: beyond it calls are refused until the window ends, and those of others are not", async () => {
    const { acme, globex } = await scene({ takes: 40 }, { timePerOrganization });
    await globex();
    expect([(await acme()).status, (await acme()).status, (await acme()).status]).toEqual([404, 404, 404]);
    const refused = await acme();
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ code: "rate_limit_exceeded", params: null });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(refused.headers.get("ratelimit")).toMatch(/^"default";r=996;/);
    expect((await globex()).status).toBe(404);
    vi.advanceTimersByTime(60_000);
    await globex();
    expect((await acme()).status).toBe(404);
  });

  test("is all of the process's for one that is alone, also once others have asked nothing for a while", async () => {
    const { acme, globex } = await scene({ takes: 40 }, { timePerOrganization });
    const alone = async () => [(await acme()).status, (await acme()).status, (await acme()).status];
    expect([await alone(), await alone()].flat()).toEqual(Array(6).fill(404));
    await globex();
    expect((await acme()).status).toBe(429);
    vi.advanceTimersByTime(60_000);
    expect([await alone(), await alone()].flat()).toEqual(Array(6).fill(404));
  });

  test("is that of its work, not of what that waits for", async () => {
    const wait = () => Promise.resolve().then(() => vi.advanceTimersByTime(1_000));
    const { acme, globex } = await scene({ takes: 1, wait }, { timePerOrganization });
    await globex();
    for (let at = 0; at < 10; at += 1) expect((await acme()).status).toBe(404);
  });

  test("is that of the events of its changes, too", async () => {
    const { acme, globex } = await scene({ takes: 60, method: "appendEvents" }, { timePerOrganization });
    const create = async (name: string) =>
      (await acme("/v1/user-tags", { method: "POST", body: JSON.stringify({ name }) })).status;
    await globex();
    expect([await create("One"), await create("Two"), await create("Three")]).toEqual([201, 201, 429]);
  });

  test("is that of all that an export makes, too", async () => {
    const { loyalty, acme, globex } = await scene({ takes: 0 }, { timePerOrganization });
    const { templates } = loyalty.organization("acme");
    for (let at = 0; at < 20; at += 1) await templates.create({ name: `Card ${at}`, type: "LOYALTY_CARD" });
    const { stringify } = JSON;
    const made = vi.spyOn(JSON, "stringify").mockImplementation((...value) => {
      const text = stringify(...value);
      if (text?.startsWith('{"id":"tpl_')) vi.advanceTimersByTime(10);
      return text;
    });
    onTestFinished(() => made.mockRestore());
    await globex();
    await (await acme("/v1/export")).arrayBuffer();
    await globex();
    expect((await acme()).status).toBe(429);
  });

  test("is that of all items of a long list, too", async () => {
    const timePerOrganization = { milliseconds: 1_000, seconds: 60 };
    const { loyalty, acme, globex } = await scene({ takes: 0 }, { timePerOrganization });
    const { tags } = loyalty.organization("acme");
    for (let at = 0; at <= 100; at += 1) await tags.create({ name: `Tag ${at}` });
    const { stringify } = JSON;
    const made = vi.spyOn(JSON, "stringify").mockImplementation((...value) => {
      const text = stringify(...value);
      if (text?.startsWith('{"id":"utag_')) vi.advanceTimersByTime(11);
      return text;
    });
    onTestFinished(() => made.mockRestore());
    await globex();
    expect((await acme("/v1/user-tags")).status).toBe(200);
    await globex();
    expect((await acme()).status).toBe(429);
  });

  test("is that of telling repeats from other calls, and of their answers, too", async () => {
    const { acme, globex } = await scene({ takes: 0 }, { timePerOrganization });
    const { parse } = JSON;
    const read = vi.spyOn(JSON, "parse").mockImplementation((...value) => {
      if (value[0].startsWith('{"kind":"result"')) vi.advanceTimersByTime(60);
      return parse(...value);
    });
    onTestFinished(() => read.mockRestore());
    const headers = { "idempotency-key": "once" };
    const create = async () =>
      (await acme("/v1/user-tags", { method: "POST", body: JSON.stringify({ name: "One" }), headers }))
        .status;
    await globex();
    expect([await create(), await create(), await create(), await create()]).toEqual([201, 201, 201, 429]);
  });

  test("is counted while a call goes on: those that come meanwhile are refused", async () => {
    let waiting: Promise<void> = Promise.resolve();
    const { acme, globex, looks } = await scene({ takes: 60, wait: () => waiting }, { timePerOrganization });
    await Promise.all([globex(), acme()]);
    let end = () => {};
    waiting = new Promise((resolve) => {
      end = resolve;
    });
    const long = acme();
    await expect.poll(() => looks).toHaveLength(3);
    expect((await acme()).status).toBe(429);
    end();
    expect((await long).status).toBe(404);
  });

  test("is that of all APIs of a service together, as of the console's", async () => {
    const { acme, globex, callerOf, apis } = await scene({ takes: 60 }, { timePerOrganization });
    const other = await callerOf("acme", [apis[1], apis[0]]);
    await globex();
    expect([(await acme()).status, (await other()).status, (await acme()).status]).toEqual([404, 404, 429]);
  });

  test.each([
    ["half of a minute unless told otherwise", undefined, 4],
    ["as much as there is where that is told", { timePerOrganization: false as const }, 10],
    ["as much as there is without limits", false as const, 10],
  ])("is %s", async (_what, limits, most) => {
    const { acme, globex } = await scene({ takes: 8_000 }, limits);
    await globex();
    const statuses: number[] = [];
    for (let at = 0; at < 10; at += 1) statuses.push((await acme()).status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(most);
  });

  test.each([
    { milliseconds: 0, seconds: 60 },
    { milliseconds: 1, seconds: 86_401 },
  ])("can't be %o", async (timePerOrganization) => {
    await expect(scene({ takes: 1 }, { timePerOrganization })).rejects.toThrow(RangeError);
  });
});

describe("the turns of organizations", () => {
  test("let a request go first to which no other of its organization has just come, however many another sends", async () => {
    const { acme, globex, looks } = await scene({ takes: 3 });
    const many = Array.from({ length: 100 }, () => acme());
    await globex();
    expect(looks.filter((id) => id === "acme").length).toBeLessThan(10);
    expect(await statusesOf(many)).toEqual(Array(100).fill(404));
  });

  test("come with the end of a body, before it is parsed", async () => {
    const { acme, globex, looks } = await scene({ takes: 3 });
    const body = JSON.stringify({ name: "Ada" });
    const many = Array.from({ length: 100 }, () => acme("/v1/users/somebody", { method: "PATCH", body }));
    await globex("/v1/users/somebody", { method: "PATCH", body });
    expect(looks.filter((id) => id === "acme").length).toBeLessThan(10);
    await Promise.all(many);
  });

  test("are not waited for by a request whose client has left", async () => {
    const { acme, looks } = await scene({ takes: 3 });
    const leaving = new AbortController();
    const many = Array.from({ length: 20 }, () => acme("/v1/users/somebody", { signal: leaving.signal }));
    leaving.abort();
    await Promise.allSettled(many);
    expect(looks.length).toBeLessThan(20);
  });
});
