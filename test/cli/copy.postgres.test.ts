import { describe, expect, it } from "vitest";
import { createPlace } from "../postgres/place.js";
import { createEmptyFolder } from "./command.js";
import { openCustomers } from "./customers.js";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

describe("copy", () => {
  it("copies a SQLite file to Postgres and back, with all customers", async () => {
    const acme = openCustomers();
    await acme.import("email,name\nada@example.com,Ada\n");
    const [, file = ""] = acme.databaseArgs;
    const database = await createPlace();
    const copyArgs = ["copy", "--from", file, "--to", database.url];
    const unmade = await runCommand(copyArgs);
    expect(unmade).toMatchObject({ code: 1, stdout: "" });
    expect(unmade.stderr).toMatch(/ has no loyalty-kit tables yet; create them with "loyalty-kit migrate /);
    expect(await runCommand(["migrate", "--database", database.url])).toMatchObject({ code: 0 });
    const firstRun = await runCommand(copyArgs);
    expect(firstRun).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("loyalty_users: 1 rows, SHA-256 "),
    });
    expect(firstRun.stdout).toMatch(/copied .+ to /);
    const copy = await createDatabase();
    expect(await runCommand(["copy", "--from", database.url, "--to", copy])).toMatchObject({ code: 0 });
    expect(await openCustomers("acme", createEmptyFolder(), copy).listAll()).toEqual(await acme.listAll());
    const secondRun = await runCommand(["copy", "--from", file, "--to", copy]);
    expect(secondRun).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("isn't empty") });
    await database.remove();
  });
});
