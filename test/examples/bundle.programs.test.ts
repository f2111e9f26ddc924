import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmptyFolder, start } from "../cli/command.js";
import { runCommand } from "../cli/run-command.js";
import { startExample } from "./example.js";

/** Inside the project, so that the external driver is found. */
const bundles = mkdtempSync(join(import.meta.dirname, "../../.bundles-"));
afterAll(() => rmSync(bundles, { recursive: true }));

describe("the example bundle/build.ts", () => {
  beforeAll(async () => {
    expect(await startExample("bundle/build.ts", { OUTPUT: bundles }).exit).toMatchObject({ code: 0 });
  });

  it("builds a host in one file, and a page that calls it", async () => {
    const database = join(createEmptyFolder(), "cafe.db");
    const server = start([join(bundles, "server.mjs")], { PORT: "0", DATABASE: database });
    const [, port] = await server.waitForOutput(/listening on port (\d+)/);
    const databaseArgs = ["--database", database, "--organization", "cafe"];
    const token = await runCommand([
      "token",
      "create",
      ...databaseArgs,
      "--name",
      "page",
      "--scopes",
      "pass:read",
    ]);
    const page = await import(pathToFileURL(join(bundles, "page.js")).href);
    const shownPage = page.findPass(
      `http://127.0.0.1:${port}`,
      token.stdout.trim(),
      "https://cafe.example/card/x",
    );
    expect(await shownPage).toBe("no card of ours");
    server.process.kill("SIGTERM");
    expect(await server.exit).toMatchObject({ code: 0, stderr: "" });
  });

  it("builds a worker that accepts signed webhooks and rejects others", async () => {
    const secret = `whsec_${Buffer.from("a secret of thirty-two bytes, now").toString("base64")}`;
    const { default: worker } = await import(pathToFileURL(join(bundles, "worker.js")).href);
    const at = new Date();
    const body = JSON.stringify({ id: "evt_1", type: "user.created", timestamp: at.toISOString(), data: {} });
    async function verify(signature: string): Promise<string> {
      const headers = {
        "webhook-id": "evt_1",
        "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
        "webhook-signature": signature,
      };
      const request = new Request("https://hooks.example/", { method: "POST", headers, body });
      return (await worker.fetch(request, { WEBHOOK_SECRET: secret })).text();
    }
    expect(await verify(new Webhook(secret).sign("evt_1", at, body))).toBe("heard user.created");
    expect(await verify("v1,none")).toBe("wrong_signature");
  });
});
