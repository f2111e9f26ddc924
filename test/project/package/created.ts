import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { findFreePort } from "../../kit/free-port.js";
import { root } from "../imports.js";
import { type Installation, linkModules } from "./installed.js";
import { installOptions, type PackedPackage } from "./packed.js";

const run = promisify(execFile);

/**
 * Creates a project as "npm create loyalty-kit my-cafe" does, from both archives and without requesting any other
 * package, and runs it as its instructions say.
 */
export async function findProjectProblems(
  folder: string,
  packedPackage: PackedPackage,
): Promise<readonly string[]> {
  const place: Installation = { folder: join(folder, "creating"), packages: [], scripted: [] };
  mkdirSync(place.folder);
  const runNpm = (...args: readonly string[]) =>
    run("npm", [...args, ...installOptions], {
      cwd: place.folder,
    });
  const { stdout } = await runNpm("pack", join(root, "packaging/create-loyalty-kit"));
  writeFileSync(join(place.folder, "package.json"), '{ "name": "creating", "private": true }');
  await runNpm("install", packedPackage.file, join(place.folder, stdout.trim()));
  await runNpm("exec", "--no", "create-loyalty-kit", "my-cafe");
  // Replaces its own "npm install", which would request our package from the registry.
  linkModules(place, ["better-sqlite3", "tsx"]);
  return findCafeProblems(join(place.folder, "my-cafe"));
}

async function findCafeProblems(cwd: string): Promise<readonly string[]> {
  const [port, hooksPort] = [await findFreePort(), await findFreePort()];
  const env = { ...process.env, PORT: `${port}`, HOOKS_PORT: `${hooksPort}` };
  const cafe = spawn("node", ["--import", "tsx", "cafe.ts"], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closing = once(cafe, "close");
  let page = "";
  for await (const line of createInterface({ input: cafe.stdout })) {
    page = /sign up at (\S+)/.exec(line)?.[1] ?? "";
    if (page !== "") break;
  }
  const status = page === "" ? null : (await fetch(page)).status;
  cafe.kill();
  const [code] = await closing;
  return status === 200 && code === 0
    ? []
    : [`the project that is created answers ${status}, and ends with exit code ${code}`];
}
