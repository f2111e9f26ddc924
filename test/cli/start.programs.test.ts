import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { addCleanup } from "../kit/cleanup.js";
import { createEmptyFolder, runLoyaltyKit, startServer } from "./command.js";
import { writeWalletFlags } from "./wallet-flags.js";

/** Occupies a port, so that the server can't use it, and returns the port. */
async function occupyPort(): Promise<string> {
  const server = createServer();
  addCleanup(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return String(address.port);
}

/** Creates a database with a secret that was sealed with another key. */
async function createSealedDatabase(folder: string): Promise<string> {
  const file = join(folder, "sealed.db");
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file), secretKeys: ["k".repeat(32)] });
  await loyalty.organization("acme").webhooks.create({ url: "https://crm.example/webhooks" });
  await loyalty.close();
  return file;
}

describe.concurrent("a server that can't start", () => {
  it.each<[string, (folder: string) => Promise<readonly string[]>]>([
    ["the file isn't a database", async () => ["--database", "/proc/version"]],
    [
      "secrets were sealed with another key",
      async (folder) => ["--database", await createSealedDatabase(folder)],
    ],
    [
      "the badge isn't a picture",
      async (folder) => {
        writeFileSync(join(folder, "badge.png"), "no picture");
        return ["--apple-badge", join(folder, "badge.png")];
      },
    ],
    ["the port is taken", async () => ["--port", await occupyPort()]],
    ["the metrics port is taken", async () => ["--metrics-port", await occupyPort()]],
    ["the address belongs to another machine", async () => ["--host", "192.0.2.1"]],
  ])(
    "exits with an error code and a message in its last line, whatever it had started: %s",
    async (_why, flags) => {
      const folder = createEmptyFolder();
      const databaseArgs = [
        "--database",
        join(folder, "loyalty.db"),
        "--port",
        "0",
        ...writeWalletFlags(folder),
      ];
      const { code, stderr } = await runLoyaltyKit(["serve", ...databaseArgs, ...(await flags(folder))]);
      expect(code).toBeGreaterThan(0);
      expect(stderr).not.toContain("    at ");
      expect(stderr.trim().split("\n").at(-1)).toMatch(/^loyalty-kit: ./);
    },
  );
});

describe.concurrent("a server that limits connections per address", () => {
  it("logs once that the limit is reached, and what to do", async () => {
    const database = join(createEmptyFolder(), "loyalty.db");
    const server = await startServer(["--database", database, "--max-connections-per-address", "1"]);
    const pendingResponse = fetch(`${server.url}/health/live`);
    await pendingResponse;
    const attempts = Array.from({ length: 5 }, () => fetch(`${server.url}/health/live`).catch(() => null));
    await Promise.all(attempts);
    server.process.kill("SIGTERM");
    const { stderr } = await server.exit;
    const lines = stderr.split("\n").filter((line) => line.includes("--max-connections-per-address"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /rejecting new connections from 127\.0\.0\.1 because .* add it to --trusted-proxy/,
    );
  });

  it("warns once about a proxy that isn't configured", async () => {
    const server = await startServer(["--database", join(createEmptyFolder(), "loyalty.db")]);
    for (const address of ["192.0.2.1", "192.0.2.2"]) {
      await fetch(`${server.url}/health/live`, { headers: { "x-forwarded-for": address } });
    }
    server.process.kill("SIGTERM");
    const { stderr } = await server.exit;
    expect(stderr.match(/request from 127\.0\.0\.1 has an X-Forwarded-For header;/g)).toHaveLength(1);
  });
});
