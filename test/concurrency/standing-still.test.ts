import fc from "fast-check";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FairSemaphore } from "../../src/base/concurrency/fair-semaphore.js";
import { setActiveTimeout, withTimeout } from "../../src/base/concurrency/timeout.js";
import { interceptSnapshots } from "../kit/intercept-calls.js";
import { open } from "../sqlite/open-storage.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

afterEach(() => {
  vi.useRealTimers();
});

/** Blocks the event loop: afterwards all timers run before anything else that happened in the meantime. */
function blockEventLoop(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe("a timeout in a blocked process", () => {
  it("counts each pause as at most a twentieth of the timeout, and fires once the process has run that long", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const runs = fc.array(fc.nat({ max: 2_000 }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 10_000 }), runs, (patience, runs) => {
        let hasEnded = false;
        const cancel = setActiveTimeout(patience, () => {
          hasEnded = true;
        });
        let runCount = 0;
        for (const [pauses, ms] of runs.entries()) {
          vi.advanceTimersByTime(ms);
          runCount += ms;
          if (hasEnded) expect(runCount + pauses * (patience / 20)).toBeGreaterThanOrEqual(patience - 1);
          // A process that was blocked runs a timer once.
          vi.runOnlyPendingTimers();
        }
        vi.advanceTimersByTime(patience + 20);
        expect(hasEnded).toBe(true);
        cancel();
      }),
    );
  });

  it("doesn't fire when it is canceled", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const cancel = setActiveTimeout(100, () => {
      throw new Error("it was canceled");
    });
    vi.advanceTimersByTime(50);
    cancel();
    vi.advanceTimersByTime(500);
  });

  it("lets what arrived while the process was blocked run first", async () => {
    const slots = new FairSemaphore(1, 1, {
      length: 10,
      patience: 1_000,
      createError: () => new Error("late"),
    });
    let endWork = () => {};
    const first = slots.run("acme", () => new Promise<void>((resolve) => (endWork = resolve)));
    const next = slots.run("acme", async () => "its turn");
    const result = withTimeout(1_000, new Promise((resolve) => setTimeout(resolve, 1_100, "answer")), "late");
    setImmediate(() => {
      blockEventLoop(1_500);
      setImmediate(endWork);
    });
    expect(await Promise.all([next, result])).toEqual(["its turn", "answer"]);
    await first;
  });
});

describe("work that waits while the process is blocked", () => {
  it("is answered: 100 requests for long pages over HTTP", async () => {
    const ends: (() => void)[] = [];
    const storage = interceptSnapshots(memoryStorage(), function* (method, proceed) {
      if (method === "listEvents") yield new Promise<void>((end) => ends.push(end));
      return yield* proceed();
    });
    const loyalty = new LoyaltyService({ storage });
    const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), onError: () => {} });
    const { token } = await loyalty
      .organization("acme")
      .apiTokens.create({ name: "Reader", scopes: ["webhook:manage"] });
    const request = new Request("https://api.example/v1/events?limit=1000", {
      headers: { authorization: `Bearer ${token}` },
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const pages = Array.from({ length: 100 }, () => api.fetch(request));
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    // A blocked loop runs each timer once.
    vi.runOnlyPendingTimers();
    const interval = setInterval(() => ends.shift()?.(), 0);
    const statuses = (await Promise.all(pages)).map(({ status }) => status);
    clearInterval(interval);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("is written: a change on SQLite that waits for a long one", async () => {
    const storage = await open(createTemporaryFile());
    let endWork = () => {};
    const first = storage.transaction("acme", () => {
      const gate = new Promise<void>((resolve) => (endWork = resolve));
      return (function* () {
        yield gate;
      })();
    });
    const loyalty = new LoyaltyService({ storage });
    const creation = loyalty.organization("acme").users.create({ email: "ada@example.com" });
    const later = vi.spyOn(performance, "now");
    const now = performance.now();
    later.mockReturnValue(now + 31_000);
    // The check for tasks that have waited too long runs twice a second.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    later.mockRestore();
    endWork();
    await first;
    expect(await creation).toMatchObject({ email: "ada@example.com" });
  });
});
