import { once } from "node:events";
import { migratePostgres } from "loyalty-kit/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../kit/free-port.js";
import { createPlace } from "../postgres/place.js";
import { type OwnServer, startOwnServer } from "../postgres/server.js";
import { loyaltyKit, program, start } from "./command.js";
import { ran } from "./ran.js";

let server: OwnServer;
beforeAll(async () => {
  server = await startOwnServer();
});
afterAll(() => server?.stop());

describe("serve, when it ends", () => {
  it("closes nothing that a request needs whose client went away", async () => {
    const { url } = await createPlace(server.url);
    const place = ["--database", url];
    await migratePostgres(url);
    const create = ["token", "create", ...place, "--organization", "acme", "--name", "till"];
    const token = (await ran([...create, "--scopes", "all"])).stdout.trim();
    const { process, ended, written } = start([program, "serve", "--port", "0", ...place]);
    const [, base] = await written(/is listening on (\S+)\n/);
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query("begin; lock table loyalty_api_tokens in access exclusive mode");
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const left = fetch(`${base}/v1/contacts`, { headers, signal: leaving.signal }).catch(() => "left");
    const waiting = "select 1 from pg_locks where not granted";
    await expect.poll(async () => (await holder.query(waiting)).rowCount).toBe(1);
    leaving.abort();
    expect(await left).toBe("left");
    process.kill("SIGTERM");
    await expect.poll(() => fetch(`${base}/health/live`).catch(() => "closed")).toBe("closed");
    await holder.query("rollback");
    await holder.end();
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("pool")]);
  });
});

describe("serve, while its Postgres server is away", () => {
  it("waits for it, serves as soon as it is up, and tells an outage in a line of each kind, counted, and its end", async () => {
    const { url } = await createPlace(server.url);
    const place = ["--database", url];
    await migratePostgres(url);
    const create = ["token", "create", ...place, "--organization", "acme", "--name", "till"];
    const token = (await ran([...create, "--scopes", "all"])).stdout.trim();
    await server.halt();
    const args = ["serve", "--port", "0", ...place, "--wait", "20s", "--pool-size", "3"];
    const { process, ended, written } = start([program, ...args], { LOYALTY_CONNECT_TIMEOUT: "2s" });
    const [line] = process.stderr === null ? [] : await once(process.stderr, "data");
    expect(line).toMatch(
      /^loyalty-kit: waiting for the database: can't open the database .*ECONNREFUSED.*\n$/,
    );
    await server.resume();
    const [, base] = await written(/is listening on (\S+)\n/);
    const get = () => fetch(`${base}/v1/contacts`, { headers: { authorization: `Bearer ${token}` } });
    expect((await get()).status).toBe(200);
    await server.halt();
    for (let time = 0; time < 5; time += 1) {
      const answer = await get();
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    }
    await server.resume();
    expect((await get()).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    process.kill("SIGTERM");
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    // A server that goes down says so in several ways to calls that are under way; how many of them it meets is chance.
    const lines = stderr
      .split("\n")
      .filter((line) => line.includes("storage_unavailable") && !line.includes("rate limits"));
    const counted = / \(\d+ more in 5 s\)$/;
    const kinds = new Set(lines.map((line) => line.replace(counted, "")));
    const refused = [...kinds].filter((line) => line.includes("ECONNREFUSED"));
    expect(refused).toEqual([expect.stringMatching(/^loyalty-kit: storage_unavailable: /)]);
    for (const kind of kinds) {
      const [first, ...more] = lines.filter((line) => line.replace(counted, "") === kind);
      expect(first).toBe(kind);
      for (const line of more) expect(line).toMatch(counted);
      if (refused.includes(kind)) expect(more).not.toEqual([]);
    }
    expect(stderr.match(/^loyalty-kit: the database is available again after \d+ s$/gm)).toHaveLength(1);
  });

  it("gives up after the wait, and at once where waiting does not help", async () => {
    const away = Object.assign(new URL(server.url), { port: String(await findFreePort()) }).href;
    const patient = await loyaltyKit(["serve", "--database", away, "--wait", "1s", "--port", "0"]);
    expect(patient).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/can't open the database.*ECONNREFUSED/),
    });
    const wrong = Object.assign(new URL(server.url), { password: "wrong" }).href;
    const refused = await loyaltyKit(["serve", "--database", wrong, "--port", "0"]);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("password authentication failed"),
    });
    expect(refused.stderr).not.toContain("waiting");
  });

  it.each([
    ["--pool-size", "0"],
    ["--statement-timeout", "soon"],
    ["--wait", "2d"],
  ])("refuses %s %s", async (flag, value) => {
    const { code, stderr } = await ran(["serve", "--database", server.url, flag, value]);
    expect(code).toBe(2);
    expect(stderr).toContain(flag);
  });
});
