import { readFileSync, realpathSync } from "node:fs";
import nodeModule from "node:module";
import { dirname, join, sep } from "node:path";
import { findInstalledFile } from "../../../setup/installed-file.js";

/** Returns the error to throw when two SQLite libraries in this process have the same file open. */
export function secondLibraryError(): TypeError {
  return new TypeError(`two SQLite libraries in this process have the database open: ${describeLibraries()}`);
}

/**
 * Returns the error to throw when the write-ahead log was removed while in use. SQLite itself never removes the log while a
 * connection has it open.
 */
export function removedLogError(): TypeError {
  return new TypeError(
    "the database's write-ahead log was removed while it was in use: manually, or by a second SQLite library in this " +
      `process that closed the file. ${describeLibraries()}`,
  );
}

function describeLibraries(): string {
  const { own, others } = loadedLibraries();
  const otherLibraries =
    others.length === 0 ? "no other library was found" : `there is also ${others.join(", ")}`;
  return (
    `loyalty-kit uses ${own}; ${otherLibraries}. Two libraries don't see each other's locks, so committed changes get lost. ` +
    'Open the file through one copy of one library: "npm ls better-sqlite3" lists the copies, "npm dedupe" or "overrides" ' +
    "in package.json leave only one. Then restart the process. See docs/joining.md"
  );
}

/** Returns the file names of the SQLite libraries that this process has loaded. */
function loadedLibraries(): { readonly own: string; readonly others: readonly string[] } {
  const files = listNativeFiles().filter((file) => /sqlite|libsql|sqlcipher|query[-_]engine/i.test(file));
  const own = files.find((file) => file.startsWith(findOwnFolder()));
  const otherFiles = files.filter((file) => file !== own);
  if (hasOfNode()) otherFiles.push("node:sqlite");
  return { own: own ?? "better-sqlite3", others: otherFiles };
}

function listNativeFiles(): readonly string[] {
  try {
    const paths = readFileSync("/proc/self/maps", "utf8").match(/\/.*\.(node|so)\b.*$/gm) ?? [];
    return [...new Set(paths)];
  } catch {
    const { cache } = nodeModule.createRequire(join(process.cwd(), "host.js"));
    return Object.keys(cache).filter((file) => file.endsWith(".node"));
  }
}

function findOwnFolder(): string {
  try {
    return dirname(realpathSync(findInstalledFile("better-sqlite3/package.json"))) + sep;
  } catch {
    return "better-sqlite3";
  }
}

/** Returns whether Node.js has loaded its built-in SQLite, which has no file of its own. */
function hasOfNode(): boolean {
  const loaded: unknown = Reflect.get(process, "moduleLoadList");
  return Array.isArray(loaded) && loaded.includes("NativeModule sqlite");
}
