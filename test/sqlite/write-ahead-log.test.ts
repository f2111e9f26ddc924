import { existsSync, statSync } from "node:fs";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { run, wait } from "../../src/concurrency/step.js";
import { open, otherProgram } from "./opened.js";
import { addTag, addUser } from "./records.js";
import { temporaryFile } from "./temporary-file.js";

const threads = vi.hoisted(() => ({ started: 0, areMissing: false }));

vi.mock("node:worker_threads", async (original) => {
  const { Worker } = await original<typeof import("node:worker_threads")>();
  return {
    Worker: class extends Worker {
      constructor(...given: ConstructorParameters<typeof Worker>) {
        if (threads.areMissing) throw new Error("there are no threads");
        super(...given);
        threads.started += 1;
      }
    },
  };
});

beforeEach(() => {
  threads.started = 0;
  threads.areMissing = false;
});

/** How many bytes the log may have before the next transaction has to start over. */
const LONG = 70_000_000;
/** How many pages may wait for the next time that some are brought in. */
const FEW = 1_500;
/** The size of a user. */
const BYTES = 5_000;

/** Storage in a new file, how large its log is, and how much of it is not in the database yet. */
async function openWithLog() {
  const file = temporaryFile();
  const storage = await open(file);
  const other = otherProgram(file);
  const write = (users: number) =>
    storage.transaction(function* (tx) {
      const metadata = JSON.stringify({ filler: "x".repeat(BYTES) });
      for (let added = 0; added < users; added += 1) yield* addUser(tx, { metadata });
    });
  const size = () => statSync(`${file}-wal`).size;
  const waiting = () => {
    const [counts] = other.pragma("wal_checkpoint(noop)") as { log: number; checkpointed: number }[];
    return counts === undefined ? Number.NaN : counts.log - counts.checkpointed;
  };
  const isBroughtIn = async () => waiting() === 0;
  return { file, storage, write, size, waiting, isBroughtIn };
}

describe("the log", () => {
  it("of a large transaction is brought into the database by a thread", async () => {
    const { write, isBroughtIn } = await openWithLog();
    await write(3_000);
    await vi.waitUntil(isBroughtIn, 10_000);
    expect(threads.started).toBeGreaterThan(0);
  });

  it("is brought in without threads too", async () => {
    threads.areMissing = true;
    const { write, isBroughtIn } = await openWithLog();
    await write(3_000);
    await vi.waitUntil(isBroughtIn, 10_000);
    expect(threads.started).toBe(0);
  });

  it("of small transactions is brought in by one thread, again and again", async () => {
    const { write, waiting } = await openWithLog();
    for (let times = 0; times < 3; times += 1) {
      for (let transaction = 0; transaction < 150; transaction += 1) await write(5);
      await vi.waitUntil(() => waiting() < FEW, 10_000);
    }
    expect(threads.started).toBe(1);
  });

  it("starts over under constant load", async () => {
    const { write, size } = await openWithLog();
    await write(2_500);
    const one = size();
    for (let transaction = 0; transaction < 9; transaction += 1) await write(2_500);
    expect(10 * one).toBeGreaterThan(LONG + 2 * one);
    expect(size()).toBeLessThan(LONG + 2 * one);
  });

  it("starts over after a snapshot that kept it", async () => {
    const { storage, write, size, isBroughtIn } = await openWithLog();
    await storage.snapshot(function* (reader) {
      yield* reader.listTags("acme");
      for (let transaction = 0; transaction < 3; transaction += 1) yield* wait(write(1_000));
      expect(yield* wait(isBroughtIn())).toBe(false);
    });
    await write(1_000);
    await vi.waitUntil(isBroughtIn, 10_000);
    const kept = size();
    await write(1_000);
    expect(size()).toBe(kept);
  });

  it("is gone after closing at once", async () => {
    const { file, storage, write } = await openWithLog();
    await write(3_000);
    await storage.close();
    const other = otherProgram(file);
    expect(other.pragma("journal_mode", { simple: true })).toBe("wal");
    other.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    const again = await open(file);
    expect(await run(again.listUsers("acme", 2_997, 10))).toHaveLength(2);
    await again.transaction((tx) => addTag(tx, "vip"));
  });
});
