import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEmptyFolder, program, start, startServer } from "./command.js";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

const newDatabasePath = () => join(createEmptyFolder(), "loyalty.db");

/** Parses the lines of a JSON log. */
const parseLines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line));

describe.concurrent("a server in production", () => {
  it("reports that it is live and that it is ready", async () => {
    const { url } = await startServer(["--database", newDatabasePath()]);
    for (const [path, text] of [
      ["/health/live", "live\n"],
      ["/health/ready", "ready\n"],
    ]) {
      const response = await fetch(`${url}${path}`);
      expect([response.status, await response.text()]).toEqual([200, text]);
      expect((await fetch(`${url}${path}`, { method: "POST" })).status).toBe(405);
    }
    expect((await fetch(`${url}/health`)).status).toBe(404);
  });

  it("logs each message as a line of JSON if requested, without secrets", async () => {
    const file = await createDatabase();
    const databaseArgs = ["--database", file, "--organization", "acme"];
    const { stdout } = await runCommand([
      "token",
      "create",
      ...databaseArgs,
      "--name",
      "till",
      "--scopes",
      "user:read",
    ]);
    const token = stdout.trim();
    const server = start([program, "serve", "--port", "0", "--database", file, "--log", "json"]);
    const [, url = ""] = await server.waitForOutput(/is listening on (http[^"]+)"/);
    await fetch(`${url}/v1/users/ada?phone=123`, {
      headers: { authorization: `Bearer ${token}`, "x-request-id": "till-7" },
    });
    server.process.kill("SIGTERM");
    const result = await server.exit;
    expect(result.code).toBe(0);
    const lines = parseLines(result.stdout);
    expect(lines.find(({ message }) => message === "request")).toMatchObject({
      level: 30,
      time: expect.stringMatching(/Z$/),
      requestId: "till-7",
      method: "GET",
      route: "/v1/users/{userId}",
      organizationId: "acme",
      status: 404,
      milliseconds: expect.any(Number),
    });
    for (const secret of [token, "123", "ada"]) expect(result.stdout).not.toContain(secret);
  });

  it("serves metrics on a separate port", async () => {
    const server = await startServer(["--database", newDatabasePath(), "--metrics-port", "0"]);
    const [, metricsUrl = ""] = await server.waitForOutput(/metrics are available at (\S+)\n/);
    await fetch(`${server.url}/v1/contacts`);
    const response = await fetch(metricsUrl);
    expect(response.headers.get("content-type")).toContain("text/plain");
    const text = await response.text();
    expect(text).toContain(
      'loyalty_http_request_duration_seconds_count{method="GET",route="/v1/contacts",status="401"} 1',
    );
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
    expect((await fetch(metricsUrl.replace("/metrics", "/v1/contacts"))).status).toBe(404);
  });

  it("warns if another process uses the same database with another key, and not if all share one", async () => {
    const databaseArgs = ["--database", await createDatabase()];
    const startWithKey = (key: string) =>
      startServer(databaseArgs, { LOYALTY_OAUTH_KEY: key.padEnd(32, "*") });
    const [server, sameServer, other] = [
      await startWithKey("a"),
      await startWithKey("a"),
      await startWithKey("b"),
    ];
    // The start-up log of each server is complete once it has shut down.
    for (const { process, exit } of [other, sameServer, server]) {
      process.kill("SIGTERM");
      const { stderr } = await exit;
      const warnings = stderr
        .split("\n")
        .filter((line) => line.includes("with a different LOYALTY_OAUTH_KEY"));
      expect(warnings).toHaveLength(process === other.process ? 2 : 0);
    }
  });

  it("traces its requests with the SDK that Node.js was given", async () => {
    const sdk = join(import.meta.dirname, "spans-to-stdout.mjs");
    const server = await startServer(["--database", newDatabasePath(), "--open-telemetry"], {
      NODE_OPTIONS: `--import ${sdk}`,
    });
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await fetch(`${server.url}/v1/contacts`, {
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    });
    await server.waitForOutput(new RegExp(`^span GET /v1/contacts of ${traceId}$`, "m"));
  });

  it("counts anonymous clients by the address that a trusted proxy reports, and ignores it from others", async () => {
    const startForStrangers = async (...options: string[]) => {
      const { url } = await startServer([
        "--database",
        newDatabasePath(),
        "--rate-limit",
        "1/3600",
        ...options,
      ]);
      const getFrom = (address: string) =>
        fetch(`${url}/v1/contacts`, { headers: { "x-forwarded-for": address } });
      const statuses: number[] = [];
      for (let at = 0; at < 300 && statuses.at(-1) !== 429; at += 1) {
        statuses.push((await getFrom(`203.0.113.${at % 250}`)).status);
      }
      return statuses.at(-1);
    };
    expect(await startForStrangers()).toBe(429);
    expect(await startForStrangers("--trusted-proxy", "10.0.0.0/8")).toBe(429);
    expect(await startForStrangers("--trusted-proxy", "loopback")).toBe(401);
  });

  it("makes the console's session cookie secure if a trusted proxy reports https, and ignores that from others", async () => {
    const file = await createDatabase();
    const databaseArgs = ["--database", file, "--organization", "acme"];
    const { stdout } = await runCommand([
      "token",
      "create",
      ...databaseArgs,
      "--name",
      "till",
      "--scopes",
      "all",
    ]);
    const getCookie = async (...options: string[]) => {
      const { url } = await startServer(["--database", file, ...options]);
      const response = await fetch(`${url}/console`, {
        method: "POST",
        headers: { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" },
        body: new URLSearchParams({ token: stdout.trim() }),
        redirect: "manual",
      });
      return response.headers.get("set-cookie");
    };
    expect(await getCookie("--trusted-proxy", "loopback")).toMatch(
      /^__Host-loyalty-kit-console=.+; Path=\/; Secure; /,
    );
    expect(await getCookie()).toMatch(/^loyalty-kit-console=.+; Path=\/console; (?!.*Secure)/);
  });

  it("applies the limits of --limits to an organization", async () => {
    const databaseArgs = ["--database", await createDatabase()];
    const tokenResult = await runCommand([
      "token",
      "create",
      "--organization",
      "acme",
      "--name",
      "till",
      "--scopes",
      "all",
      ...databaseArgs,
    ]);
    const { url } = await startServer([...databaseArgs, "--limits", "tags=1, apps=1"]);
    const createTag = async (name: string) => {
      const headers = {
        authorization: `Bearer ${tokenResult.stdout.trim()}`,
        "content-type": "application/json",
      };
      const body = JSON.stringify({ name });
      return (await fetch(`${url}/v1/user-tags`, { method: "POST", headers, body })).status;
    };
    expect([await createTag("VIP"), await createTag("Regular")]).toEqual([201, 409]);
  });

  it("starts with the periods of --retention", async () => {
    const { url } = await startServer([
      "--database",
      newDatabasePath(),
      "--retention",
      "eventDays=7, deliveryDays=1, idempotencyHours=12",
    ]);
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  });

  it.each([
    ["--trusted-proxy", "everyone"],
    ["--log", "xml"],
    ["--metrics-port", "70000"],
    ["--limits", "tag=5"],
    ["--limits", "tags=0"],
    ["--limits", "tags=5,tags=6"],
    ["--retention", "days=5"],
    ["--retention", "eventDays=0"],
    ["--retention", "idempotencyHours=11"],
    ["--retention", "maxEvents=5,maxEvents=6"],
  ])("refuses %s %s in one line", async (...option) => {
    const { code, stdout, stderr } = await runCommand(["serve", "--database", newDatabasePath(), ...option]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^loyalty-kit: .+\n$/);
  });
});
