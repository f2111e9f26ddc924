import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { migrateSqlite, NotMigratedError, sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { getSchemaVersion } from "../../adapters/storage/kysely/migrations/migrations.js";
import { assertSupportedVersion } from "../../adapters/storage/sqlite/connection/connection.js";
import { sqliteDialect } from "../../adapters/storage/sqlite/dialect.js";
import { open, openWithWriter, otherProgram } from "./open-storage.js";
import { addTag, listSlugs } from "./records.js";
import { createTemporaryFile } from "./temporary-file.js";

const VERSION = getSchemaVersion(sqliteDialect);

describe("opening a file", () => {
  it.each([":memory:", "", "  ", " :memory: "])("%j isn't accepted as a file", async (file) => {
    await expect(sqliteStorage(file)).rejects.toThrow("memoryStorage()");
    await expect(migrateSqlite(file)).rejects.toThrow("memoryStorage()");
  });

  it("a file system where SQLite can't have a write-ahead log is refused", async () => {
    const pragma = vi.spyOn(Database.prototype, "pragma").mockReturnValue("delete");
    onTestFinished(() => pragma.mockRestore());
    await expect(sqliteStorage(createTemporaryFile())).rejects.toThrow("write-ahead log");
  });

  it("a file in a missing directory is refused", async () => {
    await expect(sqliteStorage(join(createTemporaryFile(), "loyalty.db"))).rejects.toThrow("directory");
  });

  it("only its owner can read a new file and the files beside it", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    for (const each of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(each).mode & 0o077).toBe(0);
  });

  it("stored data is there when the file is opened again", async () => {
    const file = createTemporaryFile();
    const before = await open(file);
    await before.transaction("acme", (tx) => addTag(tx, "vip"));
    await before.close();
    expect(await listSlugs(await open(file))).toEqual(["vip"]);
  });

  it("the last storage to close leaves a single file with all data", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    expect(existsSync(`${file}-wal`)).toBe(true);
    await storage.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  it("a commit survives a power failure, unless the host chooses synchronous NORMAL", async () => {
    const full = 2;
    const normal = 1;
    expect((await openWithWriter()).writer.pragma("synchronous", { simple: true })).toBe(full);
    const { writer } = await openWithWriter(createTemporaryFile(), { synchronous: "NORMAL" });
    expect(writer.pragma("synchronous", { simple: true })).toBe(normal);
  });

  it.each(["3.51.3", "3.51.10", "3.52.0", "4.0.0"])("SQLite %s is accepted", (version) => {
    expect(() => assertSupportedVersion(version)).not.toThrow();
  });

  it.each(["3.51.2", "3.50.99", "3.9.0", "2.99.9", "0"])("SQLite %s is refused as too old", (version) => {
    expect(() => assertSupportedVersion(version)).toThrow(/3\.51\.3/);
  });
});

describe('opening a file with `migrate: "never"`', () => {
  it("creates no tables, and refuses those of another release without changing them", async () => {
    const file = createTemporaryFile();
    await expect(sqliteStorage(file, { migrate: "never" })).rejects.toThrow();
    expect(existsSync(file)).toBe(false);
    const other = otherProgram(file);
    other.exec("create table orders (id)");
    const rejection = await sqliteStorage(file, { migrate: "never" }).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(NotMigratedError);
    expect(rejection).toMatchObject({ version: 0, needed: VERSION });
    expect(other.pragma("journal_mode", { simple: true })).toBe("delete");
    await migrateSqlite(file);
    other.exec(`delete from loyalty_migrations where version = ${VERSION}`);
    await expect(sqliteStorage(file, { migrate: "never" })).rejects.toMatchObject({
      version: VERSION - 1,
    });
  });

  it("opens a file of this release, and reports no migration", async () => {
    const file = createTemporaryFile();
    const errors: unknown[] = [];
    const onMigration = (migration: unknown) => errors.push(migration);
    await open(file, { onMigration });
    expect(errors).toEqual([{ from: 0, to: VERSION }]);
    const storage = await open(file, { migrate: "never", onMigration });
    await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    expect(await listSlugs(storage)).toEqual(["vip"]);
    expect(errors).toHaveLength(1);
  });
});

describe("migrations", () => {
  it("return the versions that they started from and ended with", async () => {
    const file = createTemporaryFile();
    expect(await migrateSqlite(file)).toEqual({ from: 0, to: VERSION });
    expect(await migrateSqlite(file)).toEqual({ from: VERSION, to: VERSION });
  });

  it("preserve stored data", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    await migrateSqlite(file);
    expect(await listSlugs(storage)).toEqual(["vip"]);
  });

  it("refuse a database of a later release, naming both versions, and don't change it", async () => {
    const file = createTemporaryFile();
    await migrateSqlite(file);
    const other = otherProgram(file);
    other.exec("insert into loyalty_migrations values (99, 0)");
    const naming = new RegExp(`99.* ${VERSION}\\b`);
    await expect(sqliteStorage(file)).rejects.toThrow(naming);
    await expect(migrateSqlite(file)).rejects.toThrow(naming);
    expect(other.pragma("wal_checkpoint(truncate)")).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
  });

  it("are applied in full or not at all", async () => {
    const file = createTemporaryFile();
    const other = otherProgram(file);
    other.exec("create table loyalty_api_tokens (token text)");
    await expect(sqliteStorage(file)).rejects.toThrow("api_tokens");
    expect(other.pragma("table_list")).toHaveLength(3);
  });
});
