import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

describe.concurrent("audit", () => {
  it("lists the entries, and detects a deleted entry by the head of an earlier verification", async () => {
    const database = await createDatabase();
    const databaseArgs = ["--database", database, "--organization", "acme"];
    for (const name of ["till", "shop"]) {
      await runCommand(["token", "create", ...databaseArgs, "--name", name, "--scopes", "pass:read"]);
    }
    const { stdout: list } = await runCommand(["audit", "list", ...databaseArgs]);
    expect(list).toMatch(
      /^NUMBER .*\n1 .* api_token\.created +akt_\S+ +library command line .*"till".*\n2 .*"shop".*\n$/,
    );
    const verification = await runCommand(["audit", "verify", ...databaseArgs]);
    expect(verification).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^2:[0-9a-f]{64}\n$/),
      stderr: "2 entries verified\n",
    });
    const head = ["--head", verification.stdout.trim()];
    expect(await runCommand(["audit", "verify", ...databaseArgs, ...head])).toEqual(verification);
    expect(await runCommand(["audit", "verify", ...databaseArgs, "--head", "2"])).toMatchObject({ code: 2 });
    const file = new Database(database);
    file.exec("delete from loyalty_audit where sequence = 2");
    file.close();
    expect(await runCommand(["audit", "verify", ...databaseArgs])).toMatchObject({ code: 0 });
    expect(await runCommand(["audit", "verify", ...databaseArgs, ...head])).toEqual({
      code: 1,
      stdout: "",
      stderr: "loyalty-kit: the audit trail for acme was altered, starting at entry 2\n",
    });
  });
});
