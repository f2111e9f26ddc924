import fc from "fast-check";
import type { Organization, StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { awaitInStep, runStep, type Step } from "../../src/base/concurrency/step.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { interceptCalls, recordCalls, replaceTransactions } from "../kit/intercept-calls.js";
import { runs } from "../properties/runs.js";

const createToken = async (acme: Organization) =>
  (await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] })).token;

describe("a mistyped, truncated or made-up token", () => {
  const listCallsOfVerification = async (change: (token: string) => string): Promise<string[]> => {
    const calls: string[] = [];
    const { loyalty, acme } = openAcme({ storage: recordCalls(memoryStorage(), calls) });
    const token = change(await createToken(acme));
    calls.length = 0;
    expect(await loyalty.verifyApiToken(token)).toBeNull();
    return calls;
  };

  it("is refused before anything is looked up", async () => {
    const alteration = fc.tuple(fc.nat(), fc.constantFrom(..."0123456789abcdefghijklmnopqrstuvwxyzABCXYZ"));
    await fc.assert(
      fc.asyncProperty(alteration, async ([position, letter]) => {
        const alterToken = (token: string) => {
          const at = position % token.length;
          const instead = token[at] === letter ? "_" : letter;
          return token.slice(0, at) + instead + token.slice(at + 1);
        };
        expect(await listCallsOfVerification(alterToken)).toEqual([]);
      }),
      runs(60),
    );
  });

  it.each<[string, (token: string) => string]>([
    ["empty", () => ""],
    ["truncated", (token) => token.slice(0, -1)],
    ["too long", (token) => `${token}0`],
    ["preceded by whitespace", (token) => ` ${token}`],
    ["followed by a line break", (token) => `${token}\n`],
    ["in upper case", (token) => token.toUpperCase()],
    ["a token of another service", () => "ghp_0123456789012345678901234567890123456789"],
    ["endless", (token) => token.repeat(100_000)],
    ["not valid text", () => "\0\uD800"],
  ])("isn't looked up when it is %s", async (_form, change) => {
    expect(await listCallsOfVerification(change)).toEqual([]);
  });
});

describe("a well-formed token", () => {
  it("begins with a prefix, and differs each time", async () => {
    const { acme } = openAcme();
    const tokens = [await createToken(acme), await createToken(acme), await createToken(acme)];
    expect(new Set(tokens).size).toBe(3);
    for (const token of tokens) expect(token).toMatch(/^[a-z]+_[0-9A-Za-z]{32,}$/);
  });

  it("is looked up once when it is unknown", async () => {
    const token = await createToken(openAcme().acme);
    const calls: string[] = [];
    const { loyalty } = openAcme({ storage: recordCalls(memoryStorage(), calls) });
    expect(await loyalty.verifyApiToken(token)).toBeNull();
    expect(calls).toEqual(["findApiTokensByHash"]);
  });
});

describe.each(everyAdapter)("many tokens at the same time on $name", ({ open }) => {
  it("are looked up together, and each authenticates its own organization", async () => {
    const calls: string[] = [];
    const { loyalty } = openAcme({ storage: recordCalls(await open(), calls) });
    const organizations = Array.from({ length: 20 }, (_, at) => `org_${at}`);
    const tokens: string[] = [];
    for (const id of organizations) {
      const { token } = await loyalty
        .organization(id)
        .apiTokens.create({ name: "Till", scopes: ["user:read"] });
      tokens.push(token);
    }
    calls.length = 0;
    const principals = await Promise.all(tokens.map((token) => loyalty.verifyApiToken(token)));
    expect(principals.map((principal) => principal?.organizationId)).toEqual(organizations);
    // The first two tokens have a lookup each, and all others share the third.
    expect(calls.filter((call) => call === "findApiTokensByHash").length).toBe(3);
  });
});

describe.each(everyAdapter)("lastUsedAt on $name", ({ open }) => {
  /** Verifies a token after each move of the clock, and returns the number of writes and the last uses. */
  const listCallsOfUse = async (...moves: number[]) => {
    const { storage, calls, whenIdle } = watchCalls(await open());
    const { loyalty, acme, clock } = openAcme({ storage });
    const token = await createToken(acme);
    calls.length = 0;
    const uses: (string | null | undefined)[] = [];
    for (const ms of moves) {
      clock.move(ms);
      expect(await loyalty.verifyApiToken(token)).not.toBeNull();
      await whenIdle();
      uses.push((await acme.apiTokens.list()).at(0)?.lastUsedAt);
    }
    return { uses, writes: calls.filter((call) => call === "touchApiToken").length };
  };

  it("is the time of the first use, and is written again a minute later", async () => {
    const { uses, writes } = await listCallsOfUse(5, 0, 1, 59_998, 1, 59_999, 1);
    const seconds = uses.map((use) => Date.parse(use ?? "") - Date.UTC(2026, 0, 1));
    expect(seconds).toEqual([5, 5, 5, 5, 60_005, 60_005, 120_005]);
    expect(writes).toBe(3);
  });

  it("stays null until the token is used", async () => {
    const { acme } = openAcme({ storage: await open() });
    await createToken(acme);
    expect(await acme.apiTokens.list()).toMatchObject([{ lastUsedAt: null }]);
  });

  it("is written once for a burst of uses", async () => {
    const { storage, calls, whenIdle } = watchCalls(await open());
    const { loyalty, acme } = openAcme({ storage });
    const token = await createToken(acme);
    calls.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => loyalty.verifyApiToken(token)));
    await whenIdle();
    expect(calls.filter((call) => call === "touchApiToken")).toHaveLength(1);
  });
});

describe("writing lastUsedAt", () => {
  it("delays no caller, only the close of the service", async () => {
    const storage = memoryStorage();
    const token = await createToken(openAcme({ storage }).acme);
    let allowWrite = (): void => {};
    const writeGate = new Promise<void>((resolve) => {
      allowWrite = resolve;
    });
    const delayedTransaction: StorageAdapter["transaction"] = (organizationId, work) =>
      writeGate.then(() => storage.transaction(organizationId, work));
    const { loyalty } = openAcme({ storage: replaceTransactions(storage, delayedTransaction) });
    expect(await loyalty.verifyApiToken(token)).not.toBeNull();
    let isClosed = false;
    const closePromise = loyalty.close().then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    allowWrite();
    await closePromise;
  });

  it("reports a failure to onError and doesn't affect the caller", async () => {
    const storage = memoryStorage();
    const token = await createToken(openAcme({ storage }).acme);
    const failure = new Error("the disk is full");
    const errors: unknown[] = [];
    const { loyalty, acme } = openAcme({
      storage: replaceTransactions(storage, () => Promise.reject(failure)),
      onError: (error) => errors.push(error),
    });
    expect(await loyalty.verifyApiToken(token)).not.toBeNull();
    await listTokensWhenIdle(acme);
    expect(errors).toEqual([failure]);
  });
});

/**
 * Wraps a storage: records the names of calls on it and its transactions, and offers a way to wait for background
 * calls.
 */
function watchCalls(inner: StorageAdapter) {
  const calls: string[] = [];
  const underWay: Promise<unknown>[] = [];
  const recording = replaceTransactions(inner, (organizationId, work, options) =>
    inner.transaction(organizationId, (tx) => work(interceptCalls(tx, record)), options),
  );
  function record(method: string, proceed: () => Step<unknown>): Step<unknown> {
    calls.push(method);
    return proceed();
  }
  const storage = interceptCalls(recording, (method, proceed) => {
    calls.push(method);
    const call = runStep(proceed());
    underWay.push(call);
    return awaitInStep(call);
  });
  const whenIdle = async () => {
    await Promise.allSettled(underWay.splice(0));
    // Lets the work that follows a call run.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { storage, calls, whenIdle };
}

/** Lists the organization's tokens after pending background work has run. */
async function listTokensWhenIdle(acme: Organization) {
  await new Promise((resolve) => setImmediate(resolve));
  return acme.apiTokens.list();
}
