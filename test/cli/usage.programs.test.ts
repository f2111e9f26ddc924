import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEmptyFolder, runLoyaltyKit } from "./command.js";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

const manifest: { version: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
);

const create = ["token", "create", "--database", "x.db", "--organization", "acme", "--name", "till"];

describe.concurrent("the command line", () => {
  it("prints its version", async () => {
    expect(await runLoyaltyKit(["--version"])).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: "",
    });
  });

  it.each([
    { command: [], tells: ["serve", "token", "migrate", "import", "export"] },
    {
      command: ["serve"],
      tells: ["LOYALTY_DATABASE", "LOYALTY_HOST", "LOYALTY_PORT", "LOYALTY_DEMO", "127.0.0.1", "3000"],
    },
    {
      command: ["serve"],
      tells: ["LOYALTY_RATE_LIMIT", "1000/60", "off"],
    },
    { command: ["serve"], tells: ["LOYALTY_OAUTH_ISSUER", "LOYALTY_OAUTH_KEY", "32 bytes"] },
    { command: ["app"], tells: ["grants", "disconnect"] },
    {
      command: ["serve"],
      tells: ["LOYALTY_WEBHOOKS=false", "LOYALTY_WEBHOOKS_ALLOW_LOOPBACK=true"],
    },
    { command: ["token", "create"], tells: ["--expires-in", "LOYALTY_ORGANIZATION", "user_tag:write"] },
    {
      command: ["automation"],
      tells: ["list", "show", "create", "enable", "disable", "delete", "runs", "test"],
    },
    { command: ["migrate"], tells: ["LOYALTY_DATABASE"] },
    {
      command: ["import"],
      tells: ["--map", "--create-tags", "--delimiter", "metadata.KEY", "LOYALTY_ORGANIZATION"],
    },
    { command: ["export"], tells: ["--format", "--output", "LOYALTY_ORGANIZATION"] },
  ])("explains $command in its help", async ({ command, tells }) => {
    const { code, stdout, stderr } = await runCommand([...command, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const each of tells) expect(stdout).toContain(each);
  });

  it.each([
    { args: ["serv"], tells: "'serv'" },
    { args: ["serve"], tells: "--database" },
    { args: ["serve", "--database", ""], tells: "--database" },
    { args: ["serve", "--database", "x.db", "--wrong"], tells: "--wrong" },
    { args: ["serve", "--database", "x.db", "extra"], tells: "too many arguments" },
    { args: ["serve", "--database", "x.db", "--host", ""], tells: "--host" },
    { args: ["serve", "--database", "x.db", "--port", "65536"], tells: "65535" },
    { args: ["serve", "--database", "x.db", "--port", "80a"], tells: "--port" },
    ...["cafe", "https://a.example/c?x=1", "https://a.example/#c", "ftp://a.example"].map((base) => ({
      args: ["serve", "--database", "x.db", "--short-link-base", base],
      tells: "--short-link-base",
    })),
    ...["0/60", "1000", "1000/0", "1000/86401", "1e3/60", "-1/60", "on", ""].map((limit) => ({
      args: ["serve", "--database", "x.db", "--rate-limit", limit],
      tells: "--rate-limit",
    })),
    { args: ["token", "revoke", "--database", "x.db", "--organization", "acme"], tells: "'id'" },
    { args: [...create, "--scopes", "user:read,user:fly"], tells: "user:fly" },
    { args: [...create, "--scopes", "all", "--expires-in", "soon"], tells: "--expires-in" },
    { args: create, tells: "--scopes" },
    { args: ["automation", "create", "--database", "x.db", "--organization", "acme"], tells: "'file'" },
  ])("refuses $args in one line, with exit code 2", async ({ args, tells }) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^loyalty-kit: .+\n$/);
    expect(stderr).toContain(tells);
  });

  it("lists the commands and exits with code 2 if no command is given", async () => {
    const { code, stdout, stderr } = await runLoyaltyKit([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: loyalty-kit");
  });

  it.each(["LOYALTY_PORT", "LOYALTY_DEMO", "LOYALTY_WEBHOOKS", "LOYALTY_WEBHOOKS_ALLOW_LOOPBACK"])(
    "rejects a wrong %s in the environment as it rejects the option",
    async (name) => {
      const { code, stderr } = await runLoyaltyKit(["serve", "--database", "x.db"], { [name]: "maybe" });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(new RegExp(`^loyalty-kit: .*${name}.*\\n$`)),
      });
    },
  );

  it.each(["", "x".repeat(31)])(
    "rejects an OAuth 2.0 key that is too short, without repeating it: %j",
    async (key) => {
      const database = join(createEmptyFolder(), "loyalty.db");
      expect(await runLoyaltyKit(["serve", "--database", database], { LOYALTY_OAUTH_KEY: key })).toEqual({
        code: 2,
        stdout: "",
        stderr: "loyalty-kit: the environment variable LOYALTY_OAUTH_KEY must be at least 32 bytes long\n",
      });
      expect(existsSync(database)).toBe(false);
    },
  );

  it("names the option whose value the library rejects", async () => {
    const database = await createDatabase();
    const options = ["--database", database, "--scopes", "all"];
    const withoutName = await runCommand([
      "token",
      "create",
      ...options,
      "--organization",
      "acme",
      "--name",
      " ",
    ]);
    expect(withoutName).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^loyalty-kit: --name .+\n$/),
    });
    const withoutOrganization = await runCommand([
      "token",
      "create",
      ...options,
      "--organization",
      " ",
      "--name",
      "till",
    ]);
    expect(withoutOrganization).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^loyalty-kit: --organization .+\n$/),
    });
  });
});
