/*
 * What compose.yaml sets up, on this machine and without Docker: two servers with logs in JSON, health and metrics, the one
 * behind a proxy that it trusts.
 * Run it: npx tsx examples/production/try.ts
 */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const manifest = createRequire(import.meta.url).resolve("loyalty-kit/package.json");
const program = join(dirname(manifest), "dist/cli.js"); // `npx loyalty-kit` in a shell
const folder = mkdtempSync(join(tmpdir(), "loyalty-"));
const env = {
  ...process.env,
  LOYALTY_DATABASE: join(folder, "loyalty.db"),
  LOYALTY_PUBLIC_URL: "https://loyalty.example.com",
  LOYALTY_OAUTH_KEY: randomBytes(32).toString("hex"), // the same in both
  LOYALTY_SECRET_KEYS: randomBytes(32).toString("hex"), // the same in both, too
  LOYALTY_TRUSTED_PROXY: "loopback",
  LOYALTY_LOG: "json",
  LOYALTY_PORT: "0",
  LOYALTY_METRICS_PORT: "0",
};

// Each line of the log is JSON. The first ones tell the ports.
function startServer() {
  const server = spawn(process.execPath, [program, "serve"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(server, "exit");
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();

  /** The first line of the log from here on that has it. */
  async function waitForLogLine(
    has: (line: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error("the server has ended");
      const line = JSON.parse(value);
      if (has(line)) return line;
    }
  }
  return { server, ended: exit, logged: waitForLogLine };
}

const { server, ended, logged } = startServer();
const { message: listens } = await logged(({ message }) => String(message).includes("is listening on"));
const { message: measures } = await logged(({ message }) =>
  String(message).includes("metrics are available at"),
);
const upstream = String(listens).replace(/.* on /, "");
console.log(`ready: ${(await fetch(`${upstream}/health/ready`)).status}`);

// A proxy says whom it asks for. A real one speaks TLS too.
const proxy = createServer((from, to) => {
  const forwarded = { ...from.headers, "x-forwarded-for": String(from.headers["x-client"]) };
  const onward = request(`${upstream}${from.url}`, { method: from.method, headers: forwarded }, (answer) => {
    to.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(to);
  });
  from.pipe(onward);
}).listen(0, "127.0.0.1");
await once(proxy, "listening");
const address = proxy.address();
const site = `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`;

const tokenOptions = ["--organization", "cafe", "--name", "till", "--scopes", "user:read"];
const token = execFileSync(process.execPath, [program, "token", "create", ...tokenOptions], {
  env,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});
const requestContacts = (client: string, bearer: string) =>
  fetch(`${site}/v1/contacts`, {
    headers: { authorization: `Bearer ${bearer}`, "x-client": client, "x-request-id": "till-7.42" },
  });

const { status } = await requestContacts("203.0.113.1", token.trim());
const line = await logged(({ requestId }) => requestId === "till-7.42");
console.log(`answered ${status}, logged as ${line.method} ${line.route} of ${line.organizationId}`);

// Who has signed in at one server is known to the other, which has the same key.
const other = startServer();
const { message } = await other.logged(({ message }) => String(message).includes("is listening on"));
const browser = { "sec-fetch-site": "same-origin" };
const body = new URLSearchParams({ token: token.trim() });
const signedIn = await fetch(`${upstream}/console`, {
  method: "POST",
  headers: browser,
  body,
  redirect: "manual",
});
const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
const page = await fetch(`${String(message).replace(/.* on /, "")}/console`, {
  headers: { ...browser, cookie },
});
console.log(
  `the other server ${(await page.text()).includes("<h1>Sign in") ? "asks to sign in" : "shows the console"}`,
);

// A client that guesses tokens is stopped after a hundred requests a minute. Other clients are not affected.
for (let guess = 0; guess < 100; guess += 1) await (await requestContacts("203.0.113.66", "guess")).text();
console.log(`guessing: ${(await requestContacts("203.0.113.66", "guess")).status}`);
console.log(`a stranger elsewhere: ${(await requestContacts("203.0.113.2", "guess")).status}`);

const metrics = await (await fetch(String(measures).replace(/.* at /, ""))).text();
const match = /^loyalty_http_request_duration_seconds_count\{(?=.*contacts).*status="401".*$/m.exec(metrics);
console.log(match?.[0]);

// SIGTERM: the server answers running requests, and then closes the database.
proxy.close();
proxy.closeAllConnections();
server.kill("SIGTERM");
other.server.kill("SIGTERM");
const [code] = await ended;
await other.ended;
console.log(`ended with ${code}`);
rmSync(folder, { recursive: true });

/* Output:

ready: 200
answered 200, logged as GET /v1/contacts of cafe
the other server shows the console
guessing: 429
a stranger elsewhere: 401
loyalty_http_request_duration_seconds_count{method="GET",route="/v1/contacts",status="401"} 101
ended with 0
*/
