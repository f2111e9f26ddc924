import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Finds this package's root folder, whether the code runs from source or from the build output. The root is the nearest folder
 * above this file that contains a `package.json`.
 */
export function findPackageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const above = dirname(folder);
    if (above === folder) throw new Error("loyalty-kit can't find its files; reinstall it");
    folder = above;
  }
  return folder;
}
