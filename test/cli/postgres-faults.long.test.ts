import { once } from "node:events";
import { migratePostgres } from "loyalty-kit/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../kit/free-port.js";
import { createPlace } from "../postgres/place.js";
import { type OwnServer, startOwnServer } from "../postgres/server.js";
import { program, runLoyaltyKit, start } from "./command.js";
import { runCommand } from "./run-command.js";

let server: OwnServer;
beforeAll(async () => {
  server = await startOwnServer();
});
afterAll(() => server?.stop());

describe("serve, on shutdown", () => {
  it("closes nothing that a request still needs after its client disconnected", async () => {
    const { url } = await createPlace(server.url);
    const databaseArgs = ["--database", url];
    await migratePostgres(url);
    const create = ["token", "create", ...databaseArgs, "--organization", "acme", "--name", "till"];
    const token = (await runCommand([...create, "--scopes", "all"])).stdout.trim();
    const { process, exit, waitForOutput } = start([program, "serve", "--port", "0", ...databaseArgs]);
    const [, base] = await waitForOutput(/is listening on (\S+)\n/);
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query("begin; lock table loyalty_api_tokens in access exclusive mode");
    const abortController = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const abortedCall = fetch(`${base}/v1/contacts`, { headers, signal: abortController.signal }).catch(
      () => "left",
    );
    const waitingLocksSql = "select 1 from pg_locks where not granted";
    await expect.poll(async () => (await holder.query(waitingLocksSql)).rowCount).toBe(1);
    abortController.abort();
    expect(await abortedCall).toBe("left");
    process.kill("SIGTERM");
    await expect.poll(() => fetch(`${base}/health/live`).catch(() => "closed")).toBe("closed");
    await holder.query("rollback");
    await holder.end();
    const { code, stderr } = await exit;
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("pool")]);
  });
});

describe("serve, while its Postgres server is unavailable", () => {
  it("starts once it is up, logs each kind of error in an outage once with a count, and logs the end of the outage", async () => {
    const { url } = await createPlace(server.url);
    const databaseArgs = ["--database", url];
    await migratePostgres(url);
    const create = ["token", "create", ...databaseArgs, "--organization", "acme", "--name", "till"];
    const token = (await runCommand([...create, "--scopes", "all"])).stdout.trim();
    await server.halt();
    const args = ["serve", "--port", "0", ...databaseArgs, "--wait", "20s", "--pool-size", "3"];
    const { process, exit, waitForOutput } = start([program, ...args], { LOYALTY_CONNECT_TIMEOUT: "2s" });
    const [line] = process.stderr === null ? [] : await once(process.stderr, "data");
    expect(line).toMatch(
      /^loyalty-kit: waiting for the database: can't open the database .*ECONNREFUSED.*\n$/,
    );
    await server.resume();
    const [, base] = await waitForOutput(/is listening on (\S+)\n/);
    const getContacts = () => fetch(`${base}/v1/contacts`, { headers: { authorization: `Bearer ${token}` } });
    expect((await getContacts()).status).toBe(200);
    await server.halt();
    for (let time = 0; time < 5; time += 1) {
      const response = await getContacts();
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    }
    await server.resume();
    expect((await getContacts()).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    process.kill("SIGTERM");
    const { code, stderr } = await exit;
    expect(code).toBe(0);
    // A server that shuts down fails running calls in several ways, and the number of failures is random.
    const lines = stderr
      .split("\n")
      .filter((line) => line.includes("storage_unavailable") && !line.includes("rate limits"));
    const countSuffix = / \(\d+ more in 5 s\)$/;
    const kinds = new Set(lines.map((line) => line.replace(countSuffix, "")));
    const refusedLines = [...kinds].filter((line) => line.includes("ECONNREFUSED"));
    expect(refusedLines).toEqual([expect.stringMatching(/^loyalty-kit: storage_unavailable: /)]);
    for (const kind of kinds) {
      const [first, ...more] = lines.filter((line) => line.replace(countSuffix, "") === kind);
      expect(first).toBe(kind);
      for (const line of more) expect(line).toMatch(countSuffix);
      if (refusedLines.includes(kind)) expect(more).not.toEqual([]);
    }
    expect(stderr.match(/^loyalty-kit: the database is available again after \d+ s$/gm)).toHaveLength(1);
  });

  it("gives up after the wait, or immediately if waiting doesn't help", async () => {
    const unreachableUrl = Object.assign(new URL(server.url), { port: String(await findFreePort()) }).href;
    const patient = await runLoyaltyKit([
      "serve",
      "--database",
      unreachableUrl,
      "--wait",
      "1s",
      "--port",
      "0",
    ]);
    expect(patient).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/can't open the database.*ECONNREFUSED/),
    });
    const wrong = Object.assign(new URL(server.url), { password: "wrong" }).href;
    const failure = await runLoyaltyKit(["serve", "--database", wrong, "--port", "0"]);
    expect(failure).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("password authentication failed"),
    });
    expect(failure.stderr).not.toContain("waiting");
  });

  it.each([
    ["--pool-size", "0"],
    ["--statement-timeout", "soon"],
    ["--wait", "2d"],
  ])("refuses %s %s", async (flag, value) => {
    const { code, stderr } = await runCommand(["serve", "--database", server.url, flag, value]);
    expect(code).toBe(2);
    expect(stderr).toContain(flag);
  });
});
