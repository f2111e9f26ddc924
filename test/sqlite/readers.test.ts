import { readdirSync, renameSync } from "node:fs";
import { basename, dirname } from "node:path";
import Database from "better-sqlite3";
import type { StorageAdapter } from "loyalty-kit";
import type { StorageReader } from "loyalty-kit/storage";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { awaitInStep, type Step } from "../../src/base/concurrency/step.js";
import { open } from "./open-storage.js";
import { addTag, addUsers, assign, listSlugs } from "./records.js";
import { createTemporaryFile } from "./temporary-file.js";

/** The maximum number of open snapshots. */
const MOST = 32;

/** Opens a snapshot that has read the tags, and keeps it open until `end` is called. */
async function holdSnapshot<T>(storage: StorageAdapter, last: (reader: StorageReader) => Step<T>) {
  let release = () => {};
  const signal = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reportBegin = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    reportBegin = resolve;
  });
  const result = storage.snapshot("acme", function* (reader) {
    yield* reader.listTags();
    reportBegin();
    yield* awaitInStep(signal);
    return yield* last(reader);
  });
  await hasBegun;
  return {
    end: () => {
      release();
      return result;
    },
  };
}

const readSlugs = function* (reader: StorageReader) {
  return (yield* reader.listTags()).map(({ slug }) => slug);
};

describe("an open or waiting snapshot", () => {
  it("fails if no connection can be opened, and later ones find the file again", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    renameSync(file, `${file}.away`);
    const outcomes = Array.from({ length: MOST + 8 }, () =>
      storage.snapshot("acme", readSlugs).then(
        () => "answered",
        () => "failed",
      ),
    );
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["failed"]));
    renameSync(`${file}.away`, file);
    expect(await storage.snapshot("acme", readSlugs)).toEqual([]);
  });

  it("doesn't block reads, snapshots or transactions, and keeps its state", async () => {
    const storage = await open();
    const early = await holdSnapshot(storage, readSlugs);
    await storage.transaction("acme", (tx) => addTag(tx, "a"));
    expect(await listSlugs(storage)).toEqual(["a"]);
    const late = await holdSnapshot(storage, readSlugs);
    await storage.transaction("acme", (tx) => addTag(tx, "b"));
    expect(await storage.snapshot("acme", readSlugs)).toEqual(["a", "b"]);
    expect(await early.end()).toEqual([]);
    expect(await late.end()).toEqual(["a"]);
    expect(await storage.snapshot("acme", readSlugs)).toEqual(["a", "b"]);
  });

  it("keeps its sets too, whatever concurrent snapshots find", async () => {
    const storage = await open();
    const tag = await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    await addUsers(storage, 3);
    const readSize = function* (reader: StorageReader) {
      const sizes: (number | undefined)[] = [];
      for (let look = 0; look < 2; look += 1) {
        sizes.push((yield* reader.readTagSets(["vip"])).tags.get("vip")?.count());
      }
      return sizes;
    };
    const early = await holdSnapshot(storage, readSize);
    await storage.transaction("acme", (tx) => assign(tx, 0, tag));
    expect(await storage.snapshot("acme", readSize)).toEqual([1, 1]);
    const late = await holdSnapshot(storage, readSize);
    await storage.transaction("acme", (tx) => assign(tx, 1, tag));
    expect(await storage.snapshot("acme", readSize)).toEqual([2, 2]);
    expect(await late.end()).toEqual([1, 1]);
    expect(await early.end()).toEqual([0, 0]);
    expect(await storage.snapshot("acme", readSize)).toEqual([2, 2]);
  });

  it("blocks only further snapshots when the maximum is open", async () => {
    const storage = await open();
    const all = [];
    while (all.length < MOST) all.push(await holdSnapshot(storage, readSlugs));
    const order: string[] = [];
    const waiting = [
      storage.snapshot("acme", () => awaitInStep(order.push("snapshot"))),
      listSlugs(storage).then(() => order.push("read")),
      storage.transaction("acme", (tx) => addTag(tx, "vip")).then(() => order.push("transaction")),
    ];
    await Promise.all(waiting.slice(1));
    expect(order.toSorted()).toEqual(["read", "transaction"]);
    expect(await all[0]?.end()).toEqual([]);
    await Promise.all(waiting);
    expect(order.at(-1)).toBe("snapshot");
    for (const one of all.slice(1)) expect(await one.end()).toEqual([]);
  });

  it("is awaited when the storage closes, like those in the queue", async () => {
    const storage = await open();
    const all = [];
    while (all.length < MOST) all.push(await holdSnapshot(storage, readSlugs));
    const inLine = storage.snapshot("acme", readSlugs);
    let isClosed = false;
    const closing = storage.close().then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isClosed).toBe(false);
    for (const one of all) expect(await one.end()).toEqual([]);
    expect(await inLine).toEqual([]);
    await closing;
    await expect(listSlugs(storage)).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});

describe("read connections", () => {
  it("keep reading the same file after the process changes its working directory", async () => {
    const [before, file] = [process.cwd(), createTemporaryFile()];
    onTestFinished(() => process.chdir(before));
    process.chdir(dirname(file));
    const storage = await open(basename(file));
    await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    process.chdir(dirname(createTemporaryFile()));
    const all = [await holdSnapshot(storage, readSlugs), await holdSnapshot(storage, readSlugs)];
    for (const one of all) expect(await one.end()).toEqual(["vip"]);
    expect(readdirSync(".")).toEqual([]);
  });

  it("can't write", async () => {
    const pragma = vi.spyOn(Database.prototype, "pragma");
    onTestFinished(() => pragma.mockRestore());
    const storage = await open(createTemporaryFile());
    const one = await holdSnapshot(storage, readSlugs);
    const other = await holdSnapshot(storage, readSlugs);
    const connections = new Set(pragma.mock.contexts);
    const refusals = [...connections].map((connection) => {
      if (!(connection instanceof Database)) return "no connection";
      return connection.pragma("query_only", { simple: true });
    });
    expect(refusals).toEqual([0, 1, 1, 1]);
    await Promise.all([one.end(), other.end()]);
  });
});
