import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { version } from "../../../package.json";
import { findPackageFolder } from "../../setup/package-folder.js";
import { CommandError, FAILURE_CODE } from "../terminal/command-error.js";
import { type Output, shellWord } from "../terminal/output.js";

/** The packages beside ours. Version 12 of the driver runs on each Node.js that this release does. */
const dependencies = { "better-sqlite3": "^12.0.0", tsx: "^4.0.0" };

const PROGRAM = "cafe.ts";

/**
 * Makes a project of the example of a café, and says how to run it. It asks no network.
 * @throws {CommandError} when there is something in the folder, or it can't be made.
 */
export function createProject(folder: string, output: Output): void {
  try {
    mkdirSync(folder, { recursive: true });
    if (readdirSync(folder).length > 0)
      throw new CommandError(`${folder} is not empty: choose an empty or new folder`);
    const manifest = {
      name: toPackageName(resolve(folder)),
      private: true,
      type: "module",
      scripts: { start: `tsx ${PROGRAM}` },
      dependencies: { "better-sqlite3": dependencies["better-sqlite3"], "loyalty-kit": `^${version}` },
      devDependencies: { tsx: dependencies.tsx },
    };
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    writeFileSync(join(folder, ".gitignore"), "node_modules\n*.db\n*.db-*\n");
    copyFileSync(join(findPackageFolder(), "examples/cafe", PROGRAM), join(folder, PROGRAM));
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error && "code" in error)) throw error;
    throw new CommandError(`can't create a project in ${folder}: ${error.message}`, FAILURE_CODE, {
      cause: error,
    });
  }
  output.note(`created a café in ${folder}. To open it:`);
  output.result(`cd ${shellWord(folder)}\nnpm install\nnpm start`);
}

/** The name of a folder, where it is one for a package too. */
function toPackageName(folder: string): string {
  const name = basename(folder).toLowerCase();
  return /^[a-z0-9][a-z0-9._-]{0,200}$/.test(name) ? name : "cafe";
}
