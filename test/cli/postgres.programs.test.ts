import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { newPlace, once, type Place } from "../postgres/place.js";
import { structureOf } from "../postgres/structure.js";
import { emptyFolder, loyaltyKit, serve } from "./command.js";
import { customers } from "./customers.js";
import { ran } from "./ran.js";

const places: Place[] = [];
afterAll(async () => {
  for (const place of places) await place.remove();
});

/** The URL of a database without tables, which goes with the tests. */
async function emptyDatabase(): Promise<string> {
  const place = await newPlace();
  places.push(place);
  return place.url;
}

/** The same server or database, with another part of its URL. */
function urlWith(url: string, part: "password" | "pathname" | "username" | "port", value: string): string {
  const changed = new URL(url);
  changed[part] = value;
  return changed.href;
}

/** The password as it stands in a URL. */
function passwordOf(url: string): string {
  return `:${new URL(url).password}@`;
}

async function rowsOf<Row extends pg.QueryResultRow>(url: string, query: string): Promise<Row[]> {
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
  it("makes the tables, serves a demo, and ends at SIGTERM without having told the password", async () => {
    const url = await emptyDatabase();
    const server = await serve(["--demo", "--database", url]);
    const [, token] = await server.written(/Bearer (\w+)'/);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ email: "ada@example.com" });
    const created = await fetch(`${server.url}/v1/users`, { method: "POST", headers, body });
    expect(created.status).toBe(201);
    server.process.kill("SIGTERM");
    expect(await server.ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^(loyalty-kit: .+ migrated from version 0 to version \d+\n)?loyalty-kit: QR codes won't work for customers, .+\nloyalty-kit: shutting down once requests and jobs in progress have finished\n$/,
      ),
    });

    const again = await serve(["--demo"], { LOYALTY_DATABASE: url });
    await again.written(/The demo is just as you left it/);
    expect(again.output()).not.toContain(passwordOf(url));
    const contacts = await fetch(`${again.url}/v1/contacts?search=ada@example.com`, { headers });
    expect(await contacts.json()).toMatchObject({ content: [{ email: "ada@example.com" }] });
  });

  it("is told of a token that another process makes or revokes", async () => {
    const url = await emptyDatabase();
    const place = ["--database", url, "--organization", "acme"];
    const server = await serve(["--database", url]);
    const { stdout: token } = await ran(["token", "create", ...place, "--name", "till", "--scopes", "all"]);
    const status = async () => {
      const headers = { authorization: `Bearer ${token.trim()}` };
      const response = await fetch(`${server.url}/v1/contacts`, { headers });
      await response.body?.cancel();
      return response.status;
    };
    expect(await status()).toBe(200);

    const [id = ""] = /akt_\S+/.exec((await ran(["token", "list", ...place])).stdout) ?? [];
    expect(await ran(["token", "revoke", id, ...place])).toEqual({
      code: 0,
      stdout: `revoked ${id}\n`,
      stderr: "",
    });
    expect(await status()).toBe(401);
  });

  it("counts the requests of a token in all processes together, from the moment they begin", async () => {
    const url = await emptyDatabase();
    const place = ["--database", url];
    await ran(["migrate", ...place]);
    const create = ["token", "create", ...place, "--organization", "acme", "--name", "till"];
    const token = (await ran([...create, "--scopes", "all"])).stdout.trim();
    const shared = { LOYALTY_OAUTH_KEY: "a secret of thirty-two characters" };
    const servers = await Promise.all([1, 2].map(() => serve([...place, "--rate-limit", "15/3600"], shared)));
    const headers = { authorization: `Bearer ${token}` };
    const urls = servers.flatMap((server) => Array.from({ length: 10 }, () => server.url));
    const answers = await Promise.all(urls.map((base) => fetch(`${base}/v1/contacts`, { headers })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(15);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    for (const server of servers) {
      server.process.kill("SIGTERM");
      expect(await server.ended).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(
          /^(loyalty-kit: .+ migrated from version 0 to version \d+\n)?loyalty-kit: QR codes won't work for customers, .+\nloyalty-kit: shutting down once requests and jobs in progress have finished\n$/,
        ),
      });
    }
  });
});

describe.concurrent("import and export on Postgres", () => {
  it("give back what was imported", async () => {
    const [acme, copy] = [await emptyDatabase(), await emptyDatabase()].map((url) =>
      customers("acme", emptyFolder(), url),
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
    expect(await copy?.all()).toEqual(all);
    expect(await acme?.all()).toEqual(all);
    expect(readdirSync(copy?.folder ?? "").filter((name) => name.endsWith(".db"))).toEqual([]);
  });
});

describe.concurrent("migrate on Postgres", () => {
  it("says from which version to which, and then that there is nothing to do", async () => {
    const url = await emptyDatabase();
    const first = await ran(["migrate", "--database", url]);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    const [, version] = /^postgres:.+ migrated from version 0 to version (\d+)\n$/.exec(first.stdout) ?? [];
    expect(await rowsOf(url, versions)).toHaveLength(Number(version));

    const again = await ran(["migrate", "--database", url]);
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout).toMatch(new RegExp(`^postgres:.+ is up to date at version ${version}\n$`));
    for (const { stdout } of [first, again]) expect(stdout).not.toContain(passwordOf(url));
  });

  it("refuses tables of a later release, to print too", async () => {
    const url = await emptyDatabase();
    await ran(["migrate", "--database", url]);
    await once(url, "insert into loyalty_migrations (version, applied_at) values (1000000, 0)");
    for (const options of [[], ["--print"]]) {
      const refused = await ran(["migrate", "--database", url, ...options]);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toMatch(/^loyalty-kit: .*version 1000000.*\n$/);
    }
  });
});

describe.concurrent("migrate --print", () => {
  it("changes nothing, and prints SQL that makes the same tables when it is run by hand", async () => {
    const [byHand, byCommand] = [await emptyDatabase(), await emptyDatabase()];
    const printed = await loyaltyKit(["migrate", "--print", "--database", byHand]);
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    expect(await structureOf(byHand)).toEqual([]);

    await once(byHand, printed.stdout);
    await ran(["migrate", "--database", byCommand]);
    const structure = await structureOf(byHand);
    expect(structure.length).toBeGreaterThan(50);
    expect(structure).toEqual(await structureOf(byCommand));
    expect(await rowsOf(byHand, versions)).toEqual(await rowsOf(byCommand, versions));
    expect((await ran(["migrate", "--database", byHand])).stdout).toContain("is up to date");
  });

  it("serves a role that may use the tables and make none", async () => {
    const url = await emptyDatabase();
    await once(url, (await ran(["migrate", "--print", "--database", url])).stdout);
    const role = `till_${randomUUID().replaceAll("-", "")}`;
    const [place] = await rowsOf<{ schema: string }>(url, "select current_schema() as schema");
    await once(
      url,
      `create role ${role} login password 'secret'; grant usage on schema ${place?.schema} to ${role};
       grant select, insert, update, delete on all tables in schema ${place?.schema} to ${role}`,
    );
    const asRole = urlWith(urlWith(url, "username", role), "password", "secret");
    try {
      expect((await ran(["migrate", "--database", asRole])).stdout).toContain("up to date");
      const loyalty = new LoyaltyService({ storage: await postgresStorage(asRole) });
      const { users, tags } = loyalty.organization("acme");
      await tags.create({ name: "VIP" });
      await tags.assign((await users.create({ email: "ada@example.com" })).id, "vip");
      expect(await tags.verifyIndex()).toMatchObject({ wrong: [] });
      await loyalty.close();
    } finally {
      await once(url, `drop owned by ${role}; drop role ${role}`);
    }
  });

  it("prints no more than a remark when there is nothing to do", async () => {
    const url = await emptyDatabase();
    await ran(["migrate", "--database", url]);
    const { code, stdout } = await ran(["migrate", "--print", "--database", url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^-- .*nothing to do.*\n$/);
    await once(url, stdout);
  });

  it("is refused for an SQLite file, and makes none", async () => {
    const folder = emptyFolder();
    const refused = await ran(["migrate", "--print", "--database", join(folder, "loyalty.db")]);
    expect(refused).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^loyalty-kit: --print only works with Postgres.*\n$/),
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe.concurrent("the password of a URL", () => {
  const server = inject("postgresUrl");
  const secret = urlWith(server, "password", "s3cret");
  const commands = [
    ["migrate"],
    ["migrate", "--print"],
    ["token", "list", "--organization", "acme"],
    ["export", "--organization", "acme"],
  ];

  it.each([
    { of: "a server that is not there", url: urlWith(secret, "port", "1"), code: 1, tells: /refused/i },
    { of: "a server that is not known", url: "postgres://a:s3cret@none.invalid/x", code: 1, tells: /none/ },
    { of: "a database that is not there", url: urlWith(server, "pathname", "/none"), code: 1, tells: /none/ },
    { of: "a role that is not there", url: urlWith(secret, "username", "none"), code: 1, tells: /none/ },
    { of: "a server that refuses it", url: secret, code: 1, tells: /password authentication failed/ },
    { of: "no URL", url: "postgres://ada:s3cret@[::/x", code: 2, tells: /not a valid postgres:\/\/ URL/ },
    {
      of: "a URL without slashes",
      url: "postgres:ada:s3cret@host/x",
      code: 2,
      tells: /not a valid postgres:\/\/ URL/,
    },
    { of: "a URL with # in it", url: "postgres://ada:1#s3cret@host/x", code: 2, tells: /encode @/ },
    { of: "a URL with / in it", url: "postgres://ada:1/s3cret@host/x", code: 2, tells: /encode @/ },
    { of: "a URL with ? in it", url: "postgres://ada:1?s3cret@host/x", code: 2, tells: /encode @/ },
    {
      of: "its parameters",
      url: "postgres://ada@127.0.0.1:1/x?password=s3cret&application_name=till",
      code: 1,
      tells: /application_name=till: .*refused/i,
    },
  ])("is not told with the refusal of $of", async ({ url, code, tells }) => {
    const password = url.includes("s3cret") ? "s3cret" : passwordOf(server);
    for (const command of commands) {
      const refused = await ran([...command, "--database", url]);
      expect(refused).toMatchObject({ code, stdout: "" });
      expect(refused.stderr).toMatch(/^loyalty-kit: .+\n$/);
      expect(refused.stderr).toMatch(tells);
      expect(refused.stderr).not.toContain(password);
    }
  });

  it.each([
    { args: ["postgres://ada:s3cret@host/x"] },
    { args: ["serve", "--database", "x.db", "--port", "postgres://ada:s3cret@host/x"] },
    { args: ["migrate", "--databse", "postgres://host/x?password=s3cret"] },
    { args: ["migrate", "postgres://ada:s3cret@host/x", "--database", "x.db"] },
  ])("is not told where no URL belongs: $args.0", async ({ args }) => {
    const { code, stdout, stderr } = await ran(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toContain("s3cret");
  });

  it("is not told when it comes from the environment", async () => {
    const refused = await loyaltyKit(["serve"], { LOYALTY_DATABASE: secret });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^loyalty-kit: .*password authentication failed.*\n$/);
    expect(refused.stderr).not.toContain("s3cret");
  });
});
