import { type BigIntStats, fstatSync, readdirSync, readFileSync, statSync } from "node:fs";

/** Where Linux lists the parts of files that a process has mapped into memory. */
const MAPPINGS = "/proc/self/maps";
/** Its open files, also on other systems. Windows has no such list and needs none: there, locks belong to an open file. */
const DESCRIPTORS = "/dev/fd";

/**
 * Counts the SQLite libraries of this process that have a database with a write-ahead log open. Each has the index of the
 * log open and mapped once, however many connections and threads it has. Only open files are inspected: to open and close
 * the files here would itself release the locks of the process.
 * @param file its absolute path.
 * @returns null where that can't be known.
 */
export function countLibraries(file: string): number | null {
  const index = `${file}-shm`;
  return countMappings(index) ?? countDescriptors(index);
}

/**
 * Counts the mappings of the beginning of a file; returns null where there is none, or none can be seen. Sockets don't make it slower.
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

/** Returns null for a file that was closed in the meantime. */
function readStats(descriptor: number): BigIntStats | null {
  try {
    return fstatSync(descriptor, { bigint: true });
  } catch {
    return null;
  }
}
