import { closeSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import type { Connection } from "../connection/connection.js";

/**
 * The log file is given so many bytes at once, which it keeps when it starts over. A commit into a file that grows takes
 * twice the time: the file system writes down each new length.
 */
const LENGTH = 8 * 1024 * 1024;

/**
 * Puts zeros behind the pages of a log that is shorter. SQLite's reading of a log ends at them, and it writes over them.
 * The lock for writing keeps other processes from appending meanwhile.
 * @param path of the log of the connection's file.
 * @param connection one without an open transaction.
 * @returns true when the file has grown; false when it is long enough, another process writes, or the disk is full.
 */
export function lengthened(path: string, connection: Connection): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? LENGTH;
  if (size >= LENGTH) return false;
  try {
    connection.execute("begin immediate");
  } catch {
    return false;
  }
  try {
    return hasGrown(path);
  } catch {
    return false;
  } finally {
    connection.execute("rollback");
  }
}

function hasGrown(path: string): boolean {
  const log = openSync(path, "r+");
  const { size } = fstatSync(log);
  try {
    if (size >= LENGTH) return false;
    const zeros = Buffer.alloc(LENGTH - size);
    for (let written = 0; written < zeros.length; ) {
      written += writeSync(log, zeros, written, zeros.length - written, size + written);
    }
    return true;
  } catch (error) {
    // A full disk: what was taken is given back.
    ftruncateSync(log, size);
    throw error;
  } finally {
    // SQLite has no locks on the log, so to close it releases none.
    closeSync(log);
  }
}
