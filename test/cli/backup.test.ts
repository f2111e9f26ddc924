import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEmptyFolder } from "./command.js";
import { openCustomers } from "./customers.js";
import { runCommand } from "./run-command.js";

describe.concurrent("backup", () => {
  it("copies a database with all customers, and doesn't overwrite an existing copy", async () => {
    const acme = openCustomers();
    await acme.import("email\nada@example.com\n");
    const copy = join(acme.folder, "copy.db");
    const [, database = ""] = acme.databaseArgs;
    const command = ["backup", copy, "--database", database];
    expect(await runCommand(command)).toEqual({
      code: 0,
      stdout: `copied ${database} to ${copy}\n`,
      stderr: "",
    });
    expect(await openCustomers("acme", createEmptyFolder(), copy).listAll()).toEqual(await acme.listAll());
    const secondRun = await runCommand(command);
    expect(secondRun).toMatchObject({ code: 1, stdout: "" });
    expect(secondRun.stderr).toMatch(/^loyalty-kit: .+already exists\n$/);
  });

  it("names the target folder if it is missing", async () => {
    const acme = openCustomers();
    await acme.import("email\nada@example.com\n");
    const [, database = ""] = acme.databaseArgs;
    const folder = join(acme.folder, "copies");
    const failure = await runCommand(["backup", join(folder, "copy.db"), "--database", database]);
    expect(failure).toMatchObject({ code: 1, stdout: "" });
    expect(failure.stderr).toContain(`folder ${folder} doesn't exist; create it first\n`);
  });

  it("fails for a missing database and for a Postgres URL", async () => {
    const folder = createEmptyFolder();
    const missing = await runCommand(["backup", join(folder, "a.db"), "--database", join(folder, "b.db")]);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("doesn't exist") });
    const postgres = await runCommand([
      "backup",
      join(folder, "a.db"),
      "--database",
      "postgres://127.0.0.1/x",
    ]);
    expect(postgres).toMatchObject({ code: 2, stderr: expect.stringContaining("pg_dump") });
  });
});
