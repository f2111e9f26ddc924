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
import { type Ended, emptyFolder, loyaltyKit, serve } from "./command.js";
import { newDatabase } from "./new-database.js";

const redirectUri = "https://app.example/callback";

const places: Place[] = [];
afterAll(async () => {
  for (const place of places) await place.remove();
});

const databases = [
  { name: "SQLite", open: newDatabase },
  {
    name: "Postgres",
    open: async () => {
      const place = await createPlace();
      places.push(place);
      await migratePostgres(place.url);
      return place.url;
    },
  },
];

/** A server with OAuth 2.0, as the command serves it. */
async function oauthServer(database: string) {
  const port = String(await findFreePort());
  const issuer = `http://127.0.0.1:${port}`;
  const running = await serve(["--database", database, "--port", port, "--oauth-issuer", issuer]);
  return { ...running, issuer };
}

async function tokenOf(database: string): Promise<string> {
  const place = ["--database", database, "--organization", "acme"];
  return (await loyaltyKit(["token", "create", ...place, "--name", "me", "--scopes", "all"])).stdout.trim();
}

function appCommand(database: string, command: string, ...args: string[]): Promise<Ended> {
  return loyaltyKit(["app", command, ...args, "--database", database, "--organization", "vendor"]);
}

async function registered(database: string) {
  const redirect = ["--redirect-uri", redirectUri];
  const ended = await appCommand(database, "create", "--name", "Till", ...redirect, "--scopes", "user:read");
  const [, id = "", secret = ""] =
    /^client_id=(app_\S+)\nclient_secret=(lks_\S+)\n$/.exec(ended.stdout) ?? [];
  return { id, secret, redirectUri, scope: "user:read" };
}

async function statusOf(issuer: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${issuer}/v1/contacts`, { headers })).status;
}

describe.concurrent("serve with OAuth 2.0", () => {
  it.each(databases)("serves the clients of others, on $name", async ({ open }) => {
    const database = await open();
    const app = await registered(database);
    const token = await tokenOf(database);
    const { issuer } = await oauthServer(database);
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
      expect(await statusOf(issuer, first)).toBe(200);
      const second = await client.refresh();
      expect(await statusOf(issuer, second)).toBe(200);
      await client.revoke();
      expect(await statusOf(issuer, second)).toBe(401);
      await expect(client.refresh()).rejects.toThrow();
    }
    expect((await appCommand(database, "list")).stdout).toContain("Till");
    expect((await appCommand(database, "revoke", app.id)).stdout).toBe(`revoked ${app.id}\n`);
    const [gone] = clients;
    const client = await gone?.connect({ issuer, ...app });
    const page = requirePage(await new Visitor().open(client?.authorizationUrl ?? ""));
    expect([page.status, page.text]).toEqual([400, expect.stringContaining("invalid_client")]);
  });

  it("is asked for: without an issuer there is none of it", async () => {
    const { url } = await serve(["--database", join(emptyFolder(), "loyalty.db")]);
    for (const path of ["/oauth2/authorize", "/oauth2/sign-in", "/.well-known/oauth-authorization-server"]) {
      expect((await fetch(url + path)).status).toBe(404);
    }
  });

  it("is no server for an issuer without https", async () => {
    const place = ["--database", join(emptyFolder(), "loyalty.db")];
    const ended = await loyaltyKit(["serve", ...place, "--oauth-issuer", "http://api.example"]);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining("--oauth-issuer")]);
  });
});

describe.concurrent("app", () => {
  it("rotates a secret, and prints the new one", async () => {
    const database = await newDatabase();
    const app = await registered(database);
    const { stdout } = await appCommand(database, "rotate-secret", app.id);
    expect(stdout).toMatch(new RegExp(`^client_id=${app.id}\nclient_secret=lks_\\w{38}\n$`));
    expect(stdout).not.toContain(app.secret);
  });

  it("registers a public one without a secret, and tells the types apart", async () => {
    const database = await newDatabase();
    const confidential = await registered(database);
    const input = [
      "--name",
      "Phone",
      "--scopes",
      "user:read",
      "--redirect-uri",
      "com.example.till:/callback",
    ];
    const refused = await appCommand(database, "create", ...input);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("unless the app is public")]);
    const { stdout } = await appCommand(database, "create", ...input, "--public");
    const [, id = ""] = /^client_id=(app_\S+)\n$/.exec(stdout) ?? [];
    expect(await appCommand(database, "rotate-secret", id)).toMatchObject({
      code: 1,
      stderr:
        "loyalty-kit: The app is public, so it has no secret. See loyalty-kit/docs/errors.md#app_has_no_secret\n",
    });
    const list = (await appCommand(database, "list")).stdout;
    expect(list).toMatch(new RegExp(`^${confidential.id} +Till +confidential +user:read `, "m"));
    expect(list).toMatch(
      new RegExp(`^${id} +Phone +public +user:read +com\\.example\\.till:/callback `, "m"),
    );
  });

  it("lists what users let in, and ends it", async () => {
    const database = await newDatabase();
    const app = await registered(database);
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(database) });
    await loyalty.organization("acme").grants.allow({
      appId: app.id,
      subject: "ada@example.com",
      scopes: ["user:read"],
      redirectUri,
      codeChallenge: challenge,
    });
    await loyalty.close();
    const granted = (command: string, ...args: string[]) =>
      loyaltyKit(["app", command, ...args, "--database", database, "--organization", "acme"]);
    const { stdout } = await granted("grants");
    expect(stdout).toMatch(/^ID +CLIENT ID +GRANTED BY +SCOPES +CREATED\n/);
    const [, id = ""] =
      new RegExp(`^(grt_\\S+) +${app.id} +ada@example\\.com +user:read +\\S+$`, "m").exec(stdout) ?? [];
    expect((await granted("disconnect", id)).stdout).toBe(`disconnected ${id}\n`);
    expect(await granted("disconnect", id)).toMatchObject({
      code: 1,
      stderr: `loyalty-kit: organization acme has no grant with the ID ${id}\n`,
    });
    expect(await granted("grants")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "organization acme has no grants\n",
    });
  });

  it("says which option is wrong, which app is missing, and that there is none", async () => {
    const database = await newDatabase();
    const common = ["--name", "Till", "--scopes", "user:read"];
    const ended = await appCommand(database, "create", ...common, "--redirect-uri", "http://app.example/");
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining("--redirect-uri must be")]);
    await tokenOf(database);
    for (const command of ["revoke", "rotate-secret"]) {
      expect(await appCommand(database, command, "app_none")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("loyalty-kit: organization vendor has no app with the ID app_none\n"),
      });
    }
    expect(await appCommand(database, "list")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("organization vendor has no apps\n"),
    });
  });
});
