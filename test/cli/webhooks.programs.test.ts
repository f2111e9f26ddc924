import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { verifyWebhook } from "loyalty-kit/webhooks";
import { describe, expect, it } from "vitest";
import { addCleanup } from "../kit/cleanup.js";
import { createEmptyFolder, startServer } from "./command.js";

/** Opens an organization in a file, with an endpoint on this machine that responds with this status. */
async function openAcmeWithEndpoint(status = 204) {
  const types: string[] = [];
  let secret = "";
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    types.push(verifyWebhook(request.headers, body, secret).type);
    response.writeHead(status).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const database = join(createEmptyFolder(), "loyalty.db");
  const loyalty = new LoyaltyService({
    storage: await sqliteStorage(database),
    webhooks: { allowLoopback: true },
  });
  addCleanup(() => {
    server.close();
    server.closeAllConnections();
    loyalty.close();
  });
  const acme = loyalty.organization("acme");
  const url = `http://127.0.0.1:${address.port}/hooks/of-a-secret`;
  const { webhookEndpoint, ...creation } = await acme.webhooks.create({ url });
  secret = creation.secret;
  return { acme, database, types, url, id: webhookEndpoint.id };
}

describe.concurrent("serve", () => {
  it("delivers webhooks, also for changes by other processes, and stops when it is asked to", async ({
    expect,
  }) => {
    const { acme, database, types } = await openAcmeWithEndpoint();
    const server = await startServer(["--database", database, "--webhooks-allow-loopback"]);
    await acme.users.create({ email: "ada@example.com" });
    await expect.poll(() => types).toEqual(["user.created"]);
    server.process.kill("SIGTERM");
    expect(await server.exit).toMatchObject({ code: 0 });
  });

  it("sends nothing to this machine unless it is allowed", async ({ expect }) => {
    const { acme, database, types } = await openAcmeWithEndpoint();
    await startServer(["--database", database]);
    await acme.users.create({ email: "ada@example.com" });
    const [{ id } = { id: "" }] = await acme.webhooks.list();
    await expect
      .poll(async () => (await acme.webhooks.deliveries(id)).content)
      .toMatchObject([{ attempts: [{ error: "the host has no public IP address" }] }]);
    expect(types).toEqual([]);
  });

  it("logs in one line that an endpoint was disabled", async ({ expect }) => {
    const { acme, database, url, id } = await openAcmeWithEndpoint(410);
    await acme.users.create({ email: "ada@example.com" });
    const server = await startServer(["--database", database, "--webhooks-allow-loopback"]);
    await expect.poll(() => acme.webhooks.get(id)).toMatchObject({ disabledReason: "gone" });
    server.process.kill("SIGTERM");
    const { stderr } = await server.exit;
    expect(stderr).toContain(
      `loyalty-kit: webhook endpoint ${id} (${new URL(url).origin}/…) of organization acme was disabled: gone\n`,
    );
    expect(stderr).not.toContain(url);
  });

  it("may send to this machine if the environment allows it", async ({ expect }) => {
    const { acme, database, types } = await openAcmeWithEndpoint();
    await startServer(["--database", database], { LOYALTY_WEBHOOKS_ALLOW_LOOPBACK: "true" });
    await acme.users.create({ email: "ada@example.com" });
    await expect.poll(() => types).toEqual(["user.created"]);
  });

  it.each([
    { how: "with --no-webhooks", args: ["--no-webhooks"], environment: {} },
    { how: "with LOYALTY_WEBHOOKS=false", args: [], environment: { LOYALTY_WEBHOOKS: "false" } },
  ])("delivers no webhooks $how", async ({ args, environment }) => {
    const { acme, database, types } = await openAcmeWithEndpoint();
    await acme.users.create({ email: "ada@example.com" });
    await startServer(["--database", database, "--webhooks-allow-loopback", ...args], environment);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(types).toEqual([]);
  });
});
