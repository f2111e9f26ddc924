import { closeSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import type { Connection } from "../connection/connection.js";

/**
 * The log file is given so many bytes at once, which it keeps when it starts over. A commit into a file that grows takes
 * twice the time: the file system writes down each new length.
 */
const PIECE = 8 * 1024 * 1024;
/** Small transactions don't make it longer than so many bytes. */
const LONGEST = 3 * PIECE;
/** A page of the log, with its header, and what may come before somebody looks again, in bytes. */
const PAGE = 4_120;
const COMING = 2 * 1024 * 1024;

/**
 * Puts zeros behind the pages of a log whose file is about to be full. SQLite's reading of a log ends at them, and it writes
 * over them. The lock for writing keeps other processes from appending meanwhile.
 * @param path of the log of the connection's file.
 * @param connection one without an open transaction.
 * @param pages how many the log has.
 * @returns true when the file has grown; false when it is long enough, another process writes, or the disk is full.
 */
export function lengthened(path: string, connection: Connection, pages: number): boolean {
  const wanted = Math.min(LONGEST, Math.ceil((pages * PAGE + COMING) / PIECE) * PIECE);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? wanted;
  if (size >= wanted) return false;
  try {
    connection.execute("begin immediate");
  } catch {
    return false;
  }
  try {
    return hasGrown(path, wanted);
  } catch {
    return false;
  } finally {
    connection.execute("rollback");
  }
}

function hasGrown(path: string, wanted: number): boolean {
  const log = openSync(path, "r+");
  const { size } = fstatSync(log);
  try {
    if (size >= wanted) return false;
    const zeros = Buffer.alloc(wanted - size);
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
