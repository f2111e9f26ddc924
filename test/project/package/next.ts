import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { findFreePort } from "../../kit/free-port.js";
import { root } from "../imports.js";
import { drawnModule } from "./drawing-by-threads.js";
import { installOptions, type PackedPackage } from "./packed.js";

const run = promisify(execFile);

const packages = [
  "next@16",
  "react@19",
  "react-dom@19",
  "typescript@5.9",
  "@types/node@20",
  "@types/react@19",
];
const route = "app/api/loyalty/[...path]/route.ts";

/** A route that draws stamps, and returns the hash of the picture and the reported errors. */
const stampsRoute = `
  import { LoyaltyService } from "loyalty-kit";
  import { memoryStorage } from "loyalty-kit/memory";
  import { drawStamps } from "./drawn.js";
  export async function POST() {
    const reports = [];
    const loyalty = new LoyaltyService({ storage: memoryStorage(), onError: (error) => error.name === "DrawingTimeout" || reports.push(String(error)) });
    return new Response([await drawStamps(loyalty), ...reports].join(" "));
  }`;

/** Returns a route that bundles all of these entry points, and responds with their number. */
function createEntryPointsRoute(names: readonly string[]): string {
  const imports = names.map((name, at) => `import * as entry${at} from "${name}";`);
  const all = names.map((_, at) => `entry${at}`).join(", ");
  return `${imports.join("\n")}
  export const POST = () => new Response(String([${all}].filter((entry) => Object.keys(entry).length > 0).length));`;
}

/**
 * Builds a Next.js application with each of its bundlers, and starts it. It has the route of the documentation, one
 * that draws stamps and one with all entry points. The build must open no database, the API must respond, and the
 * stamps must look as elsewhere.
 * @param names the entry points. Except for the Postgres one, whose driver isn't installed, none may need an optional
 * package.
 * @param picture the hash of the picture that a thread draws.
 */
export async function findNextProblems(
  folder: string,
  { file }: PackedPackage,
  names: readonly string[],
  picture: string,
): Promise<readonly string[]> {
  const entryPoints = names.filter((name) => name !== "loyalty-kit/postgres");
  const cwd = join(folder, "next");
  try {
    mkdirSync(join(cwd, dirname(route)), { recursive: true });
    writeFileSync(join(cwd, "package.json"), '{ "name": "host", "private": true }');
    writeFileSync(join(cwd, route), readDocumentedRoute());
    mkdirSync(join(cwd, "app/stamps"));
    writeFileSync(join(cwd, "app/stamps/route.js"), stampsRoute);
    writeFileSync(join(cwd, "app/stamps/drawn.js"), drawnModule);
    mkdirSync(join(cwd, "app/entries"));
    writeFileSync(join(cwd, "app/entries/route.js"), createEntryPointsRoute(entryPoints));
    writeFileSync(join(cwd, "app/layout.tsx"), layout);
    writeFileSync(join(cwd, "app/page.tsx"), "export default () => <p>Café</p>;");
    await run("npm", ["install", ...installOptions, file, ...packages], { cwd });
    for (const name of ["better-sqlite3", "bindings", "file-uri-to-path", "@resvg/resvg-wasm"])
      copyPackage(name, cwd);
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
    const problems: string[] = [];
    for (const bundler of ["--webpack", "--turbopack"]) {
      await run(process.execPath, [join(cwd, "node_modules/next/dist/bin/next"), "build", bundler], {
        cwd,
        env,
      });
      if (existsSync(join(cwd, "loyalty.db"))) problems.push("next build opens the database of the route");
      const wrong = await serveNext(cwd, env, [picture, String(entryPoints.length)]);
      problems.push(...wrong.map((problem) => `${bundler}: ${problem}`));
      for (const end of ["", "-wal", "-shm"]) rmSync(join(cwd, `loyalty.db${end}`), { force: true });
    }
    return problems;
  } catch (error) {
    return [`a host of Next.js: ${error}`];
  }
}

const layout = `
  export default ({ children }: { children: React.ReactNode }) => <html><body>{children}</body></html>;`;

function readDocumentedRoute(): string {
  const page = readFileSync(join(root, "docs/frameworks.md"), "utf8");
  const [, code] = /^`app\/api\/loyalty\/.+?`\n\n```ts\n(.+?)```/ms.exec(page) ?? [];
  if (code === undefined) throw new Error("the documentation has no route handler");
  return code;
}

/** Copies a package instead of linking it, because Next.js follows no link out of its project. */
export function copyPackage(name: string, cwd: string): void {
  const from = join(root, "node_modules", name);
  // Without the sources of SQLite, and without intermediate files of the compilation.
  const isNeeded = (path: string) => !/better-sqlite3\/(deps|src|build\/Release\/(obj|\.deps))/.test(path);
  cpSync(from, join(cwd, "node_modules", name), { recursive: true, filter: isNeeded });
}

/** @param texts the expected responses of the routes `stamps` and `entries`. */
async function serveNext(
  cwd: string,
  env: NodeJS.ProcessEnv,
  texts: readonly string[],
): Promise<readonly string[]> {
  const port = `${await findFreePort()}`;
  const args = [join(cwd, "node_modules/next/dist/bin/next"), "start", "--port", port];
  const server = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const closing = once(server, "close");
  for await (const line of createInterface({ input: server.stdout })) if (/Ready/.test(line)) break;
  const url = `http://127.0.0.1:${port}/api/loyalty/v1/users`;
  const rejectedResponse = await fetch(url);
  const cli = join(cwd, "node_modules/.bin/loyalty-kit");
  const token = ["token", "create", "--organization", "cafe", "--name", "till", "--scopes", "user:create"];
  const { stdout } = await run(cli, [...token, "--database", "loyalty.db"], { cwd });
  const headers = { authorization: `Bearer ${stdout.trim()}`, "content-type": "application/json" };
  const creation = await fetch(url, { method: "POST", headers, body: '{"email":"ada@example.com"}' });
  const text = await creation.text();
  const routes = ["stamps", "entries"].map(async (name) => {
    const response = await fetch(`http://127.0.0.1:${port}/${name}`, { method: "POST" });
    return response.text();
  });
  const bodies = await Promise.all(routes);
  server.kill();
  await closing;
  const answers = [rejectedResponse.status, creation.status, text.includes("ada@example.com"), ...bodies];
  const expected = [401, 201, true, ...texts];
  return answers.join() === expected.join() ? [] : [`a host of Next.js answers ${answers}: ${text}`];
}
