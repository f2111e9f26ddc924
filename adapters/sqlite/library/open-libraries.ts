import { type BigIntStats, fstatSync, readdirSync, readFileSync, statSync } from "node:fs";

/** Where Linux lists the file sections that a process has mapped into memory. */
const MAPPINGS = "/proc/self/maps";
/**
 * Where Linux and other systems list a process's open files. Windows has no such list and doesn't need one, because its locks
 * belong to open files rather than to processes.
 */
const DESCRIPTORS = "/dev/fd";

/**
 * Counts the SQLite libraries in this process that have a database open in write-ahead logging mode. Each library opens and maps
 * the log's index exactly once, no matter how many connections and threads use it. Only files that are already open are inspected,
 * because opening and closing the database file here would release the process's locks on it.
 * @param file the database's absolute path.
 * @returns the number of libraries, or `null` if it can't be determined.
 */
export function countLibraries(file: string): number | null {
  const index = `${file}-shm`;
  return countMappings(index) ?? countDescriptors(index);
}

/**
 * Counts the mappings of a file's beginning. Returns null if there are none or they aren't visible. Open sockets don't slow it
 * down.
 */
function countMappings(file: string): number | null {
  try {
    const mappings = readFileSync(MAPPINGS, "utf8").split("\n");
    const first = mappings.filter((line) => line.endsWith(` ${file}`) && line.includes(" 00000000 "));
    return first.length > 0 ? first.length : null;
  } catch {
    return null;
  }
}

function countDescriptors(file: string): number | null {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    const isFile = (open: BigIntStats | null) => open?.ino === ino && open.dev === dev;
    return readdirSync(DESCRIPTORS).filter((name) => isFile(readStats(Number(name)))).length;
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
