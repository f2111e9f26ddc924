import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { migratePostgres } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { findFreePort } from "../kit/free-port.js";
import { clients } from "../oauth/clients.js";
import { challenge, findSeal } from "../oauth/scene.js";
import { requirePage, requireSite, Visitor } from "../oauth/visitor.js";
import { createPlace, type Place } from "../postgres/place.js";
import { type CommandResult, createEmptyFolder, runLoyaltyKit, startServer } from "./command.js";
import { createDatabase } from "./new-database.js";

const redirectUri = "https://app.example/callback";

const testDatabases: Place[] = [];
afterAll(async () => {
  for (const database of testDatabases) await database.remove();
});

const databases = [
  { name: "SQLite", open: createDatabase },
  {
    name: "Postgres",
    open: async () => {
      const database = await createPlace();
      testDatabases.push(database);
      await migratePostgres(database.url);
      return database.url;
    },
  },
];

/** Starts a server with OAuth 2.0, as an operator does with the command. */
async function startOAuthServer(database: string) {
  const port = String(await findFreePort());
  const issuer = `http://127.0.0.1:${port}`;
  const server = await startServer(["--database", database, "--port", port, "--oauth-issuer", issuer]);
  return { ...server, issuer };
}

async function createToken(database: string): Promise<string> {
  const databaseArgs = ["--database", database, "--organization", "acme"];
  return (
    await runLoyaltyKit(["token", "create", ...databaseArgs, "--name", "me", "--scopes", "all"])
  ).stdout.trim();
}

function runAppCommand(database: string, command: string, ...args: string[]): Promise<CommandResult> {
  return runLoyaltyKit(["app", command, ...args, "--database", database, "--organization", "vendor"]);
}

async function registerApp(database: string) {
  const redirect = ["--redirect-uri", redirectUri];
  const result = await runAppCommand(
    database,
    "create",
    "--name",
    "Till",
    ...redirect,
    "--scopes",
    "user:read",
  );
  const [, id = "", secret = ""] =
    /^client_id=(app_\S+)\nclient_secret=(lks_\S+)\n$/.exec(result.stdout) ?? [];
  return { id, secret, redirectUri, scope: "user:read" };
}

async function getStatus(issuer: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${issuer}/v1/contacts`, { headers })).status;
}

describe.concurrent("serve with OAuth 2.0", () => {
  it.each(databases)("works with third-party OAuth clients, on $name", async ({ open }) => {
    const database = await open();
    const app = await registerApp(database);
    const token = await createToken(database);
    const { issuer } = await startOAuthServer(database);
    for (const { connect } of clients) {
      const client = await connect({ issuer, ...app });
      const visitor = new Visitor();
      const signIn = requirePage(await visitor.open(client.authorizationUrl));
      expect(signIn.url).toContain("/oauth2/sign-in?");
      const consent = requirePage(await visitor.send(signIn, { token }));
      expect(consent.url).toBe(client.authorizationUrl);
      const callback = requireSite(
        await visitor.send(consent, { seal: findSeal(consent.text), decision: "allow" }),
      );
      const first = await client.redeem(callback);
      expect(await getStatus(issuer, first)).toBe(200);
      const second = await client.refresh();
      expect(await getStatus(issuer, second)).toBe(200);
      await client.revoke();
      expect(await getStatus(issuer, second)).toBe(401);
      await expect(client.refresh()).rejects.toThrow();
    }
    expect((await runAppCommand(database, "list")).stdout).toContain("Till");
    expect((await runAppCommand(database, "revoke", app.id)).stdout).toBe(`revoked ${app.id}\n`);
    const [firstClient] = clients;
    const client = await firstClient?.connect({ issuer, ...app });
    const page = requirePage(await new Visitor().open(client?.authorizationUrl ?? ""));
    expect([page.status, page.text]).toEqual([400, expect.stringContaining("invalid_client")]);
  });

  it("has no OAuth endpoints unless an issuer is set", async () => {
    const { url } = await startServer(["--database", join(createEmptyFolder(), "loyalty.db")]);
    for (const path of ["/oauth2/authorize", "/oauth2/sign-in", "/.well-known/oauth-authorization-server"]) {
      expect((await fetch(url + path)).status).toBe(404);
    }
  });

  it("refuses an issuer without https", async () => {
    const databaseArgs = ["--database", join(createEmptyFolder(), "loyalty.db")];
    const result = await runLoyaltyKit(["serve", ...databaseArgs, "--oauth-issuer", "http://api.example"]);
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining("--oauth-issuer")]);
  });
});

describe.concurrent("app", () => {
  it("rotates a secret, and prints the new one", async () => {
    const database = await createDatabase();
    const app = await registerApp(database);
    const { stdout } = await runAppCommand(database, "rotate-secret", app.id);
    expect(stdout).toMatch(new RegExp(`^client_id=${app.id}\nclient_secret=lks_\\w{38}\n$`));
    expect(stdout).not.toContain(app.secret);
  });

  it("registers a public app without a secret, and lists the type of each app", async () => {
    const database = await createDatabase();
    const confidential = await registerApp(database);
    const input = [
      "--name",
      "Phone",
      "--scopes",
      "user:read",
      "--redirect-uri",
      "com.example.till:/callback",
    ];
    const failure = await runAppCommand(database, "create", ...input);
    expect([failure.code, failure.stderr]).toEqual([2, expect.stringContaining("unless the app is public")]);
    const { stdout } = await runAppCommand(database, "create", ...input, "--public");
    const [, id = ""] = /^client_id=(app_\S+)\n$/.exec(stdout) ?? [];
    expect(await runAppCommand(database, "rotate-secret", id)).toMatchObject({
      code: 1,
      stderr:
        "loyalty-kit: The app is public, so it has no secret. See loyalty-kit/docs/errors.md#app_has_no_secret\n",
    });
    const list = (await runAppCommand(database, "list")).stdout;
    expect(list).toMatch(new RegExp(`^${confidential.id} +Till +confidential +user:read `, "m"));
    expect(list).toMatch(
      new RegExp(`^${id} +Phone +public +user:read +com\\.example\\.till:/callback `, "m"),
    );
  });

  it("lists the grants of users, and ends one", async () => {
    const database = await createDatabase();
    const app = await registerApp(database);
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(database) });
    await loyalty.organization("acme").grants.allow({
      appId: app.id,
      subject: "ada@example.com",
      scopes: ["user:read"],
      redirectUri,
      codeChallenge: challenge,
    });
    await loyalty.close();
    const runAppCommandOfAcme = (command: string, ...args: string[]) =>
      runLoyaltyKit(["app", command, ...args, "--database", database, "--organization", "acme"]);
    const { stdout } = await runAppCommandOfAcme("grants");
    expect(stdout).toMatch(/^ID +CLIENT ID +GRANTED BY +SCOPES +CREATED\n/);
    const [, id = ""] =
      new RegExp(`^(grt_\\S+) +${app.id} +ada@example\\.com +user:read +\\S+$`, "m").exec(stdout) ?? [];
    expect((await runAppCommandOfAcme("disconnect", id)).stdout).toBe(`disconnected ${id}\n`);
    expect(await runAppCommandOfAcme("disconnect", id)).toMatchObject({
      code: 1,
      stderr: `loyalty-kit: organization acme has no grant with the ID ${id}\n`,
    });
    expect(await runAppCommandOfAcme("grants")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "organization acme has no grants\n",
    });
  });

  it("reports a wrong option, a missing app, and an empty list", async () => {
    const database = await createDatabase();
    const common = ["--name", "Till", "--scopes", "user:read"];
    const result = await runAppCommand(
      database,
      "create",
      ...common,
      "--redirect-uri",
      "http://app.example/",
    );
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining("--redirect-uri must be")]);
    await createToken(database);
    for (const command of ["revoke", "rotate-secret"]) {
      expect(await runAppCommand(database, command, "app_none")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("loyalty-kit: organization vendor has no app with the ID app_none\n"),
      });
    }
    expect(await runAppCommand(database, "list")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("organization vendor has no apps\n"),
    });
  });
});
