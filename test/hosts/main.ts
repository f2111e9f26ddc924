import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import * as z from "zod";
import { freePort } from "../kit/free-port.js";
import { copyPackage } from "../project/package/next.js";
import { installOptions, pack } from "../project/package/packed.js";

/*
 * Installs the packed package in each host of `examples/hosts`, in an empty folder, as a stranger does. It builds and starts
 * the host, calls the interface and the host's own route, and ends it. Arguments are the names of hosts; without any, all
 * are tried. It prints a table, and ends with exit code 1 when a host does not do what it must.
 */

const run = promisify(execFile);
const examples = join(import.meta.dirname, "../../examples/hosts");
const manifestSchema = z.object({
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
});

/** Seconds that a host may take from its start to its first answer, and from SIGTERM to its end. */
const PATIENCE = 60;

interface Host {
  readonly name: string;
  readonly folder: string;
  readonly manifest: z.infer<typeof manifestSchema>;
}

const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-hosts-"));
const { file } = pack(folder);
const names = process.argv.length > 2 ? process.argv.slice(2) : readdirSync(examples).sort();
const rows: string[] = [];
for (const name of names) {
  const problems = await problemsOf(name);
  if (problems.length > 0) process.exitCode = 1;
  for (const problem of problems) console.error(`${name}: ${problem}`);
}
rmSync(folder, { recursive: true });
console.log(["| Host | Node.js | Works |", "| --- | --- | --- |", ...rows].join("\n"));

async function problemsOf(name: string): Promise<readonly string[]> {
  try {
    const host = await installHost(name);
    const problems = await tryHost(host);
    rows.push(`| ${versionsOf(host)} | ${process.versions.node} | ${problems.length === 0 ? "yes" : "no"} |`);
    return problems;
  } catch (error) {
    rows.push(`| ${name} | ${process.versions.node} | no |`);
    return [
      error instanceof Error ? `${error.message}\n${Reflect.get(error, "stdout") ?? ""}` : String(error),
    ];
  }
}

async function installHost(name: string): Promise<Host> {
  const cwd = join(folder, name);
  cpSync(join(examples, name), cwd, { recursive: true });
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(cwd, "package.json"), "utf8")));
  await run("npm", ["install", "--ignore-scripts", ...installOptions, file], { cwd });
  // Its build of a checkout saves compiling SQLite once more.
  for (const native of ["better-sqlite3", "bindings", "file-uri-to-path"]) copyPackage(native, cwd);
  if (manifest.scripts.build !== undefined) await run("npm", ["run", "build"], { cwd });
  return { name, folder: cwd, manifest };
}

/** Returns what a host does not do as it must. */
async function tryHost({ folder: cwd, manifest }: Host): Promise<readonly string[]> {
  const opened = existsSync(join(cwd, "loyalty.db")) ? ["building it opens the database"] : [];
  const cli = join(cwd, "node_modules/.bin/loyalty-kit");
  await run(cli, ["migrate", "--database", "loyalty.db"], { cwd });
  const token = ["token", "create", "--organization", "cafe", "--name", "test", "--scopes", "all"];
  const { stdout } = await run(cli, [...token, "--database", "loyalty.db"], { cwd });
  const port = `${await freePort()}`;
  const [program = "", ...args] = (manifest.scripts.start ?? "").split(" ");
  const path = `${join(cwd, "node_modules/.bin")}:${process.env.PATH}`;
  const env = { ...process.env, PATH: path, PORT: port, NODE_ENV: "production" };
  const server = spawn(program, args, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(server, "exit");
  try {
    const called = await callHost(`http://127.0.0.1:${port}`, stdout.trim());
    server.kill("SIGTERM");
    const end = await Promise.race([ended, wait(PATIENCE * 1_000, null, { ref: false })]);
    return [...opened, ...called, ...(end === null ? ["it does not end by SIGTERM"] : [])];
  } finally {
    server.kill("SIGKILL");
  }
}

async function callHost(url: string, token: string): Promise<readonly string[]> {
  const problems: string[] = [];
  const post = (path: string, body: unknown) =>
    fetch(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const expectStatus = async (what: string, response: Response, status: number) => {
    const text = await response.text();
    if (response.status !== status)
      problems.push(`${what} is answered ${response.status}, not ${status}: ${text}`);
    return text;
  };
  await answers(url);
  const user = { email: "ada@example.com" };
  await expectStatus("a new user", await post("/loyalty/v1/users", user), 201);
  await expectStatus("an email that is taken", await post("/loyalty/v1/users", user), 409);
  const headers = { authorization: `Bearer ${token}` };
  const unknown = await fetch(`${url}/loyalty/v1/users/nobody`, { headers });
  await expectStatus("an unknown user", unknown, 404);
  const template = { name: "Coffee", type: "STAMP_CARD", maxStamps: 10 };
  const made = await expectStatus("a template", await post("/loyalty/v1/templates", template), 201);
  const { id } = z.object({ id: z.string() }).parse(JSON.parse(made));
  const issue = await post(`/loyalty/v1/templates/${id}/walletpasses`, {
    user: { email: "eve@example.com" },
  });
  const card = z.object({ id: z.string() }).parse(JSON.parse(await expectStatus("a card", issue, 201)));
  const order = await post("/orders", { card: card.id });
  const stamped = await order.text();
  if (!order.ok || !stamped.includes('"currentStamps":1'))
    problems.push(`a stamp in the host's own code is answered ${order.status}: ${stamped}`);
  await expectStatus(
    "an unknown card in the host's own code",
    await post("/orders", { card: "nobody" }),
    404,
  );
  return problems;
}

/** Waits until a host answers. */
async function answers(url: string): Promise<void> {
  for (let tries = PATIENCE * 4; ; tries -= 1) {
    try {
      await fetch(`${url}/loyalty/v1/users`);
      return;
    } catch (error) {
      if (tries === 0) throw error;
      await wait(250);
    }
  }
}

/** Names what a host is made of, with the versions that were installed. */
function versionsOf({ folder: cwd, manifest }: Host): string {
  const own = new Set(["better-sqlite3", "loyalty-kit", "reflect-metadata", "rxjs"]);
  const named = Object.keys(manifest.dependencies).filter((name) => !own.has(name));
  const versioned = named.map((name) => {
    const installed: unknown = JSON.parse(
      readFileSync(join(cwd, "node_modules", name, "package.json"), "utf8"),
    );
    return `${name} ${z.object({ version: z.string() }).parse(installed).version}`;
  });
  return versioned.length === 0 ? "`node:http`" : versioned.join(", ");
}
