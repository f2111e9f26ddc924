import { isLoyaltyError } from "loyalty-kit";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { awaitInStep, runStep } from "../../src/base/concurrency/step.js";
import { open, openWithWriter, otherProgram } from "./open-storage.js";
import { addTag, assign, listSlugs } from "./records.js";
import { createTemporaryFile } from "./temporary-file.js";

afterEach(() => {
  vi.useRealTimers();
});

describe("a file that another program is writing to", () => {
  it("delays writes without blocking the process, and can be read in the meantime", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    await storage.transaction("acme", (tx) => addTag(tx, "before"));
    const other = otherProgram(file);
    other.exec("begin immediate");
    other.exec("update loyalty_user_tags set name = 'uncommitted'");
    const writing = storage.transaction("acme", (tx) => addTag(tx, "after"));
    expect((await runStep(storage.reader("acme").findTag("before")))?.name).toBe("before");
    expect(await storage.snapshot("acme", (reader) => reader.findTag("after"))).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 5));
    other.exec("rollback");
    await writing;
    expect(await listSlugs(storage)).toEqual(["after", "before"]);
  });

  it("makes writes fail once they have waited about ten seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    const file = createTemporaryFile();
    const storage = await open(file);
    const other = otherProgram(file);
    other.exec("begin immediate");
    const reasons: unknown[] = [];
    let startCount = 0;
    for (let each = 0; each < 3; each += 1) {
      const writing = storage.transaction("acme", () => {
        startCount += 1;
        return awaitInStep(undefined);
      });
      writing.catch((reason: unknown) => reasons.push(reason));
    }
    await vi.advanceTimersByTimeAsync(9_000);
    expect(reasons).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(reasons.map((reason) => isLoyaltyError(reason, "storage_unavailable"))).toEqual([
      true,
      true,
      true,
    ]);
    expect(reasons).toMatchObject([
      { cause: { code: "SQLITE_BUSY" } },
      { cause: { code: "SQLITE_BUSY" } },
      { cause: { code: "SQLITE_BUSY" } },
    ]);
    expect(startCount).toBe(0);
    const patient = storage.transaction("acme", (tx) => addTag(tx, "vip"));
    await vi.advanceTimersByTimeAsync(5_000);
    other.exec("rollback");
    await vi.advanceTimersByTimeAsync(1_000);
    await patient;
    expect(await listSlugs(storage)).toEqual(["vip"]);
  });

  it("doesn't make a write fail for its time in the queue", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    const other = otherProgram(file);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const slow = storage.transaction("acme", () =>
      awaitInStep(new Promise<void>((resolve) => setTimeout(resolve, 60_000))),
    );
    const queued = storage.transaction("acme", (tx) => addTag(tx, "vip"));
    await vi.advanceTimersByTimeAsync(60_000);
    other.exec("begin immediate");
    await slow;
    await vi.advanceTimersByTimeAsync(5_000);
    other.exec("rollback");
    await vi.advanceTimersByTimeAsync(1_000);
    await queued;
    expect(await listSlugs(storage)).toEqual(["vip"]);
  });
});

describe("a transaction that SQLite rolls back itself", () => {
  it("rejects with the first error and leaves nothing behind, even if the work continues", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    otherProgram(file).exec(
      `create trigger fault before insert on loyalty_user_tags when new.slug = 'fault'
       begin select raise(rollback, 'the first error'); end`,
    );
    const later: unknown[] = [];
    const writing = storage.transaction("acme", function* (tx) {
      yield* addTag(tx, "before");
      yield* awaitInStep(runStep(addTag(tx, "fault")).catch((error: unknown) => later.push(error)));
      yield* awaitInStep(runStep(addTag(tx, "after")).catch((error: unknown) => later.push(error)));
      yield* awaitInStep(runStep(tx.listTags()).catch((error: unknown) => later.push(error)));
    });
    await expect(writing).rejects.toThrow("the first error");
    expect(later).toHaveLength(3);
    expect(new Set(later).size).toBe(1);
    expect(await listSlugs(storage)).toEqual([]);
    await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    expect(await listSlugs(storage)).toEqual(["vip"]);
  });
});

describe("a transaction", () => {
  it("commits nothing after a failed statement, even if the work ignores it", async () => {
    const storage = await open();
    const unheeded = storage.transaction("acme", function* (tx) {
      const vip = yield* addTag(tx, "vip");
      yield* awaitInStep(runStep(assign(tx, 7, vip)).catch(() => undefined));
    });
    await expect(unheeded).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
    expect(await listSlugs(storage)).toEqual([]);
  });

  it("that can't commit is rolled back", async () => {
    const { storage, writer } = await openWithWriter();
    const tag = await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    const writing = storage.transaction("acme", function* (tx) {
      writer.pragma("defer_foreign_keys = on");
      yield* tx.assignTag({ id: "uta_1", userOrdinal: 7, tagOrdinal: tag.ordinal, createdAt: 1 });
    });
    await expect(writing).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
    expect((await runStep(storage.reader("acme").readTagSets(["vip"]))).tags.get("vip")?.count()).toBe(0);
    await storage.transaction("acme", (tx) => addTag(tx, "next"));
    expect(await listSlugs(storage)).toEqual(["next", "vip"]);
  });

  it("can't run statements after its end, so none of them get into the next one", async () => {
    const storage = await open();
    let runStray: () => Promise<unknown> = () => Promise.resolve();
    const failing = storage.transaction("acme", (tx) => {
      runStray = () => runStep(addTag(tx, "stray"));
      return awaitInStep(Promise.reject(new Error("a sibling failed")));
    });
    await expect(failing).rejects.toThrow("a sibling failed");
    await storage.transaction("acme", function* (tx) {
      yield* awaitInStep(expect(runStray()).rejects.toThrow("has ended"));
      yield* addTag(tx, "vip");
    });
    expect(await listSlugs(storage)).toEqual(["vip"]);
  });

  it("that follows another lets the rest of the process run in between", async () => {
    const storage = await open();
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    onTestFinished(() => clearImmediate(next));
    for (let each = 0; each < 20; each += 1) await storage.transaction("acme", () => awaitInStep(undefined));
    expect(turns).toBeGreaterThan(10);
  });

  it("that fails doesn't change the order of those waiting behind it", async () => {
    const storage = await open();
    const order: number[] = [];
    const all = Array.from({ length: 20 }, (_, at) =>
      storage.transaction("acme", function* (tx) {
        yield* tx.listTags();
        order.push(at);
        if (at % 3 === 0) throw new Error("failed");
      }),
    );
    await Promise.allSettled(all);
    expect(order).toEqual(Array.from(order.keys()));
    expect(order).toHaveLength(20);
  });
});

describe("a snapshot", () => {
  it("can't run statements after its end", async () => {
    const storage = await open();
    const leaked = await storage.snapshot("acme", (reader) => awaitInStep(reader));
    await expect(runStep(leaked.listTags())).rejects.toThrow("has ended");
  });

  it("doesn't block commits, which reads outside of it see immediately", async () => {
    const storage = await open();
    const names = await storage.snapshot("acme", function* (reader) {
      yield* awaitInStep(storage.transaction("acme", (tx) => addTag(tx, "vip")));
      return [yield* awaitInStep(listSlugs(storage)), (yield* reader.listTags()).map(({ slug }) => slug)];
    });
    expect(names).toEqual([["vip"], []]);
  });
});
