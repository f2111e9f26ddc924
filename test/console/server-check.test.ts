import type { ConsoleOptions, ConsoleServer, ServerFinding } from "loyalty-kit/console";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createOperatorTest } from "../../adapters/apps/cli/server/operators.js";
import { openShop } from "../people/scene.js";

const findings: readonly ServerFinding[] = [
  { part: "mail", state: "problem", message: "the mail server mail.example:465 can't be reached" },
];

/** Opens a shop with these server operators, and a function that reads the server check as one of its staff. */
async function openServer({
  operators = ["ada@shop.example"],
  check = async () => findings,
  ...options
}: ConsoleOptions & { operators?: readonly string[]; check?: ConsoleServer["check"] } = {}) {
  const isOperator = createOperatorTest(operators);
  const shop = openShop(undefined, { server: { isOperator, check }, ...options });
  await shop.acme.people.add({ email: "ada@shop.example", role: "till" });
  await shop.requestMail("ada@shop.example");
  const [path = ""] = await shop.waitForNewestMail(1);
  const cookie = await shop.signIn(path);
  const readCheck = (as = cookie, init: RequestInit = {}) => shop.callConsole(as, "/server/check", init);
  return { ...shop, cookie, readCheck };
}

type Server = Awaited<ReturnType<typeof openServer>>;

/** Returns what a browser learns about the server: the status of the check, and whether the page is an operator's. */
async function describeAccess({ readCheck, fetch }: Server, cookie: string) {
  const page = await (await fetch("/console", { headers: { cookie } })).text();
  return [(await readCheck(cookie)).status, /&quot;isOperator&quot;:(\w+)/.exec(page)?.[1]];
}

const operator = [200, "true"];
const nobody = [404, "false"];

describe("the server check", () => {
  it("can be read by an operator, is never cached, and only answers calls of the console's own pages", async () => {
    const { readCheck, fetch, cookie, clock } = await openServer();
    const response = await readCheck();
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await response.json()).toEqual({ checkedAt: new Date(clock.read()).toISOString(), findings });
    expect((await fetch("/console/server/check", { headers: { cookie } })).status).toBe(401);
    const foreign = { headers: { "sec-fetch-site": "cross-site", origin: "https://evil.example" } };
    expect((await readCheck(cookie, foreign)).status).toBe(401);
    expect((await readCheck(cookie, { method: "POST" })).status).toBe(405);
  });

  it("looks like an unknown path to everyone else, and doesn't run for them", async () => {
    const check = vi.fn(async () => findings);
    const server = await openServer({ operators: [], check });
    expect(await describeAccess(server, server.cookie)).toEqual(nobody);
    const refused = await server.readCheck();
    const unknown = await server.callConsole(server.cookie, "/people/nothing");
    expect(await refused.text()).toBe(await unknown.text());
    expect([...refused.headers]).toEqual([...unknown.headers]);
    expect((await server.readCheck("")).status).toBe(401);
    expect(check).not.toHaveBeenCalled();
  });

  it("is not found if the console has no access to its server", async () => {
    const shop = openShop();
    const { link } = await shop.acme.people.add({ email: "ada@shop.example", role: "owner" });
    expect((await shop.callConsole(await shop.signIn(link.path), "/server/check")).status).toBe(404);
  });

  it("runs once for simultaneous requests, and again after five seconds", async () => {
    const check = vi.fn(async () => findings);
    const { readCheck, clock } = await openServer({ check });
    const bodies = await Promise.all(
      [readCheck(), readCheck(), readCheck()].map(async (each) => (await each).text()),
    );
    expect(new Set(bodies).size).toBe(1);
    clock.move(4_999);
    expect(await (await readCheck()).text()).toBe(bodies[0]);
    expect(check).toHaveBeenCalledTimes(1);
    clock.move(1);
    expect(await (await readCheck()).text()).not.toBe(bodies[0]);
    expect(check).toHaveBeenCalledTimes(2);
  });

  it("returns an error without its cause if it fails, reports the cause to the host, and runs again", async () => {
    const onError = vi.fn();
    vi.spyOn(console, "error").mockImplementation(onError);
    onTestFinished(() => void vi.restoreAllMocks());
    const check = vi.fn(async () => findings);
    check.mockRejectedValueOnce(new Error("the password is hunter2"));
    const { readCheck } = await openServer({ check });
    const response = await readCheck();
    expect([response.status, await response.json()]).toEqual([500, { code: "internal_error", params: null }]);
    expect(onError).toHaveBeenCalledWith(new Error("the password is hunter2"));
    expect((await readCheck()).status).toBe(200);
  });

  it("returns an error after 30 seconds if it hangs, and never runs twice at the same time", async () => {
    const onError = vi.fn();
    vi.spyOn(console, "error").mockImplementation(onError);
    let finish = (_: readonly ServerFinding[]) => {};
    const check = vi.fn(() => new Promise<readonly ServerFinding[]>((resolve) => (finish = resolve)));
    const { readCheck } = await openServer({ check });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => {
      vi.useRealTimers();
      vi.restoreAllMocks();
    });
    const readLate = async () => {
      const response = readCheck();
      await vi.advanceTimersByTimeAsync(30_000);
      return (await response).status;
    };
    expect([await readLate(), await readLate()]).toEqual([500, 500]);
    expect(onError).toHaveBeenCalledWith(new Error("the check of the server didn't finish within 30000 ms"));
    expect(check).toHaveBeenCalledTimes(1);
    finish(findings);
    await expect.poll(async () => (await readCheck()).status).toBe(200);
    expect(check).toHaveBeenCalledTimes(1);
  });
});

describe("an operator on a list", () => {
  it("is a person with a listed email, in any case and organization, who signed in with an emailed link", async () => {
    const server = await openServer({ operators: ["Ada@Shop.example"] });
    expect(await describeAccess(server, server.cookie)).toEqual(operator);
    await server.acme.people.add({ email: "bob@shop.example", role: "owner" });
    await server.requestMail("bob@shop.example");
    const [path = ""] = await server.waitForNewestMail(2);
    expect(await describeAccess(server, await server.signIn(path))).toEqual(nobody);
  });

  it("is not a person whom another organization gave that email, with a link that wasn't emailed", async () => {
    const server = await openServer();
    const globex = server.loyalty.organization("globex");
    const { person, link } = await globex.people.add({ email: "ada@shop.example", role: "owner" });
    expect(await describeAccess(server, await server.signIn(link.path))).toEqual(nobody);
    const again = await globex.people.link(person.id);
    expect(await describeAccess(server, await server.signIn(again.path))).toEqual(nobody);
  });

  it("can be signed in with a listed API token, but not with another one", async () => {
    const operators: string[] = [];
    const isOperator: ConsoleServer["isOperator"] = (user) => createOperatorTest(operators)(user);
    const server = await openServer({ server: { isOperator, check: async () => findings } });
    const signInWith = async (name: string) => {
      const { token, apiToken } = await server.acme.apiTokens.create({ name, scopes: ["user:read"] });
      return { id: apiToken.id, cookie: server.getCookie(await server.post("/console", { token })) };
    };
    const [mine, other] = [await signInWith("mine"), await signInWith("other")];
    operators.push(mine.id);
    expect(await describeAccess(server, mine.cookie)).toEqual(operator);
    expect(await describeAccess(server, other.cookie)).toEqual(nobody);
    expect(await describeAccess(server, server.cookie)).toEqual(nobody);
  });
});
