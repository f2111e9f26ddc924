import { randomInt } from "node:crypto";
import type { SqliteConnection } from "../connection/connection.js";

/** Bytes that no process has. A limit from here on limits nothing. */
const NO_LIMIT = 2 ** 52;

/**
 * A number that each connection of the same SQLite library in this process gives for `pragma soft_heap_limit`, and none of
 * another one: a library has one such limit for all its connections, and another copy of it has its own. A random number
 * that limits nothing is set where there is no limit.
 * @returns null where the host has set a limit, which stays as it is.
 */
export function readLibraryId(connection: SqliteConnection): number | null {
  const limit = Number(connection.pragma("soft_heap_limit"));
  if (limit >= NO_LIMIT) return limit;
  if (limit > 0) return null;
  connection.pragma(`soft_heap_limit = ${NO_LIMIT + randomInt(2 ** 47)}`);
  return Number(connection.pragma("soft_heap_limit"));
}
