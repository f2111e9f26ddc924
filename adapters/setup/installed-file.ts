import { join } from "node:path";

/** These packages were not found, and that has been said. */
const reported = new Set<string>();

/**
 * Finds a file of an installed package when the program runs, such as `better-sqlite3/package.json`: from this file, from
 * the script that was started, and from the working directory.
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
  }
  throw missing;
}

/**
 * Finds the package that a thread loads. The first time that it is missing, a warning of the process says what goes on
 * without a thread, and why.
 * @throws as {@link findInstalledFile}.
 */
export function findForThread(name: string, without: string): string {
  try {
    return findInstalledFile(name);
  } catch (error) {
    if (!reported.has(name)) {
      reported.add(name);
      const cause = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
      process.emitWarning(`${without}, since a thread can't find ${name}: ${cause}`, {
        type: "LoyaltyKitWarning",
        detail: 'Leave the package out of the bundle, and install it beside it: see "docs/bundling.md".',
      });
    }
    throw error;
  }
}
