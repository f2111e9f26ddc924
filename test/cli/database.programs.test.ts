import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { migrateSqlite } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { getSchemaVersion } from "../../adapters/storage/kysely/migrations/migrations.js";
import { sqliteDialect } from "../../adapters/storage/sqlite/dialect.js";
import { createEmptyFolder, runLoyaltyKit, start, startServer } from "./command.js";
import { commandsOnTables } from "./commands-on-tables.js";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

const root = join(import.meta.dirname, "../..");

/** One command for each way to open a database, with its arguments except `--database`. */
const commands = [
  ["serve", "--port", "0"],
  ["token", "create", "--organization", "acme", "--name", "till", "--scopes", "all"],
  ["migrate"],
];

/** Options that make `serve` fail immediately if it can't reach the database. */
const withoutWait = ([name]: readonly string[]) => (name === "serve" ? ["--wait", "0s"] : []);

describe.concurrent("migrate", () => {
  it("reports the schema versions before and after, and on a second run that the database is up to date", async () => {
    const database = join(createEmptyFolder(), "loyalty.db");
    const first = await runCommand(["migrate", "--database", database]);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    const [, version] = /^.+ migrated from version 0 to version (\d+)\n$/.exec(first.stdout) ?? [];
    expect(Number(version)).toBeGreaterThan(0);

    const secondRun = await runCommand(["migrate", "--database", database]);
    const message = `${database} is up to date at version ${version}\n`;
    expect(secondRun).toEqual({ code: 0, stdout: message, stderr: "" });
  });

  it("takes the database from the environment unless the option is set", async () => {
    const [namedDatabase, other] = [join(createEmptyFolder(), "a.db"), join(createEmptyFolder(), "b.db")];
    const fromEnvironment = await runLoyaltyKit(["migrate"], { LOYALTY_DATABASE: namedDatabase });
    expect(fromEnvironment.stdout).toContain(namedDatabase);
    const fromOption = await runLoyaltyKit(["migrate", "--database", other], {
      LOYALTY_DATABASE: namedDatabase,
    });
    expect(fromOption.stdout).toContain(other);
  });
});

describe.concurrent("only serve and migrate change the tables", () => {
  it("every other command fails if the file is missing, and creates none", async () => {
    const file = join(createEmptyFolder(), "loyalty.db");
    for (const command of [
      ...commandsOnTables,
      ["copy", "--from", file, "--to", file],
      ["backup", `${file}.copy`],
    ]) {
      const databaseArgs = command[0] === "copy" ? [] : ["--database", file];
      expect(await runCommand([...command, ...databaseArgs]), command.join(" ")).toEqual({
        code: 1,
        stdout: "",
        stderr: `loyalty-kit: database ${file} doesn't exist; create it with "loyalty-kit migrate --database ${file}"\n`,
      });
    }
    expect(readdirSync(join(file, ".."))).toEqual([]);
  });

  it("serve reports the schema versions before and after a migration", async () => {
    const server = await startServer(["--database", await createDatabase()]);
    server.process.kill("SIGTERM");
    expect((await server.exit).stderr).not.toContain("migrated");
    const file = join(createEmptyFolder(), "loyalty.db");
    const other = await startServer(["--database", file]);
    other.process.kill("SIGTERM");
    const message = `loyalty-kit: ${file} migrated from version 0 to version ${getSchemaVersion(sqliteDialect)}\n`;
    expect((await other.exit).stderr).toMatch(new RegExp(`^${message}`));
  });
});

describe.concurrent("every command fails with one line for", () => {
  it.each(commands)("a file that isn't a database: %s", async (...command) => {
    const database = join(createEmptyFolder(), "notes.txt");
    writeFileSync(database, "Buy milk. ".repeat(1_000));
    await assertCommandFails(command, database, 1, /notes\.txt.*not a database/);
  });

  it.each(commands)("a database of a later release: %s", async (...command) => {
    const database = join(createEmptyFolder(), "loyalty.db");
    await migrateSqlite(database);
    const file = new Database(database);
    file.exec("insert into loyalty_migrations (version, applied_at) values (1000000, 0)");
    file.close();
    await assertCommandFails(command, database, 1, /version 1000000/);
  });

  it.each(commands)(
    "an unreachable Postgres server, without printing the password: %s",
    async (...command) => {
      const folder = createEmptyFolder();
      const server = "postgres://ada:secret@127.0.0.1:1/loyalty";
      const failure = await assertCommandFails(
        [...command, ...withoutWait(command)],
        server,
        1,
        /ada@127\.0\.0\.1:1\/loyalty.*refused/i,
        folder,
      );
      expect(failure.stderr).not.toContain("secret");
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

describe.concurrent("a database", () => {
  it("is refused in one line if its folder doesn't exist or if it is a folder", async () => {
    const folder = createEmptyFolder();
    await assertCommandFails(["migrate"], join(folder, "none", "loyalty.db"), 1, /none/);
    await assertCommandFails(["migrate"], folder, 1, /can't open the database/);
  });

  it.each([":memory:", " ", "https://example.com/loyalty.db", "file:loyalty.db"])(
    "can't be named %j",
    async (text) => {
      await assertCommandFails(["migrate"], text, 2, /--database/, createEmptyFolder());
    },
  );

  it.each([
    { driver: "better-sqlite3", entry: "sqlite", database: "loyalty.db" },
    { driver: "pg", entry: "postgres", database: "postgres://ada:secret@127.0.0.1:1/loyalty" },
  ])(
    "is refused without $driver, with the command that installs the driver",
    async ({ driver, entry, database }) => {
      const folder = createEmptyFolder();
      cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
      cpSync(join(root, "package.json"), join(folder, "package.json"));
      mkdirSync(join(folder, "node_modules"));
      for (const name of readdirSync(join(root, "node_modules"))) {
        if (name === driver) continue;
        symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
      }
      const command = [join(folder, "dist/cli.js"), "migrate", "--database", database];
      expect(await start(command, {}, folder).exit).toEqual({
        code: 1,
        stdout: "",
        stderr: `loyalty-kit: loyalty-kit/${entry} needs ${driver}: npm install ${driver}\n`,
      });
    },
  );
});

async function assertCommandFails(
  command: readonly string[],
  database: string,
  code: number,
  reason: RegExp,
  folder = createEmptyFolder(),
) {
  const result = await runLoyaltyKit([...command, "--database", database], {}, folder);
  expect(result).toMatchObject({ code, stdout: "" });
  expect(result.stderr).toMatch(/^loyalty-kit: .+\n$/);
  expect(result.stderr).toMatch(reason);
  return result;
}
