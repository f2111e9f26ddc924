import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../imports.js";
import type { Installation } from "./installed.js";

/** A server and a page that calls its API, each to be bundled into one file. */
const server = `
  import { createServer } from "node:http";
  import { LoyaltyService } from "loyalty-kit";
  import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
  import { memoryStorage } from "loyalty-kit/memory";

  export async function started() {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const { token } = await loyalty.organization("cafe").apiTokens.create({ name: "page", scopes: ["user:create"] });
    const http = createServer(nodeListener(createHttpApi(loyalty, { authenticate: apiTokens(loyalty) })));
    await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
    return { url: "http://127.0.0.1:" + http.address().port, token, close: () => http.close(() => loyalty.close()) };
  }`;

const page = `
  import { createClient } from "loyalty-kit/client";
  export const join = (url, token, email) => createClient({ url, token }).users.create({ email });`;

const program = `
  import { started } from "./bundles/server.js";
  import { join } from "./bundles/page.js";
  const { url, token, close } = await started();
  console.log((await join(url, token, "ada@example.com")).email);
  close();`;

/** Arguments of each bundler, for a Node.js server that includes all packages, and for a page. */
const bundlers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  esbuild: [
    [
      ...["server.js", "--bundle", "--platform=node", "--format=esm"],
      ...["--outdir=bundles", "--log-level=warning"],
    ],
    [...["page.js", "--bundle", "--format=esm", "--minify"], ...["--outdir=bundles", "--log-level=warning"]],
  ],
  vite: [
    ["build", "--logLevel", "warn", "--mode", "server"],
    ["build", "--logLevel", "warn", "--mode", "page"],
  ],
};

const viteConfig = `
  export default ({ mode }) => ({
    ssr: { noExternal: true },
    build: {
      ...(mode === "server" ? { ssr: "server.js" } : { lib: { entry: "page.js", formats: ["es"], fileName: "page" } }),
      outDir: "bundles",
      emptyOutDir: false,
    },
  });`;

/** A program on a SQLite file, with entry points whose optional packages aren't installed. */
export const onSqlite = `
  import { LoyaltyService } from "loyalty-kit";
  import { createConsole } from "loyalty-kit/console";
  import { createMail } from "loyalty-kit/mail";
  import { sqliteStorage } from "loyalty-kit/sqlite";
  import { testLoyalty } from "loyalty-kit/testing";
  import { drawStamps } from "./drawn.js";
  async function main() {
    const reports = [];
    const onError = (error) => error.name === "DrawingTimeout" || reports.push(error.work ?? String(error));
    const loyalty = new LoyaltyService({ storage: await sqliteStorage("cafe.db"), onError });
    const rows = async function* () {
      for (let at = 0; at < 20_000; at += 1) yield { email: at + "@example.com" };
    };
    const { users, tags } = loyalty.organization("cafe");
    const { created } = await users.import(rows());
    await tags.rebuildIndex();
    const drawn = await drawStamps(loyalty);
    const entries = [createConsole, createMail, testLoyalty].map((each) => typeof each);
    await loyalty.close();
    console.log(created, ...entries, drawn, ...reports.sort());
  }
  main();`;

const noThreads = `
  require("node:worker_threads").Worker = class {
    constructor() {
      throw Object.assign(new Error("no threads here"), { code: "ERR_ACCESS_DENIED" });
    }
  };
  require("node:module").syncBuiltinESMExports();`;

/**
 * Bundles a program on SQLite in both module formats, without the optional packages, and runs it in another folder than
 * the one where it was built: no code may depend on its location while it is loaded, and threads must find the driver.
 * Then it runs the program without threads, which must do the same and report each thread once.
 * @param expectedPicture the hash of the picture that a thread draws.
 */
export function findSqliteBundleProblems(
  { folder }: Installation,
  expectedPicture: string,
): readonly string[] {
  writeFileSync(join(folder, "on-sqlite.js"), onSqlite);
  const movedFolder = mkdtempSync(join(tmpdir(), "a bundle moved "));
  mkdirSync(join(movedFolder, "node_modules"));
  writeFileSync(join(movedFolder, "no-threads.cjs"), noThreads);
  for (const name of ["better-sqlite3", "bindings", "file-uri-to-path", "@resvg"])
    symlinkSync(join(root, "node_modules", name), join(movedFolder, "node_modules", name), "junction");
  const runs = [
    { preloaded: [], reports: "" },
    { preloaded: ["--require", "./no-threads.cjs"], reports: " checkpoints large_changes pictures" },
  ];
  const problems = [
    ["cjs", "cjs"],
    ["esm", "mjs"],
  ].flatMap(([format, ending]) => {
    const args = ["on-sqlite.js", "--bundle", "--platform=node", `--format=${format}`, "--log-level=error"];
    const out = [`--outfile=${join(movedFolder, `host.${ending}`)}`, "--external:better-sqlite3"];
    const bundled = spawnSync(join(root, "node_modules/.bin/esbuild"), [...args, ...out], {
      cwd: folder,
      encoding: "utf8",
    });
    return runs.flatMap(({ preloaded, reports }) => {
      const ran = spawnSync(process.execPath, [...preloaded, `host.${ending}`], {
        cwd: movedFolder,
        encoding: "utf8",
      });
      rmSync(join(movedFolder, "cafe.db"), { force: true });
      const isWell =
        ran.stdout === `20000 function function function ${expectedPicture}${reports}\n` &&
        bundled.stderr + ran.stderr === "";
      return isWell ? [] : [`bundled as ${format}:\n${bundled.stderr}${ran.stdout}${ran.stderr}`];
    });
  });
  rmSync(movedFolder, { recursive: true });
  return problems;
}

/** Bundles a server and a page as hosts do, and calls the server from the page. */
export function findBundleProblems({ folder }: Installation): readonly string[] {
  const runProgram = (program: string, args: readonly string[]) =>
    spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  const files = { "server.js": server, "page.js": page, "asked.js": program, "vite.config.js": viteConfig };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return Object.entries(bundlers).flatMap(([name, commands]) => {
    rmSync(join(folder, "bundles"), { recursive: true, force: true });
    const bundled = commands.map((args) => runProgram(join(root, "node_modules/.bin", name), args));
    const result = runProgram(process.execPath, ["asked.js"]);
    const wrong = [...bundled, result].filter(({ status, stderr }) => status !== 0 || stderr !== "");
    if (wrong.length > 0) return wrong.map(({ stdout, stderr }) => `bundled by ${name}:\n${stdout}${stderr}`);
    return result.stdout === "ada@example.com\n" ? [] : [`bundled by ${name}, a page gets ${result.stdout}`];
  });
}
