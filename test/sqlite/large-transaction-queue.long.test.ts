import { once } from "node:events";
import { existsSync } from "node:fs";
import { isLoyaltyError, type StorageAdapter } from "loyalty-kit";
import type { StorageTransaction } from "loyalty-kit/storage";
import { afterEach, describe, expect, it, vi } from "vitest";
import { awaitInStep, runStep, type Step } from "../../src/base/concurrency/step.js";
import { open } from "./open-storage.js";
import { addTag, addUser, listSlugs } from "./records.js";
import { threads } from "./threads.js";
import { openWithConnection } from "./watched.js";

vi.mock("node:worker_threads", () => import("./threads.js"));

const large = { isLarge: true };

afterEach(() => {
  vi.useRealTimers();
});

/**
 * Adds each tag in its own transaction, queued at the same time. Returns how many tags each one found, and
 * which tags are committed when its call resolves.
 */
function queueTransactions(
  storage: StorageAdapter,
  slugs: Readonly<Record<string, boolean>>,
  committed: () => string[],
) {
  return Promise.all(
    Object.entries(slugs).map(async ([slug, isLarge]) => {
      const before = await storage.transaction(
        "acme",
        function* (tx) {
          const tags = yield* tx.listTags();
          yield* addTag(tx, slug);
          return tags.length;
        },
        { isLarge },
      );
      return { before, committed: committed().join("") };
    }),
  );
}

/** Adds 2,500 users, which take about 20 MB. */
function* addMuch(tx: StorageTransaction): Step<void> {
  const metadata = JSON.stringify({ filler: "x".repeat(5_000) });
  for (let added = 0; added < 2_500; added += 1) yield* addUser(tx, { metadata });
}

/** Waits for a condition. Checks often, because fake timers advance while it waits. */
function waitUntil(isSo: () => boolean): Promise<boolean> {
  return vi.waitUntil(isSo, { timeout: 60_000, interval: 1 });
}

/** Waits until the newest thread has found the file busy this many more times. */
async function waitUntilBusy(times: number): Promise<void> {
  const countAnswers = () => threads.started.at(-1)?.answers ?? 0;
  const enough = countAnswers() + times;
  await waitUntil(() => countAnswers() >= enough);
}

describe("transactions queued around large ones", () => {
  it("keep their order, and share no commit with the large ones", async () => {
    // A group closes after some milliseconds. Here no time passes.
    vi.useFakeTimers({ toFake: ["performance"] });
    const { storage, committed } = await openWithConnection();
    const slugs = { a: false, b: false, c: true, d: false, e: false, f: true, g: true, h: false };
    expect(await queueTransactions(storage, slugs, committed)).toEqual([
      { before: 0, committed: "ab" },
      { before: 1, committed: "ab" },
      { before: 2, committed: "abc" },
      { before: 3, committed: "abcde" },
      { before: 4, committed: "abcde" },
      { before: 5, committed: "abcdef" },
      { before: 6, committed: "abcdefg" },
      { before: 7, committed: "abcdefgh" },
    ]);
    expect(threads.started).toHaveLength(3);
  });

  it("run in the same order, each in its own commit, if no thread can be started", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    threads.areMissing = true;
    const { storage, committed } = await openWithConnection();
    expect(await queueTransactions(storage, { a: false, b: true, c: true, d: false }, committed)).toEqual([
      { before: 0, committed: "a" },
      { before: 1, committed: "ab" },
      { before: 2, committed: "abc" },
      { before: 3, committed: "abcd" },
    ]);
  });

  it("wait for a slow large one, while reads don't", async () => {
    const { storage } = await openWithConnection();
    const order: string[] = [];
    let next: Promise<unknown> = Promise.resolve();
    await storage.transaction(
      "acme",
      function* (tx) {
        yield* addTag(tx, "first");
        next = storage.transaction("acme", () => awaitInStep(order.push("next")));
        for (let turn = 0; turn < 20; turn += 1) {
          expect(yield* awaitInStep(listSlugs(storage))).toEqual([]);
          yield* awaitInStep(new Promise((resolve) => setImmediate(resolve)));
        }
        order.push("large");
      },
      large,
    );
    await next;
    expect(order).toEqual(["large", "next"]);
  });
});

describe("a large transaction on a file that another program is writing to", () => {
  it("waits for that program", async () => {
    const { storage, other, committed } = await openWithConnection();
    other.exec("begin immediate");
    let hasBegun = false;
    const writing = storage.transaction(
      "acme",
      function* (tx) {
        hasBegun = true;
        yield* addTag(tx, "vip");
      },
      large,
    );
    await waitUntilBusy(3);
    expect(hasBegun).toBe(false);
    other.exec("rollback");
    await writing;
    expect(committed()).toEqual(["vip"]);
  });

  it("is refused after ten seconds, as are those queued behind it", async () => {
    const { storage, other, committed } = await openWithConnection();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    other.exec("begin immediate");
    const reasons: unknown[] = [];
    const recordReason = (reason: unknown) => reasons.push(reason);
    let startCount = 0;
    const keepEventLoopBusy = () => {
      startCount += 1;
      return awaitInStep(undefined);
    };
    const all = [large, {}, large].map((options) =>
      storage.transaction("acme", keepEventLoopBusy, options).catch(recordReason),
    );
    await waitUntilBusy(1);
    const [thread] = threads.started;
    if (thread === undefined) throw new Error("no thread has started");
    let pauses = 0;
    for (; reasons.length === 0; pauses += 1) {
      const answer = once(thread, "message");
      // No pause is longer than this.
      await vi.advanceTimersByTimeAsync(10);
      await Promise.race([answer, all[0]]);
    }
    expect(pauses).toBeGreaterThan(800);
    // The queue counts in half seconds, so the others may still have some pauses to wait.
    await waitUntil(() => reasons.length === all.length);
    expect(reasons.map((reason) => isLoyaltyError(reason, "storage_unavailable"))).toEqual([
      true,
      true,
      true,
    ]);
    expect(reasons).toMatchObject(reasons.map(() => ({ cause: { code: "SQLITE_BUSY" } })));
    expect(startCount).toBe(0);
    expect(threads.started.map(({ hasEnded }) => hasEnded)).toEqual([true, true]);
    other.exec("rollback");
    await storage.transaction("acme", (tx) => addTag(tx, "next"), large);
    expect(committed()).toEqual(["next"]);
  });
});

describe("the write-ahead log of a large transaction", () => {
  it("is checkpointed into the database afterwards", async () => {
    const { storage, other } = await openWithConnection();
    await storage.transaction("acme", addMuch, large);
    const isBroughtIn = () => {
      const [counts] = other.pragma("wal_checkpoint(noop)") as { log: number; checkpointed: number }[];
      return counts !== undefined && counts.log > 0 && counts.log === counts.checkpointed;
    };
    await waitUntil(isBroughtIn);
  });

  it("is gone if the storage is closed immediately afterwards", async () => {
    const { file, storage, other } = await openWithConnection();
    other.close();
    await storage.transaction("acme", addMuch, large);
    await storage.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(await runStep((await open(file)).reader("acme").listUsers(2_489, 20))).toHaveLength(10);
  });
});

describe("closing the storage", () => {
  it("waits for queued large transactions, refuses later ones, and leaves no write-ahead log", async () => {
    const { file, storage, other } = await openWithConnection();
    other.close();
    const works = ["a", "b"].map((slug) => storage.transaction("acme", (tx) => addTag(tx, slug), large));
    const closing = storage.close();
    const late = storage.transaction("acme", (tx) => addTag(tx, "late"), large);
    await expect(late).rejects.toMatchObject({ code: "storage_unavailable" });
    await closing;
    expect((await Promise.allSettled(works)).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(threads.started.map(({ hasEnded }) => hasEnded)).toEqual([true, true]);
    expect(await listSlugs(await open(file))).toEqual(["a", "b"]);
  });
});
