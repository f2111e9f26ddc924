import { describe, expect, it } from "vitest";
import { newPlace } from "../postgres/place.js";
import { createEmptyFolder } from "./command.js";
import { openCustomers } from "./customers.js";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./ran.js";

describe("copy", () => {
  it("moves a file to a server and back, with all customers", async () => {
    const acme = openCustomers();
    await acme.import("email,name\nada@example.com,Ada\n");
    const [, file = ""] = acme.place;
    const place = await newPlace();
    const copied = ["copy", "--from", file, "--to", place.url];
    const unmade = await runCommand(copied);
    expect(unmade).toMatchObject({ code: 1, stdout: "" });
    expect(unmade.stderr).toMatch(/ has no loyalty-kit tables yet; create them with "loyalty-kit migrate /);
    expect(await runCommand(["migrate", "--database", place.url])).toMatchObject({ code: 0 });
    const there = await runCommand(copied);
    expect(there).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("loyalty_users: 1 rows, SHA-256 "),
    });
    expect(there.stdout).toMatch(/copied .+ to /);
    const copy = await createDatabase();
    expect(await runCommand(["copy", "--from", place.url, "--to", copy])).toMatchObject({ code: 0 });
    expect(await openCustomers("acme", createEmptyFolder(), copy).all()).toEqual(await acme.all());
    const again = await runCommand(["copy", "--from", file, "--to", copy]);
    expect(again).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("isn't empty") });
    await place.remove();
  });
});
