import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Reconciliation } from "../../../adapters/wallets/google/reconciliation.js";
import { SeenNonces } from "../../../adapters/wallets/google/seen-nonces.js";
import { Throttle } from "../../../adapters/wallets/google/throttle.js";
import { putLatest } from "../../../src/latest-entries.js";
import { untyped } from "../../kit/refusal.js";
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
    const throttle = new Throttle(100);
    const begun = performance.now();
    const turns = Array.from({ length: 10 }, async (_, at) => {
      await throttle.turn(never);
      return [at, performance.now() - begun] as const;
    });
    // A timer of Node may be a millisecond early.
    for (const [at, ms] of await Promise.all(turns)) expect(ms).toBeGreaterThanOrEqual(at * 10 - 2);
    await expect(throttle.turn(AbortSignal.abort())).rejects.toThrow();
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

it("of classes and silent cards so many are known at most, and what was put least lately goes", () => {
  const known = new Map<string, number>();
  for (const [at, key] of ["a", "b", "c", "a", "d"].entries()) putLatest(known, key, at, 3);
  expect([...known]).toEqual([
    ["c", 2],
    ["a", 3],
    ["d", 4],
  ]);
});

it("Google is asked of a card twice a second, and the next page is read when one is done", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const page = (name: string, next: string | null) => ({
    cards: [1, 2].map((at) => ({ organizationId: "acme", passId: `${name} ${at}`, isHeld: true })),
    next,
  });
  const google = {
    page: async (after: string) => {
      told.push(`page after ${after}`);
      return after === "" ? page("first", "first 2") : page("second", null);
    },
  };
  const read = async (passId: string) => {
    told.push(passId);
    return { status: 200, body: { hasUsers: true } };
  };
  const looks = new Reconciliation(untyped({ clock: Date.now, google }), untyped({ read }), () => {});
  const done = looks.lookThrough();
  await vi.advanceTimersByTimeAsync(999);
  expect(told).toEqual(["page after ", "first 1", "first 2"]);
  await vi.advanceTimersByTimeAsync(500);
  expect(told.slice(3)).toEqual(["page after first 2", "second 1"]);
  await vi.runAllTimersAsync();
  await done;
  expect(told).toHaveLength(6);
});
