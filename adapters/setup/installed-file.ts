import { join } from "node:path";

/**
 * Finds a file of an installed package at run time, such as `better-sqlite3/package.json`: from this file, from the script that was
 * started, from the working directory, and from the installed copy of this package there.
 *
 * Bundlers must not see the name. They would replace it by the number of a module, or by a path on the build machine.
 * @throws Node's own error if the package is not installed.
 */
export function findInstalledFile(name: string): string {
  const { createRequire } = process.getBuiltinModule("node:module");
  // A file that was bundled as CommonJS has no URL.
  const places = [import.meta.url ?? "", process.argv[1] ?? "", join(process.cwd(), "host.js")];
  let missing: unknown;
  for (const place of places.filter((each) => each !== "")) {
    try {
      return createRequire(place).resolve(name);
    } catch (error) {
      missing ??= error;
    }
    try {
      // A bundle leaves this package's folder, and pnpm links its peers there alone.
      return createRequire(createRequire(place).resolve("loyalty-kit")).resolve(name);
    } catch {}
  }
  throw missing;
}
