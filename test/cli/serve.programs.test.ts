import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addCleanup } from "../kit/cleanup.js";
import { createEmptyFolder, runLoyaltyKit, startServer } from "./command.js";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

async function occupyPort(): Promise<number> {
  const server = createServer();
  addCleanup(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

describe.concurrent("serve", () => {
  it("serves the API and creates the database", async () => {
    const server = await startServer(["--database", join(createEmptyFolder(), "loyalty.db")]);
    expect((await fetch(`${server.url}/v1/openapi.json`)).status).toBe(200);
    expect((await fetch(`${server.url}/v1/contacts`)).status).toBe(401);
  });

  it("prints only its address if no demo is requested", async () => {
    const database = join(createEmptyFolder(), "loyalty.db");
    const server = await startServer(["--database", database], { LOYALTY_DEMO: "false" });
    server.process.kill("SIGTERM");
    expect(await server.exit).toMatchObject({ stdout: `loyalty-kit is listening on ${server.url}\n` });
    expect(
      (await runCommand(["token", "list", "--database", database, "--organization", "demo"])).stdout,
    ).toBe("");
  });

  it("takes every setting from the environment unless its option is set", async () => {
    const environment = {
      LOYALTY_DATABASE: join(createEmptyFolder(), "loyalty.db"),
      LOYALTY_HOST: "127.0.0.2",
      LOYALTY_PORT: "not even a port",
      LOYALTY_SHORT_LINK_BASE: "https://cafe.example/card",
      LOYALTY_DEMO: "1",
    };
    const server = await startServer(["--host", "127.0.0.1"], environment);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    const [, token] = await server.waitForOutput(/Bearer (\w+)'/);

    const postJson = async (path: string, body: unknown) => {
      const response = await fetch(`${server.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return JSON.parse(await response.text());
    };
    const template = await postJson("/v1/templates", { name: "Card", type: "LOYALTY_CARD" });
    const pass = await postJson(`/v1/templates/${template.id}/walletpasses`, {
      user: { email: "ada@example.com" },
    });
    expect(pass.qrCodeValue).toMatch(/^https:\/\/cafe\.example\/card\/\w+$/);
  });

  it("limits the requests of a token, unless the limit is off", async () => {
    const databaseArgs = ["--database", await createDatabase()];
    const create = ["token", "create", ...databaseArgs, "--organization", "acme", "--name", "till"];
    const token = (await runCommand([...create, "--scopes", "user:read"])).stdout.trim();
    const listStatuses = async (limit: string) => {
      const { url } = await startServer(databaseArgs, { LOYALTY_RATE_LIMIT: limit });
      const getContacts = () =>
        fetch(`${url}/v1/contacts`, { headers: { authorization: `Bearer ${token}` } });
      const statusCodes = [await getContacts(), await getContacts(), await getContacts()];
      return statusCodes.map(({ status, headers }) => [status, headers.get("ratelimit-policy")]);
    };
    const policy = '"default";q=2;w=3600';
    expect(await listStatuses("2/3600")).toEqual([
      [200, policy],
      [200, policy],
      [429, policy],
    ]);
    expect(await listStatuses("off")).toEqual([
      [200, null],
      [200, null],
      [200, null],
    ]);
  });

  it.each([{ host: "127.0.0.1" }, { host: "0.0.0.0" }])(
    "reports that the port is in use: $host",
    async ({ host }) => {
      const port = String(await occupyPort());
      const database = await createDatabase();
      const result = await runLoyaltyKit([
        "serve",
        "--demo",
        "--host",
        host,
        "--port",
        port,
        "--database",
        database,
      ]);
      expect(result).toMatchObject({ code: 1, stdout: "" });
      expect(result.stderr).toMatch(/^loyalty-kit: .*in use.*\n$/);
      expect(result.stderr).toContain(port);
    },
  );

  it("creates no demo if it can't listen", async () => {
    const database = join(createEmptyFolder(), "loyalty.db");
    const port = String(await occupyPort());
    await runLoyaltyKit(["serve", "--demo", "--port", port, "--database", database]);
    const server = await startServer(["--demo", "--database", database]);
    await server.waitForOutput(/curl /);
  });

  it("reports that the host isn't an address of this machine", async () => {
    const database = await createDatabase();
    const result = await runLoyaltyKit([
      "serve",
      "--host",
      "192.0.2.1",
      "--port",
      "0",
      "--database",
      database,
    ]);
    expect(result).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^loyalty-kit: .*192\.0\.2\.1.*\n$/),
    });
  });
});
