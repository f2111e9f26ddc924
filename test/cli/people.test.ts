import { describe, expect, it } from "vitest";
import { newDatabase } from "./new-database.js";
import { ran } from "./ran.js";

describe.concurrent("people", () => {
  it("are added with a link to hand over, listed, given another link and removed", async () => {
    const place = ["--database", await newDatabase(), "--organization", "acme"];
    const url = ["--public-url", "https://shop.example/"];
    const added = await ran(["people", "add", "Ada@example.com", "--role", "owner", ...url, ...place]);
    expect(added).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^https:\/\/shop\.example\/console\/people\/link\/[\w.-]+\n$/),
      stderr: expect.stringContaining("This link works once and expires at"),
    });
    const { stdout: list } = await ran(["people", "list", ...place]);
    expect(list).toMatch(/^ID .*\nper_\S+ +Ada@example\.com +owner +INVITED +never\n$/);
    const again = await ran(["people", "link", "ada@example.com", ...url, ...place]);
    expect([again.code, again.stdout === added.stdout]).toEqual([0, false]);
    expect(await ran(["people", "remove", "ada@example.com", ...place])).toMatchObject({
      code: 0,
      stdout: "removed ada@example.com\n",
    });
    expect(await ran(["people", "link", "ada@example.com", ...place])).toMatchObject({
      code: 1,
      stderr: "loyalty-kit: organization acme has no staff member with the email ada@example.com\n",
    });
  });

  it("of a mistyped organization are noticed: it is new, beside those that the database has", async () => {
    const database = ["--database", await newDatabase()];
    const invite = ["people", "add", "ada@example.com", "--role", "owner", ...database, "--organization"];
    expect((await ran([...invite, "cafe"])).stderr).not.toContain("is new");
    expect((await ran(["token", "list", ...database, "--organization", "caffe"])).stderr).toContain(
      "organization caffe is new; this database already contains cafe\n",
    );
    expect((await ran([...invite, "caffe"])).stderr).toContain(
      "organization caffe is new; this database already contains cafe\n",
    );
    expect((await ran([...invite, "caffe"])).stderr).not.toContain("is new");
  });

  it("have a role and an address that are some", async () => {
    const place = ["--database", await newDatabase(), "--organization", "acme"];
    expect(await ran(["people", "add", "ada@example.com", "--role", "boss", ...place])).toMatchObject({
      code: 2,
    });
    expect(await ran(["people", "add", "ada", "--role", "till", ...place])).toMatchObject({
      stderr: expect.stringContaining("email must be a valid email address"),
    });
  });
});
