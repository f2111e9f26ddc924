import {
  type BigIntStats,
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import nodeModule from "node:module";
import { dirname, join, sep } from "node:path";
import { findInstalledFile } from "../../../setup/installed-file.js";

/** Length of the pause between checks, as a multiple of the last check's duration. */
const PAUSE_FACTOR = 1_000;

/** Maximum pause, in milliseconds. A check can seem long if the process had to wait for the CPU. */
const MAX_PAUSE_MS = 5_000;

/** How long the log isn't checked again after it was last known to exist, in milliseconds. */
const LOG_CHECK_INTERVAL_MS = 1;

/** Suffix that Linux adds to the name of an open file that has been deleted. */
const DELETED_SUFFIX = " (deleted)";

/**
 * Makes sure that no other SQLite library in this process has the file open. If two libraries have it open, closing the file in one
 * of them releases the other's locks and removes the write-ahead log that the other is still writing to. Once a second library is
 * detected, all further writes are rejected, because locks are reliable again only in a new process.
 */
export class FileGuard {
  readonly #log: number;
  #nextCheckAt = 0;
  /** The time when the log was last known to exist. */
  #lastSeenAt = Number.NEGATIVE_INFINITY;
  #error: Error | null = null;

  /** @param file the absolute path of a database with a write-ahead log. */
  constructor(private readonly file: string) {
    // SQLite holds no locks on the log, so closing this descriptor releases none.
    this.#log = openSync(`${file}-wal`, "r");
  }

  /**
   * Checks that no other library has the file open. Call this before each write. Most calls skip the check, which limits checks to
   * about a thousandth of the process's running time unless a single check takes more than 5 ms.
   * @throws {TypeError} if another library has the file open, or has been detected before.
   */
  assertAlone(): void {
    if (this.#error !== null) throw this.#error;
    const checkStart = performance.now();
    if (checkStart - this.#lastSeenAt >= LOG_CHECK_INTERVAL_MS) this.assertLogged();
    if (checkStart < this.#nextCheckAt) return;
    this.check();
    const end = performance.now();
    this.#nextCheckAt = end + Math.min(PAUSE_FACTOR * (end - checkStart), MAX_PAUSE_MS);
  }

  /**
   * Checks for another library immediately.
   * @returns `false` if the check can't determine whether another library has the file open.
   * @throws the same error as {@link assertAlone}.
   */
  check(): boolean {
    const libraries = countLibraries(this.file);
    if (libraries !== null && libraries > 1) this.#fail(secondLibraryError());
    return libraries !== null;
  }

  /**
   * Checks, after a commit, that it was written to the write-ahead log that other connections read.
   * @throws {TypeError} if that log has been removed.
   */
  assertLogged(): void {
    if (isRemoved(this.#log)) this.#fail(removedLogError());
    this.#lastSeenAt = performance.now();
  }

  get hasFailed(): boolean {
    return this.#error !== null;
  }

  close(): void {
    closeSync(this.#log);
  }

  #fail(reason: Error): never {
    this.#error = reason;
    throw reason;
  }
}

/**
 * Returns whether an open file has been deleted. On Linux it reads the file's name instead of its status: reading the modification
 * time would force the next commit to write that time to disk too, which made commits take a third longer.
 */
function isRemoved(descriptor: number): boolean {
  const name = process.platform === "linux" ? readDescriptorName(descriptor) : null;
  if (name?.endsWith(DELETED_SUFFIX) === false) return false;
  return fstatSync(descriptor).nlink === 0;
}

/** @returns null if the name can't be determined. */
function readDescriptorName(descriptor: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return null;
  }
}

/** Where Linux lists the file sections that a process has mapped into memory. */
const MAPPINGS_PATH = "/proc/self/maps";
/**
 * Where Linux and other systems list a process's open files. Windows has no such list and doesn't need one, because its locks
 * belong to open files rather than to processes.
 */
const DESCRIPTORS_PATH = "/dev/fd";

/**
 * Counts the SQLite libraries in this process that have a database open in write-ahead logging mode. Each library opens and maps
 * the log's index exactly once, no matter how many connections and threads use it. Only files that are already open are inspected,
 * because opening and closing the database file here would release the process's locks on it.
 * @param file the database's absolute path.
 * @returns the number of libraries, or `null` if it can't be determined.
 */
function countLibraries(file: string): number | null {
  const index = `${file}-shm`;
  return countMappings(index) ?? countDescriptors(index);
}

/**
 * Counts the mappings of a file's beginning. Returns null if there are none or they aren't visible. Open sockets don't slow it
 * down.
 */
function countMappings(file: string): number | null {
  try {
    const mappings = readFileSync(MAPPINGS_PATH, "utf8").split("\n");
    const first = mappings.filter((line) => line.endsWith(` ${file}`) && line.includes(" 00000000 "));
    return first.length > 0 ? first.length : null;
  } catch {
    return null;
  }
}

function countDescriptors(file: string): number | null {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    const isFile = (stats: BigIntStats | null) => stats?.ino === ino && stats.dev === dev;
    return readdirSync(DESCRIPTORS_PATH).filter((name) => isFile(readStats(Number(name)))).length;
  } catch {
    return null;
  }
}

/** Returns null if the file has been closed in the meantime. */
function readStats(descriptor: number): BigIntStats | null {
  try {
    return fstatSync(descriptor, { bigint: true });
  } catch {
    return null;
  }
}

/** Returns the error to throw when two SQLite libraries in this process have the same file open. */
export function secondLibraryError(): TypeError {
  return new TypeError(`two SQLite libraries in this process have the database open: ${describeLibraries()}`);
}

/**
 * Returns the error to throw when the write-ahead log was removed while in use. SQLite itself never removes the log while a
 * connection has it open.
 */
function removedLogError(): TypeError {
  return new TypeError(
    "the database's write-ahead log was removed while it was in use: manually, or by a second SQLite library in this " +
      `process that closed the file. ${describeLibraries()}`,
  );
}

function describeLibraries(): string {
  const { own, others } = findLoadedLibraries();
  const otherLibraries =
    others.length === 0 ? "no other library was found" : `there is also ${others.join(", ")}`;
  return (
    `loyalty-kit uses ${own}; ${otherLibraries}. Two libraries don't see each other's locks, so committed changes get lost. ` +
    'Open the file through one copy of one library: "npm ls better-sqlite3" lists the copies, "npm dedupe" or "overrides" ' +
    "in package.json leave only one. Then restart the process. See docs/joining.md"
  );
}

/** Returns the file names of the SQLite libraries that this process has loaded. */
function findLoadedLibraries(): { readonly own: string; readonly others: readonly string[] } {
  const files = listNativeFiles().filter((file) => /sqlite|libsql|sqlcipher|query[-_]engine/i.test(file));
  const own = files.find((file) => file.startsWith(findOwnFolder()));
  const otherFiles = files.filter((file) => file !== own);
  if (hasNodeSqlite()) otherFiles.push("node:sqlite");
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
function hasNodeSqlite(): boolean {
  const loaded: unknown = Reflect.get(process, "moduleLoadList");
  return Array.isArray(loaded) && loaded.includes("NativeModule sqlite");
}
