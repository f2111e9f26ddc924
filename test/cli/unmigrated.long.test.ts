import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import { getSchemaVersion } from "../../adapters/storage/kysely/migrations/migrations.js";
import { SqliteDatabase } from "../../adapters/storage/sqlite/database.js";
import { sqliteDialect } from "../../adapters/storage/sqlite/dialect.js";
import { createEmptyFolder } from "./command.js";
import { commandsOnTables } from "./commands-on-tables.js";
import { runCommand } from "./run-command.js";

// All commands belong to an invented next release.
vi.mock("../../adapters/storage/sqlite/dialect.js", async (original) => {
  const actual = await original<typeof import("../../adapters/storage/sqlite/dialect.js")>();
  const { createNextRelease: nextRelease } = await import("../kysely/next-release.js");
  return { sqliteDialect: nextRelease(actual.sqliteDialect) };
});

const neededVersion = getSchemaVersion(sqliteDialect);
const previousVersion = neededVersion - 1;

/** Creates a database file of the previous release or, for version 0, one without tables. */
async function createUnmigratedDatabase(version: number): Promise<string> {
  const file = join(createEmptyFolder(), "loyalty.db");
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

describe("a database that needs a migration", () => {
  it.each([
    {
      version: previousVersion,
      tells: `is at schema version ${previousVersion}, but this release needs version ${neededVersion}; migrate it`,
    },
    { version: 0, tells: "has no loyalty-kit tables yet; create them" },
  ])(
    "at version $version stays unchanged, and each command names the one to run",
    async ({ version, tells }) => {
      const file = await createUnmigratedDatabase(version);
      const before = readFileSync(file);
      for (const command of commandsOnTables) {
        expect(await runCommand([...command, "--database", file]), command.join(" ")).toEqual({
          code: 1,
          stdout: "",
          stderr: `loyalty-kit: ${file} ${tells} with "loyalty-kit migrate --database ${file}"\n`,
        });
      }
      expect(await runCommand(["copy", "--from", file, "--to", file])).toMatchObject({ code: 1, stdout: "" });
      expect(readFileSync(file)).toEqual(before);
      expect(readdirSync(join(file, ".."))).toEqual(["loyalty.db"]);
    },
  );

  it("is migrated by that command, which reports both versions", async () => {
    const file = await createUnmigratedDatabase(previousVersion);
    const doctor = await runCommand(["doctor", "--database", file]);
    expect(doctor.stdout).toContain(
      `is at schema version ${previousVersion}, but this release needs version ${neededVersion}`,
    );
    expect(await runCommand(["migrate", "--database", file])).toEqual({
      code: 0,
      stdout: `${file} migrated from version ${previousVersion} to version ${neededVersion}\n`,
      stderr: "",
    });
    expect(await runCommand(["tags", "--organization", "acme", "--database", file])).toMatchObject({
      code: 0,
    });
  });
});
