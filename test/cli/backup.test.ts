import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyFolder } from "./command.js";
import { customers } from "./customers.js";
import { ran } from "./ran.js";

describe.concurrent("backup", () => {
  it("copies a database that has all customers, once", async () => {
    const acme = customers();
    await acme.import("email\nada@example.com\n");
    const copy = join(acme.folder, "copy.db");
    const [, database = ""] = acme.place;
    const command = ["backup", copy, "--database", database];
    expect(await ran(command)).toEqual({ code: 0, stdout: `copied ${database} to ${copy}\n`, stderr: "" });
    expect(await customers("acme", emptyFolder(), copy).all()).toEqual(await acme.all());
    const again = await ran(command);
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toMatch(/^loyalty-kit: .+already exists\n$/);
  });

  it("names a folder that is missing", async () => {
    const acme = customers();
    await acme.import("email\nada@example.com\n");
    const [, database = ""] = acme.place;
    const folder = join(acme.folder, "copies");
    const refused = await ran(["backup", join(folder, "copy.db"), "--database", database]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(`folder ${folder} doesn't exist; create it first\n`);
  });

  it("needs a database, and one in a file", async () => {
    const folder = emptyFolder();
    const missing = await ran(["backup", join(folder, "a.db"), "--database", join(folder, "b.db")]);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("doesn't exist") });
    const postgres = await ran(["backup", join(folder, "a.db"), "--database", "postgres://127.0.0.1/x"]);
    expect(postgres).toMatchObject({ code: 2, stderr: expect.stringContaining("pg_dump") });
  });
});
