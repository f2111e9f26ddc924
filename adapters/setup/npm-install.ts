import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The command that installs a package beside this one, without the name of the package.
 * @param file a file of this package.
 */
export function npmInstall(file = ownFile()): string {
  return isGlobal(file) ? "npm install --global" : "npm install";
}

/** True below a `node_modules` that belongs to no project: the folder around it has no manifest, as npm's global one has none. */
function isGlobal(file: string): boolean {
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder)) {
    if (basename(folder) === "node_modules") return !existsSync(join(dirname(folder), "package.json"));
  }
  return false;
}

/** Empty where the code was bundled into something that is no file. */
function ownFile(): string {
  return import.meta.url?.startsWith("file:") ? fileURLToPath(import.meta.url) : "";
}
