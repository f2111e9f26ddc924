import type Database from "better-sqlite3";
import type { StorageAdapter } from "loyalty-kit";
import { StorageConflict, type StorageTransaction } from "loyalty-kit/storage";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { awaitInStep, runStep, type Step } from "../../src/base/concurrency/step.js";
import { open, openWithWriter, otherProgram } from "./open-storage.js";
import { addTag, addUser, assign, listSlugs } from "./records.js";
import { createTemporaryFile } from "./temporary-file.js";

const slugs = Array.from({ length: 20 }, (_, at) => `tag-${at + 10}`);

// A group closes after some milliseconds. Here time passes only when a test advances it.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Opens storage in a new file, and a second connection that reads its committed tags. */
async function openWatchedStorage() {
  const file = createTemporaryFile();
  const storage = await open(file);
  const other = otherProgram(file);
  const countCommitted = () =>
    other.prepare<[], string>("select slug from loyalty_user_tags order by slug").pluck().all();
  return { storage, other, committed: countCommitted };
}

/**
 * Queues all works at the same time. Records how often each one runs, and the order in which they resolve.
 */
function queueTransactions(
  storage: StorageAdapter,
  works: Readonly<Record<string, (tx: StorageTransaction) => Step<unknown>>>,
) {
  const runs: Record<string, number> = {};
  const answers: string[] = [];
  const all = Object.entries(works).map(([name, work]) => {
    const answer = storage.transaction("acme", (tx) => {
      runs[name] = (runs[name] ?? 0) + 1;
      return work(tx);
    });
    const recordAnswer = () => answers.push(name);
    answer.then(recordAnswer, recordAnswer);
    return answer;
  });
  return { runs, answers, results: Promise.allSettled(all) };
}

const createTagAdder = (slug: string) => (tx: StorageTransaction) => addTag(tx, slug);

function* insertOrphan(tx: StorageTransaction, writer: Database.Database): Step<void> {
  const tag = yield* addTag(tx, "orphaned");
  writer.pragma("defer_foreign_keys = on");
  yield* assign(tx, 7, tag);
}

describe("transactions that wait at the same time", () => {
  it("share a commit: when the first one resolves, all of them are committed", async () => {
    const { storage, committed } = await openWatchedStorage();
    const found: string[][] = [];
    await Promise.all(
      slugs.map(async (slug) => {
        await storage.transaction("acme", createTagAdder(slug));
        found.push(committed());
      }),
    );
    expect(found).toEqual(slugs.map(() => slugs));
  });

  it("are visible to no reader and resolve for no caller before the commit, but are visible to later ones of the group", async () => {
    const { storage, committed } = await openWatchedStorage();
    const observed: unknown[] = [];
    let answerCount = 0;
    await Promise.all(
      slugs.map(async (slug, at) => {
        await storage.transaction("acme", function* (tx) {
          const before = yield* tx.listTags();
          yield* addTag(tx, slug);
          const inSnapshot = yield* awaitInStep(storage.snapshot("acme", (reader) => reader.listTags()));
          observed.push([
            before.length - at,
            answerCount,
            committed(),
            yield* awaitInStep(listSlugs(storage)),
            inSnapshot,
          ]);
        });
        answerCount += 1;
      }),
    );
    expect(observed).toEqual(slugs.map(() => [0, 0, [], [], []]));
    expect(await listSlugs(storage)).toEqual(slugs);
  });

  it("resolve in the order in which they came, including those that fail without a change", async () => {
    const storage = await open();
    const works = slugs.map((slug, at) => [
      slug,
      function* (tx: StorageTransaction) {
        if (at % 3 === 1) throw new Error("failed");
        yield* addUser(tx, { name: slug });
      },
    ]);
    const { answers, results } = queueTransactions(storage, Object.fromEntries(works));
    await results;
    expect(answers).toEqual(slugs);
    const users = await runStep(storage.reader("acme").listUsers(-1, 100));
    expect(users.map(({ name }) => name)).toEqual(slugs.filter((_, at) => at % 3 !== 1));
    expect(users.map(({ ordinal }) => ordinal)).toEqual(users.map((_, at) => at));
  });

  it("don't wait for those queued behind a slow one", async () => {
    const { storage, committed } = await openWatchedStorage();
    const slow = storage.transaction("acme", function* (tx) {
      yield* addTag(tx, "slow");
      vi.advanceTimersByTime(1_000);
    });
    const next = storage.transaction("acme", createTagAdder("zzz"));
    await slow;
    expect(committed()).toEqual(["slow"]);
    await next;
    expect(committed()).toEqual(["slow", "zzz"]);
  });

  it("include those that are queued in the meantime", async () => {
    const { storage, committed } = await openWatchedStorage();
    let later: Promise<unknown> = Promise.resolve();
    await storage.transaction("acme", function* (tx) {
      yield* addTag(tx, "first");
      later = storage.transaction("acme", createTagAdder("later"));
    });
    expect(committed()).toEqual(["first", "later"]);
    await later;
  });
});

describe("a lone transaction", () => {
  it("waits for nothing, not even an event loop iteration", async () => {
    const storage = await open();
    await new Promise((resolve) => setTimeout(resolve, 5));
    let turned = false;
    const turn = setImmediate(() => {
      turned = true;
    });
    await storage.transaction("acme", createTagAdder("vip"));
    expect(turned).toBe(false);
    clearImmediate(turn);
  });

  it("that fails doesn't affect one that was queued in the meantime", async () => {
    const storage = await open();
    let later: Promise<unknown> = Promise.resolve();
    const failing = storage.transaction("acme", function* (tx) {
      yield* addTag(tx, "first");
      later = storage.transaction("acme", createTagAdder("later"));
      throw new Error("failed");
    });
    await expect(failing).rejects.toThrow("failed");
    await later;
    expect(await listSlugs(storage)).toEqual(["later"]);
  });
});

describe("one of several transactions", () => {
  it("that fails after a change is the only one undone, and those before it run again", async () => {
    const storage = await open();
    const { runs, results } = queueTransactions(storage, {
      a: createTagAdder("a"),
      failing: function* (tx) {
        yield* addTag(tx, "failing");
        throw new Error("failed");
      },
      b: createTagAdder("b"),
    });
    expect(await results).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { message: "failed" } },
      { status: "fulfilled" },
    ]);
    expect(runs).toEqual({ a: 2, failing: 2, b: 1 });
    expect(await listSlugs(storage)).toEqual(["a", "b"]);
  });

  it("doesn't conflict with another one's changes that weren't committed", async () => {
    const storage = await open();
    let runs = 0;
    const { results } = queueTransactions(storage, {
      a: function* (tx) {
        yield* addTag(tx, "vip");
        runs += 1;
        if (runs > 1) throw new Error("failed");
      },
      b: function* (tx) {
        yield* addTag(tx, "first");
        yield* addTag(tx, "vip");
      },
    });
    expect(await results).toMatchObject([{ status: "rejected" }, { status: "fulfilled" }]);
    expect(await listSlugs(storage)).toEqual(["first", "vip"]);
  });

  it("that fails without a change doesn't affect the others", async () => {
    const storage = await open();
    const { runs, results } = queueTransactions(storage, {
      a: createTagAdder("a"),
      failing: function* (tx) {
        yield* tx.listTags();
        throw new Error("failed");
      },
      b: createTagAdder("b"),
    });
    expect(await results).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { message: "failed" } },
      { status: "fulfilled" },
    ]);
    expect(runs).toEqual({ a: 1, failing: 1, b: 1 });
    expect(await listSlugs(storage)).toEqual(["a", "b"]);
  });

  it("conflicts with another one's changes, and can continue", async () => {
    const storage = await open();
    const { results } = queueTransactions(storage, {
      a: createTagAdder("a"),
      escaping: function* (tx) {
        yield* addTag(tx, "escaping");
        yield* addTag(tx, "a");
      },
      heeding: function* (tx) {
        yield* awaitInStep(expect(runStep(addTag(tx, "a"))).rejects.toThrow(StorageConflict));
        yield* addTag(tx, "heeding");
      },
    });
    expect(await results).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { key: "slug" } },
      { status: "fulfilled" },
    ]);
    expect(await listSlugs(storage)).toEqual(["a", "heeding"]);
  });

  it("that ignores the error of a statement is the only one to fail", async () => {
    const storage = await open();
    const { results } = queueTransactions(storage, {
      a: createTagAdder("a"),
      unheeding: function* (tx) {
        const tag = yield* addTag(tx, "unheeding");
        yield* awaitInStep(runStep(assign(tx, 7, tag)).catch(() => undefined));
      },
      b: createTagAdder("b"),
    });
    expect(await results).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { code: "SQLITE_CONSTRAINT_FOREIGNKEY" } },
      { status: "fulfilled" },
    ]);
    expect(await listSlugs(storage)).toEqual(["a", "b"]);
  });

  it("can't run statements in another one after its end", async () => {
    const storage = await open();
    let leaked: StorageTransaction | null = null;
    const { results } = queueTransactions(storage, {
      leaking: (tx) => {
        leaked = tx;
        return awaitInStep(undefined);
      },
      a: function* (tx) {
        if (leaked !== null)
          yield* awaitInStep(expect(runStep(addTag(leaked, "stray"))).rejects.toThrow("has ended"));
        yield* addTag(tx, "a");
      },
    });
    expect(await results).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }]);
    expect(await listSlugs(storage)).toEqual(["a"]);
  });
});

describe("when the shared transaction of a group is lost", () => {
  it("because SQLite rolls it back itself, the others run again and only the cause fails", async () => {
    const { storage, other } = await openWatchedStorage();
    other.exec(
      `create trigger fault before insert on loyalty_user_tags when new.slug = 'fault'
       begin select raise(rollback, 'all is lost'); end`,
    );
    const { runs, results } = queueTransactions(storage, {
      a: createTagAdder("a"),
      b: () => {
        throw new Error("failed");
      },
      fault: function* (tx) {
        yield* addTag(tx, "before");
        yield* awaitInStep(runStep(addTag(tx, "fault")).catch(() => undefined));
      },
      c: createTagAdder("c"),
    });
    expect(await results).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { message: "failed" } },
      { status: "rejected", reason: { message: "all is lost" } },
      { status: "fulfilled" },
    ]);
    expect(runs).toEqual({ a: 2, b: 2, fault: 2, c: 1 });
    expect(await listSlugs(storage)).toEqual(["a", "c"]);
  });

  it("because the commit fails, each one runs again separately, in order, and has its own result", async () => {
    const { storage, writer } = await openWithWriter();
    const { runs, answers, results } = queueTransactions(storage, {
      a: createTagAdder("a"),
      orphan: (tx) => insertOrphan(tx, writer),
      b: createTagAdder("b"),
    });
    expect(await results).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { code: "SQLITE_CONSTRAINT_FOREIGNKEY" } },
      { status: "fulfilled" },
    ]);
    expect(runs).toEqual({ a: 2, orphan: 2, b: 2 });
    expect(answers).toEqual(["a", "orphan", "b"]);
    expect(await listSlugs(storage)).toEqual(["a", "b"]);
  });

  it("no caller has received a lost result, and transactions queued behind keep their order", async () => {
    const { storage, writer } = await openWithWriter();
    const results: string[][] = [];
    const later: Promise<unknown>[] = [];
    const first = storage.transaction("acme", function* (tx) {
      yield* addTag(tx, "first");
      if (later.length === 0) later.push(storage.transaction("acme", createTagAdder("behind")));
    });
    const orphan = storage.transaction("acme", (tx) => insertOrphan(tx, writer));
    for (const answer of [first, orphan]) {
      await answer.catch(() => undefined);
      results.push(await listSlugs(storage));
    }
    await Promise.all(later);
    expect(results).toEqual([["first"], ["first"]]);
    expect(await listSlugs(storage)).toEqual(["behind", "first"]);
  });
});

describe("closing the storage", () => {
  it("waits for all queued transactions, and refuses later ones", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    const { results } = queueTransactions(
      storage,
      Object.fromEntries(slugs.map((slug) => [slug, createTagAdder(slug)])),
    );
    const closing = storage.close();
    await expect(storage.transaction("acme", createTagAdder("late"))).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    await closing;
    expect((await results).map(({ status }) => status)).toEqual(slugs.map(() => "fulfilled"));
    expect(await listSlugs(await open(file))).toEqual(slugs);
  });
});
