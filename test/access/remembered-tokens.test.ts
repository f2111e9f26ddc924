import type { StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { TokenCache } from "../../src/access/token-verifier.js";
import { serviceInternals } from "../../src/internals.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { recordCalls } from "../kit/intercept-calls.js";
import { open } from "../sqlite/open-storage.js";
import { Child } from "../sqlite/processes/child.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

const newToken = { name: "Till", scopes: ["user:read"] } as const;

/** Returns how often storage looks a token up during a number of verifications. */
async function countLookUps(storage: StorageAdapter, times: number): Promise<number> {
  const calls: string[] = [];
  const { loyalty, acme } = openAcme({ storage: recordCalls(storage, calls) });
  const { token } = await acme.apiTokens.create({ ...newToken, scopes: [...newToken.scopes] });
  await loyalty.verifyApiToken(token);
  // The first use is written to storage, which is a commit.
  await expect.poll(async () => (await acme.apiTokens.list()).at(0)?.lastUsedAt).not.toBeNull();
  calls.length = 0;
  for (let at = 0; at < times; at += 1) expect(await loyalty.verifyApiToken(token)).not.toBeNull();
  return calls.filter((call) => call === "findApiTokensByHash").length;
}

describe("a verified token", () => {
  it("isn't looked up again while nothing is committed", async () => {
    expect(await countLookUps(memoryStorage(), 10)).toBe(1);
    expect(await countLookUps(await open(), 10)).toBe(1);
  });

  it.each(everyAdapter)("is refused on $name as soon as it is revoked", async ({ open }) => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const { token, apiToken } = await acme.apiTokens.create({ ...newToken, scopes: ["user:read"] });
    for (let at = 0; at < 3; at += 1) expect(await loyalty.verifyToken(token)).not.toBeNull();
    await acme.apiTokens.delete(apiToken.id);
    expect(await loyalty.verifyToken(token)).toBeNull();
  });

  it("is refused as soon as it has expired", async () => {
    const { loyalty, acme, clock } = openAcme();
    const expiresAt = new Date(serviceInternals(loyalty).now() + 1_000).toISOString();
    const { token } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"], expiresAt });
    expect(await loyalty.verifyToken(token)).not.toBeNull();
    clock.move(999);
    expect(await loyalty.verifyToken(token)).not.toBeNull();
    clock.move(1);
    expect(await loyalty.verifyToken(token)).toBeNull();
  });

  it("is refused as soon as another process has revoked it", async () => {
    const file = createTemporaryFile();
    const { loyalty, acme } = openAcme({ storage: await open(file) });
    const { token, apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    const other = await Child.start("revoke", file, apiToken.id);
    for (let at = 0; at < 3; at += 1) expect(await loyalty.verifyToken(token)).not.toBeNull();
    other.start();
    await other.end();
    expect(await loyalty.verifyToken(token)).toBeNull();
  });

  it("gives callers a principal that they can't change", async () => {
    const { loyalty, acme } = openAcme();
    const { token } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    const principal = await loyalty.verifyToken(token);
    expect(Object.isFrozen(principal) && Object.isFrozen(principal?.scopes)).toBe(true);
  });
});

describe("the token cache", () => {
  it("is emptied by each commit, and holds at most its maximum number of tokens", async () => {
    const state = { now: {} };
    const cache = new TokenCache<string>({ committedState: () => state.now }, 2);
    for (const hash of ["a", "b", "c"]) await cache.find(hash, async (hash) => hash.toUpperCase());
    expect(["a", "b", "c"].map((hash) => cache.get(hash))).toEqual(["A", "B", null]);
    state.now = {};
    expect(cache.get("a")).toBeNull();
  });

  it("doesn't store a token that was looked up during a commit", async () => {
    const state = { now: {} };
    const cache = new TokenCache<string>({ committedState: () => state.now });
    await cache.find("a", async () => {
      state.now = {};
      return "as it was before";
    });
    expect(cache.get("a")).toBeNull();
  });

  it("stores nothing when the committed state isn't known", async () => {
    const cache = new TokenCache<string>({ committedState: () => null });
    await cache.find("a", async () => "A");
    expect(cache.get("a")).toBeNull();
  });
});
