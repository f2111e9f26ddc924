import { copyFileSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { getSchemaVersion } from "../../adapters/storage/kysely/migrations/migrations.js";
import { SqliteDatabase } from "../../adapters/storage/sqlite/database.js";
import { sqliteDialect } from "../../adapters/storage/sqlite/dialect.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { createNextRelease } from "../kysely/next-release.js";
import { open } from "./open-storage.js";
import { Child } from "./processes/child.js";
import { addTag, addUser, addUsers, assign, listSlugs } from "./records.js";
import { createTemporaryFile } from "./temporary-file.js";

const PRESENT = getSchemaVersion(sqliteDialect);

describe("several processes", () => {
  it("open a new file at the same time", async () => {
    const file = createTemporaryFile();
    const children = await Promise.all(Array.from({ length: 4 }, () => Child.start("open", file)));
    for (const child of children) child.start();
    const found = await Promise.all(children.map((child) => child.end()));
    expect(found.map((text) => JSON.parse(text))).toEqual(
      children.map(() => ({ isEmpty: true, isCurrent: true })),
    );
    expect(await runStep((await open(file)).all.isEmpty())).toBe(true);
  });

  it("write to one organization at the same time without losing or repeating anything", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    const count = 100;
    const children = await Promise.all([1, 2].map(() => Child.start("write", file, String(count))));
    for (const child of children) child.start();
    let mine = 0;
    const end = Promise.all(children.map((child) => child.end()));
    let isEnded = false;
    const recordEnd = () => {
      isEnded = true;
    };
    end.then(recordEnd, recordEnd);
    while (!isEnded) {
      await addUsers(storage, 1);
      mine += 1;
      const { users, tags } = await runStep(storage.reader("acme").readTagSets(["vip"]));
      expect(tags.get("vip")?.count()).toBeLessThanOrEqual(users.count());
    }
    await end;
    const users = await runStep(storage.reader("acme").listUsers(-1, 1_000_000));
    expect(users.map(({ ordinal }) => ordinal)).toEqual(
      Array.from({ length: 2 * count + mine }, (_, at) => at),
    );
    expect(await runStep(storage.reader("acme").verifyTagSets())).toEqual({ checked: 2, wrong: [] });
  });
});

describe("a process that is killed during a transaction", () => {
  it("leaves nothing of it behind", async () => {
    const file = createTemporaryFile();
    const before = await sqliteStorage(file);
    const users = await addUsers(before, 3);
    await before.close();
    const child = await Child.start("die", file);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(1_000_000);
    child.kill();
    await child.end();
    const storage = await open(file);
    expect(await runStep(storage.reader("acme").listUsers(-1, 10))).toEqual(users);
    expect(await listSlugs(storage)).toEqual([]);
    expect(await runStep(storage.reader("acme").verifyTagSets())).toEqual({ checked: 1, wrong: [] });
    const [next] = await addUsers(storage, 1);
    expect(next?.ordinal).toBe(3);
  });
});

describe("several processes of the next release", () => {
  it("migrate a file at the same time, but only once", async () => {
    const file = await createFile();
    const children = await Promise.all(Array.from({ length: 4 }, () => Child.start("migrate", file)));
    for (const child of children) child.start();
    const outputs = await Promise.all(children.map((child) => child.end()));
    const versions = outputs.map((text) => JSON.parse(text).from);
    expect(versions.sort()).toEqual([PRESENT, ...[1, 2, 3].map(() => PRESENT + 1)]);
  });
});

describe("a process that is killed during a migration", () => {
  it("leaves either the old or the new tables, and the next process continues", async () => {
    const old = await createFile();
    const undisturbed = createTemporaryFile();
    copyFileSync(old, undisturbed);
    await migrateFile(undisturbed);
    const [before, after] = [readRows(old), readRows(undisturbed)];
    for (const logged of [0, 1_000_000, 8_000_000]) {
      const file = createTemporaryFile();
      copyFileSync(old, file);
      const child = await Child.start("migrate", file);
      child.start();
      while ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? -1) < logged) await nextIteration();
      child.kill();
      await child.end();
      // On a busy machine it may have ended before it was killed.
      expect([before, after]).toContainEqual(readRows(file));
      await migrateFile(file);
      expect(readRows(file)).toEqual(after);
    }
  });
});

/** Migrates a file to the next release. */
async function migrateFile(file: string): Promise<void> {
  await (await SqliteDatabase.open(file, "FULL", true, createNextRelease(sqliteDialect))).close();
}

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Creates a file whose migration writes more than the page cache holds, so that part of it is in the
 * write-ahead log before the commit.
 */
async function createFile(): Promise<string> {
  const file = createTemporaryFile();
  const storage = await sqliteStorage(file);
  await storage.transaction("acme", function* (tx) {
    const tag = yield* addTag(tx, "vip");
    for (let at = 0; at < 5_000; at += 1) {
      const { ordinal } = yield* addUser(tx, { metadata: JSON.stringify({ filler: "x".repeat(5_000) }) });
      yield* assign(tx, ordinal, tag);
    }
  });
  await storage.close();
  return file;
}

/**
 * Reads the number of rows of each table and the total length of their values, except the times of
 * migrations.
 */
function readRows(file: string): Record<string, unknown> {
  const db = new Database(file);
  const tableNamesSql =
    "select name from sqlite_schema where type = 'table' and name like 'loyalty~_%' escape '~'";
  const tables = db.prepare<[], string>(tableNamesSql).pluck().all();
  const rows = tables.map((table) => {
    const columns = db.prepare<[string], string>("select name from pragma_table_info(?)").pluck().all(table);
    const lengths = columns
      .filter((column) => column !== "applied_at")
      .map((column) => `coalesce(length("${column}"), 0)`);
    const sums = `select count(*) as rows, coalesce(sum(${["0", ...lengths].join(" + ")}), 0) as length from ${table}`;
    return [table, db.prepare(sums).get()] as const;
  });
  db.close();
  return Object.fromEntries(rows);
}
