import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { Pace } from "../../../adapters/wallets/google/pace.js";
import { SeenNonces } from "../../../adapters/wallets/google/seen-nonces.js";
import { openGoogle } from "./google-scene.js";

const never = new AbortController().signal;

describe("what is kept and waits for Google", () => {
  it("is 10,000 nonces at most, the oldest go first, and each until its message has expired", () => {
    const nonces = new SeenNonces();
    expect(nonces.add("first", 1_000, 0)).toBe(true);
    expect(nonces.add("first", 1_000, 999)).toBe(false);
    expect(nonces.add("first", 2_000, 1_000)).toBe(true);
    for (let at = 1; at < 10_000; at += 1) nonces.add(`${at}`, 2_000, 1_000);
    expect(nonces.add("first", 2_000, 1_000)).toBe(false);
    nonces.add("one more", 2_000, 1_000);
    expect(nonces.add("first", 2_000, 1_000)).toBe(true);
  });

  it("begins so many calls a second, one after the other, and none that nobody waits for any more", async () => {
    const pace = new Pace(100);
    const begun = performance.now();
    const turns = Array.from({ length: 10 }, async (_, at) => {
      await pace.turn(never);
      return [at, performance.now() - begun] as const;
    });
    // A timer of Node may be a millisecond early.
    for (const [at, ms] of await Promise.all(turns)) expect(ms).toBeGreaterThanOrEqual(at * 10 - 2);
    await expect(pace.turn(AbortSignal.abort())).rejects.toThrow();
  });

  it("is 55 links that are followed at once; more are asked to come again", async () => {
    const { newPass, follow, google } = await openGoogle(memoryStorage());
    const { url } = await newPass();
    const answers = await Promise.all(Array.from({ length: 60 }, () => follow(url)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 302)).toHaveLength(55);
    expect(statuses.filter((status) => status === 503)).toHaveLength(5);
    expect(google.complaints).toEqual([]);
  });
});
