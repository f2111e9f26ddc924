import { existsSync } from "node:fs";
import { join } from "node:path";
import { scopes } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { createEmptyFolder, program, start, startServer } from "./command.js";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

/** Returns the token commands for one organization of one database. */
async function tokenCommands(organization: string, existingDatabase?: string) {
  const database = existingDatabase ?? (await createDatabase());
  const databaseArgs = ["--database", database, "--organization", organization];
  return {
    database,
    create: (...options: string[]) =>
      runCommand(["token", "create", ...databaseArgs, "--name", "till", ...options]),
    list: () => runCommand(["token", "list", ...databaseArgs]),
    revoke: (id: string) => runCommand(["token", "revoke", id, ...databaseArgs]),
    listCreated: (id: string) => runCommand(["token", "created", id, ...databaseArgs]),
    rotate: (id: string, ...options: string[]) =>
      runCommand(["token", "rotate", id, ...databaseArgs, ...options]),
  };
}

async function getStatus(
  url: string,
  { stdout }: { stdout: string },
  path = "/v1/contacts",
): Promise<number> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${stdout.trim()}` } });
  await response.body?.cancel();
  return response.status;
}

const isNew = "organization other is new; this database already contains acme\n";

describe.concurrent("token", () => {
  it("create prints only the token to standard output, and its expiry to standard error", async () => {
    const { create, list } = await tokenCommands("acme");
    const creation = await create("--scopes", "all");
    expect(creation).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^lk_[0-9A-Za-z]+\n$/),
      stderr: expect.stringMatching(/^the token expires at \S+Z\n$/),
    });
    const [, expiresAt = ""] = /at (\S+)/.exec(creation.stderr) ?? [];
    expect(Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000)).toBe(365);
    expect((await list()).stdout).toContain(expiresAt);
  });

  it("create makes a token that never expires only with --never-expires", async () => {
    const { create, list } = await tokenCommands("acme");
    const { code, stderr } = await create("--scopes", "all", "--never-expires");
    expect([code, stderr]).toEqual([0, expect.stringContaining("the token never expires")]);
    expect((await list()).stdout).toMatch(/ never +never +anywhere\n$/);
    const rejection = await create("--scopes", "all", "--never-expires", "--expires-in", "1h");
    expect(rejection).toMatchObject({ code: 2, stdout: "" });
  });

  it("a token restricted to addresses works only from those, as the trusted proxy reports them", async () => {
    const { database, create, list } = await tokenCommands("acme");
    const { stdout } = await create("--scopes", "all", "--from", "192.0.2.0/24, 2001:db8::/32");
    expect((await list()).stdout).toMatch(/ 192\.0\.2\.0\/24,2001:db8::\/32\n$/);
    const server = await startServer(["--database", database, "--trusted-proxy", "loopback"]);
    const getStatusFrom = async (address: string) => {
      const headers = { authorization: `Bearer ${stdout.trim()}`, "x-forwarded-for": address };
      const response = await fetch(`${server.url}/v1/contacts`, { headers });
      return { status: response.status, body: await response.json() };
    };
    expect((await getStatusFrom("192.0.2.7")).status).toBe(200);
    expect((await getStatusFrom("2001:db8::7")).status).toBe(200);
    // Some proxies include the client's port.
    for (const address of [
      "192.0.2.7:51234",
      "[2001:db8::7]:51234",
      "[2001:db8::7]",
      "192.0.2.7:1, 127.0.0.1:2",
    ]) {
      expect((await getStatusFrom(address)).status, address).toBe(200);
    }
    // Addresses that the client claims come before the one that the proxy has seen.
    const outsideError = { status: 403, body: { code: "address_not_allowed", params: ["198.51.100.1"] } };
    expect(await getStatusFrom("192.0.2.7, 198.51.100.1")).toEqual(outsideError);
    expect(await getStatusFrom("192.0.2.7, 198.51.100.1:51234")).toEqual(outsideError);
    expect(await getStatus(server.url, { stdout })).toBe(403);
    expect(await create("--scopes", "all", "--from", "example.com")).toMatchObject({ code: 2, stdout: "" });
  });

  it("a created token works immediately on a running server, and a revoked one no longer works", async () => {
    const tokens = await tokenCommands("acme");
    const server = await startServer(["--database", tokens.database]);
    const token = await tokens.create("--scopes", "all");
    expect(await getStatus(server.url, token)).toBe(200);

    const [id = ""] = /akt_\S+/.exec((await tokens.list()).stdout) ?? [];
    expect(await tokens.revoke(id)).toEqual({ code: 0, stdout: `revoked ${id}\n`, stderr: "" });
    expect(await getStatus(server.url, token)).toBe(401);
  });

  it("a token expires", async ({ expect }) => {
    const tokens = await tokenCommands("acme");
    const server = await startServer(["--database", tokens.database]);
    const shortToken = await tokens.create("--scopes", "all", "--expires-in", "1h");
    const brief = await tokens.create("--scopes", "all", "--expires-in", "1s");
    const isOver = async () => (await getStatus(server.url, brief)) === 401;
    await expect.poll(isOver, { interval: 100 }).toBe(true);
    expect(await getStatus(server.url, shortToken)).toBe(200);
  });

  it("a token has only the scopes that it was created with", async () => {
    const tokens = await tokenCommands("acme");
    const server = await startServer(["--database", tokens.database]);
    const token = await tokens.create("--scopes", "user:read, user_tag:read");
    expect(await getStatus(server.url, token, "/v1/contacts")).toBe(200);
    expect(await getStatus(server.url, token, "/v1/user-tags")).toBe(200);
    expect(await getStatus(server.url, token, "/v1/templates")).toBe(403);
  });

  it("list shows every token of the organization in one line each, and none in full", async () => {
    const tokens = await tokenCommands("acme");
    const secrets = [
      await tokens.create("--scopes", scopes.join(","), "--never-expires"),
      await tokens.create("--scopes", "user:read", "--expires-in", "90d", "--name", "a\u001b[31m\nb"),
    ];
    const others = await tokenCommands("other", tokens.database);
    expect(await others.create("--scopes", "all")).toMatchObject({ code: 0 });

    const { code, stdout, stderr } = await tokens.list();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [headings, first, second, ...more] = stdout.trimEnd().split("\n");
    expect(headings).toMatch(/^ID +NAME +STARTS WITH +SCOPES +CREATED +LAST USED +EXPIRES +FROM$/);
    expect(first).toMatch(/^akt_\S+ +till +lk_\w{6} +all +\S+Z +never +never +anywhere$/);
    expect(second).toMatch(/^akt_\S+ +a \[31m b +lk_\w{6} +user:read +\S+Z +never +\S+Z +anywhere$/);
    expect(more).toEqual([]);
    for (const secret of secrets) expect(stdout).not.toContain(secret.stdout.trim());
  });

  it("list prints nothing to standard output for an organization without tokens", async () => {
    const { database, create } = await tokenCommands("acme");
    await create("--scopes", "all");
    const none = await (await tokenCommands("other", database)).list();
    expect(none).toEqual({ code: 0, stdout: "", stderr: `${isNew}organization other has no tokens\n` });
  });

  it("rotate prints a new secret for the same token, and retains the previous one for the overlap", async () => {
    const tokens = await tokenCommands("acme");
    const first = await tokens.create("--scopes", "user:read");
    const [id = ""] = /akt_\S+/.exec((await tokens.list()).stdout) ?? [];
    const second = await tokens.rotate(id, "--overlap", "1h", "--expires-in", "2h");
    expect(second).toMatchObject({ code: 0, stdout: expect.stringMatching(/^lk_\w{38}\n$/) });
    expect(second.stdout).not.toBe(first.stdout);
    const lines = (await tokens.list()).stdout.trim().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(new RegExp(`^${id} .* ${second.stdout.slice(0, 9)} `));
    expect(lines[2]).toContain(` ${first.stdout.slice(0, 9)} `);
    expect(await tokens.rotate("akt_1")).toMatchObject({
      code: 1,
      stderr: "loyalty-kit: organization acme has no token with the ID akt_1\n",
    });
    expect(await tokens.rotate(id, "--overlap", "8d")).toMatchObject({ code: 2 });
  });

  it("created lists what a token created, even after it was revoked, and revoke reports it too", async () => {
    const tokens = await tokenCommands("acme");
    const server = await startServer(["--database", tokens.database]);
    const creation = await tokens.create("--scopes", "all");
    const [id = ""] = /akt_\S+/.exec((await tokens.list()).stdout) ?? [];
    const none = { code: 0, stdout: "", stderr: `nothing created by ${id} still exists\n` };
    expect(await tokens.listCreated(id)).toEqual(none);
    const response = await fetch(`${server.url}/v1/api-tokens`, {
      method: "POST",
      headers: { authorization: `Bearer ${creation.stdout.trim()}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "hidden", scopes: ["user:read"] }),
    });
    expect(response.status).toBe(201);
    const { stdout } = await tokens.listCreated(id);
    expect(stdout).toMatch(/^TYPE +ID +NAME\ntoken +akt_\S+ +hidden\n$/);
    const [hiddenId] = /akt_\S+/.exec(stdout) ?? [];
    expect(await tokens.revoke(id)).toEqual({
      code: 0,
      stdout: `revoked ${id}\n`,
      stderr: `created with this token and still active: token ${hiddenId}\n`,
    });
    expect((await tokens.listCreated(id)).stdout).toBe(stdout);
  });

  it("revoke of another organization's token fails and changes nothing", async () => {
    const tokens = await tokenCommands("acme");
    await tokens.create("--scopes", "all");
    const [id = ""] = /akt_\S+/.exec((await tokens.list()).stdout) ?? [];
    const failure = await (await tokenCommands("other", tokens.database)).revoke(id);
    expect(failure).toEqual({
      code: 1,
      stdout: "",
      stderr: `${isNew}loyalty-kit: organization other has no token with the ID ${id}\n`,
    });
    expect((await tokens.list()).stdout).toContain(id);
  });

  it("list doesn't fail if its output is closed", async () => {
    const { database, create } = await tokenCommands("acme");
    await create("--scopes", "all");
    const list = start([program, "token", "list", "--database", database, "--organization", "acme"]);
    list.process.stdout?.destroy();
    expect(await list.exit).toMatchObject({ code: 0, stderr: "" });
  });

  it("create, list and revoke don't create a missing database", async () => {
    const tokens = await tokenCommands("acme", join(createEmptyFolder(), "loyalty.db"));
    for (const result of [
      await tokens.create("--scopes", "all"),
      await tokens.list(),
      await tokens.revoke("akt_1"),
    ]) {
      expect(result).toEqual({
        code: 1,
        stdout: "",
        stderr: `loyalty-kit: database ${tokens.database} doesn't exist; create it with "loyalty-kit migrate --database ${tokens.database}"\n`,
      });
    }
    expect(existsSync(tokens.database)).toBe(false);
  });
});
