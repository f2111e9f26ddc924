import { copyFileSync, existsSync, statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { awaitInStep, runStep, type Step } from "../../src/base/concurrency/step.js";
import type { StorageTransaction } from "../../src/storage/storage-adapter.js";
import { open, otherProgram } from "./open-storage.js";
import { addTag, addUser } from "./records.js";
import { createTemporaryFile } from "./temporary-file.js";

const threads = vi.hoisted(() => ({
  started: 0,
  areMissing: false,
  areSlow: false,
  /** Makes a thread wait 5 ms before it closes a database. */
  slowly: `{
    const { prototype } = require(require("node:worker_threads").workerData.driver);
    const { close } = prototype;
    prototype.close = function () {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      return close.call(this);
    };
  }`,
}));

vi.mock("node:worker_threads", async (original) => {
  const { Worker } = await original<typeof import("node:worker_threads")>();
  return {
    Worker: class extends Worker {
      constructor(...[program, options]: ConstructorParameters<typeof Worker>) {
        if (threads.areMissing)
          throw Object.assign(new Error("there are no threads"), { code: "ERR_WORKER_INIT_FAILED" });
        super(threads.areSlow ? threads.slowly + program : program, options);
        threads.started += 1;
      }
    },
  };
});

beforeEach(() => {
  threads.started = 0;
  threads.areMissing = false;
  threads.areSlow = false;
});

/** The size by which the log file is extended, in bytes. */
const PIECE = 8 * 1024 * 1024;
/** The maximum size of the log while small transactions follow each other, in bytes. */
const LENGTH = 3 * PIECE;
/** The size from which the next large transaction has to wait, in bytes. */
const LONG = 66_000_000;
/**
 * How much larger it may get if the disk is slow: the 6 MB that 32 transactions write before the next check.
 */
const MORE = 7_000_000;
/** Number of bytes after which another checkpoint is attempted: 4,000 pages. */
const STEP = 16_500_000;
/** The maximum number of pages that may wait for the next checkpoint: 4,000, and the pages of 32 transactions. */
const FEW = 5_500;
/** The size of a user, in bytes. */
const BYTES = 5_000;

function* addUsers(tx: StorageTransaction, count: number): Step<void> {
  const metadata = JSON.stringify({ filler: "x".repeat(BYTES) });
  for (let added = 0; added < count; added += 1) yield* addUser(tx, { metadata });
}

/**
 * Opens storage in a new file, with functions for the size of its log and the number of pages that aren't
 * checkpointed yet.
 */
async function openWithLog() {
  const file = createTemporaryFile();
  const storage = await open(file);
  const other = otherProgram(file);
  /** Writes users in one transaction. @param open how long the transaction stays open, in milliseconds. */
  const write = (users: number, open = 0) =>
    storage.transaction("acme", function* (tx) {
      yield* addUsers(tx, users);
      if (open > 0) yield* awaitInStep(setTimeout(open));
    });
  /** Runs a managed transaction, in which the host inserts its own rows. */
  const insertManaged = async (rows: number, open = 0) =>
    storage.hosts?.runManaged(async (tx) => {
      await tx.query("create table if not exists orders (filler)", []);
      for (let added = 0; added < rows; added += 1) {
        await tx.query("insert into orders values (?)", ["x".repeat(BYTES)]);
      }
      if (open > 0) await setTimeout(open);
    }, 10_000);
  const logSize = () => statSync(`${file}-wal`).size;
  /** Returns the size of the database file. At least this many bytes were written to the log. */
  const fileSize = () => statSync(file).size;
  const countWaitingPages = () => {
    const [counts] = other.pragma("wal_checkpoint(noop)") as { log: number; checkpointed: number }[];
    return counts === undefined ? Number.NaN : counts.log - counts.checkpointed;
  };
  const isBroughtIn = async () => countWaitingPages() === 0;
  return {
    file,
    storage,
    write,
    insertManaged,
    size: logSize,
    fileSize,
    countWaitingPages,
    isBroughtIn,
  };
}

describe("the write-ahead log", () => {
  it("of a large transaction is checkpointed by a thread", async () => {
    const { write, isBroughtIn } = await openWithLog();
    await write(3_000);
    await vi.waitUntil(isBroughtIn, 60_000);
    expect(threads.started).toBeGreaterThan(0);
  });

  it("is checkpointed even without threads", async () => {
    threads.areMissing = true;
    const { write, isBroughtIn } = await openWithLog();
    await write(3_000);
    await vi.waitUntil(isBroughtIn, 60_000);
    expect(threads.started).toBe(0);
  });

  it("of small transactions is checkpointed repeatedly by one thread", async () => {
    const { write, countWaitingPages } = await openWithLog();
    for (let times = 0; times < 3; times += 1) {
      for (let transaction = 0; transaction < 150; transaction += 1) await write(5);
      await vi.waitUntil(() => countWaitingPages() < FEW, 60_000);
    }
    expect(threads.started).toBe(1);
  });

  it("restarts after some megabytes under constant load", async () => {
    const { write, size, fileSize } = await openWithLog();
    for (let transaction = 0; transaction < 1_000; transaction += 1) {
      await write(5);
      expect(size()).toBeLessThan(LENGTH + MORE);
    }
    expect(fileSize()).toBeGreaterThan(LENGTH + MORE);
  });

  it.each([
    { open: 2, transactions: 1_000, users: 5 },
    { open: 30, transactions: 100, users: 50 },
  ])("restarts if each transaction is open for $open ms", async ({ open, transactions, users }) => {
    const { write, size, fileSize } = await openWithLog();
    for (let transaction = 0; transaction < transactions; transaction += 1) {
      await write(users, open);
      expect(size()).toBeLessThan(LENGTH + MORE);
    }
    expect(fileSize()).toBeGreaterThan(LENGTH + MORE);
  });

  it.each(["its own", "managed ones"])(
    "restarts if transactions (%s) are open for long when it is due",
    async (which) => {
      const { write, insertManaged, size, fileSize } = await openWithLog();
      for (let transaction = 0; transaction < 160; transaction += 1) {
        const open = transaction >= 30 && transaction < 60 ? 150 : 0;
        await (which === "its own" ? write(50, open) : insertManaged(85, open));
        expect(size()).toBeLessThan(LENGTH + MORE);
      }
      expect(fileSize()).toBeGreaterThan(LENGTH + MORE);
    },
  );

  it("restarts under constant writes by another process", async () => {
    const { file, write, size, fileSize } = await openWithLog();
    const other = await open(file);
    let isStopped = false;
    const writeOn = async () => {
      while (!isStopped) await other.transaction("acme", (tx) => addUsers(tx, 5));
    };
    const writing = Promise.all([writeOn(), writeOn()]);
    let most = 0;
    for (let transaction = 0; transaction < 700; transaction += 1) {
      await write(5);
      most = Math.max(most, size());
    }
    isStopped = true;
    await writing;
    expect(most).toBeLessThan(2 * LENGTH);
    expect(fileSize()).toBeGreaterThan(3 * LENGTH);
  });

  it.each([
    ["", false],
    [", also where the thread is slow", true],
  ])(
    "isn't checkpointed during a host's turn, so its transaction never finds the file locked%s",
    async (_, areSlow) => {
      threads.areSlow = areSlow;
      const { file, storage, size, fileSize } = await openWithLog();
      const host = otherProgram(file);
      host.pragma("wal_autocheckpoint = 0");
      host.exec("create table orders (filler)");
      const insert = host.prepare("insert into orders values (?)");
      const sell = host.transaction(() => {
        for (let added = 0; added < 10; added += 1) insert.run("x".repeat(BYTES));
      });
      while (fileSize() < 3 * LENGTH) {
        await storage.hosts?.sync?.runBetweenTransactions(() => sell.immediate());
        expect(size()).toBeLessThan(LENGTH + MORE);
      }
    },
  );

  it("of managed transactions restarts under constant load", async () => {
    const { insertManaged, size, fileSize } = await openWithLog();
    for (let transaction = 0; transaction < 200; transaction += 1) {
      await insertManaged(50);
      expect(size()).toBeLessThan(LENGTH + MORE);
    }
    expect(fileSize()).toBeGreaterThan(LENGTH + MORE);
  });

  it("of large transactions restarts under constant load", async () => {
    const { write, size } = await openWithLog();
    await write(2_500);
    const one = size();
    for (let transaction = 0; transaction < 9; transaction += 1) await write(2_500);
    expect(10 * one).toBeGreaterThan(LONG + 2 * one);
    expect(size()).toBeLessThan(LONG + 2 * one);
  });

  it("restarts after a snapshot that prevented it", async () => {
    const { storage, write, size, isBroughtIn } = await openWithLog();
    await storage.snapshot("acme", function* (reader) {
      yield* reader.listTags();
      for (let transaction = 0; transaction < 3; transaction += 1) yield* awaitInStep(write(1_000));
      expect(yield* awaitInStep(isBroughtIn())).toBe(false);
    });
    await write(3_000);
    await vi.waitUntil(isBroughtIn, 60_000);
    const sizeBefore = size();
    await write(1_000);
    expect(size()).toBe(sizeBefore);
  });

  it("of small transactions restarts soon after the end of a snapshot that prevented it", async () => {
    const { storage, write, size } = await openWithLog();
    const writeMany = async () => {
      for (let transaction = 0; transaction < 500; transaction += 1) await write(5);
    };
    await storage.snapshot("acme", function* (reader) {
      yield* reader.listTags();
      yield* awaitInStep(writeMany());
    });
    const sizeBefore = size();
    expect(sizeBefore).toBeGreaterThan(LENGTH + MORE);
    await writeMany();
    expect(size()).toBeLessThan(sizeBefore + STEP);
  });

  it("is extended beyond its pages soon after the first transactions, and again after it was truncated", async () => {
    const { file, storage, write, size } = await openWithLog();
    const writeSome = async () => {
      for (let transaction = 0; transaction < 100 && size() < PIECE; transaction += 1) await write(5);
    };
    expect(size()).toBeLessThan(PIECE);
    await writeSome();
    expect(size()).toBe(PIECE);
    await storage.purge();
    expect(size()).toBe(0);
    await writeSome();
    expect(size()).toBe(PIECE);
    await storage.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  it("is extended before its pages fill it, by at most 8 MB at a time", async () => {
    const { write, size, fileSize } = await openWithLog();
    const sizes = new Set<number>();
    for (let transaction = 0; transaction < 1_000; transaction += 1) {
      await write(5);
      sizes.add(size());
    }
    expect(fileSize()).toBeGreaterThan(LENGTH);
    const lengthened = [...sizes].filter((bytes) => bytes >= PIECE && bytes <= LENGTH);
    // If the disk is slow, its pages make it grow further.
    expect(lengthened).toEqual([PIECE, 2 * PIECE, LENGTH]);
    expect(Math.max(...sizes)).toBeLessThan(LENGTH + MORE);
  });

  it("of a killed process has every completed transaction, whatever follows in the file", async () => {
    const { file, storage, write, size } = await openWithLog();
    const leftoverFile = createTemporaryFile();
    for (let transaction = 0; transaction < 40; transaction += 1) {
      await write(5);
      for (const end of ["", "-wal"]) copyFileSync(file + end, leftoverFile + end);
      if (transaction % 10 !== 9) continue;
      const after = await open(leftoverFile);
      expect(await runStep(after.reader("acme").listUsers(-1, 1_000))).toHaveLength(5 * (transaction + 1));
      await after.close();
    }
    expect(size()).toBe(PIECE);
    await storage.close();
  });

  it("keeps its size while another process writes", async () => {
    const { file, write, size } = await openWithLog();
    const other = otherProgram(file);
    await write(200);
    const sizeBefore = size();
    expect(sizeBefore).toBeLessThan(PIECE);
    other.exec("begin immediate");
    const writing = write(1);
    await setTimeout(20);
    expect(size()).toBe(sizeBefore);
    other.exec("rollback");
    await writing;
  });

  it("is gone if the storage is closed immediately afterwards", async () => {
    const { file, storage, write } = await openWithLog();
    await write(3_000);
    await storage.close();
    const other = otherProgram(file);
    expect(other.pragma("journal_mode", { simple: true })).toBe("wal");
    other.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    const again = await open(file);
    expect(await runStep(again.reader("acme").listUsers(2_997, 10))).toHaveLength(2);
    await again.transaction("acme", (tx) => addTag(tx, "vip"));
  });
});
