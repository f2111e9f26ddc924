import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { root } from "../imports.js";
import { install, linkModules } from "../package/installed.js";
import { pack } from "../package/packed.js";
import { onSqlite, service, worker, workerConfig } from "./programs.js";
import { fetchRuntimes, type Runtime, readModulesVersion, runProgram } from "./runtimes.js";

/*
 * Tests what works of the build on each runtime, and compares that with the table in docs/contributing/versions.md. It
 * exits with code 1 if the table is wrong. `better-sqlite3` 12 is tested where the build of this machine fits;
 * `--compile` builds it for each Node.js, which takes some minutes.
 */
const { values } = parseArgs({ options: { compile: { type: "boolean", default: false } } });
const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-runtimes-"));
const packedPackage = pack(folder);
const { servers, edge } = await fetchRuntimes(join(folder, "runtimes"));

function createHost(name: string, ...drivers: readonly string[]): string {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  const installed = install(cwd, packedPackage);
  if (drivers.length > 0) linkModules(installed, drivers);
  writeFileSync(join(cwd, "service.js"), service);
  writeFileSync(join(cwd, "sqlite.js"), onSqlite);
  return cwd;
}

/** Describes the outcome of a program in the words of the table. */
function describeOutcome(output: string): string {
  if (output.split("\n").includes("ada@example.com")) return "yes";
  return /needs Node\.js 22 or later/.test(output) ? "refused, with what to do" : "no";
}

const bundled = ["bindings", "file-uri-to-path"];
const older = createHost("older", "better-sqlite3", ...bundled);
const newer = createHost("newer");
const newest = [
  "install",
  "--prefer-offline",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
  "better-sqlite3@13",
];
execFileSync("npm", newest, { cwd: newer });

/** Returns the host with `better-sqlite3` 12 for a runtime, or `null` if the build of this machine doesn't fit. */
async function runOlderHost({ name, home, ...rest }: Runtime): Promise<string | null> {
  if (home === undefined || (await readModulesVersion({ name, ...rest })) === process.versions.modules)
    return older;
  if (!values.compile) return null;
  const cwd = createHost(name.replaceAll(/[^\w]/g, "-"), ...bundled);
  const driver = join(cwd, "node_modules/better-sqlite3");
  const isSource = (path: string) => !path.startsWith(join(root, "node_modules/better-sqlite3/build"));
  cpSync(join(root, "node_modules/better-sqlite3"), driver, { recursive: true, filter: isSource });
  const options = ["--yes", "node-gyp", "rebuild", "--release", `--nodedir=${home}`, `--directory=${driver}`];
  const env = { ...process.env, PATH: [join(home, "bin"), process.env.PATH].join(delimiter) };
  execFileSync("npx", options, { cwd, env, stdio: "ignore" });
  return cwd;
}

const found = new Map<string, readonly (string | null)[]>();
for (const runtime of servers) {
  const host = await runOlderHost(runtime);
  found.set(runtime.name, [
    describeOutcome(await runProgram(runtime, newer, "service.js")),
    host === null ? null : describeOutcome(await runProgram(runtime, host, "sqlite.js")),
    describeOutcome(await runProgram(runtime, newer, "sqlite.js")),
  ]);
}

writeFileSync(join(newer, "worker-source.js"), worker);
writeFileSync(join(newer, "worker.capnp"), workerConfig);
await build({
  absWorkingDir: newer,
  entryPoints: ["worker-source.js"],
  outfile: join(newer, "worker.js"),
  ...{ bundle: true, format: "esm", platform: "node", logLevel: "silent" },
});
found.set(edge.name, [describeOutcome(await runProgram(edge, newer))]);
rmSync(folder, { recursive: true });

const page = readFileSync(join(root, "docs/contributing/versions.md"), "utf8");
for (const [name, cells] of found) {
  console.log(`| ${[name, ...cells.map((cell) => cell ?? "not asked")].join(" | ")} |`);
  const [row = ""] = page.split("\n").filter((line) => line.startsWith(`| ${name} |`));
  const oldCells = row.split("|").slice(2, -1);
  if (cells.some((cell, at) => cell !== null && cell !== oldCells[at]?.trim())) {
    console.error(`docs/contributing/versions.md says otherwise: ${row === "" ? "nothing" : row}`);
    process.exitCode = 1;
  }
}
