import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { awaitInStep, runStep } from "../../src/base/concurrency/step.js";
import { open } from "./open-storage.js";
import { addTag, addUser, listSlugs } from "./records.js";

/** Waits for the next event loop iteration, so that no iteration spans two clocks. */
const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

afterEach(async () => {
  vi.useRealTimers();
  await nextIteration();
});

/** Freezes time from the next event loop iteration on: it passes only when a test advances it. */
async function stopTime(): Promise<void> {
  vi.useFakeTimers({ toFake: ["performance"] });
  await nextIteration();
}

/** Counts event loop iterations from now on. */
function countTurns(): () => number {
  let turns = 0;
  let next = setImmediate(function turn() {
    turns += 1;
    next = setImmediate(turn);
  });
  onTestFinished(() => clearImmediate(next));
  return () => turns;
}

const READS = 20_000;
/**
 * The minimum number of iterations: each read takes a fake millisecond, and at least every twelfth read
 * yields.
 */
const TURNS = READS / 12;

/** Calls a function READS times in a row. Each call takes one fake millisecond. */
async function readRepeatedly(readOnce: () => Promise<unknown>): Promise<void> {
  for (let index = 0; index < READS; index += 1) {
    await readOnce();
    vi.advanceTimersByTime(1);
  }
}

describe("the event loop continues", () => {
  it("during many reads, one after the other", async () => {
    const storage = await open();
    await stopTime();
    const turns = countTurns();
    await readRepeatedly(() => runStep(storage.reader("acme").findTag("vip")));
    expect(turns()).toBeGreaterThanOrEqual(TURNS);
  });

  it("during many reads that start at the same time", async () => {
    const storage = await open();
    const turns = countTurns();
    await Promise.all(Array.from({ length: READS }, () => runStep(storage.reader("acme").findTag("vip"))));
    expect(turns()).toBeGreaterThan(0);
  });

  it("during a long snapshot", async () => {
    const storage = await open();
    await stopTime();
    const turns = countTurns();
    await storage.snapshot("acme", (reader) =>
      awaitInStep(readRepeatedly(() => runStep(reader.findTag("vip")))),
    );
    expect(turns()).toBeGreaterThanOrEqual(TURNS);
  });

  it("during a long transaction, whose changes aren't visible until its commit", async () => {
    const storage = await open();
    await stopTime();
    const turns = countTurns();
    let isOver = false;
    const iterations = new Set<number>();
    const looking = (async () => {
      while (!isOver) {
        const users = await runStep(storage.reader("acme").listUsers(-1, 10));
        if (!isOver) iterations.add(users.length);
        await nextIteration();
      }
    })();
    await storage.transaction("acme", function* (tx) {
      yield* addUser(tx);
      yield* awaitInStep(readRepeatedly(() => runStep(tx.findTag("vip"))));
      yield* addUser(tx);
      isOver = true;
    });
    await looking;
    expect(turns()).toBeGreaterThanOrEqual(TURNS);
    expect(iterations).toEqual(new Set([0]));
    expect(await runStep(storage.reader("acme").listUsers(-1, 10))).toHaveLength(2);
  });
});

describe("a statement that yields to the event loop first", () => {
  it("doesn't run if its transaction has ended by then", async () => {
    const storage = await open();
    await stopTime();
    let late: Promise<unknown> = Promise.resolve();
    await storage.transaction("acme", function* (tx) {
      yield* tx.listTags();
      vi.advanceTimersByTime(1_000);
      late = expect(runStep(addTag(tx, "late"))).rejects.toThrow("has ended");
    });
    await late;
    expect(await listSlugs(storage)).toEqual([]);
  });

  it("is awaited when the storage closes", async () => {
    const storage = await open();
    await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    await stopTime();
    await runStep(storage.all.isEmpty());
    vi.advanceTimersByTime(1_000);
    const reading = listSlugs(storage);
    await storage.close();
    expect(await reading).toEqual(["vip"]);
  });

  it("leaves the data that its transaction has read unchanged", async () => {
    const storage = await open();
    const [first] = await Promise.all(
      ["a", "b"].map((name) =>
        storage.transaction("acme", function* (tx) {
          const { ordinal } = yield* addUser(tx, { name });
          for (let index = 0; index < READS / 4; index += 1) yield* tx.findTag("vip");
          return ordinal;
        }),
      ),
    );
    expect(first).toBe(0);
    expect((await runStep(storage.reader("acme").listUsers(-1, 10))).map(({ name }) => name)).toEqual([
      "a",
      "b",
    ]);
  });
});
