import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { describe, expect, inject, it } from "vitest";
import { addCleanup } from "../kit/cleanup.js";
import { createPlace, executeOnce } from "../postgres/place.js";
import { readStructure } from "../postgres/structure.js";
import { createEmptyFolder, runLoyaltyKit, startServer } from "./command.js";
import { openCustomers } from "./customers.js";
import { runCommand } from "./run-command.js";

/** Creates a database without tables, and returns its URL. It is removed after its servers have stopped. */
async function createEmptyDatabase(): Promise<string> {
  const { url, remove } = await createPlace();
  addCleanup(remove);
  return url;
}

/** Returns the URL with one part replaced. */
function replaceUrlPart(
  url: string,
  part: "password" | "pathname" | "username" | "port",
  value: string,
): string {
  const changedUrl = new URL(url);
  changedUrl[part] = value;
  return changedUrl.href;
}

/** Returns the password as it appears in a URL. */
function passwordInUrl(url: string): string {
  return `:${new URL(url).password}@`;
}

async function queryRows<Row extends pg.QueryResultRow>(url: string, query: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(query)).rows;
  } finally {
    await client.end();
  }
}

const versions = "select version from loyalty_migrations order by version";

describe.concurrent("serve on Postgres", () => {
  it("creates the tables, serves a demo, and stops on SIGTERM, without printing the password", async () => {
    const url = await createEmptyDatabase();
    const server = await startServer(["--demo", "--database", url]);
    const [, token] = await server.waitForOutput(/Bearer (\w+)'/);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ email: "ada@example.com" });
    const response = await fetch(`${server.url}/v1/users`, { method: "POST", headers, body });
    expect(response.status).toBe(201);
    server.process.kill("SIGTERM");
    expect(await server.exit).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^(loyalty-kit: .+ migrated from version 0 to version \d+\n)?loyalty-kit: QR codes won't work for customers because .+\nloyalty-kit: shutting down once requests and jobs in progress have finished\n$/,
      ),
    });

    const secondServer = await startServer(["--demo"], { LOYALTY_DATABASE: url });
    await secondServer.waitForOutput(/The demo is just as you left it/);
    expect(secondServer.output()).not.toContain(passwordInUrl(url));
    const contacts = await fetch(`${secondServer.url}/v1/contacts?search=ada@example.com`, { headers });
    expect(await contacts.json()).toMatchObject({ content: [{ email: "ada@example.com" }] });
  });

  it("notices when another process creates or revokes a token", async () => {
    const url = await createEmptyDatabase();
    const databaseArgs = ["--database", url, "--organization", "acme"];
    const server = await startServer(["--database", url]);
    const { stdout: token } = await runCommand([
      "token",
      "create",
      ...databaseArgs,
      "--name",
      "till",
      "--scopes",
      "all",
    ]);
    const getStatus = async () => {
      const headers = { authorization: `Bearer ${token.trim()}` };
      const response = await fetch(`${server.url}/v1/contacts`, { headers });
      await response.body?.cancel();
      return response.status;
    };
    expect(await getStatus()).toBe(200);

    const [id = ""] = /akt_\S+/.exec((await runCommand(["token", "list", ...databaseArgs])).stdout) ?? [];
    expect(await runCommand(["token", "revoke", id, ...databaseArgs])).toEqual({
      code: 0,
      stdout: `revoked ${id}\n`,
      stderr: "",
    });
    expect(await getStatus()).toBe(401);
  });

  it("counts the requests of a token across all processes, from the moment they begin", async () => {
    const url = await createEmptyDatabase();
    const databaseArgs = ["--database", url];
    await runCommand(["migrate", ...databaseArgs]);
    const create = ["token", "create", ...databaseArgs, "--organization", "acme", "--name", "till"];
    const token = (await runCommand([...create, "--scopes", "all"])).stdout.trim();
    const oauthKey = { LOYALTY_OAUTH_KEY: "a secret of thirty-two characters" };
    const servers = await Promise.all(
      [1, 2].map(() => startServer([...databaseArgs, "--rate-limit", "15/3600"], oauthKey)),
    );
    const headers = { authorization: `Bearer ${token}` };
    const urls = servers.flatMap((server) => Array.from({ length: 10 }, () => server.url));
    const responses = await Promise.all(urls.map((base) => fetch(`${base}/v1/contacts`, { headers })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(15);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(5);
    for (const server of servers) {
      server.process.kill("SIGTERM");
      expect(await server.exit).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(
          /^(loyalty-kit: .+ migrated from version 0 to version \d+\n)?loyalty-kit: QR codes won't work for customers because .+\nloyalty-kit: shutting down once requests and jobs in progress have finished\n$/,
        ),
      });
    }
  });
});

describe.concurrent("import and export on Postgres", () => {
  it("preserve what was imported", async () => {
    const [acme, copy] = [await createEmptyDatabase(), await createEmptyDatabase()].map((url) =>
      openCustomers("acme", createEmptyFolder(), url),
    );
    const file = "email,name,externalId,tags,metadata.city\nada@example.com,Ada,c-1,VIP;Große Runde,Berlin\n";
    expect(await acme?.import(file, "--create-tags")).toEqual({
      code: 0,
      stdout: "1 rows: 1 created, 0 updated, 0 unchanged, 0 failed\n",
      stderr: "",
    });
    expect(await copy?.import((await acme?.export()) ?? "", "--create-tags")).toMatchObject({ code: 0 });
    const ada = { email: "ada@example.com", name: "Ada", phone: null, externalId: "c-1" };
    const all = [{ ...ada, metadata: { city: "Berlin" }, tags: ["vip", "grosse-runde"] }];
    expect(await copy?.listAll()).toEqual(all);
    expect(await acme?.listAll()).toEqual(all);
    expect(readdirSync(copy?.folder ?? "").filter((name) => name.endsWith(".db"))).toEqual([]);
  });
});

describe.concurrent("migrate on Postgres", () => {
  it("reports the schema versions before and after, and on a second run that the database is up to date", async () => {
    const url = await createEmptyDatabase();
    const first = await runCommand(["migrate", "--database", url]);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    const [, version] = /^postgres:.+ migrated from version 0 to version (\d+)\n$/.exec(first.stdout) ?? [];
    expect(await queryRows(url, versions)).toHaveLength(Number(version));

    const secondRun = await runCommand(["migrate", "--database", url]);
    expect(secondRun).toMatchObject({ code: 0, stderr: "" });
    expect(secondRun.stdout).toMatch(new RegExp(`^postgres:.+ is up to date at version ${version}\n$`));
    for (const { stdout } of [first, secondRun]) expect(stdout).not.toContain(passwordInUrl(url));
  });

  it("refuses tables of a later release, also with --print", async () => {
    const url = await createEmptyDatabase();
    await runCommand(["migrate", "--database", url]);
    await executeOnce(url, "insert into loyalty_migrations (version, applied_at) values (1000000, 0)");
    for (const options of [[], ["--print"]]) {
      const failure = await runCommand(["migrate", "--database", url, ...options]);
      expect(failure).toMatchObject({ code: 1, stdout: "" });
      expect(failure.stderr).toMatch(/^loyalty-kit: .*version 1000000.*\n$/);
    }
  });
});

describe.concurrent("migrate --print", () => {
  it("changes nothing, and prints SQL that creates the same tables when it is run by hand", async () => {
    const [databaseByHand, databaseByCommand] = [await createEmptyDatabase(), await createEmptyDatabase()];
    const printResult = await runLoyaltyKit(["migrate", "--print", "--database", databaseByHand]);
    expect(printResult).toMatchObject({ code: 0, stderr: "" });
    expect(await readStructure(databaseByHand)).toEqual([]);

    await executeOnce(databaseByHand, printResult.stdout);
    await runCommand(["migrate", "--database", databaseByCommand]);
    const structure = await readStructure(databaseByHand);
    expect(structure.length).toBeGreaterThan(50);
    expect(structure).toEqual(await readStructure(databaseByCommand));
    expect(await queryRows(databaseByHand, versions)).toEqual(await queryRows(databaseByCommand, versions));
    expect((await runCommand(["migrate", "--database", databaseByHand])).stdout).toContain("is up to date");
  });

  it("prints SQL for tables that a role without the right to create any can use", async () => {
    const url = await createEmptyDatabase();
    await executeOnce(url, (await runCommand(["migrate", "--print", "--database", url])).stdout);
    const role = `till_${randomUUID().replaceAll("-", "")}`;
    const [schemaRow] = await queryRows<{ schema: string }>(url, "select current_schema() as schema");
    await executeOnce(
      url,
      `create role ${role} login password 'secret'; grant usage on schema ${schemaRow?.schema} to ${role};
       grant select, insert, update, delete on all tables in schema ${schemaRow?.schema} to ${role}`,
    );
    const roleUrl = replaceUrlPart(replaceUrlPart(url, "username", role), "password", "secret");
    try {
      expect((await runCommand(["migrate", "--database", roleUrl])).stdout).toContain("up to date");
      const loyalty = new LoyaltyService({ storage: await postgresStorage(roleUrl) });
      const { users, tags } = loyalty.organization("acme");
      await tags.create({ name: "VIP" });
      await tags.assign((await users.create({ email: "ada@example.com" })).id, "vip");
      expect(await tags.verifyIndex()).toMatchObject({ wrong: [] });
      await loyalty.close();
    } finally {
      await executeOnce(url, `drop owned by ${role}; drop role ${role}`);
    }
  });

  it("prints only a comment when there is nothing to do", async () => {
    const url = await createEmptyDatabase();
    await runCommand(["migrate", "--database", url]);
    const { code, stdout } = await runCommand(["migrate", "--print", "--database", url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^-- .*nothing to do.*\n$/);
    await executeOnce(url, stdout);
  });

  it("is refused for a SQLite file, and creates none", async () => {
    const folder = createEmptyFolder();
    const failure = await runCommand(["migrate", "--print", "--database", join(folder, "loyalty.db")]);
    expect(failure).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^loyalty-kit: --print only works with Postgres.*\n$/),
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe.concurrent("the password in a database URL", () => {
  const server = inject("postgresUrl");
  const secret = replaceUrlPart(server, "password", "s3cret");
  const commands = [
    ["migrate"],
    ["migrate", "--print"],
    ["token", "list", "--organization", "acme"],
    ["export", "--organization", "acme"],
  ];

  it.each([
    {
      of: "a server that isn't running",
      url: replaceUrlPart(secret, "port", "1"),
      code: 1,
      tells: /refused/i,
    },
    { of: "an unknown host", url: "postgres://a:s3cret@none.invalid/x", code: 1, tells: /none/ },
    {
      of: "a database that doesn't exist",
      url: replaceUrlPart(server, "pathname", "/none"),
      code: 1,
      tells: /none/,
    },
    {
      of: "a role that doesn't exist",
      url: replaceUrlPart(secret, "username", "none"),
      code: 1,
      tells: /none/,
    },
    { of: "a server that refuses it", url: secret, code: 1, tells: /password authentication failed/ },
    {
      of: "an invalid URL",
      url: "postgres://ada:s3cret@[::/x",
      code: 2,
      tells: /not a valid postgres:\/\/ URL/,
    },
    {
      of: "a URL without slashes",
      url: "postgres:ada:s3cret@host/x",
      code: 2,
      tells: /not a valid postgres:\/\/ URL/,
    },
    {
      of: "a URL with an unencoded # in it",
      url: "postgres://ada:1#s3cret@host/x",
      code: 2,
      tells: /encode @/,
    },
    {
      of: "a URL with an unencoded / in it",
      url: "postgres://ada:1/s3cret@host/x",
      code: 2,
      tells: /encode @/,
    },
    {
      of: "a URL with an unencoded ? in it",
      url: "postgres://ada:1?s3cret@host/x",
      code: 2,
      tells: /encode @/,
    },
    {
      of: "a URL that has it as a parameter",
      url: "postgres://ada@127.0.0.1:1/x?password=s3cret&application_name=till",
      code: 1,
      tells: /application_name=till: .*refused/i,
    },
  ])("isn't printed in the error for $of", async ({ url, code, tells }) => {
    const password = url.includes("s3cret") ? "s3cret" : passwordInUrl(server);
    for (const command of commands) {
      const failure = await runCommand([...command, "--database", url]);
      expect(failure).toMatchObject({ code, stdout: "" });
      expect(failure.stderr).toMatch(/^loyalty-kit: .+\n$/);
      expect(failure.stderr).toMatch(tells);
      expect(failure.stderr).not.toContain(password);
    }
  });

  it.each([
    { args: ["postgres://ada:s3cret@host/x"] },
    { args: ["serve", "--database", "x.db", "--port", "postgres://ada:s3cret@host/x"] },
    { args: ["migrate", "--databse", "postgres://host/x?password=s3cret"] },
    { args: ["migrate", "postgres://ada:s3cret@host/x", "--database", "x.db"] },
  ])("isn't printed where no URL belongs: $args.0", async ({ args }) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toContain("s3cret");
  });

  it("isn't printed when it comes from the environment", async () => {
    const failure = await runLoyaltyKit(["serve"], { LOYALTY_DATABASE: secret });
    expect(failure).toMatchObject({ code: 1, stdout: "" });
    expect(failure.stderr).toMatch(/^loyalty-kit: .*password authentication failed.*\n$/);
    expect(failure.stderr).not.toContain("s3cret");
  });
});
