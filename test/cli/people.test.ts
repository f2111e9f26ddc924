import { describe, expect, it } from "vitest";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

describe.concurrent("people", () => {
  it("are added with an invitation link, listed, given another link and removed", async () => {
    const databaseArgs = ["--database", await createDatabase(), "--organization", "acme"];
    const url = ["--public-url", "https://shop.example/"];
    const addition = await runCommand([
      "people",
      "add",
      "Ada@example.com",
      "--role",
      "owner",
      ...url,
      ...databaseArgs,
    ]);
    expect(addition).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^https:\/\/shop\.example\/console\/people\/link\/[\w.-]+\n$/),
      stderr: expect.stringContaining("This link works once and expires at"),
    });
    const { stdout: list } = await runCommand(["people", "list", ...databaseArgs]);
    expect(list).toMatch(/^ID .*\nper_\S+ +Ada@example\.com +owner +INVITED +never\n$/);
    const secondLink = await runCommand(["people", "link", "ada@example.com", ...url, ...databaseArgs]);
    expect([secondLink.code, secondLink.stdout === addition.stdout]).toEqual([0, false]);
    expect(await runCommand(["people", "remove", "ada@example.com", ...databaseArgs])).toMatchObject({
      code: 0,
      stdout: "removed ada@example.com\n",
    });
    expect(await runCommand(["people", "link", "ada@example.com", ...databaseArgs])).toMatchObject({
      code: 1,
      stderr: "loyalty-kit: organization acme has no staff member with the email ada@example.com\n",
    });
  });

  it("of a mistyped organization cause a warning that it is new and names the existing ones", async () => {
    const database = ["--database", await createDatabase()];
    const invite = ["people", "add", "ada@example.com", "--role", "owner", ...database, "--organization"];
    expect((await runCommand([...invite, "cafe"])).stderr).not.toContain("is new");
    expect((await runCommand(["token", "list", ...database, "--organization", "caffe"])).stderr).toContain(
      "organization caffe is new; this database already contains cafe\n",
    );
    expect((await runCommand([...invite, "caffe"])).stderr).toContain(
      "organization caffe is new; this database already contains cafe\n",
    );
    expect((await runCommand([...invite, "caffe"])).stderr).not.toContain("is new");
  });

  it("need a valid role and email address", async () => {
    const databaseArgs = ["--database", await createDatabase(), "--organization", "acme"];
    expect(
      await runCommand(["people", "add", "ada@example.com", "--role", "boss", ...databaseArgs]),
    ).toMatchObject({
      code: 2,
    });
    expect(await runCommand(["people", "add", "ada", "--role", "till", ...databaseArgs])).toMatchObject({
      stderr: expect.stringContaining("email must be a valid email address"),
    });
  });
});
