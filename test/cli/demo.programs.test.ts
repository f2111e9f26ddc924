import { join } from "node:path";
import { createClient } from "loyalty-kit/client";
import { describe, expect, it } from "vitest";
import { createEmptyFolder, startServer } from "./command.js";
import { runCommand } from "./run-command.js";
import { parsePastedLines, sendCurl } from "./shell.js";

const LAST_COMMAND = /user-tags\/query.*\n/;

describe.concurrent("serve --demo", () => {
  const demoDatabase = join(createEmptyFolder(), "loyalty.db");
  const demo = startServer(["--demo", "--database", demoDatabase]);

  it("prints three commands to paste, which create a user, tag it and find it", async () => {
    const server = await demo;
    await server.waitForOutput(LAST_COMMAND);
    const [create = [], assign = [], query = [], ...more] = await parsePastedLines("curl", server.output());
    expect(more).toEqual([]);

    const response = await sendCurl(create);
    expect(response).toMatchObject({ status: 201, body: { object: "user", externalId: "ada" } });
    expect(await sendCurl(assign)).toMatchObject({ status: 201, body: { userTag: { slug: "vip" } } });
    const found = await sendCurl(query);
    expect(found).toMatchObject({ status: 200, body: { totalElements: 9 } });
    expect(found.body).toMatchObject({ content: expect.arrayContaining([response.body]) });
  });

  it("creates a token with full access", async () => {
    const server = await demo;
    const [, token] = await server.waitForOutput(/Bearer (\w+)'/);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ name: "till", scopes: ["loyalty:manage", "api_token:manage"] });
    const response = await fetch(`${server.url}/v1/api-tokens`, { method: "POST", headers, body });
    expect(response.status).toBe(201);
  });

  it("has customers with cards in Apple Wallet and in Google Wallet, and in no other wallet", async () => {
    const server = await demo;
    const [, token] = await server.waitForOutput(/Bearer (\w+)'/);
    const headers = { authorization: `Bearer ${token}` };
    const statistics = await (await fetch(`${server.url}/v1/statistics?days=60`, { headers })).json();
    expect(statistics).toMatchObject({ installs: { other: 0 } });
    for (const none of [{ apple: 0 }, { google: 0 }])
      expect(statistics).not.toMatchObject({ installs: none });
  });

  it("shows the links to its mailbox, its first look and the server page only to its owners", async () => {
    const server = await demo;
    const [, token = ""] = await server.waitForOutput(/Bearer (\w+)'/);
    const createToken = async (organization: string, scopes: string) => {
      const databaseArgs = ["--database", demoDatabase, "--organization", organization];
      return (
        await runCommand(["token", "create", ...databaseArgs, "--name", "x", "--scopes", scopes])
      ).stdout.trim();
    };
    const listLinks = async (token: string) => {
      const form = { method: "POST", body: new URLSearchParams({ token }), redirect: "manual" } as const;
      const cookie =
        (await fetch(`${server.url}/console`, form)).headers.get("set-cookie")?.split(";")[0] ?? "";
      const page = await (await fetch(`${server.url}/console`, { headers: { cookie } })).text();
      expect(page).toContain("&quot;links&quot;:");
      return page.match(/\/demo\/[a-z-]+|&quot;isOperator&quot;:true/g) ?? [];
    };
    expect(await listLinks(token)).toEqual([
      "/demo/first-look",
      "/demo/mailbox",
      "&quot;isOperator&quot;:true",
    ]);
    expect(await listLinks(await createToken("other", "all"))).toEqual([]);
    expect(await listLinks(await createToken("demo", "user:read"))).toEqual([]);
  });

  it("prints commands for this machine when the server listens on every address", async () => {
    const database = join(createEmptyFolder(), "loyalty.db");
    const server = await startServer(["--demo", "--host", "0.0.0.0", "--database", database]);
    await server.waitForOutput(LAST_COMMAND);
    const [create = []] = await parsePastedLines("curl", server.output());
    expect(create.join(" ")).toContain(" http://127.0.0.1:");
    expect((await sendCurl(create)).status).toBe(201);
  });

  it("accepts the token of the first start and of the second, and retains the shop's data", async () => {
    const database = join(createEmptyFolder(), "loyalty.db");
    const first = await startServer(["--demo", "--database", database]);
    const [, token = ""] = await first.waitForOutput(/Bearer (\w+)'/);
    await first.waitForOutput(/first-look/);
    first.process.kill("SIGTERM");
    await first.exit;

    const second = await startServer(["--demo", "--database", database]);
    await second.waitForOutput(/first-look/);
    const [secondToken = ""] = /lk_\w+/.exec(second.output()) ?? [];
    for (const each of [token, secondToken]) {
      const headers = { authorization: `Bearer ${each}` };
      const settings = await fetch(`${second.url}/v1/settings`, { headers });
      expect(await settings.json()).toMatchObject({ name: "Café Amélie" });
    }
  });

  it("shows a café in its own colors, with visits from the last ten minutes", async () => {
    const server = await demo;
    const [, token = ""] = await server.waitForOutput(/Bearer (\w+)'/);
    const { templates, events } = createClient({ url: server.url, token });
    expect(await templates.list()).toMatchObject([
      { design: { backgroundColor: "#5B3A29" } },
      { design: { backgroundColor: "#14532D" } },
    ]);
    let latest = "";
    for await (const { timestamp } of events.list({ types: ["stamp.added"] })) latest = timestamp;
    expect(Date.now() - Date.parse(latest)).toBeLessThan(10 * 60_000);
  });

  it("adds nothing to another non-empty database, and prints a working command that creates a token", async () => {
    const database = join(createEmptyFolder(), "the café's loyalty.db");
    const databaseArgs = ["--database", database, "--organization", "demo"];
    await runCommand(["migrate", "--database", database]);
    await runCommand(["token", "create", ...databaseArgs, "--name", "mine", "--scopes", "all"]);

    const second = await startServer(["--database", database], { LOYALTY_DEMO: "true" });
    await second.waitForOutput(/^npx .*\n/m);
    expect(second.output()).not.toContain("curl");
    expect(second.output()).not.toContain("first-look");
    const [[program, ...args] = []] = await parsePastedLines("npx", second.output());
    expect(program).toBe("loyalty-kit");
    const { stdout } = await runCommand(args);
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    const tokens = await fetch(`${second.url}/v1/api-tokens`, { headers });
    expect(await tokens.json()).toMatchObject([{ name: "mine" }, { name: "laptop" }]);
  });
});
