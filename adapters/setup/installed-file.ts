import { join } from "node:path";

/**
 * Finds a file of an installed package when the program runs, such as `better-sqlite3/package.json`: from this file, from
 * the script that was started, and from the working directory; and from the copy of this package that is installed there.
 *
 * Bundlers must not see what is looked for. They would put in a number of a module, or a path of the machine that builds.
 * @throws Node's own error when the package is not installed.
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
