import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../imports.js";
import { onSqlite } from "./bundled.js";
import { drawnModule } from "./drawing-by-threads.js";
import { installOptions, type PackedPackage } from "./packed.js";

const run = promisify(execFile);

/**
 * Installs the archive with Yarn's Plug'n'Play, which leaves packages in archives, in a folder with an unusual name,
 * and runs a program on SQLite. Its threads must find the driver and the rasterizer.
 * @param expectedPicture the hash of the picture that a thread draws.
 */
export async function findPnpProblems(
  folder: string,
  { file }: PackedPackage,
  expectedPicture: string,
): Promise<readonly string[]> {
  const [yarnFolder, cwd] = [join(folder, "yarn"), join(folder, "häuser & söhne #1 100%")];
  for (const each of [yarnFolder, cwd]) mkdirSync(each);
  writeFileSync(join(yarnFolder, "package.json"), "{}");
  const dependencies = {
    "loyalty-kit": `file:${file}`,
    // It is already compiled there.
    "better-sqlite3": `portal:${join(root, "node_modules/better-sqlite3")}`,
    "@resvg/resvg-wasm": "^2",
  };
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ name: "host", type: "module", dependencies }));
  writeFileSync(join(cwd, "yarn.lock"), "");
  writeFileSync(join(cwd, "on-sqlite.js"), onSqlite);
  writeFileSync(join(cwd, "drawn.js"), drawnModule);
  const env = { ...process.env, YARN_ENABLE_TELEMETRY: "0", YARN_ENABLE_IMMUTABLE_INSTALLS: "0" };
  const runYarn = (...args: readonly string[]) => {
    const program = join(yarnFolder, "node_modules/@yarnpkg/cli-dist/bin/yarn.js");
    return run(process.execPath, [program, ...args], { cwd, env });
  };
  try {
    await run("npm", ["install", ...installOptions, "@yarnpkg/cli-dist@4"], { cwd: yarnFolder });
    await runYarn("install");
    const { stdout } = await runYarn("node", "on-sqlite.js");
    return stdout === `20000 function function function ${expectedPicture}\n`
      ? []
      : [`under Yarn's PnP: ${stdout}`];
  } catch (error) {
    return [`under Yarn's PnP: ${error}\n${Reflect.get(Object(error), "stdout") ?? ""}`];
  }
}
