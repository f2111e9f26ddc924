import { describe, expect, it } from "vitest";
import { createPlace } from "../postgres/place.js";
import { emptyFolder } from "./command.js";
import { customers } from "./customers.js";
import { newDatabase } from "./new-database.js";
import { ran } from "./ran.js";

describe("copy", () => {
  it("moves a file to a server and back, with all customers", async () => {
    const acme = customers();
    await acme.import("email,name\nada@example.com,Ada\n");
    const [, file = ""] = acme.place;
    const place = await createPlace();
    const copied = ["copy", "--from", file, "--to", place.url];
    const unmade = await ran(copied);
    expect(unmade).toMatchObject({ code: 1, stdout: "" });
    expect(unmade.stderr).toMatch(/ has no loyalty-kit tables yet; create them with "loyalty-kit migrate /);
    expect(await ran(["migrate", "--database", place.url])).toMatchObject({ code: 0 });
    const there = await ran(copied);
    expect(there).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("loyalty_users: 1 rows, SHA-256 "),
    });
    expect(there.stdout).toMatch(/copied .+ to /);
    const copy = await newDatabase();
    expect(await ran(["copy", "--from", place.url, "--to", copy])).toMatchObject({ code: 0 });
    expect(await customers("acme", emptyFolder(), copy).all()).toEqual(await acme.all());
    const again = await ran(["copy", "--from", file, "--to", copy]);
    expect(again).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("isn't empty") });
    await place.remove();
  });
});
