import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import * as z from "zod";
import { findFreePort } from "../kit/free-port.js";
import { copyPackage } from "../project/package/next.js";
import { installOptions, pack } from "../project/package/packed.js";

/*
 * Installs the packed package in each host of `examples/hosts`, in an empty folder, as a new user would. Builds and
 * starts the host, calls the API and the host's own route, and stops the host. Arguments are names of hosts; default:
 * all. `--write` puts their rows into `docs/frameworks.md`. Prints the table, and exits with code 1 if a host fails.
 */

const run = promisify(execFile);
const examples = join(import.meta.dirname, "../../examples/hosts");
const pageFile = join(import.meta.dirname, "../../docs/frameworks.md");
const manifestSchema = z.object({
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

/** Packages that are not part of a framework. */
const dependencies =
  /^(better-sqlite3|isbot|loyalty-kit|react|react-dom|reflect-metadata|rxjs|svelte|typescript|vite|@types\/.+)$/;

/** Maximum seconds from a host's start to its first response, and from SIGTERM to its exit. */
const PATIENCE = 60;

/** What each host must do: the columns of the table. */
const columns = ["Build", "Create", "Conflict", "Unknown user", "Stamp", "Refusal", "SIGTERM"] as const;

const introduction = `\`npm run test:hosts\` installs the packed package in each project, builds and starts it. It creates a user, one whose
email is taken, and a card, reads an unknown user, adds a stamp in the app's own route, there also to an unknown card, and ends the process.`;

/** A requirement that a host fails. */
interface Problem {
  readonly column: (typeof columns)[number];
  readonly message: string;
}

interface Host {
  readonly folder: string;
  readonly manifest: z.infer<typeof manifestSchema>;
}

const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-hosts-"));
const { file } = pack(folder);
const { values, positionals } = parseArgs({
  options: { write: { type: "boolean", default: false } },
  allowPositionals: true,
});
const names = positionals.length > 0 ? positionals : readdirSync(examples).sort();
const rows: string[] = [];
for (const name of names) rows.push(await runHost(name));
rmSync(folder, { recursive: true });
const head = [
  formatRow("Host", "Versions", ...columns),
  formatRow("---", "---", ...columns.map(() => "---")),
];
console.log([...head, ...rows].join("\n"));
if (values.write) writeRows();

/** Tests a host, prints its problems and returns its row. */
async function runHost(name: string): Promise<string> {
  try {
    const host = await installHost(name);
    const problems = await tryHost(host);
    for (const { column, message } of problems) reportFailure(name, `${column}: ${message}`);
    const cells = columns.map((column) => (problems.some((each) => each.column === column) ? "no" : "yes"));
    return `${rowPrefix(name)} ${formatRow(listVersions(host), ...cells)}`;
  } catch (error) {
    reportFailure(
      name,
      error instanceof Error ? `${error.message}\n${Reflect.get(error, "stdout") ?? ""}` : String(error),
    );
    return `${rowPrefix(name)} ${formatRow("", ...columns.map(() => "no"))}`;
  }
}

function reportFailure(name: string, message: string): void {
  process.exitCode = 1;
  console.error(`${name}: ${message}`);
}

function formatRow(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Writes the rows, with the date, into the table at the end of the page, replacing rows of the same hosts. */
function writeRows(): void {
  const [before = "", triedRows = ""] = readFileSync(pageFile, "utf8").split(
    /(?<=^## Versions that were tried\n)/m,
  );
  const older = triedRows
    .split("\n")
    .filter((line) => /^\| \[/.test(line) && !names.some((name) => line.startsWith(rowPrefix(name))));
  const date = new Date().toISOString().slice(0, 10);
  const intro = `\n${date}, Node.js ${process.versions.node}. ${introduction}\n\n`;
  writeFileSync(pageFile, `${before}${intro}${[...head, ...[...older, ...rows].sort()].join("\n")}\n`);
}

function rowPrefix(name: string): string {
  return `| [${name}](../examples/hosts/${name})`;
}

async function installHost(name: string): Promise<Host> {
  const cwd = join(folder, name);
  cpSync(join(examples, name), cwd, { recursive: true });
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(cwd, "package.json"), "utf8")));
  await run("npm", ["install", "--ignore-scripts", ...installOptions, file], { cwd });
  // Copies the build from this checkout, so that SQLite isn't compiled again.
  for (const native of ["better-sqlite3", "bindings", "file-uri-to-path"]) copyPackage(native, cwd);
  if (manifest.scripts.build !== undefined) await run("npm", ["run", "build"], { cwd });
  return { folder: cwd, manifest };
}

/** Tests a host. @returns the requirements that it fails. */
async function tryHost({ folder: cwd, manifest }: Host): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  if (existsSync(join(cwd, "loyalty.db"))) problems.push({ column: "Build", message: "opens the database" });
  const cli = join(cwd, "node_modules/.bin/loyalty-kit");
  await run(cli, ["migrate", "--database", "loyalty.db"], { cwd });
  const token = ["token", "create", "--organization", "cafe", "--name", "test", "--scopes", "all"];
  const { stdout } = await run(cli, [...token, "--database", "loyalty.db"], { cwd });
  const port = `${await findFreePort()}`;
  const [program = "", ...args] = (manifest.scripts.start ?? "").split(" ");
  const path = `${join(cwd, "node_modules/.bin")}:${process.env.PATH}`;
  const env = { ...process.env, PATH: path, PORT: port, NODE_ENV: "production" };
  const server = spawn(program, args, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
  const exit = once(server, "exit");
  try {
    problems.push(...(await callHost(`http://127.0.0.1:${port}`, stdout.trim())));
    server.kill("SIGTERM");
    const end = await Promise.race([exit, wait(PATIENCE * 1_000, null, { ref: false })]);
    if (end === null) problems.push({ column: "SIGTERM", message: "doesn't end the process" });
    return problems;
  } finally {
    server.kill("SIGKILL");
  }
}

async function callHost(url: string, token: string): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const post = (path: string, body: unknown) =>
    fetch(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const expectStatus = async (column: Problem["column"], response: Response, status: number) => {
    const text = await response.text();
    if (response.status !== status)
      problems.push({ column, message: `the status is ${response.status}, not ${status}: ${text}` });
    return text;
  };
  await whenAnswering(url);
  const user = { email: "ada@example.com" };
  await expectStatus("Create", await post("/loyalty/v1/users", user), 201);
  await expectStatus("Conflict", await post("/loyalty/v1/users", user), 409);
  const headers = { authorization: `Bearer ${token}` };
  const unknown = await fetch(`${url}/loyalty/v1/users/nobody`, { headers });
  await expectStatus("Unknown user", unknown, 404);
  const template = { name: "Coffee", type: "STAMP_CARD", maxStamps: 10 };
  const templateBody = await expectStatus("Create", await post("/loyalty/v1/templates", template), 201);
  const { id } = z.object({ id: z.string() }).parse(JSON.parse(templateBody));
  const issue = await post(`/loyalty/v1/templates/${id}/walletpasses`, {
    user: { email: "eve@example.com" },
  });
  const card = z.object({ id: z.string() }).parse(JSON.parse(await expectStatus("Create", issue, 201)));
  const order = await post("/orders", { card: card.id });
  const orderText = await order.text();
  if (!order.ok || !orderText.includes('"currentStamps":1'))
    problems.push({ column: "Stamp", message: `the answer is ${order.status}: ${orderText}` });
  await expectStatus("Refusal", await post("/orders", { card: "nobody" }), 404);
  return problems;
}

/** Waits until a host responds. */
async function whenAnswering(url: string): Promise<void> {
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

/** Formats a host's packages with their installed versions. */
function listVersions({ folder: cwd, manifest }: Host): string {
  const packageNames = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    (name) => !dependencies.test(name),
  );
  const versions = packageNames.map((name) => {
    const installedManifest: unknown = JSON.parse(
      readFileSync(join(cwd, "node_modules", name, "package.json"), "utf8"),
    );
    return `${name} ${z.object({ version: z.string() }).parse(installedManifest).version}`;
  });
  return versions.length === 0 ? "`node:http`" : versions.join(", ");
}
