import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Finds a file in an installed package at run time, such as `better-sqlite3/package.json`. The search starts from this file, the
 * script that was started, the working directory, and any copies of this package that are installed there. The name is resolved by
 * a `require` function that is created at run time, because bundlers would replace a name that they recognize with a module number
 * or a path on the build machine.
 * @returns the file's absolute path.
 * @throws Node's error if the package is not installed.
 */
export function findInstalledFile(name: string): string {
  const { createRequire } = process.getBuiltinModule("node:module");
  // A file bundled as CommonJS has no URL.
  const basePaths = [import.meta.url ?? "", process.argv[1] ?? "", join(process.cwd(), "host.js")];
  let firstError: unknown;
  for (const basePath of basePaths.filter((each) => each !== "")) {
    try {
      return createRequire(basePath).resolve(name);
    } catch (error) {
      firstError ??= error;
    }
    try {
      // A bundle has left this package's folder, and only there does pnpm link the package's peers.
      return createRequire(createRequire(basePath).resolve("loyalty-kit")).resolve(name);
    } catch {}
  }
  throw firstError;
}

/**
 * Finds this package's root folder, whether the code runs from source or from the build output. The root is the nearest folder
 * above this file that contains a `package.json`.
 */
export function findPackageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("loyalty-kit can't find its files; reinstall it");
    folder = parent;
  }
  return folder;
}
