import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createWallets } from "loyalty-kit/wallets";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Throttle } from "../../../adapters/delivery/wallets/google/api-client.js";
import { NonceStore } from "../../../adapters/delivery/wallets/google/callback.js";
import { CardDelivery } from "../../../adapters/delivery/wallets/google/card-delivery.js";
import { Reconciliation } from "../../../adapters/delivery/wallets/google/reconciliation.js";
import { putAndEvict } from "../../../src/base/bounded-map.js";
import { serviceInternals } from "../../../src/internals.js";
import { untyped } from "../../kit/refusal.js";
import { openGoogle, PUBLIC_URL } from "./google-scene.js";

const never = new AbortController().signal;

describe("the Google wallet under load", () => {
  it("stores at most 10,000 nonces, drops the oldest first, and keeps each until its message has expired", () => {
    const nonces = new NonceStore();
    expect(nonces.add("first", 1_000, 0)).toBe(true);
    expect(nonces.add("first", 1_000, 999)).toBe(false);
    expect(nonces.add("first", 2_000, 1_000)).toBe(true);
    for (let at = 1; at < 10_000; at += 1) nonces.add(`${at}`, 2_000, 1_000);
    expect(nonces.add("first", 2_000, 1_000)).toBe(false);
    nonces.add("one more", 2_000, 1_000);
    expect(nonces.add("first", 2_000, 1_000)).toBe(true);
  });

  it("starts a limited number of calls per second, in order, and skips calls whose caller has stopped waiting", async () => {
    const throttle = new Throttle(100);
    const startedAt = performance.now();
    const turns = Array.from({ length: 10 }, async (_, at) => {
      await throttle.acquire(never);
      return [at, performance.now() - startedAt] as const;
    });
    // Node's timers may fire a millisecond early.
    for (const [at, ms] of await Promise.all(turns)) expect(ms).toBeGreaterThanOrEqual(at * 10 - 2);
    await expect(throttle.acquire(AbortSignal.abort())).rejects.toThrow();
  });

  it("leaves cards that can't be sent in time due immediately, without counting an attempt", async () => {
    const { acme, loyalty, newPass, save } = await openGoogle(memoryStorage());
    const { id, url } = await newPass();
    await save(url);
    await acme.stamps.add(id);
    const backend = serviceInternals(loyalty).createWalletBackend(0);
    while (await backend.follow("acme"));
    const bring = vi.fn(async () => null);
    const doNothing = () => {};
    const reconciliation = { syncCard: async () => {} };
    const outcomes = serviceInternals(loyalty).backends.messages;
    const delivery = new CardDelivery(
      backend,
      { update: bring },
      reconciliation,
      outcomes,
      doNothing,
      doNothing,
    );
    const jobs = await backend.claim("acme", "google", 10);
    const time = vi.spyOn(performance, "now").mockReturnValueOnce(0).mockReturnValue(11_000);
    const walletOutcomes = await Promise.all(delivery.deliver(jobs)).finally(() => time.mockRestore());
    expect(bring).not.toHaveBeenCalled();
    await backend.recordResults("acme", "google", jobs[0]?.lease ?? "", walletOutcomes);
    const again = await backend.claim("acme", "google", 10);
    expect(again.map(({ delivery: { passId, attempts } }) => [passId, attempts])).toEqual([[id, 0]]);
  });

  it("makes one call for all concurrent requests of one link, and all of them get there", async () => {
    const { newPass, follow, google } = await openGoogle(memoryStorage());
    const { url } = await newPass();
    const answers = await Promise.all(Array.from({ length: 200 }, () => follow(url)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([302]));
    expect(new Set(answers.map(({ headers }) => headers.get("location"))).size).toBe(1);
    expect(google.calls.filter((call) => call.includes("/loyaltyObject"))).toHaveLength(1);
    expect(google.complaints).toEqual([]);
  });

  it("creates 2 cards of an organization at a time, with 25 waiting, without delaying others or known cards", async () => {
    const { newPass, follow, google, loyalty } = await openGoogle(memoryStorage());
    const existingPass = await newPass();
    await follow(existingPass.url);
    const passes = await Promise.all(Array.from({ length: 30 }, () => newPass()));
    google.hush("calls");
    const answers = passes.map(({ url }) => follow(url));
    // While a card hangs, no other request creates it at Google.
    const again = passes.slice(0, 2).map(({ url }) => follow(url));
    const responses = await Promise.all(answers.slice(27));
    expect(responses.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual(
      responses.map(() => [503, "10"]),
    );
    await expect.poll(() => google.unanswered).toBe(2);
    google.hush();
    const globex = loyalty.organization("globex");
    const tea = await globex.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 3 });
    for (let at = 0; at < 3; at += 1) {
      const { id } = await globex.passes.create(tea.id, { user: { email: `eve${at}@example.com` } });
      expect((await follow((await globex.passes.walletLinks(id)).google ?? "")).status).toBe(302);
    }
    expect((await follow(existingPass.url)).status).toBe(302);
    expect(google.unanswered).toBe(2);
    await google.close();
    const others = await Promise.all([...answers.slice(0, 27), ...again]);
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([503]));
  });

  it("makes no call for a card that Google is known to have, even after a restart", async () => {
    const { newPass, follow, google, loyalty, googleOptions, wallets } = await openGoogle(memoryStorage());
    const { url } = await newPass();
    await follow(url);
    await wallets.close();
    const others = createWallets(loyalty, {
      publicUrl: PUBLIC_URL,
      google: googleOptions,
      ...{ stampRenderer: null, deliver: false },
    });
    onTestFinished(() => others.close());
    const { fetch } = createHttpApi(loyalty, {
      authenticate: apiTokens(loyalty),
      basePath: "/loyalty",
      extensions: [others.http],
    });
    const listCardCalls = () => google.calls.filter((call) => call.includes("/loyaltyObject"));
    const before = listCardCalls();
    for (let at = 0; at < 5; at += 1) expect((await fetch(new Request(url))).status).toBe(302);
    expect(listCardCalls()).toEqual(before);
  });

  it("makes no call for a HEAD, and writes nothing", async () => {
    const storage = memoryStorage();
    const { newPass, follow, google, api } = await openGoogle(storage);
    const { url } = await newPass();
    const before = [...google.calls];
    const writes = vi.spyOn(storage, "transaction");
    const fetchHead = () => api.fetch(new Request(url, { method: "HEAD" }));
    expect((await fetchHead()).status).toBe(302);
    expect((await api.fetch(new Request(`${url}x`, { method: "HEAD" }))).status).toBe(404);
    expect(writes).not.toHaveBeenCalled();
    expect(google.calls).toEqual(before);
    const { headers } = await follow(url);
    expect((await fetchHead()).headers.get("location")).toBe(headers.get("location"));
  });
});

it("a limited number of classes and silent cards is remembered, and the least recently stored one is evicted", () => {
  const pagesById = new Map<string, number>();
  for (const [at, key] of ["a", "b", "c", "a", "d"].entries()) putAndEvict(pagesById, key, at, 3);
  expect([...pagesById]).toEqual([
    ["c", 2],
    ["a", 3],
    ["d", 4],
  ]);
});

it.each([
  [20, 500],
  [1_000, 500],
  [5, 2_000],
  [0.5, 20_000],
])(
  "at %d calls per second, Google is asked about a card every %d ms, page by page",
  async (perSecond, pauseMs) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const calls: string[] = [];
    const createPage = (name: string, next: string | null) => ({
      cards: [1, 2].map((at) => ({ organizationId: "acme", passId: `${name} ${at}`, isHeld: true })),
      next,
    });
    const google = {
      readPage: async (after: string) => {
        calls.push(`page after ${after}`);
        return after === "" ? createPage("first", "first 2") : createPage("second", null);
      },
    };
    const read = async (passId: string) => {
      calls.push(passId);
      return { status: 200, body: { hasUsers: true } };
    };
    const looks = new Reconciliation(
      untyped({ clock: Date.now, google }),
      untyped({ read }),
      () => {},
      perSecond,
    );
    const reconciliationEnd = looks.reconcileAll();
    await vi.advanceTimersByTimeAsync(2 * pauseMs - 1);
    expect(calls).toEqual(["page after ", "first 1", "first 2"]);
    await vi.advanceTimersByTimeAsync(pauseMs);
    expect(calls.slice(3)).toEqual(["page after first 2", "second 1"]);
    await vi.runAllTimersAsync();
    await reconciliationEnd;
    expect(calls).toHaveLength(6);
  },
);
