import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import { schemaVersion } from "../../adapters/storage/kysely/migrations/migrations.js";
import { SqliteDatabase } from "../../adapters/storage/sqlite/database.js";
import { sqliteDialect } from "../../adapters/storage/sqlite/dialect.js";
import { emptyFolder } from "./command.js";
import { commandsOnTables } from "./commands-on-tables.js";
import { ran } from "./ran.js";

// All commands are those of a made-up next release.
vi.mock("../../adapters/storage/sqlite/dialect.js", async (original) => {
  const actual = await original<typeof import("../../adapters/storage/sqlite/dialect.js")>();
  const { createNextRelease: nextRelease } = await import("../kysely/next-release.js");
  return { sqliteDialect: nextRelease(actual.sqliteDialect) };
});

const needed = schemaVersion(sqliteDialect);
const former = needed - 1;

/** A database file of the former release, or one without tables. */
async function unmigrated(version: number): Promise<string> {
  const file = join(emptyFolder(), "loyalty.db");
  if (version === 0) {
    const database = new Database(file);
    database.exec("vacuum");
    database.close();
    return file;
  }
  const { migrations } = sqliteDialect;
  const dialect = { ...sqliteDialect, migrations: migrations.slice(0, version - 1) };
  await (await SqliteDatabase.open(file, "FULL", true, dialect)).close();
  return file;
}

describe("a database that is to be migrated", () => {
  it.each([
    {
      version: former,
      tells: `is at schema version ${former}, but this release needs version ${needed}; migrate it`,
    },
    { version: 0, tells: "has no loyalty-kit tables yet; create them" },
  ])(
    "from version $version stays as it is: each command names the one to run",
    async ({ version, tells }) => {
      const file = await unmigrated(version);
      const before = readFileSync(file);
      for (const command of commandsOnTables) {
        expect(await ran([...command, "--database", file]), command.join(" ")).toEqual({
          code: 1,
          stdout: "",
          stderr: `loyalty-kit: ${file} ${tells} with "loyalty-kit migrate --database ${file}"\n`,
        });
      }
      expect(await ran(["copy", "--from", file, "--to", file])).toMatchObject({ code: 1, stdout: "" });
      expect(readFileSync(file)).toEqual(before);
      expect(readdirSync(join(file, ".."))).toEqual(["loyalty.db"]);
    },
  );

  it("is migrated by that command, which says from which version to which", async () => {
    const file = await unmigrated(former);
    const doctor = await ran(["doctor", "--database", file]);
    expect(doctor.stdout).toContain(
      `is at schema version ${former}, but this release needs version ${needed}`,
    );
    expect(await ran(["migrate", "--database", file])).toEqual({
      code: 0,
      stdout: `${file} migrated from version ${former} to version ${needed}\n`,
      stderr: "",
    });
    expect(await ran(["tags", "--organization", "acme", "--database", file])).toMatchObject({ code: 0 });
  });
});
